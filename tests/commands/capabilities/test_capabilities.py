"""`unified capabilities`: what connections offer, as they say and as reading their
lists shows.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from campaigns import size
from front_door import Unified
from junitparser import JUnitXml
from pages import offer, served
from screen import configured, drawn
from server import Seen, Service

from unified_cli.catalogue.load import load

Config = Callable[[str], Path]
CHARACTERS = ("full", "limited", "help-desk", "needs-reauth", "blocked")
LISTS = [one.command for one in load() if one.lists]
STATES = {0: "offered", 4: "refused", 5: "failed", 7: "forbidden"}


def connections(config: Config, accounts: Sequence[str], base_url: str = "sandbox:") -> list[str]:
    names = [f"c{at:03}" for at in range(len(accounts))]
    tables = (
        f'[profiles.{name}]\naccount_id = "{one}"\n'
        for name, one in zip(names, accounts, strict=True)
    )
    config(f'base_url = "{base_url}"\n' + "".join(tables))
    return names


def cells(unified: Unified, command: str, **world: Any) -> dict[tuple[str, str], str]:
    result = unified(f"capabilities {command} -o ndjson", **world)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    return {
        (one["_profile"], f"{one['api']} {one['resource']} {one['operation']}"): one["state"]
        for one in records
    }


def compare_with_calls(unified: Unified, config: Config, each: int, lists: Sequence[str]) -> None:
    names = connections(config, [f"{kind}:{at}" for kind in CHARACTERS for at in range(each)])
    asked = " ".join(dict.fromkeys("/".join(one.split()[:2]) for one in lists))
    found = cells(unified, f"{asked} --probe -p '*'")
    called = {
        (name, one): STATES[unified(f"-p {name} {one} --limit 1").code]
        for name in names
        for one in lists
    }
    assert {cell: state for cell, state in found.items() if cell in called} == called
    assert set(called.values()) == {"offered", "refused", "forbidden"}


def test_the_matrix_is_what_calling_each_list_shows(unified: Unified, config: Config) -> None:
    compare_with_calls(unified, config, 1, LISTS[::6])


@pytest.mark.long(seconds=5)
def test_the_matrix_of_thirty_is_what_calling_each_list_shows(
    unified: Unified, config: Config
) -> None:
    compare_with_calls(unified, config, size(6, 1), LISTS)


LEGEND = "L list, C create, G get, U update, D delete"
MATRIX = f"""\
RESOURCE               L    C    G    U    D
ticketing/tags         6/9  4/9  6/9  4/9  4/9
ticketing/users        7/9  5/9  7/9  5/9  5/9
  2 more rows like this: ticketing teams, contacts
ticketing/tickets      7/9  5/9  7/9  5/9  5/9
  import: 5/9
user-directory/roles   5/9  3/9  5/9  3/9  3/9
user-directory/groups  5/9  3/9  5/9  3/9  3/9
  remove-user, add-user, add, remove: 3/9
{LEGEND}
n/9: n of 9 connections offer it

