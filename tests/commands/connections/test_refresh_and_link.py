"""`unified connections refresh` and `link`: what may be done to a connection that needs
a login, and where its token goes.
"""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from front_door import Unified
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
SECRET = "lnk_0123456789abcdefCANARY"
STATES = ("needs_reauth", "blocked", "active")
BOTH = ["refresh", "link"]


def fleet_of(service: Service, config: Config, more: str = "") -> None:
    """One profile for each state, and one of a token of its own."""
    tables = "".join(f'[profiles.{name}]\naccount_id = "id-{name}"\n{more}' for name in STATES)
    own = '[profiles.own]\naccount_id = "me"\n'
    config(f'base_url = "{service.url}"\nretries = 0\nrate = 0\n{tables}{own}')


def answer(seen: Seen, link: Any = None, status: int = 200) -> Reply:
    if seen.method == "POST":
        body = {"success": True} if "refresh" in seen.path else link or {"link_token": SECRET}
        return served(body, status)
    account = seen.segments[-1]
    if account == "capabilities":
        return served({"statusCode": 404, "error": "Not Found", "message": ""}, 404)
    return served({"id": account, "status": account.removeprefix("id-")})


@pytest.fixture(name="owned")
def _owned(service: Service, config: Config) -> Service:
    fleet_of(service, config)
    service.reply = answer
    return service


def posts(service: Service) -> list[Seen]:
    return [seen for seen in service.seen if seen.method == "POST"]


def test_the_credentials_of_one_are_renewed(unified: Unified, owned: Service) -> None:
    result = unified("connections refresh -p needs_reauth --yes", environ=owned.environ)
    assert (result.code, result.json) == (0, {"success": True}), result.stderr
    (sent,) = owned.seen
    assert (sent.target, sent.json) == (
        "/integrated-account/refresh-credentials",
        {"id": "id-needs_reauth"},
    )


def test_several_refreshes_are_a_run(unified: Unified, owned: Service) -> None:
    owned.reply = lambda seen: answer(seen, status=500 if "blocked" in str(seen.body) else 200)
    call = "connections refresh -p needs_reauth -p blocked -p active --yes -o ndjson"
    result = unified(call, environ=owned.environ)
    found = {one["_profile"]: one for one in map(json.loads, result.stdout.splitlines())}
    assert (result.code, {name: one["outcome"] for name, one in found.items()}) == (
        10,
        {"needs_reauth": "done", "blocked": "in-doubt", "active": "done"},
    )
    # Nothing in doubt is repeated, and what shows the result is named.
    assert '"next": "unified connections list --health"' in result.stderr
    assert "calls in doubt are not repeated: the credentials may have been renewed" in result.stderr
    assert "unified connections refresh --yes -p blocked\n" in result.stderr
    again = unified("runs resume last", environ=owned.environ)
    assert len(posts(owned)) == 3, again.stderr
    owned.reply = answer
    doubtful = unified("runs resume last --retry-in-doubt --yes", environ=owned.environ)
    assert (doubtful.code, len(posts(owned))) == (0, 4), doubtful.stderr
    assert json.loads(owned.seen[-1].body) == {"id": "id-blocked"}
    listed = unified("runs list -o json").json["runs"]
    assert [run["command"] for run in listed] == ["connections refresh"]


@pytest.mark.parametrize("status", [500, 502])
@pytest.mark.parametrize("what", BOTH)
def test_neither_is_repeated(what: str, status: int, unified: Unified, owned: Service) -> None:
    owned.reply = lambda seen: answer(seen, status=status)
    environ = {**owned.environ, "UNIFIED_RETRIES": "4"}
    result = unified(f"connections {what} -p needs_reauth --yes", environ=environ)
    assert (result.code, len(posts(owned))) == (10, 1)


@pytest.mark.parametrize("what", BOTH)
@pytest.mark.parametrize(
    ("more", "code", "why"),
    [
        ("--yes", 2, "-p NAME"),
        ("-p needs_reauth", 2, "add --yes"),
        ("-p own --yes", 13, "use the environment's token"),
        ("-p nobody --yes", 3, "no profile named"),
    ],
)
def test_wrong_command_lines_are_refused(
    more: str, code: int, why: str, what: str, unified: Unified, owned: Service
) -> None:
    result = unified(f"connections {what} {more}", environ=owned.environ)
    assert (result.code, posts(owned), why in result.stderr) == (code, [], True), result.stderr


