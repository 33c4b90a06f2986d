"""`unified report`: one page of how connections, runs and exports are, that holds text
and nothing else.
"""

import io
import json
import os
import socket
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from front_door import Unified
from hypothesis import given, settings, strategies as st
from owned import open_to_others
from pages import offer, served
from pages_read import ReadPage, cells_of
from server import Reply, Seen, Service

from unified_cli.commands.report.page import ReportPage
from unified_cli.installation import command_to_add
from unified_cli.masking import visible
from unified_cli.runtime import Runtime
from unified_cli.sandbox.accounts import KINDS
from unified_cli.stderr import Stderr
from unified_cli.writes.registry import RunHeader, RunRegistry

pytestmark = pytest.mark.extra
pytest.importorskip("jinja2", reason="needs the extra report")

from unified_cli.commands.report import markup  # noqa: E402  needs the extra

Config = Callable[[str], Path]
Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]
SECRET = "provider-credential-0123456789"
TOKEN = "t-0123456789"
OFFERED = offer(
    {
        "ticketing": {
            "tickets": ["list", "get"],
            "tags": ["list", "get", "create", "update", "delete"],
        }
    }
)


def profiles(config: Config, accounts: Mapping[str, str], base_url: str) -> None:
    tables = (
        f"[profiles.{name}]\naccount_id = {json.dumps(account)}\n"
        for name, account in accounts.items()
    )
    config(f'base_url = "{base_url}"\n' + "".join(tables))


def record(account: str, **more: Any) -> dict[str, Any]:
    return {
        "id": account,
        "tenant_id": f"tenant of {account}",
        "status": "active",
        "integration": {"name": "deskly"},
        "context": {"access_token": SECRET},
        **more,
    }


def answering(
    service: Service, accounts: Mapping[str, Mapping[str, Any]], broken: tuple[str, ...] = ()
) -> None:
    """Serve the list of connections and what each offers, all the same; those that are
    `broken` fail.
    """

    def reply(seen: Seen) -> Reply:
        if seen.path == "/integrated-account":
            return served(
                {
                    "result": [record(one, **more) for one, more in accounts.items()],
                    "next_cursor": None,
                }
            )
        account = seen.segments[1]
        if account in broken:
            return served(
                {"statusCode": 400, "error": "Bad Request", "message": "out of order"}, 400
            )
        return served(
            OFFERED if seen.path.endswith("/capabilities") else record(account, **accounts[account])
        )

    service.reply = reply


@pytest.fixture
def world(tmp_path: Path) -> dict[str, Any]:
    """A token, and folders with one for the cache."""
    folders = {name: tmp_path / name for name in ("config", "data", "cache")}
    return {
        "environ": {"UNIFIED_TOKEN": TOKEN},
        "folders": folders,
        "wall": lambda: 1_764_000_000.0,
    }