refused (user-directory): c3, c4
refused (ticketing/tags): c2
read-only (no writes): c7, c8
the account is blocked: c5
the connection needs a new login (needs_reauth: invalid_grant: the provider
    refused the credentials): c6"""


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_shows_a_row_for_each_resource_and_equal_ones_once(
    columns: int, tmp_path: Path
) -> None:
    accounts = [
        "full",
        "empty",
        "limited",
        "help-desk",
        "help-desk:a",
        "blocked",
        "needs-reauth",
        "read-only",
        "full:x",
    ]
    tables = [f'[profiles.c{at}]\naccount_id = "{one}"\n' for at, one in enumerate(accounts)]
    configured(tmp_path, f'base_url = "sandbox:"\n{"".join(tables)}read_only = true\n')
    resources = [
        "ticketing/tags",
        "ticketing/users",
        "ticketing/teams",
        "ticketing/contacts",
        "ticketing/tickets",
    ]
    words = [
        "capabilities",
        *resources,
        "user-directory/roles",
        "user-directory/groups",
        "-p",
        "c*",
    ]
    assert (
        drawn(tmp_path, words, columns)
        == (MATRIX if columns == 80 else MATRIX.replace("provider\n   ", "provider")).splitlines()
    )


def test_a_terminal_says_of_one_connection_whether_it_offers_what(
    unified: Unified, config: Config
) -> None:
    connections(config, ["help-desk"])
    words = (
        "capabilities ticketing/tags ticketing/attachments voice/calls voice/recordings -p c000"
        " --color never"
    )
    assert (
        unified(words, tty=True).stdout == "RESOURCE               L    C    G    U    D\n"
        "ticketing/tags         yes  yes  yes  yes  yes\n"
        "ticketing/attachments  yes  yes  yes  yes\n"
        "  download: yes\n"
        "voice/calls            no\n"
        "voice/recordings       no\n"
        "  download: no\n"
        f"{LEGEND}\n"
        "\n"
        "refused (voice): c000\n"
    )


def test_three_hundred_are_counted_and_the_exceptions_named(
    unified: Unified, config: Config, service: Service
) -> None:
    connections(config, [str(at) for at in range(300)], service.url)
    every = {"ticketing": {"tags": ["list", "get"], "tickets": ["list"]}}
    less = {"ticketing": {"tickets": ["list"]}}

    def reply(seen: Seen) -> Any:
        account = seen.segments[1]
        record = {"id": account, "status": "active"}
        return served(offer(less if int(account) % 3 else every) if seen.segments[2:] else record)

    service.reply = reply
    environ = {"UNIFIED_TOKEN": "t", "UNIFIED_BASE_URL": service.url}
    result = unified("capabilities ticketing/tags -p * --color never", environ=environ, tty=True)
    assert (result.code, len(service.seen)) == (0, 600)
    assert (
        result.stdout == "RESOURCE        L        C      G        U      D\n"
        "ticketing/tags  100/300  0/300  100/300  0/300  0/300\n"
        f"{LEGEND}\n"
        "n/300: n of 300 connections offer it\n"
        "\n"
        "refused: c001, c002, c004, c005, c007, c008, c010, c011 and 192 more\n"
        "refused (ticketing tags create, ticketing tags update, ticketing tags delete):\n"
        "    c000, c003, c006, c009, c012, c015, c018, c021 and 92 more\n"
    )
    whole = unified("capabilities -p * --color never", environ=environ, tty=True)
    assert max(map(len, whole.stdout.splitlines())) <= 80


def test_the_states_and_their_reasons(unified: Unified, service: Service, config: Config) -> None:
    connections(config, ["says", "silent", "closed", "broken"], service.url)

    def reply(seen: Seen) -> Any:
        account = dict(seen.query).get("integrated_account_id", seen.segments[1])
        if seen.segments[0] == "integrated-account" and not seen.segments[2:]:
            return served({"id": account, "status": "active"})
        if not seen.path.endswith("/capabilities"):
            forbidden = served({"statusCode": 403, "error": "Forbidden", "message": "no"}, 403)
            return served({"result": []}) if seen.segments[-1] == "calls" else forbidden
        return {
            "says": served(
                offer({"voice": {"calls": ["list", "evil\x1b"], "\x1b": []}, "x": {"\x1b": ["y"]}})
            ),
            "silent": served({"statusCode": 404, "error": "Not Found", "message": "no"}, 404),
            "closed": served({"statusCode": 401, "error": "Unauthorized", "message": "no"}, 401),
            "broken": served([1]),
        }[account]

    service.reply = reply
    environ = {"UNIFIED_TOKEN": "t", "UNIFIED_BASE_URL": service.url}
    found = cells(unified, "voice/calls voice/recordings -p *", environ=environ)
    lists = {
        name: (found[name, "voice calls list"], found[name, "voice recordings list"])
        for name, _ in found
    }
    assert lists == {
        "c000": ("offered", "refused"),
        "c001": ("unknown", "unknown"),
        "c002": ("forbidden", "forbidden"),
        "c003": ("failed", "failed"),
    }
    # One connection is asked for its record, too: what the others offer is not known.
    assert len(service.seen) == 5
    probed = cells(unified, "voice/calls voice/recordings --probe -p *", environ=environ)
    assert probed["c001", "voice calls list"] == "offered"
    assert probed["c001", "voice recordings list"] == "forbidden"
    result = unified("capabilities voice/calls -p *", environ=environ)
    assert result.code == 9
    assert result.stderr == (
        "also offered: voice/calls (evil\\x1b)\nerror: 2 of 4 connections failed: c002, c003\n"
    )
    alone = unified("capabilities voice/calls -p c002", environ=environ)
    assert (alone.code, "401" in alone.stderr) == (7, True)


@pytest.mark.parametrize("status", [401, 503])
def test_a_list_that_was_not_asked_names_the_one_that_failed(
    status: int, unified: Unified, service: Service, config: Config
) -> None:
    connections(config, ["one"], service.url)
    offered = offer({"ticketing": {"tickets": ["list"]}, "user-directory": {"users": ["list"]}})

    def reply(seen: Seen) -> Any:
        if seen.segments[0] == "integrated-account":
            return served(offered if seen.segments[2:] else {"id": "one", "status": "active"})
        return served({"statusCode": status, "error": "x", "message": "no"}, status)

    service.reply = reply
    asked = "capabilities ticketing/tickets user-directory/users --probe -p c000"
    result = unified(f"{asked} -o ndjson", environ={"UNIFIED_TOKEN": "t"})
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    tickets, users = (one["why"] for one in lines if one["operation"] == "list")
    assert f"answered {status} to GET /unified/ticketing/tickets" in tickets
    assert users == f"not asked, as ticketing tickets list failed: {tickets}"
    assert sum("ticketing/tickets" in seen.path for seen in service.seen) == 1
    # The message says it once.
    table = unified(f"{asked} -o table", environ={"UNIFIED_TOKEN": "t"})
    nothing = "error: no list of c000 can be read: 2 lists forbidden"
    assert (table.code, table.stderr) == (7, f"c000: {tickets}\n{nothing}\n")


def test_formats(unified: Unified, config: Config) -> None:
    connections(config, ["help-desk", "needs-reauth"])
    command = "capabilities ticketing/tags voice/calls --probe -p *"
    document = unified(f"{command} -o json").json
    assert document["version"] == 1
    first = document["capabilities"][0]
    assert first == {
        "_profile": "c000",
        "api": "ticketing",
        "resource": "tags",
        "operation": "list",
        "state": "offered",
        "why": None,
        "status": "active",
        "blocked": False,
        "held": None,
    }
    callable_now = [
        one for one in document["capabilities"] if one["state"] == "offered" and one["held"] is None
    ]
    assert {one["_profile"] for one in callable_now} == {"c000"}
    assert unified(f"{command} -o csv").stdout.startswith(
        "_profile,api,resource,operation,state,why,status,blocked\r\nc000,ticketing,tags,list,offered,,active,no\r\n"
    )
    assert unified(command).stdout.startswith(
        "c000\tticketing\ttags\tlist\toffered\t\tactive\tno\n"
    )
    suites = [*JUnitXml.fromstring(unified(f"{command} -o junit").raw)]
    assert [suite.name for suite in suites] == ["c000", "c001"]
    assert (suites[0].failures, suites[0].skipped) == (
        0,
        sum("voice" in case.classname for case in suites[0]),
    )
    # An operation that needs a new login first is not shown as offered.
    assert suites[1].failures == suites[1].tests == 6
    assert {case.classname for case in suites[1]} == {
        "c001.ticketing.tags",
        "c001.voice.calls",
    }


def test_a_profile_that_cannot_be_called_hides_none_of_the_others(
    unified: Unified, config: Config
) -> None:
    path = config(
        '[profiles.good]\nbase_url = "sandbox:"\naccount_id = "full"\n[profiles.bad]\nbase_url ='
        ' "sandbox:"\n'
    )
    found = cells(unified, "voice/calls -p good -p bad")
    assert found == {("good", "voice calls list"): "offered", ("bad", "voice calls list"): "failed"}
    assert unified("capabilities voice/calls -p good -p bad").code == 9
    path.write_text(path.read_text().replace("bad", "other").replace("full", "help-desk"))
    assert unified("capabilities voice/calls -p * -a full").code == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("tickets", "'tickets' must be API/RESOURCE (did you mean ticketing/tickets?)"),
        ("ticketing/nope", "no resource ticketing/nope (unified operations lists them)"),
    ],
)
def test_a_name_outside_the_catalogue_is_refused(words: str, said: str, unified: Unified) -> None:
    result = unified(f"-p sandbox capabilities {words}")
    assert (result.code, result.stderr) == (2, f"error: {said}\n")


def test_known_offers_explain_for_a_day_and_block_no_request(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    connections(config, ["a", "b"], service.url)
    refusal = served({"statusCode": 404, "error": "Not Found", "message": "no"}, 404)
    offered = {
        "a": {"ticketing": {"tags": ["list", "get"], "\x1b[31m": ["list"]}},
        "b": {"ticketing": {"tags": ["get"]}},
    }

    def reply(seen: Seen) -> Any:
        return (
            served(offer(offered[seen.segments[1]]))
            if seen.path.endswith("/capabilities")
            else refusal
        )

    service.reply = reply
    now = 1_000_000.0
    folders = {"config": tmp_path / "config", "cache": tmp_path / "cache"}
    world = {
        "folders": folders,
        "environ": {"UNIFIED_TOKEN": "t", "NO_COLOR": "1"},
        "wall": lambda: now,
    }
    assert "Not offered by" not in unified("ticketing tags list --help", **world).stdout
    assert unified("capabilities ticketing -p *", **world).code == 0
    for path in (tmp_path / "cache" / "capabilities").iterdir():
        assert (path.stat().st_mode & 0o777, "31m" in path.read_text()) == (0o600, False)
    later = {**world, "wall": lambda: now + 3 * 3600}
    page = unified("ticketing tags list --help", **later).stdout
    assert "Not offered by:\n  1 of 2 connections, asked 3 h ago: c001\n" in page
    assert "Not offered by" not in unified("ticketing tags get --help", **later).stdout
    service.seen.clear()
    refused = unified("-p c001 ticketing tags list", tty=True, **later)
    assert "of tags, this connection offers only get" in " ".join(refused.stderr.split())
    assert [seen.path for seen in service.seen] == ["/unified/ticketing/tags"]
    old = {**world, "wall": lambda: now + 25 * 3600}
    assert "Not offered by" not in unified("ticketing tags list --help", **old).stdout
    service.seen.clear()
    unified("-p c001 ticketing tags list", tty=True, **old)
    assert len(service.seen) == 2


def lacking(seen: Seen) -> Any:
    """A connection that offers next to nothing."""
    record = {"id": seen.segments[1], "status": "active"}
    return served(offer({"ticketing": {"tags": ["get"]}}) if seen.segments[2:] else record)


@pytest.mark.parametrize("change", ["account_id=b2", "base_url=https://x.example", "account_id="])
def test_help_shows_no_facts_of_a_profile_that_changed_its_connection(
    unified: Unified, service: Service, config: Config, tmp_path: Path, change: str
) -> None:
    connections(config, ["a", "b", "c"], service.url)
    service.reply = lacking
    folders = {"config": tmp_path / "config", "cache": tmp_path / "cache"}
    world = {"folders": folders, "environ": {"UNIFIED_TOKEN": "t"}, "wall": lambda: 1_000_000.0}
    assert unified("capabilities ticketing -p *", **world).code == 0
    page = unified("ticketing tags list --help", **world).stdout
    assert "Not offered by:\n  3 of 3 connections, asked just now: c000, c001, c002\n" in page
    assert unified(f"profile set c001 {change}", **world).code == 0
    page = unified("ticketing tags list --help", **world).stdout
    assert "Not offered by:\n  2 of 2 connections, asked just now: c000, c002\n" in page
    for name in ("c000", "c002"):
        assert unified(f"profile remove {name} --yes", **world).code == 0
    assert "Not offered by" not in unified("ticketing tags list --help", **world).stdout
    config("this is no TOML")
    result = unified("ticketing tags list --help", **world)
    assert (result.code, "Not offered by" in result.stdout) == (0, False)


def test_the_answer_for_a_flag_is_not_kept_for_the_profile(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    connections(config, ["a"], service.url)
    service.reply = lacking
    folders = {"config": tmp_path / "config", "cache": tmp_path / "cache"}
    world = {"folders": folders, "wall": lambda: 1_000_000.0}
    environ = {"UNIFIED_TOKEN": "t", "UNIFIED_BASE_URL": service.url}
    assert unified("capabilities ticketing -p c000 -a other", environ=environ, **world).code == 0
    assert "Not offered by" not in unified("ticketing tags list --help", **world).stdout
    assert (
        unified(
            "capabilities ticketing", environ={**environ, "UNIFIED_ACCOUNT_ID": "acct-1"}, **world
        ).code
        == 0
    )
    assert (
        "1 of 1 connection, asked just now: acct-1\n"
        in unified("ticketing tags list --help", **world).stdout
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        # As an older version kept it, by the names of profiles.
        '{"at": 1000000, "key": ["lacking", "voice"], "value": [2, {"calls list": [1, "c000"]}]}',
        (
            '{"at": 1000000, "key": ["lacking", "voice"], "value": {"asked": [["a", ""]],'
            ' "lacking": {"calls list": 7}}}'
        ),
        (
            '{"at": 1000000, "key": ["lacking", "voice"], "value": {"asked": [["a"]], "lacking":'
            ' {"calls list": [0, 9]}}}'
        ),
        (
            '{"at": 1000000, "key": ["lacking", "voice"], "value": {"asked": 7, "lacking": {"calls'
            ' list": [0]}}}'
        ),
    ],
)
def test_a_damaged_cache_is_ignored(content: str, unified: Unified, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "capabilities"
    folder.mkdir(parents=True)
    name = hashlib.sha256(b"lacking\0voice").hexdigest()[:32]
    (folder / f"{name}.json").write_text(content)
    world = {
        "folders": {"config": tmp_path / "config", "cache": tmp_path / "cache"},
        "wall": lambda: 1_000_000.0,
    }
    assert "Not offered by" not in unified("voice calls list --help", **world).stdout


def test_an_answer_that_is_too_large_is_not_taken_into_memory(
    unified: Unified, service: Service, config: Config
) -> None:
    (name,) = connections(config, ["a"], service.url)
    offered = (
        b'{"unified":{"ticketing":{"tags":["list"]}},"proxy":[' + b'{"a":[]},' * 2_000_000 + b"0]}"
    )
    service.reply = lambda _: served(offered)
    environ = {"UNIFIED_TOKEN": "t"}
    result = unified(f"capabilities ticketing/tags -p {name}", environ=environ)
    assert (result.code, result.stderr) == (
        5, "error: the answer is larger than 8 MiB (GET /integrated-account/a/capabilities)\n"
    )  # fmt: skip