@pytest.mark.parametrize("more", ["-p needs_reauth", "-p needs_reauth -p blocked"])
@pytest.mark.parametrize("what", BOTH)
def test_a_read_only_profile_is_refused(
    what: str, more: str, unified: Unified, service: Service, config: Config
) -> None:
    fleet_of(service, config, "read_only = true\n")
    service.reply = answer
    result = unified(f"connections {what} {more} --yes", environ=service.environ)
    several = what == "link" and "blocked" in more
    assert (result.code, posts(service)) == (2 if several else 13, []), result.stderr
    assert several or "read-only" in result.stderr


def test_a_token_is_made(unified: Unified, owned: Service) -> None:
    result = unified("connections link -p needs_reauth --yes", environ=owned.environ)
    assert (result.code, result.stdout) == (0, f"{SECRET}\n"), result.stderr
    (sent,) = posts(owned)
    assert (sent.path, sent.query) == ("/link-token", [])
    assert sent.json == {
        "integrated_account_id": "id-needs_reauth",
        "persist_previous_context": True,
    }
    assert "once and within 7 days" in result.stderr


def test_a_healthy_connection_needs_force(unified: Unified, owned: Service) -> None:
    refused = unified("connections link -p active --yes", environ=owned.environ)
    assert (refused.code, posts(owned), "--force" in refused.stderr) == (13, [], True)
    forced = unified("connections link -p active --yes --force", environ=owned.environ)
    assert (forced.code, forced.stdout) == (0, f"{SECRET}\n")


def test_a_file_is_private_and_never_replaced(
    unified: Unified, owned: Service, tmp_path: Path
) -> None:
    out = tmp_path / "token"
    call = f"connections link -p blocked --yes --out {out}"
    result = unified(call, environ=owned.environ)
    assert (result.code, result.stdout, out.read_text()) == (0, "", f"{SECRET}\n")
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    again = unified(f"{call} --force", environ=owned.environ)
    assert (again.code, len(posts(owned)), "exists" in again.stderr) == (11, 1, True)


@pytest.mark.parametrize("more", ["--record x.har", "--replay x.har", "-o json"])
def test_a_token_is_not_recorded(more: str, unified: Unified, owned: Service) -> None:
    result = unified(f"connections link -p blocked --yes {more}", environ=owned.environ)
    assert (result.code, owned.seen) == (2, [])


def forms(secret: str) -> list[bytes]:
    return [secret.encode(), quote(secret).encode(), secret[::-1].encode()]


@pytest.mark.parametrize("more", ["", "-v", "-vv", "--json-errors", "--quiet -vv"])
@pytest.mark.parametrize("echo", [False, True])
def test_the_token_is_on_stdout_only(
    echo: bool, more: str, unified: Unified, owned: Service, tmp_path: Path
) -> None:
    if echo:
        owned.reply = lambda seen: answer(
            seen, {"link_token": SECRET, "url": f"https://x.example/?link_token={SECRET}"}
        )
    result = unified(f"connections link -p blocked --yes {more}", environ=owned.environ)
    assert (result.code, result.stdout) == (0, f"{SECRET}\n"), result.stderr
    places = {"stderr": result.stderr.encode()}
    places |= {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert [name for name, text in places.items() for one in forms(SECRET) if one in text] == []


def test_an_answer_without_a_token(unified: Unified, owned: Service) -> None:
    owned.reply = lambda seen: answer(seen, {"token": SECRET})
    result = unified("connections link -p blocked --yes", environ=owned.environ)
    assert (result.code, result.stdout, SECRET in result.stderr) == (5, "", False)


def test_they_are_shown(unified: Unified, owned: Service) -> None:
    shown = unified("connections refresh -p blocked -p active --dry-run", environ=owned.environ)
    assert (shown.code, shown.stdout.count("refresh-credentials")) == (0, 2)
    link = unified("connections link -p blocked --dry-run", environ=owned.environ)
    assert (link.code, link.json["method"], owned.seen) == (0, "POST", [])


@pytest.mark.parametrize(
    ("account", "word"), [("needs-reauth", "link -p x"), ("blocked", "refresh -p x")]
)
def test_refresh_and_link_are_suggested_if_they_help(
    account: str, word: str, unified: Unified, config: Config
) -> None:
    config(f'base_url = "sandbox:"\n[profiles.x]\naccount_id = "{account}"\n')
    for call in ("ticketing tickets list -p x", "doctor x --network", "connections list --health"):
        assert f"unified connections {word}" in (unified(call).stderr + unified(call).stdout), call
    assert unified("connections link -p x --yes").stdout.startswith("sandbox-link-")
    assert unified("connections refresh -p x --yes").json == {"success": True}