@pytest.fixture
def to(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def test_two_profiles_of_one_connection_are_counted_once(
    unified: Unified, service: Service, config: Config, world: dict[str, Any]
) -> None:
    profiles(config, {"one": "c-1", "same": "c-1", "two": "c-2"}, service.url)
    answering(service, {"c-1": {}, "c-2": {}})
    result = unified("report -o json", **world)
    assert (result.code, result.stderr) == (0, "one, same are the same connection\n")
    page = json.loads(result.stdout)
    assert (page["asked"], [one["name"] for one in page["connections"]]) == (2, ["one", "two"])
    assert [one["well"] for one in (*page["statuses"], *page["products"])] == [2, 2]


def test_the_page_is_private_and_says_how_the_connections_are(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    profiles(config, {"one": "c-1", "two": "c-2", "three": "c-3"}, service.url)
    login = {"status": "needs_reauth", "last_error": "invalid_grant"}
    answering(service, {"c-1": {}, "c-2": login, "c-3": {}})
    result = unified(f"report --to {to}", **world)
    assert (result.code, result.stdout) == (0, "")
    assert result.stderr == f"wrote {to}: 3 connections, {round(to.stat().st_size / 1000)} kB\n"
    assert to.stat().st_mode & 0o777 == 0o600
    page = ReadPage(to)
    assert (page.tile("healthy"), page.tile("failing"), page.tile("unknown")) == (2, 1, 0)
    assert "needs login 1 connection" in page.words
    assert "the connection needs a new login (needs_reauth: invalid_grant)" in page.words
    assert "deskly, tenant of c-2, c-2" in page.words
    assert f"unified report --to {to}" in page.texts
    assert "2025-11-24 16:00 UTC" in page.texts
    assert [seen.path for seen in service.seen].count("/integrated-account") == 1
    assert len(service.seen) == 4


def test_cached_facts_are_not_requested_again(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    profiles(config, {"one": "c-1", "two": "c-2"}, service.url)
    answering(service, {"c-1": {}, "c-2": {}})
    first = unified("report -o json", **world).json
    service.seen.clear()
    later = {**world, "wall": lambda: world["wall"]() + 3 * 3600}
    second = unified(f"report -o json --to {to}", **later).json
    assert [seen.path for seen in service.seen] == ["/integrated-account"]
    assert second["offers"] == first["offers"]
    assert (second["asked"], second["known"], second["oldest"]) == (0, 2, 3 * 3600)
    assert "facts of 2 more were cached, the oldest 3 h ago" in ReadPage(to).words


@pytest.mark.parametrize(
    "content", ["", "{", '{"at": 0, "key": 7, "value": []}', "[" * 5000, '{"at": "x"}']
)
def test_a_broken_cache_is_ignored(
    unified: Unified,
    service: Service,
    config: Config,
    world: dict[str, Any],
    tmp_path: Path,
    content: str,
) -> None:
    profiles(config, {"one": "c-1", "two": "c-2"}, service.url)
    answering(service, {"c-1": {}, "c-2": {}})
    first = unified("report -o json", **world)
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_text(content)
    service.seen.clear()
    second = unified("report -o json", **world)
    assert (second.code, second.json) == (0, first.json)
    assert len(service.seen) == 3


def test_one_of_ten_without_an_answer_is_said_on_the_page(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    accounts = {f"p{at}": f"c-{at}" for at in range(10)}
    profiles(config, accounts, service.url)
    answering(service, {account: {} for account in accounts.values()}, broken=("c-4",))
    result = unified(f"report --to {to} --retries 0", **world)
    _, why, said = result.stderr.splitlines()
    assert (result.code, said) == (9, "error: 1 of 10 connections could not be asked: p4")
    assert why.startswith("p4: ")
    assert "out of order" in why
    page = ReadPage(to)
    assert (page.tile("healthy"), page.tile("unknown")) == (9, 1)
    assert "Missing from this page 1 of 10 connections could not be asked: p4" in page.words
    assert "out of order" in page.words


def test_the_reason_why_no_connection_could_be_asked_is_printed_once(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    accounts = "".join(
        f'[profiles.p{at}]\naccount_id = "c-{at}"\nbase_url = "{service.url}"\n' for at in range(10)
    )
    config(accounts)
    environ = {"UNIFIED_TOKEN": world["environ"]["UNIFIED_TOKEN"]}
    result = unified(f"report --to {to}", **{**world, "environ": environ})
    _, why, said = result.stderr.splitlines()
    assert (result.code, said.startswith("error: 10 of 10 connections could")) == (9, True)
    only_if = "only if UNIFIED_BASE_URL names this address"
    reason = f"UNIFIED_TOKEN, which is used for {service.url} {only_if}"
    assert why.startswith("10 failed for similar reasons (p0, p1, "), why
    assert reason in why


def test_without_a_network_the_page_says_what_was_known(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    profiles(config, {"one": "c-1", "two": "c-2"}, service.url)
    answering(service, {"c-1": {}, "c-2": {}})
    assert unified(f"report --to {to}", **world).code == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    kept = to.read_bytes()
    profiles(config, {"one": "c-1", "two": "c-2"}, f"http://127.0.0.1:{port}")
    result = unified(f"report --to {to} --retries 0", **world)
    assert result.code == 9
    page = ReadPage(to)
    assert (page.tile("healthy"), page.tile("unknown")) == (0, 2)
    assert to.read_bytes() != kept


def test_cached_facts_of_an_unreachable_connection_are_shown(
    unified: Unified, service: Service, config: Config, world: dict[str, Any]
) -> None:
    profiles(config, {"one": "c-1"}, service.url)
    answering(service, {"c-1": {}})
    known = unified("report -o json -p one", **world).json
    service.reply = lambda _: served(
        {"statusCode": 500, "error": "e", "message": "out of order"}, 500
    )
    later = {**world, "wall": lambda: world["wall"]() + 7200}
    result = unified("report -o json -p one --retries 0", **later)
    (one,) = result.json["connections"]
    assert result.code == 9
    assert (one["condition"], one["product"], one["status"], one["age"]) == (
        "not seen",
        "deskly",
        "active",
        7200,
    )
    assert cells_of(result.json, "one") == cells_of(known, "one")


@pytest.mark.parametrize("hours", [2, 30])
def test_a_connection_that_only_the_list_knows_is_known_without_a_network(
    hours: int, unified: Unified, service: Service, config: Config, world: dict[str, Any]
) -> None:
    accounts = {f"p{at}": f"c-{at}" for at in range(10)}
    profiles(config, accounts, service.url)
    answering(service, {account: {} for account in accounts.values()}, broken=("c-3", "c-4"))
    assert unified("report -o json --retries 0", **world).code == 9

    def reply(_: Seen) -> Reply:
        raise ConnectionResetError

    service.reply = reply
    later = {**world, "wall": lambda: world["wall"]() + hours * 3600}
    result = unified("report -o json --retries 0", **later)
    page = result.json
    status, product = ("active", "deskly") if hours < 24 else ("not known", "product not known")
    assert result.code == 9
    assert [(one["name"], one["unseen"]) for one in page["statuses"]] == [(status, 10)]
    assert [(one["name"], one["unseen"]) for one in page["products"]] == [(product, 10)]
    # What was cached is not kept as if it had been seen again.
    last = {**world, "wall": lambda: world["wall"]() + 25 * 3600}
    assert unified("report -o json --retries 0", **last).json["statuses"][0]["name"] == "not known"


def test_a_profile_without_a_connection_hides_no_other(
    unified: Unified, service: Service, config: Config, world: dict[str, Any]
) -> None:
    config(
        f'base_url = "{service.url}"\n[profiles.one]\naccount_id = "c-1"\n'
        '[profiles.lost]\naccount_id = "c-2"\nbase_url = "https://other.example"\n'
    )
    answering(service, {"c-1": {}})
    result = unified("report -o json", **world)
    assert result.code == 9
    assert {one["name"]: one["condition"] for one in result.json["connections"]} == {
        "one": "well",
        "lost": "not seen",
    }


def test_without_profiles_it_is_the_connection_of_the_environment(
    unified: Unified, service: Service, to: Path
) -> None:
    answering(service, {"acct-1": {}})
    assert unified(f"report --to {to}", environ=service.environ).code == 0
    assert ReadPage(to).words.startswith("1 connection, ")
    assert unified("report -o json").code == 3


def test_the_token_of_a_connection_cannot_see_its_offers(
    unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: (
        served(record("c-9"))
        if seen.path == "/integrated-account/me"
        else served({"statusCode": 403}, 403)
    )
    result = unified("report -o json -a me", environ=service.environ)
    assert (result.code, result.json["connections"][0]["account"]) == (0, "c-9")
    assert {*cells_of(result.json, "c-9").values()} == {"?"}
    assert [seen.path for seen in service.seen] == ["/integrated-account/me"] * 2


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("", 2, "the page needs a file (--to FILE.html, or -o json to print its contents)"),
        ("-o ndjson", 2, "ndjson"),
        ("--to .", 11, "is a folder"),
        ("--to none/page.html", 11, "there is no folder none"),
        (
            "-o json --export s3://bucket/dump",
            2,
            "is not a folder on this machine (unified export --verify s3://bucket/dump)",
        ),
        ("-o json --export none", 12, "there is no folder none"),
        ("-o json --schema none.json", 11, "cannot read none.json: No such file or directory"),
        ("-o json --junit none.xml", 11, "cannot read none.xml: No such file or directory"),
    ],
)
def test_impossible_options_are_refused_before_any_request(
    options: str,
    code: int,
    said: str,
    unified: Unified,
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = unified(f"report {options}", environ=service.environ)
    assert (result.code, service.seen) == (code, [])
    assert said in " ".join(result.stderr.split())


def test_without_its_extra_it_says_what_installs_it(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch, to: Path
) -> None:
    monkeypatch.setattr("unified_cli.commands.report.run.find_spec", lambda _: None)
    answering(service, {"acct-1": {}})
    result = unified(f"report --to {to}", environ=service.environ)
    assert (result.code, service.seen, to.exists()) == (3, [], False)
    assert command_to_add("jinja2>=3.1") in result.stderr
    assert unified("report -o json", environ=service.environ).code == 0


def test_an_older_page_stays_whole_where_writing_breaks_off(
    unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch, to: Path
) -> None:
    answering(service, {"acct-1": {}})
    to.write_text("the older one")

    def broken(_page: object) -> Iterator[bytes]:
        yield b"<!DOCTYPE html>"
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(markup, "document", broken)
    result = unified(f"report --to {to}", environ=service.environ)
    assert (result.code, to.read_text()) == (11, "the older one")
    assert [path.name for path in to.parent.glob("*page.html*")] == ["page.html"]


OLDER = '<!DOCTYPE html><meta name="referrer" content="no-referrer">'


def test_the_page_is_whole_wherever_it_is_killed(
    crashes: Crashes, service: Service, tmp_path: Path
) -> None:
    answering(service, {"acct-1": {}})
    for point in crashes(
        ["report", "--to", "page-{n}.html"], {"page-{n}.html": OLDER}, service.environ
    ):
        assert point["code"] == 0
        ReadPage(tmp_path / f"page-{point['point']}.html")
    assert [file.name for file in tmp_path.iterdir() if file.suffix in {".part", ".tmp"}] == []


def test_the_page_replaces_no_file_of_another_program(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "notes.html"
    file.write_text("<p>notes</p>")
    result = unified(f"report --to {file}", environ=service.environ)
    assert (result.code, file.read_text(), service.seen) == (11, "<p>notes</p>", [])
    assert result.stderr == f"error: {file} exists (name another file, or remove it)\n"


def test_the_page_does_not_replace_what_it_is_about(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    file = tmp_path / "drift.json"
    file.write_text("[]")
    result = unified(f"report --to {file} --schema {file}", environ=service.environ)
    assert (result.code, file.read_text(), service.seen) == (2, "[]", [])


# Nothing runs, nothing is loaded, nothing is markup.

ELEMENTS = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "main",
    "footer",
    "section",
    "div",
    "p",
    "b",
    "h1",
    "h2",
    "h3",
    "ul",
    "li",
    "span",
    "small",
    "code",
    "table",
    "caption",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "svg",
    "defs",
    "pattern",
    "rect",
    "path",
    "circle",
}
ATTRIBUTES = {
    "lang",
    "charset",
    "http-equiv",
    "content",
    "name",
    "class",
    "id",
    "aria-hidden",
    "aria-labelledby",
    "focusable",
    "role",
    "scope",
    "colspan",
    "open",
    "width",
    "height",
    "x",
    "cx",
    "cy",
    "r",
    "d",
    "patternunits",
    "patterntransform",
}


def test_nothing_is_loaded_and_nothing_runs(unified: Unified, service: Service, to: Path) -> None:
    answering(service, {"acct-1": {}})
    assert unified(f"report --to {to}", environ=service.environ).code == 0
    page = ReadPage(to)
    assert page.tags <= ELEMENTS
    assert page.attributes <= ATTRIBUTES
    assert (
        page.policy
        == f"default-src 'none'; style-src {page.style_hash}; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in page.style.replace("url(#hatched)", "").replace("url(#dotted)", "")
    assert "@import" not in page.style
    heads = [dict(attributes) for tag, attributes in page.elements if tag == "th"]
    assert all(one.get("scope") in {"col", "row", "rowgroup"} for one in heads)
    assert page.elements[0] == ("html", (("lang", "en"),))
    assert SECRET not in page.text
    assert TOKEN not in page.text


HOSTILE = (
    "<script>alert(1)</script>",
    "</style><b>",
    "\"' onload=x",
    "javascript:alert(1)",
    "]]>--><!--",
    "&lt;&#60;",
    "\u202eevil\u2066",
    "\x1b[31mred\x07",
    "{{ 7 * 7 }}{% raw %}",
    "x" * 10_000,
    "\ud800",
    "\0",
    "a\r\nb",
    TOKEN,
)


def hostile_page(unified: Unified, service: Service, to: Path, text: str) -> ReadPage:
    """The page where everything that the service says is this text."""
    more = {
        "tenant_id": text,
        "integration": {"name": text},
        "status": "needs_reauth",
        "last_error": text,
    }
    whole = {**record("acct-1"), **more}
    body = json.dumps(whole).encode()
    service.reply = lambda seen: (
        served(OFFERED) if seen.path.endswith("/capabilities") else served(body)
    )
    assert unified(f"report --to {to}", environ=service.environ).code == 0
    return ReadPage(to)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_text(text: str, unified: Unified, service: Service, to: Path) -> None:
    plain = hostile_page(unified, service, to, "plain")
    page = hostile_page(unified, service, to, text)
    assert page.elements == plain.elements
    assert page.policy == plain.policy
    assert TOKEN not in page.text
    assert not {*page.text} & {*"\u202e\u2066\x1b\x07\0\r"}
    assert len(page.text) < len(plain.text) + 10_000


NAMES = {"reasons", "products", "states"}
"""The members whose names come from outside, too."""


def filled(value: Any, text: str, *, named: bool = False) -> Any:
    """The value with this in place of each text."""
    if isinstance(value, dict):
        return {
            text if named else name: filled(one, text, named=name in NAMES)
            for name, one in value.items()
        }
    if isinstance(value, list):
        return [filled(one, text) for one in value]
    return text if isinstance(value, str) else value


@pytest.fixture
def whole_page(unified: Unified, fleet: list[str], tmp_path: Path) -> Any:
    """A page with something in each part, as JSON."""
    folder, drift, junit = (tmp_path / name for name in ("dump", "drift.json", "tags.xml"))
    some = " ".join(f"-p {name}" for name in fleet[:6])
    unified(f"export ticketing/tags --to {folder} {some}")
    (folder / "full" / "ticketing" / "tags.ndjson").write_text("{}\n")
    unified(f"ticketing tags create -f name=x {some} --yes")
    unified(f"ticketing tags list {some} -o ndjson --expect 'length > 0' --junit {junit}")
    drift.write_text('[{"_profile": "a", "kind": "b", "path": "c", "before": "d", "now": "e"}]')
    return report(unified, f"--export {folder} --schema {drift} --junit {junit}")


# A state decides how its cell looks, so another text must not be one.
STATES = {"?", "all", "held", "no", "not seen", "reads", "unknown", "well"}


@given(text=st.text(min_size=1, max_size=80).filter(lambda text: text not in STATES))
@settings(max_examples=25)
def test_values_on_a_page_are_always_text(text: str, whole_page: Any, tmp_path: Path) -> None:
    pages = []
    for one in ("plain", text):
        to = tmp_path / "page.html"
        to.write_bytes(
            b"".join(markup.document(msgspec.convert(filled(whole_page, one), ReportPage)))
        )
        pages.append(ReadPage(to))
    assert pages[0].elements == pages[1].elements
    assert pages[0].tags == ELEMENTS
    assert visible(text)[:40].split()[:1] == [] or visible(text).split()[0][:40] in pages[1].words


# The page and the other commands count the same.


@pytest.fixture
def fleet(config: Config) -> list[str]:
    """A profile for each connection of the sandbox, but the one that takes a second for
    each answer.
    """
    names = [kind for kind in KINDS if kind != "slow"]
    profiles(config, {name: name for name in names}, "sandbox:")
    return names


def report(unified: Unified, options: str = "", **world: Any) -> Any:
    return unified(f"report -o json {options}", **world).json


def test_connections_are_counted_as_by_connections_list(unified: Unified, fleet: list[str]) -> None:
    found = report(unified)
    rows = [
        line.split("\t")
        for line in unified("-p sandbox connections list --health -o tsv").stdout.splitlines()
    ]
    mine = [row for row in rows if row[0] in fleet]
    assert {
        one["name"]: one["well"] + one["trouble"] + one["unseen"] for one in found["statuses"]
    } == Counter(row[3] for row in mine)
    assert {
        one["name"]: one["well"] + one["trouble"] + one["unseen"] for one in found["products"]
    } == Counter(row[1] for row in mine)
    assert {one["name"]: one["remark"] for one in found["connections"]} == {
        row[0]: row[7] for row in mine
    }
    needed = {
        name for need in found["needs"] for names in need["reasons"].values() for name in names
    }
    assert needed == {row[0] for row in mine if row[7]}


def test_the_map_is_that_of_capabilities(unified: Unified, fleet: list[str]) -> None:
    found = report(unified)
    cells: defaultdict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for line in unified("capabilities -p '*' -o ndjson").stdout.splitlines():
        one = json.loads(line)
        if one["state"] == "extra":
            continue
        free = one["state"] == "offered" and not one["held"]
        cells[one["_profile"], f"{one['api']}/{one['resource']}"].append((one["operation"], free))
    for name in fleet:
        told = cells_of(found, name)
        for (profile, resource), operations in cells.items():
            if profile != name:
                continue
            free = [operation for operation, can in operations if can]
            reads = [operation for operation, _ in operations if operation in {"list", "get"}]
            word = told[resource]
            assert (word == "all") == (len(free) == len(operations)), (name, resource)
            if word == "reads":
                assert {*reads} <= {*free}
            elif word in {"no", "held", "?"}:
                assert free == []
            elif word != "all":
                assert word == f"{len(free)}/{len(operations)}"


@pytest.mark.usefixtures("fleet")
def test_runs_are_those_of_runs_list(unified: Unified, to: Path) -> None:
    wanted = "-p full -p missing-scopes -p blocked"
    assert unified(f"user-directory users suspend -f user_id=users-1 {wanted} --yes").code == 9
    assert unified("ticketing tags create -f name=x -p full -p empty --yes").code == 0
    found = report(unified, f"--to {to}")["runs"]
    listed = unified("runs list -o json").json["runs"]
    assert [one["id"] for one in found["shown"]] == [one["id"] for one in listed]
    for shown, one in zip(found["shown"], listed, strict=True):
        assert shown["state"] == one["state"]
        assert shown["outcomes"] == {
            name: one[name.replace("-", "_")] for name in shown["outcomes"]
        }
    assert found["states"] == Counter(one["state"] for one in listed)
    failed = next(one for one in found["shown"] if one["causes"])
    assert sum(cause["number"] for cause in failed["causes"]) == failed["outcomes"]["failed"] == 2
    assert failed["next"] == f"unified runs retry {failed['id']}"
    assert failed["next"] in ReadPage(to).texts
    later = {"wall": lambda: 1e10}
    assert report(unified, **later)["runs"]["shown"] == []


@pytest.mark.usefixtures("fleet")
def test_a_journal_that_others_can_write_is_counted_and_not_read(
    unified: Unified, tmp_path: Path, to: Path
) -> None:
    assert unified("ticketing tags create -f name=x -p full -p empty --yes").code == 0
    (journal,) = (tmp_path / "data" / "runs").glob("*.ndjson")
    open_to_others(journal)
    result = unified(f"report -o json --to {to} -p full")
    assert (result.code, result.json["runs"]["shown"], result.json["runs"]["foreign"]) == (0, [], 1)
    page = ReadPage(to)
    assert "1 journal that others can write is counted here and not read." in page.words
    assert journal.stem not in page.text
    journal.chmod(0o600)
    journal.write_bytes(b"nothing\n")
    assert unified(f"report --to {to} -p full").code == 9
    assert "not all runs could be read: 1 of the journals cannot be read" in ReadPage(to).words


@pytest.mark.usefixtures("fleet")
def test_exports_are_as_verify_finds_them(unified: Unified, tmp_path: Path, to: Path) -> None:
    folder = tmp_path / "dump"
    exported = f"export ticketing/tags user-directory/users --to {folder} -p full -p empty"
    assert unified(exported).code == 0
    (known,) = report(unified, "-p full")["exports"]
    assert (known["folder"], known["verified"]) == (str(folder), False)
    verified = unified(f"export --verify {folder}")
    (one,) = report(unified, f"-p full --export {folder}")["exports"]
    assert f"the manifest matches {one['complete']} files" in verified.stderr
    assert (one["gaps"], one["differences"], one["verified"]) == ([], [], True)
    assert one["records"] == sum(
        len(path.read_bytes().splitlines()) for path in folder.rglob("*.ndjson")
    )
    (folder / "full" / "ticketing" / "tags.ndjson").write_text("{}\n")
    changed = unified(f"export --verify {folder}")
    result = unified(f"report -o json --to {to} -p full --export {folder}")
    (one,) = result.json["exports"]
    assert result.code == 0
    assert one["differences"] == [
        line for line in changed.stderr.splitlines() if line.startswith("full/")
    ]
    assert "changed" in ReadPage(to).texts
    assert unified(f"{exported} -p blocked").code != 0
    gaps = unified(f"export --verify {folder}").stderr.count(": not complete: ")
    (one,) = report(unified, f"-p full --export {folder}")["exports"]
    assert len(one["gaps"]) == gaps == 2


def test_an_export_to_a_store_is_named_and_not_asked(
    unified: Unified, tmp_path: Path, to: Path
) -> None:
    runtime = Runtime(
        None, None, Stderr(io.BytesIO()), {}, folders={"data": tmp_path / "data"}, wall=lambda: 1e9
    )
    header = RunHeader("", "export ticketing/tags --to s3://b/dump", 1e9, path="s3://b/dump")
    with RunRegistry(runtime).listed(header):
        pass
    found = unified(f"-p sandbox report -o json --to {to}")
    assert (found.code, found.json["exports"], found.json["stores"]) == (0, [], ["s3://b/dump"])
    assert "Elsewhere, and not looked at: s3://b/dump." in ReadPage(to).texts


# The files of earlier checks.


def test_drift_is_grouped_by_difference(unified: Unified, tmp_path: Path, to: Path) -> None:
    file = tmp_path / "drift.json"
    difference = {"kind": "lost-path", "path": "a.b", "before": "known", "now": "in none of 3"}
    file.write_text(json.dumps([{"_profile": name, **difference} for name in ("one", "two")]))
    found = report(unified, f"-p sandbox --schema {file} --to {to}")["drift"]
    assert found[0]["differences"] == [{**difference, "connections": ["one", "two"]}]
    assert "a.b lost-path known before, in none of 3 now one, two" in ReadPage(to).words


@pytest.mark.usefixtures("fleet")
def test_the_output_of_schema_is_read(unified: Unified, tmp_path: Path) -> None:
    found = unified(
        "-p full -p untimed schema ticketing/tickets --against known -o json --records 20"
    ).json
    file = tmp_path / "drift.json"
    file.write_text(json.dumps(found))
    (one,) = report(unified, f"-p full --schema {file}")["drift"]
    assert sum(len(of["connections"]) for of in one["differences"]) == len(found) > 0


@pytest.mark.parametrize("text", ["", "{}", "[1]", '[{"kind": 1}]', "[" * 100_000, "\xff"])
def test_a_file_of_another_kind_is_not_read_as_drift(
    text: str, unified: Unified, tmp_path: Path
) -> None:
    file = tmp_path / "drift.json"
    file.write_bytes(text.encode("latin-1"))
    result = unified(f"-p sandbox report -o json --schema {file}")
    assert (result.code, "holds no differences" in result.stderr) == (2, True)


@pytest.mark.usefixtures("fleet")
def test_expectations_are_those_of_junit(unified: Unified, tmp_path: Path, to: Path) -> None:
    file = tmp_path / "tags.xml"
    asked = "ticketing tags list -p full -p empty -p limited -p needs-reauth -o ndjson"
    unified(f"{asked} --expect true --expect 'length > 0' --junit {file}")
    (one,) = report(unified, f"-p full --junit {file} --to {to}")["expectations"]
    assert one["connections"] == 4
    assert one["outcomes"] == {"passed": 3, "failed": 1, "not read": 2, "skipped": 2}
    assert next((of["connection"], of["outcome"]) for of in one["failed"]) == ("empty", "failed")
    assert "3 passed, 1 failed, 2 not read, 2 skipped" in ReadPage(to).words


BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuites><testsuite'
    ' name="&b;"/></testsuites>'
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "it has a document type"),
        ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>', "it has a document type"),
        ("<html/>", "it begins with 'html'"),
        ("<testsuites>", "no element found"),
        ("<testsuites>" + "<a>" * 100, "its elements are nested too deeply"),
        ('<?xml version="1.0" encoding="x"?><testsuites/>', "unknown encoding"),
        ('<testsuites name="&nbsp;"/>', "undefined entity"),
        ("", "no element found"),
    ],
)
def test_a_file_of_another_kind_is_not_read_as_junit(
    text: str, said: str, unified: Unified, tmp_path: Path
) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(text)
    result = unified(f"-p sandbox report -o json --junit {file}")
    assert (result.code, f"is no JUnit XML: {said}" in " ".join(result.stderr.split())) == (
        2,
        True,
    ), result.stderr


@pytest.mark.long(seconds=9)
def test_a_thousand_connections_are_two_megabytes_at_most(
    unified: Unified, service: Service, config: Config, world: dict[str, Any], to: Path
) -> None:
    accounts = {f"customer-{at:04}": f"62f44730-dd91-461e-bd6a-{at:012}" for at in range(1000)}
    profiles(config, accounts, service.url)
    login = {
        "status": "needs_reauth",
        "last_error": "invalid_grant: the provider refused the credentials",
    }
    answering(
        service, {one: login if at % 20 == 0 else {} for at, one in enumerate(accounts.values())}
    )
    assert unified(f"report --to {to} --rate 0", **world).code == 0
    assert to.stat().st_size < 1_000_000
    page = ReadPage(to)
    assert (page.tile("healthy"), page.tile("failing")) == (950, 50)
    assert len(service.seen) == 1001
