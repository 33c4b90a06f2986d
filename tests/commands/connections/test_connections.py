"""`unified connections`: what the token can see, without its credentials, and profiles
made of it.
"""

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import cursor_of, offer, served
from screen import configured, drawn
from server import Reply, Seen, Service

from unified_cli.call import introspection

SECRET = "provider-credential-0123456789"
LIST = "connections list"
ADD = "connections add --yes"


def connection(
    identifier: str, tenant: str = "acme", product: str = "deskly", **more: Any
) -> dict[str, Any]:
    return {
        "id": identifier,
        "tenant_id": tenant,
        "status": "active",
        "is_sandbox": False,
        "integration": {"name": product, "label": product.title(), "category": "ticketing"},
        "context": {"access_token": SECRET},
        "created_at": "2026-01-01T00:00:00Z",
        **more,
    }


def answering(service: Service, *pages: list[dict[str, Any]], items: str = "result") -> None:
    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        return served(
            {items: pages[at], "next_cursor": str(at + 1) if at + 1 < len(pages) else None}
        )

    service.reply = reply


@pytest.fixture
def environ(service: Service) -> dict[str, str]:
    """A service and a token, and no connection."""
    return {name: value for name, value in service.environ.items() if name != "UNIFIED_ACCOUNT_ID"}


def profiles(tmp_path: Path) -> Any:
    return tomllib.loads((tmp_path / "config" / "config.toml").read_text())["profiles"]


@pytest.mark.parametrize("items", ["result", "results"])
def test_all_pages_are_listed_with_the_profiles_that_lead_there(
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    config: Callable[[str], Path],
    items: str,
) -> None:
    answering(
        service,
        [connection("c-1")],
        [connection("c-2", "globex", status="needs_reauth", is_sandbox=True)],
        items=items,
    )
    near = '[profiles.one]\naccount_id = "c-1"\n'
    far = '[profiles.far]\nbase_url = "https://x.example"\naccount_id = "c-2"\n'
    config(f'base_url = "{service.url}"\n{near}{far}')
    result = unified(LIST, environ=environ)
    assert (result.code, result.stderr) == (0, "")
    assert (
        result.stdout == "c-1\tdeskly\tacme\tactive\tno\t2026-01-01\tone\n"
        "c-2\tdeskly\tglobex\tneeds_reauth\tyes\t2026-01-01\t\n"
    )
    assert [(seen.method, seen.target) for seen in service.seen] == [
        ("GET", "/integrated-account"),
        ("GET", "/integrated-account?next_cursor=1"),
    ]


@pytest.mark.parametrize("more", ["", " --dry-run"])
def test_a_config_file_that_the_environment_names_is_created(
    more: str, unified: Unified, tmp_path: Path
) -> None:
    new = tmp_path / "new.toml"
    environ = {"UNIFIED_CONFIG": str(new), "UNIFIED_BASE_URL": "sandbox:"}
    added = unified(f"connections add --tag x --yes{more}", environ=environ)
    assert (added.code, new.exists()) == (0, not more), added.stderr
    assert unified("profile list", environ=environ).code == (3 if more else 0)


def test_health_has_the_broken_ones_first_off_a_terminal_too(unified: Unified) -> None:
    lines = unified(f"{LIST} -p sandbox --health -o tsv").stdout.splitlines()
    document = unified(f"{LIST} -p sandbox --health -o json").json
    ids = [line.split("\t")[0] for line in lines]
    assert ids == [one["id"] for one in document["connections"]]
    states = [line.split("\t")[3] for line in lines]
    marks = ["blocked" in one or not one.startswith(("active", "connecting")) for one in states]
    assert marks == sorted(marks, reverse=True)
    assert {*marks} == {True, False}


def test_a_connection_that_is_being_made_is_not_shown_as_broken(
    unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    states = ("connecting", "needs_reauth", "post_install_error", "active")
    answering(service, [connection(f"c-{one}", status=one) for one in states])
    shown = unified(LIST, tty=True, columns=100, environ={**environ, "FORCE_COLOR": "1"}).stdout
    red, doubt = (
        [state for state in states if f"{colour}{state}" in shown]
        for colour in ("\x1b[31m", "\x1b[35m")
    )
    assert (red, doubt) == (["needs_reauth", "post_install_error"], ["connecting"])


@pytest.mark.parametrize("health", ["", " --health"])
@pytest.mark.parametrize(
    ("options", "is_named"),
    [
        ("-p far", True),
        ("-p far --where .sandbox==false", True),
        ("-p far --quiet", False),
        # A list that is filtered at the service says nothing about the connection.
        ("-p far -q product=deskly", False),
        ("-p near", False),
        ("-p me", False),
        ("-p bare", False),
        ("", False),
    ],
)
def test_a_profile_whose_own_connection_is_not_listed_is_named(
    options: str,
    is_named: bool,
    health: str,
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    config: Callable[[str], Path],
) -> None:
    answering(service, [connection("c-1")], [connection("c-2")])
    accounts = "".join(
        f'[profiles.{name}]\naccount_id = "{account}"\n'
        for name, account in {"near": "c-2", "far": "c-9", "me": "me"}.items()
    )
    config(f'base_url = "{service.url}"\n{accounts}[profiles.bare]\n')
    said = unified(f"{LIST} {options}{health}", environ=environ).stderr
    note = 'the connection of profile "far" (c-9) is not in this list: -p only selects the token\n'
    assert (note in said, "not in this list" in said) == (is_named, is_named)


def test_help_says_that_a_profile_gives_the_token_only(unified: Unified) -> None:
    page = unified(f"{LIST} --help").stdout
    assert "-p only selects the token." in " ".join(page.split())


@pytest.mark.parametrize(
    ("options", "query"),
    [
        ("--page-size 7", "limit=7"),
        ("-q limit=9 --page-size 7", "limit=9"),
        ("-q a=b --page-size 7", "a=b&limit=7"),
    ],
)
def test_the_page_size_is_sent_once(
    options: str, query: str, unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    answering(service, [connection("c-1")])
    assert unified(f"{LIST} {options}", environ=environ).code == 0
    assert [seen.target for seen in service.seen] == [f"/integrated-account?{query}"]


def test_the_credentials_of_connections_are_nowhere(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    answering(service, [connection("c-1")])
    for command in (
        f"{LIST} -vv",
        f"{LIST} -o json -vv",
        f"{LIST} -vv --where '.context == null'",
        f"{ADD} -vv",
    ):
        result = unified(command, environ=environ)
        assert result.code == 0
        assert SECRET not in result.stdout + result.stderr
        assert (command == "profile test acme") or ('"context":"***"' in result.stderr)
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and SECRET in path.read_text()
    ]


@pytest.mark.parametrize("form", ["", "-o json", "-o table"])
def test_a_token_that_a_connection_repeats_is_not_shown(
    unified: Unified, service: Service, environ: dict[str, str], form: str
) -> None:
    answering(service, [connection("c-1", f"of {environ['UNIFIED_TOKEN']}.")])
    result = unified(f"{LIST} {form}", environ=environ)
    assert (result.code, "of ***." in result.stdout) == (0, True)
    assert environ["UNIFIED_TOKEN"] not in result.stdout + result.stderr


def test_json_holds_the_facts(unified: Unified, service: Service, environ: dict[str, str]) -> None:
    answering(service, [connection("c-1"), {"id": 7}])
    assert unified(f"{LIST} -o json", environ=environ).json == {
        "version": 1,
        "connections": [
            {
                "id": "c-1",
                "product": "deskly",
                "category": "ticketing",
                "tenant": "acme",
                "status": "active",
                "blocked": None,
                "sandbox": False,
                "created": "2026-01-01T00:00:00Z",
                "updated_at": "",
                "authentication_method": "",
                "region": "",
                "last_error": "",
                "last_forbidden_error": None,
                "profiles": [],
            },
            {
                "id": "7",
                "product": "",
                "category": "",
                "tenant": "",
                "status": "",
                "blocked": None,
                "sandbox": False,
                "created": "",
                "updated_at": "",
                "authentication_method": "",
                "region": "",
                "last_error": "",
                "last_forbidden_error": None,
                "profiles": [],
            },
        ],
    }


def test_a_program_selects(unified: Unified, service: Service, environ: dict[str, str]) -> None:
    answering(service, [connection("c-1"), connection("c-2", status="connecting")])
    result = unified([*LIST.split(), "--where", '.status == "active"'], environ=environ)
    assert result.stdout.startswith("c-1\t")
    assert len(result.stdout.splitlines()) == 1
    wrong = unified([*LIST.split(), "--where", ".status =="], environ=environ)
    assert (wrong.code, wrong.stderr.startswith("error: --where: ")) == (2, True)


@pytest.mark.parametrize(
    ("status", "colour"),
    [("connecting", "35"), ("paused", "35"), ("needs_reauth", "31"), ("validation_error", "31")],
)
def test_only_a_broken_connection_is_red(
    status: str, colour: str, unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    answering(service, [connection("c-1"), connection("c-2", status=status)])
    result = unified("connections list", environ={**environ, "TERM": "xterm"}, tty=True)
    assert f"\x1b[{colour}m{status}" in result.stdout


def test_the_token_of_one_connection_is_recognised(
    unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    service.reply = lambda _: served(
        {"statusCode": 403, "error": "Forbidden", "message": "not for this token"}, 403
    )
    result = unified(LIST, environ=environ)
    assert result.code == 7
    assert (
        "the token of a single connection may not do this: use the environment's token"
        in result.stderr
    )


def test_profiles_are_added_once_and_used(
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    tmp_path: Path,
    config: Callable[[str], Path],
) -> None:
    config(f'base_url = "{service.url}"\n')
    answering(service, [connection("c-1"), connection("c-2", "Globex & Söhne", "hire/track")])
    first = unified(f"{ADD} --prefix p. --tag eu --tag new", environ=environ)
    assert first.stdout.splitlines() == [
        "p.acme-deskly\tc-1\tdeskly\tacme\tactive",
        "p.Globex-S-hne-hire-track\tc-2\thire/track\tGlobex & Söhne\tactive",
    ]
    assert first.code == 0
    assert (
        first.stderr == f"added 2 profiles to {tmp_path}/config/config.toml\n"
        "they have no token but UNIFIED_TOKEN (unified profile login --shared stores one for all)\n"
        "try them: unified profile test tag:eu\n"
    )
    assert profiles(tmp_path) == {
        "p.acme-deskly": {"account_id": "c-1", "tags": ["eu", "new"]},
        "p.Globex-S-hne-hire-track": {"account_id": "c-2", "tags": ["eu", "new"]},
    }
    again = unified(ADD, environ=environ)
    assert (again.stdout, again.stderr) == (
        "",
        "nothing to add: 2 connections, all with a profile\n",
    )
    assert (
        unified("-p tag:eu ticketing tickets list -o ndjson --limit 1", environ=environ).code == 0
    )
    assert {dict(seen.query).get("integrated_account_id") for seen in service.seen[-2:]} == {
        "c-1",
        "c-2",
    }


def test_new_profiles_are_added_and_missing_ones_named(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    answering(service, [connection("c-1")])
    unified(ADD, environ=environ)
    answering(service, [connection("c-2", "globex")])
    result = unified(ADD, environ=environ)
    assert result.stderr.startswith(
        "no longer listed: acme-deskly (unified profile remove NAME)\nadded 1 profile "
    )
    assert [*profiles(tmp_path)] == ["acme-deskly", "globex-deskly"]
    assert result.stderr.endswith(
        "they have no token but UNIFIED_TOKEN (unified profile login globex-deskly stores one)\n"
        "try them: unified profile test globex-deskly\n"
    )
    assert profiles(tmp_path)["globex-deskly"] == {"account_id": "c-2", "base_url": service.url}


def test_two_of_one_name_are_refused_and_nothing_is_written(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    answering(service, [connection("c-1"), connection("c-2"), connection("c-3", "other")])
    result = unified(ADD, environ=environ)
    assert (result.code, result.stdout) == (2, "")
    assert "unified profile add NAME -a c-1 gives a connection another name" in result.stderr
    assert not (tmp_path / "config" / "config.toml").exists()
    assert unified(f"profile add first --base-url {service.url} -a c-1").code == 0
    assert unified(ADD, environ=environ).code == 0
    assert [*profiles(tmp_path)] == ["first", "acme-deskly", "other-deskly"]


def test_each_ambiguous_name_is_reported(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    names = {
        "c-1": "acme",
        "c-2": "acme",
        "c-3": "other",
        "c-4": "globex",
        "c-5": "globex",
        "c-6": "alone",
    }
    assert unified(f"profile add other-deskly --base-url {service.url} -a c-9").code == 0
    answering(service, [connection(account, name) for account, name in names.items()])
    result = unified(ADD, environ=environ)
    assert (result.code, result.stdout, [*profiles(tmp_path)]) == (2, "", ["other-deskly"])
    assert (
        result.stderr
        == 'error: nothing added: the name "acme-deskly" would belong to several connections: c-1,'
        ' c-2; the name "other-deskly" belongs to a profile already; the name "globex-deskly" would'
        " belong to several connections: c-4, c-5 (unified profile add"
        " NAME -a c-1 gives a connection another name; then run this again. Or select other"
        " connections with --where)\n"
    )


def test_nothing_is_added_without_a_yes(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    answering(service, [connection("c-1")])
    refused = unified("connections add", environ=environ)
    assert (
        refused.stderr == "error: nothing added: cannot ask whether to add 1 profile: acme-deskly"
        " (add --yes)\n"
    )
    assert unified("connections add --dry-run", environ=environ).code == 0
    no = unified("connections add", environ=environ, tty=True, stdin=b"n\n")
    assert (no.code, no.stderr) == (
        2,
        "add 1 profile: acme-deskly? [y/N] error: nothing added\n",
    )
    assert not (tmp_path / "config" / "config.toml").exists()
    assert unified("connections add", environ=environ, tty=True, stdin=b"y\n").code == 0
    assert [*profiles(tmp_path)] == ["acme-deskly"]


def test_the_sandbox_is_a_fleet(unified: Unified, tmp_path: Path) -> None:
    assert unified("-p sandbox connections add --yes --tag demo").code == 0
    added = profiles(tmp_path)
    assert {one["base_url"] for one in added.values()} == {"sandbox:"}
    assert len(added) > 30
    name = next(name for name, one in added.items() if one["account_id"] == "full")
    found = unified(["-p", name, "ticketing", "tickets", "list", "--limit", "1", "-o", "ndjson"])
    assert json.loads(found.stdout)["id"] == "tickets-1"


def test_a_program_that_is_not_a_condition_is_refused(
    unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    answering(service, [connection("c-1")])
    result = unified([*LIST.split(), "--where", '.status = "active"'], environ=environ)
    assert (result.code, result.stderr) == (
        2,
        "error: --where gives neither true nor false (== compares)\n",
    )


def test_an_empty_list_is_reported(
    unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    answering(service, [connection("c-1")])
    none = unified(f"{LIST} --where false", environ=environ)
    assert (none.code, none.stdout, none.stderr) == (0, "", "none of 1 connection matches\n")
    answering(service, [])
    assert unified(LIST, environ=environ).stderr == "no connections\n"


def test_a_list_is_remembered_elsewhere_for_a_day(
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    hostile = connection("c-3", "x", "desk\x1b[31mly", status="ev\x1bil")
    answering(
        service,
        [
            connection("c-1"),
            connection("c-2", status="needs_reauth"),
            hostile,
            connection("../c-4"),
        ],
    )
    names = {"one": "c-1", "two": "c-2", "three": "c-3"}
    tables = "".join(
        f'[profiles.{name}]\naccount_id = "{account}"\n' for name, account in names.items()
    )
    config(f'base_url = "{service.url}"\n{tables}')
    world = {
        "folders": {"config": tmp_path / "config", "cache": tmp_path / "cache"},
        "environ": environ,
    }
    now = 1_000_000.0
    assert unified(LIST, wall=lambda: now, **world).code == 0
    assert len([*(tmp_path / "cache" / "connections").iterdir()]) == 3
    later = {**world, "wall": lambda: now + 2 * 3600}
    listed = unified("profile list", **later)
    assert [line.split("\t")[-1] for line in listed.stdout.splitlines()] == [
        "deskly, active, seen 2 h ago", "deskly, needs_reauth, seen 2 h ago", "",
    ]  # fmt: skip
    assert [
        one["connection"] for one in unified("profile list -o json", **later).json["profiles"]
    ] == [
        {"product": "deskly", "status": "active", "age": 7200},
        {"product": "deskly", "status": "needs_reauth", "age": 7200},
        {"product": "", "status": "", "age": 7200},
    ]
    found = [line.split("\t") for line in unified("doctor", **later).stdout.splitlines()]
    assert [
        "warning",
        "connection",
        "two",
        "deskly, needs_reauth, seen 2 h ago",
        "its owner must sign in again: unified connections link -p two makes a token for that",
    ] in found
    assert ["ok", "connections", "deskly 1", "1 active, listed 2 h ago", ""] in found
    refused = unified("-p one ticketing tags delete 7", **later)
    assert 'ticketing tags 7 in profile "one" (account c-1, deskly) (add --yes)' in refused.stderr
    old = {**world, "wall": lambda: now + 25 * 3600}
    assert "deskly" not in unified("profile list", **old).stdout


def test_the_credentials_of_connections_are_dropped_from_any_request(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    one = (
        b'{"id": 1.10, "context": {"k": "%b"}, "a": [{"con\\u0074ext": "%b", "b": 2}], "context":'
        b' "%b"}'
    )
    page = b'{"result": [%b], "next_cursor": null}' % one
    page = page.replace(b"%b", SECRET.encode())
    service.reply = lambda _: served(page)
    for more in (
        "",
        "-o raw",
        "-o ndjson --all",
        "--jq '.result[0]|keys'",
        "-vv",
        f"--out {tmp_path}/x",
    ):
        result = unified(f"request GET /integrated-account {more}", environ=service.environ)
        assert result.code == 0, result.stderr
        assert SECRET not in result.stdout + result.stderr
    assert (
        tmp_path / "x"
    ).read_text() == '{"result":[{"id":1.10,"a":[{"b":2}]}],"next_cursor":null}'


AS_TEXT = json.dumps({"account": {"context": {"access_token": SECRET}}, "message": "no"})


@pytest.mark.parametrize("status", [403, 500, 200])
@pytest.mark.parametrize(
    "of_error",
    [
        {"account": {"id": "c-1", "context": {"access_token": SECRET}}},
        {"errors": [{"field": "status", "message": "bad", "context": {"access_token": SECRET}}]},
        {"message": {"text": "no", "context": SECRET}},
        {"remote_error": AS_TEXT},
        {"message": f"no: {AS_TEXT}"},
        {"truto_error_insight": {"account": {"value": {"context": {"access_token": SECRET}}}}},
    ],
)
def test_the_credentials_of_connections_are_dropped_from_errors(
    unified: Unified, service: Service, tmp_path: Path, status: int, of_error: dict[str, Any]
) -> None:
    error = {"statusCode": max(status, 400), "error": "Forbidden", "message": "blocked", **of_error}
    service.reply = lambda _: served(error, status)
    commands = (
        LIST,
        ADD,
        "capabilities",
        "request GET /integrated-account/c-1",
        "request GET /Integrated-Account/c-1",
    )
    for at, command in enumerate(commands):
        for more in ("--json-errors", "-vv", f"--record {tmp_path}/{at}.har"):
            if more.startswith("--record") and not command.startswith("request"):
                continue
            result = unified(f"{command} {more} --retries 0", environ=service.environ)
            assert result.code in {4, 5, 7}, result.stderr
            assert SECRET not in result.stdout + result.stderr
    result = unified(
        "request GET /integrated-account/c-1 --json-errors --retries 0", environ=service.environ
    )
    assert '"body": {"statusCode": ' in result.stderr
    assert not [
        path for path in tmp_path.rglob("*") if path.is_file() and SECRET in path.read_text()
    ]


@pytest.mark.parametrize("kind", ["text/plain", "text/html", "application/json"])
@pytest.mark.parametrize("status", [200, 403, 502])
def test_a_response_that_cannot_be_masked_is_not_shown(
    unified: Unified, service: Service, tmp_path: Path, kind: str, status: int
) -> None:
    body = f'{{"id": 1, "context": {{"access_token": "{SECRET}"}}'.encode()
    service.reply = lambda _: Reply(
        status, body, {"Content-Type": kind, "Content-Disposition": "attachment"}
    )
    result = unified(
        f"request GET /integrated-account/c-1 --retries 0 --json-errors --out {tmp_path}/x",
        environ=service.environ,
    )
    assert (result.code, result.stdout, SECRET in result.stderr) == (
        7 if status == 403 else 5,
        "",
        False,
    )
    assert not (tmp_path / "x").exists()


def test_the_credentials_of_a_change_of_a_connection_are_not_shown(
    unified: Unified, service: Service
) -> None:
    words = [
        "request",
        "PATCH",
        "/integrated-account/me",
        "-d",
        json.dumps({"context": {"key": SECRET}}),
        "-vv",
    ]
    result = unified(words, environ=service.environ)
    assert (result.code, SECRET in result.stdout + result.stderr) == (0, False)
    assert '> {"context":"***"}\n' in result.stderr


def test_two_hundred_profiles_are_added_in_one_step(
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    tmp_path: Path,
    config: Callable[[str], Path],
) -> None:
    config(f'base_url = "{service.url}"\n')
    first = [connection(f"c-{at}", f"tenant-{at}") for at in range(200)]
    answering(service, *(first[at : at + 50] for at in range(0, 200, 50)))
    refused = unified("connections add", environ=environ)
    assert (refused.code, refused.stderr) == (
        2,
        ("error: nothing added: cannot ask whether to add 200 profiles: tenant-0-deskly,"
        " tenant-1-deskly, tenant-2-deskly and 197 more (add --yes)\n"),
    )  # fmt: skip
    result = unified(f"{ADD} --tag eu", environ=environ)
    assert (result.code, len(result.stdout.splitlines()), len(profiles(tmp_path))) == (0, 200, 200)
    answering(service, [*first[2:], *(connection(f"n-{at}", f"new-{at}") for at in range(3))])
    again = unified(f"{ADD} --tag eu", environ=environ)
    assert [line.partition("\t")[0] for line in again.stdout.splitlines()] == [
        f"new-{at}-deskly" for at in range(3)
    ]
    gone = "no longer listed: tenant-0-deskly, tenant-1-deskly (unified profile remove NAME)"
    assert again.stderr.startswith(f"{gone}\nadded 3 profiles to {tmp_path}/config/config.toml\n")
    assert len(profiles(tmp_path)) == 203


ID = "62f44730-dd91-461e-bd6a-aedd9e0ad79d"
NAMES = ("n" * 60, "\u4e2d\u6587" * 15, "e\u0301" * 60)
BARS = [
    "STATUS        4 CONNECTIONS",
    "active        ███████████████·····  3",
    "needs_reauth  ▒▒▒▒▒···············  1",
    "",
]


@pytest.mark.parametrize(
    ("columns", "size", "profile", "states"),
    [
        (80, 8, "a-long-name-of-…", ["active,     ", "sandbox"]),
        (120, 11, "a-long-name-of-a-profile-" * 2, ["active, sandbox"]),
    ],
)
def test_a_terminal_shows_how_many_are_how_and_each_on_a_line(
    service: Service,
    environ: dict[str, str],
    tmp_path: Path,
    columns: int,
    size: int,
    profile: str,
    states: list[str],
) -> None:
    name = "a-long-name-of-a-profile-" * 2
    configured(
        tmp_path, f'base_url = "{service.url}"\n[profiles.{name}]\naccount_id = "{ID[:-1]}0"\n'
    )
    status = ("active", "needs_reauth", "active")
    listed = [connection(f"{ID[:-1]}{at}", NAMES[at], status=status[at]) for at in range(3)]
    answering(service, [*listed, connection(f"{ID[:-1]}3", "acme", "stafflist", is_sandbox=True)])
    shown = drawn(tmp_path, ["connections", "list"], columns, environ)
    wide, gap, last = NAMES[1][: (size - 1) // 2], " " * len(profile), len(states[0])
    assert shown == [
        *BARS,
        f"  {'TENANT':{size}}  {'PROFILE':{len(profile)}}  {'STATUS':{last}}  ID",
        "deskly, failing (1 of 3)",
        f"  {wide}…{' ' * (size - 1 - 2 * len(wide))}  {gap}  {'needs_reauth':{last}}  {ID[:-1]}1",
        "deskly (2 of 3)",
        f"  {'n' * (size - 1)}…  {profile}  {'active':{last}}  {ID[:-1]}0",
        f"  {NAMES[2][: 2 * (size - 1)]}…  {gap}  {'active':{last}}  {ID[:-1]}2",
        "stafflist (1)",
        f"  {'acme':{size}}  {gap}  {states[0]}  {ID[:-1]}3",
        *(f"  {'':{size}}  {gap}  {more}" for more in states[1:]),
    ]


def test_a_terminal_shows_each_problem_once_with_its_connections(tmp_path: Path) -> None:
    where = '.tenant | test("reauth|hooli|initech2|blocked|slow")'
    shown = drawn(
        tmp_path, ["-p", "sandbox", "connections", "list", "--health", "--where", where], 80
    )
    assert shown[:4] == [
        "STATUS        6 CONNECTIONS",
        "needs_reauth  ▒▒▒▒▒▒▒▒▒▒··········  3",
        "active        ███████·············  2",
        "blocked       ▒▒▒·················  1",
    ]
    assert shown[-4:] == [
        "the account is blocked: blocked",
        "the connection needs a new login (needs_reauth: invalid_grant: the provider",
        "  refused the credentials): needs-reauth, hooli, initech2",
        "4 of 6 connections failing, counted as in profile test",
    ]
    assert max(map(len, shown)) <= 80


def test_failing_connections_of_all_products_come_first_by_their_profiles(
    service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    states = ("needs_reauth", "connecting", "active", "post_install_error", "frozen", "active")
    products = ("deskly", "deskly", "deskly", "stafflist", "stafflist", "pagewell")
    names = [f"a-long-name-of-a-profile-{at}" for at in range(6)]
    rows = "".join(
        f'[profiles.{name}]\naccount_id = "{ID[:-1]}{at}"\n' for at, name in enumerate(names)
    )
    configured(tmp_path, f'base_url = "{service.url}"\n{rows}')
    found = zip(states, products, strict=True)
    answering(
        service,
        [
            connection(f"{ID[:-1]}{at}", "A tenant of many words", product, status=state)
            for at, (state, product) in enumerate(found)
        ],
    )
    shown = drawn(tmp_path, ["connections", "list", "--health"], 80, environ)
    lines = [" ".join(line.split()) for line in shown[shown.index("") + 1 :]]
    assert lines[:12] == [
        "TENANT PROFILE STATUS",
        "deskly, failing (1 of 3)",
        f"A tenant of many words {names[0]} needs_reauth",
        "stafflist, failing (1 of 2)",
        f"A tenant of many words {names[3]} post_install_error",
        "deskly (2 of 3)",
        f"A tenant of many words {names[1]} connecting",
        f"A tenant of many words {names[2]} active",
        "pagewell (1)",
        f"A tenant of many words {names[5]} active",
        "stafflist (1 of 2)",
        f"A tenant of many words {names[4]} frozen",
    ]


def test_health_counts_the_failing_as_profile_test_does(
    unified: Unified, service: Service, environ: dict[str, str], config: Callable[[str], Path]
) -> None:
    states = ("needs_reauth", "connecting", "active", "validation_error", "frozen")
    listed = {f"c-{one}": connection(f"c-{one}", status=one) for one in states}

    def reply(seen: Seen) -> Reply:
        if seen.segments[-1] == "capabilities":
            return served(offer({}))
        one = listed.get(seen.segments[-1])
        return served(one or {"result": [*listed.values()]})

    service.reply = reply
    rows = "".join(f'[profiles.{one}]\naccount_id = "c-{one}"\n' for one in states)
    config(f'base_url = "{service.url}"\n{rows}')
    health = unified(f"{LIST} --health", environ=environ)
    last = "2 of 5 connections failing, counted as in profile test; not counted: "
    assert health.stderr.splitlines()[-1] == f"{last}connecting 1, frozen 1"
    tested = unified("profile test *", environ=environ)
    assert "error: 2 of 5 connections failed: needs_reauth, validation_error" in tested.stderr


@pytest.mark.parametrize(
    ("page", "said"),
    [
        (
            lambda at: [{"id": f"{at}-{one}"} for one in range(5000)],
            "after 50000 connections on 11 pages",
        ),
        (
            lambda at: [{"id": f"{at}-{one}", "tenant_id": "x" * 7_000_000} for one in range(2)],
            "after 4 connections on 3 pages",
        ),
    ],
)
def test_an_endless_list_of_connections_ends(
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    tmp_path: Path,
    page: Any,
    said: str,
) -> None:
    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        return served({"result": page(at), "next_cursor": str(at + 1)})

    service.reply = reply
    for command in (LIST, ADD):
        result = unified(command, environ={**environ, "UNIFIED_RATE": "0"})
        assert (result.code, result.stdout) == (5, "")
        assert (
            result.stderr
            == f"error: the list of connections continues {said}, but the program reads at most"
            " 50000 connections, 5000 pages and 32 MiB of facts about them (GET"
            " /integrated-account) (filter the list: -q status=active, -q tenant_id=ID)\n"
        )
    assert not (tmp_path / "config" / "config.toml").exists()


def test_pages_of_one_connection_end_too(
    unified: Unified, service: Service, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(introspection, "_MOST_PAGES", 20)
    service.reply = lambda seen: served(
        {"result": [{"id": "c"}], "next_cursor": f"{cursor_of(seen) or ''}x"}
    )
    result = unified(LIST, environ={**environ, "UNIFIED_RATE": "0"})
    assert (result.code, len(service.seen)) == (5, 21)
    assert "continues after 20 connections on 21 pages" in result.stderr


@pytest.mark.parametrize("store", ["token", "token_file", "keyring", "token_command"])
def test_profiles_of_other_tokens_are_not_called_gone(
    store: str,
    unified: Unified,
    service: Service,
    environ: dict[str, str],
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    (tmp_path / "token").write_text("token-of-another-environment")
    (tmp_path / "token").chmod(0o600)
    value = {
        "token": '"token-of-another-environment"',
        "token_file": f'"{tmp_path}/token"',
        "keyring": '"unified"',
        "token_command": '["false"]',
    }[store]
    config(
        f'base_url = "{service.url}"\n'
        f'[profiles.theirs]\naccount_id = "c-8"\n{store} = {value}\n'
        '[profiles.own]\naccount_id = "me"\n'
        '[profiles.ours]\naccount_id = "c-9"\n'
        f'[profiles.also]\naccount_id = "c-7"\ntoken = "{environ["UNIFIED_TOKEN"]}"\n'
    )
    answering(service, [connection("c-1")])
    result = unified(ADD, environ=environ)
    assert result.code == 0, result.stderr
    (line,) = [one for one in result.stderr.splitlines() if "no longer listed" in one]
    assert line.startswith("no longer listed: ours")
    assert not any(name in line for name in ("theirs", "own,", " own "))


@pytest.mark.parametrize(
    "identifier",
    [
        *("me", ".", "..", "a b", "a\tb", "a\nb", "a\x1b[31mb", "x" * 5000, "a\u202eb", "a\u200bb"),
        *({"a": "b"}, ["a"], "/", "a/b", "?x", "a\u0301" + "\u0301" * 9, "\ud800"),
    ],
)
def test_an_invalid_id_is_refused_by_name(
    identifier: Any, unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    answering(service, [connection("c-1"), connection(identifier, "odd")])
    result = unified(ADD, environ=environ)
    assert (result.code, result.stdout) == (2, "")
    assert "nothing added: no profile can name the connection with the id" in result.stderr
    assert (result.stderr.count("\n"), "\x1b" in result.stderr) == (1, False)
    assert len(result.stderr) < 1000
    assert not (tmp_path / "config" / "config.toml").exists()
    some = unified([*ADD.split(), "--where", '.tenant == "acme"'], environ=environ)
    # jq cannot hold half a surrogate pair.
    assert some.code == (9 if identifier == "\ud800" else 0), some.stderr
    assert [*profiles(tmp_path)] == ["acme-deskly"]


def test_ids_as_they_are_published_are_taken(
    unified: Unified, service: Service, environ: dict[str, str], tmp_path: Path
) -> None:
    ids = ["0b8e6c1e-5a3c-4a0e-9d53-2f1f2d6a7c11", 10158500000000001, "a.b_c~d:e@f", "M\u00fcller"]
    answering(service, [connection(one, f"t{at}") for at, one in enumerate(ids)])
    assert unified(ADD, environ=environ).code == 0
    assert [one["account_id"] for one in profiles(tmp_path).values()] == [*map(str, ids)]


@pytest.mark.parametrize("tty", [False, True])
def test_a_tenant_name_cannot_move_the_terminal_cursor(
    tty: bool, unified: Unified, service: Service, environ: dict[str, str]
) -> None:
    answering(service, [connection("c-1", "ac\x1b[31mme", "desk\u202ely", status="\x1b]0;x\x07")])
    result = unified(ADD, environ=environ, tty=tty)
    assert result.code == 0, result.stderr
    for character in ("\x1b[31m", "\x1b]", "\x07", "\u202e"):
        assert character not in result.stdout + result.stderr
    assert (r"\x1b]0;x\x07" if tty else r"ac\x1b[31mme") in result.stdout
