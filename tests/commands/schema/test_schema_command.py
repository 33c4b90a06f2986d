"""`unified schema`: the shape of real records, and whatever has changed in it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from jsonschema import Draft202012Validator
from junitparser import JUnitXml
from pages import served
from rich.cells import cell_len
from screen import drawn
from server import Reply, Seen, Service

Config = Callable[[str], Path]
Record = dict[str, Any]
SCHEMA = "schema ticketing/tickets"
NAMES = [f"c{at}" for at in range(10)]


def record(at: int) -> Record:
    return {
        "id": f"t-{at}",
        "name": None if at % 4 == 0 else f"Person {at}",
        "priority": ["low", "high"][at % 2],
        "size": at,
        "assignee": {"id": str(at), "email": f"p{at}@example.com"},
        "tags": [{"id": "x"}] * (at % 3),
        **({"rare": True} if at % 40 == 0 else {}),
    }


def fleet(
    service: Service,
    config: Config,
    changes: dict[str, Callable[[int, Record], object]],
    number: int = 80,
) -> None:
    """Ten connections; `changes` alters the records of some of them."""
    config("".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in NAMES))

    def reply(seen: Seen) -> Reply:
        change = changes.get(dict(seen.query)["integrated_account_id"])
        found = [record(at) for at in range(number)]
        for at, one in enumerate(found):
            if change:
                change(at, one)
        return served({"result": found})

    service.reply = reply


def baseline(unified: Unified, service: Service, config: Config, tmp_path: Path) -> Path:
    fleet(service, config, {})
    path = tmp_path / "tickets.json"
    result = unified(f"{SCHEMA} -p c0 -o json", environ=service.environ)
    path.write_text(result.stdout)
    return path


TREE = """\
ticketing/tickets
├── id         ████████  100 %   string
├── name       ██████░░  100 %   string, 25 % null
├── priority   ████████  100 %   string             high, low
├── size       ████████  100 %   integer
├── assignee   ████████  100 %   object
│   ├── id     ████████  100 %   string
│   └── email  ████████  100 %   string
├── tags       ████████  100 %   array of object
│   └── id     ████████  100 %   string
├── rare       █·······  2.5 %   boolean
└── odd_at     ██░░░░░░  100 %   string, 75 % null
█ there, ░ null, · not there; values are only shown for enumerations
80 records of 1 connection"""


@pytest.mark.parametrize(("columns", "tree"), [(80, TREE), (120, TREE)])
def test_a_terminal_shows_the_shape_as_a_tree(
    service: Service, tmp_path: Path, columns: int, tree: str
) -> None:
    found: list[Record] = [{**record(at), "odd_at": None if at % 4 else "x"} for at in range(80)]
    service.reply = lambda _: served({"result": found})
    assert (
        drawn(tmp_path, ["schema", "ticketing/tickets"], columns, service.environ)
        == tree.splitlines()
    )


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("columns", [80, 120])
def test_a_tree_stays_within_the_terminal(
    unified: Unified, service: Service, columns: int, encoding: str
) -> None:
    deep: Any = "x"
    # Of other characters an ASCII terminal shows the escapes.
    wide = ("e\u0301" * 20, "\u4e2d\u6587" * 20) if encoding == "utf-8" else ("e" * 20, "f" * 40)
    for name in (*wide, "a" * 60, "c", "d", "f", "g", "h"):
        deep = {name: [deep]}
    service.reply = lambda _: served({"result": [deep]})
    shown = unified(
        SCHEMA, environ=service.environ, tty=True, columns=columns, encoding=encoding
    ).stdout
    lines = shown.replace("\x1b", "").splitlines()
    assert max(cell_len(re.sub(r"\[[0-9;]*m", "", line)) for line in lines) <= columns
    assert ("├" in shown or "└" in shown) is (encoding == "utf-8")


def test_the_shape_as_lines(unified: Unified, service: Service, config: Config) -> None:
    fleet(service, config, {})
    result = unified(f"{SCHEMA} -p c0", environ=service.environ)
    assert (
        result.stdout == "id\tstring\t100 %\t\t\n"
        "name\tstring\t100 %\t25 %\t\n"
        "priority\tstring\t100 %\t\thigh, low\n"
        "size\tinteger\t100 %\t\t\n"
        "assignee\tobject\t100 %\t\t\n"
        "assignee.id\tstring\t100 %\t\t\n"
        "assignee.email\tstring\t100 %\t\t\n"
        "tags\tarray\t100 %\t\t\n"
        "tags[]\tobject\t\t\t\n"
        "tags[].id\tstring\t100 %\t\t\n"
        "rare\tboolean\t2.5 %\t\t\n"
    )
    assert (result.stderr, result.code) == ("80 records of 1 connection\n", 0)


def test_the_schema_holds_for_all_records_and_has_no_value_of_a_person(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(service, config, {})
    result = unified(f"{SCHEMA} -p 'c*' -o json", environ=service.environ)
    validator = Draft202012Validator(result.json)
    assert [*validator.iter_errors(record(7))] == []
    assert [*validator.iter_errors({**record(7), "size": "7"})] != []
    assert result.json["properties"]["priority"]["enum"] == ["high", "low"]
    assert result.json["x-counts"] == {"object": 800}
    assert "example.com" not in result.stdout
    assert "Person" not in result.stdout


def test_names_of_members_that_are_data_are_not_kept(unified: Unified, service: Service) -> None:
    of_people = {f"p{at}@example.com": {"ok": True} for at in range(50)}
    of_ids = {f"key{at}": at for at in range(1000)}
    service.reply = lambda _: served(
        {"result": [{"a": of_people, "b": of_ids, "type": "x" * 65, "status": "a@b"}]}
    )
    found = unified(f"{SCHEMA} -o json", environ=service.environ).json["properties"]
    assert found["a"]["additionalProperties"]["properties"]["ok"]["type"] == "boolean"
    assert "properties" not in found["a"]
    assert len(found["b"]["properties"]) <= 200
    assert found["b"]["additionalProperties"]["type"] == "integer"
    assert "enum" not in found["type"]
    assert "enum" not in found["status"]


def test_a_name_lists_its_values_only_where_its_last_word_is_that_of_an_enumeration(
    unified: Unified, service: Service
) -> None:
    last = ["status", "deal_status", "payment-state", "orderKind"]
    elsewhere = ["status_note", "typeOfPerson", "kind-hearted", "state_secret", "statuses"]
    service.reply = lambda _: served({"result": [dict.fromkeys([*last, *elsewhere], "open")]})
    found = unified(f"{SCHEMA} -o json", environ=service.environ).json["properties"]
    assert {name for name in found if "enum" in found[name]} == {*last}


CHANGES: dict[str, tuple[Callable[[int, Record], object], int, str, str]] = {
    "lost-path": (lambda _, one: one.pop("size"), 14, "size", "in none of 80"),
    "lost path within": (
        lambda _, one: one["assignee"].pop("email"),
        14,
        "assignee.email",
        "in none of 80",
    ),
    "other-type": (lambda _, one: one.update(size="1"), 14, "size", "string"),
    "other type in a list": (
        lambda _, one: one.update(tags=[{"id": 1}]),
        14,
        "tags[].id",
        "integer",
    ),
    "new-path": (lambda _, one: one.update(extra=1), 0, "extra", "integer"),
    "new-value": (
        lambda at, one: at == 5 and one.update(priority="urgent"),
        0,
        "priority",
        "urgent",
    ),
    "null-share": (
        lambda at, one: one.update(name=None if at % 20 < 9 else "x"),
        0,
        "name",
        "45 % of 80",
    ),
    "present-share": (lambda at, one: at % 4 == 0 and one.pop("size"), 0, "size", "75 % of 80"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_in_one_of_ten_connections_is_reported(
    unified: Unified, service: Service, config: Config, tmp_path: Path, name: str
) -> None:
    path = baseline(unified, service, config, tmp_path)
    change, code, where, now = CHANGES[name]
    fleet(service, config, {"c7": change})
    kind = name.replace(" ", "-")
    kind = next(one for one in ("lost-path", "other-type", kind) if kind.startswith(one))
    file = tmp_path / "result.xml"
    for strict, expected in (("", code), ("--strict", 14)):
        command = f"{SCHEMA} -p 'c*' --against {path} --junit {file} {strict}"
        result = unified(command, environ=service.environ)
        assert result.code == expected, result.stderr
        told = [line.split("\t") for line in result.stdout.splitlines()]
        assert [(one[0], one[1], one[2], one[4]) for one in told] == [("c7", kind, where, now)]
        suites = {suite.name: suite for suite in JUnitXml.fromfile(str(file))}
        assert {one: suite.failures for one, suite in suites.items() if suite.failures} == (
            {"c7": 1} if expected else {}
        )
        assert [case.name for case in suites["c7"]] == [
            "lost-path",
            "other-type",
            "new-path",
            "new-value",
            "present-share",
            "null-share",
        ]
    assert result.stderr.startswith("error: 1 difference in c7; first c7: ")


def test_ten_times_unchanged(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    path = baseline(unified, service, config, tmp_path)
    for _ in range(10):
        result = unified(f"{SCHEMA} -p 'c*' --against {path} --strict", environ=service.environ)
        assert (result.stdout, result.code) == ("", 0)
    assert (
        result.stderr
        == "10 connections: no path is missing or has another type, 0 other differences\n"
    )


MAPS: dict[str, Callable[[int, int], Record]] = {
    "addresses": lambda run, at: {f"p{run}-{at}-{one}@example.com": one for one in range(at % 4)},
    "names that occur once": lambda run, at: {
        f"user {run} {at} {'x' * one}": one for one in range(at % 4)
    },
    "more names than are kept": lambda run, at: {
        f"user {run} {at} {'x' * one}": one for one in range(10)
    },
    "names of a few": lambda run, at: {f"user {run} {at}": 1} if at < 8 else {},
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("several", [False, True])
def test_member_names_that_are_data_are_not_a_difference(
    unified: Unified, service: Service, config: Config, tmp_path: Path, name: str, several: bool
) -> None:
    runs = iter(range(1000))

    def alter(at: int, one: Record) -> None:
        one.update(by_user=MAPS[name](next(runs) // 80, at))

    fleet(service, config, dict.fromkeys(NAMES, alter))
    (tmp_path / "maps.json").write_text(
        unified(f"{SCHEMA} -p {'c*' if several else 'c0'} -o json", environ=service.environ).stdout
    )
    result = unified(
        f"{SCHEMA} -p c1 --against {tmp_path}/maps.json --strict", environ=service.environ
    )
    assert (result.stdout, result.code) == ("", 0), result.stderr
    shown = unified(f"{SCHEMA} -p c0", environ=service.environ).stdout.splitlines()
    present = {
        "addresses": "75 %",
        "names that occur once": "75 %",
        "more names than are kept": "100 %",
    }
    assert f"by_user.*\tinteger\t{present.get(name, '10 %')}\t\t" in shown
    assert [line for line in shown if "user" in line][2:] == []


def test_counts_of_such_names_by_older_versions_are_not_a_difference(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    fleet(service, config, {"c0": lambda at, one: one.update(by_user={f"{at}@example.com": 1})})
    (tmp_path / "old.json").write_text(
        json.dumps(
            {
                "x-counts": {"object": 80},
                "properties": {
                    **{
                        name: {}
                        for name in ("id", "name", "priority", "size", "assignee", "tags", "rare")
                    },
                    "by_user": {
                        "type": "object",
                        "x-counts": {"object": 80},
                        "additionalProperties": {"type": "integer", "x-counts": {"integer": 400}},
                    },
                },
            }
        )
    )
    result = unified(
        f"{SCHEMA} -p c0 --against {tmp_path}/old.json --strict", environ=service.environ
    )
    assert "by_user" not in result.stdout


def test_optional_members_are_not_a_map(unified: Unified, service: Service, config: Config) -> None:
    optional = dict.fromkeys(("street", "city", "zip", "state", "country", "floor", "door"), 1)

    def alter(at: int, one: Record) -> None:
        one.update(address=optional if at == 3 else {}, **({f"field {at}": 1} if at < 20 else {}))

    fleet(service, config, {"c0": alter})
    shown = unified(f"{SCHEMA} -p c0", environ=service.environ).stdout
    assert "address.street\tinteger\t1.25 %\t\t\n" in shown
    assert "field 7\tinteger\t1.25 %\t\t\n" in shown


def test_paths_that_look_alike_are_distinct(unified: Unified, service: Service) -> None:
    odd = {"a.b": 1, "a": {"b": True}, "c[]": 1, "c": [True], "*": 1, "": 1, 'q"': 1, "x@y": None}
    service.reply = lambda _: served({"result": [odd]})
    shown = unified(SCHEMA, environ=service.environ)
    assert [line.split("\t")[:2] for line in shown.stdout.splitlines()] == [
        ['"a.b"', "integer"],
        ["a", "object"],
        ["a.b", "boolean"],
        ['"c[]"', "integer"],
        ["c", "array"],
        ["c[]", "boolean"],
        ['"*"', "integer"],
        ['""', "integer"],
        ['"q\\""', "integer"],
        ["*", "null"],
    ]


def test_omitted_members_are_reported(unified: Unified, service: Service, tmp_path: Path) -> None:
    deep: Any = {"in": 1}
    for _ in range(40):
        deep = {"in": [deep]}
    records = [
        {"deep": deep, "kind": f"k{at}", "many": {f"n{one}": 1 for one in range(300)}}
        for at in range(60)
    ]
    service.reply = lambda _: served({"result": records})
    within = "deep" + ".in[]" * 15 + ".in"
    said = [
        f"ignored, because it is nested deeper than 32 levels: {within}",
        "values are not listed, because some are long or addresses, or more than 50: kind",
        "some members are counted under *, because there are too many: many",
    ]
    shown = unified(f"{SCHEMA} -o json", environ=service.environ)
    assert (shown.stderr.splitlines(), shown.code) == ([*said, "60 records of 1 connection"], 0)
    assert shown.json["properties"]["kind"]["x-cut"] == [said[1].partition(":")[0]]
    (tmp_path / "cut.json").write_text(shown.stdout)
    compared = unified(f"{SCHEMA} --against {tmp_path}/cut.json --strict", environ=service.environ)
    assert compared.code == 0
    assert compared.stderr.splitlines()[:3] == [f"acct-1: {one}" for one in said]


def test_against_another_connection_and_as_json(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(service, config, {"c3": CHANGES["lost-path"][0]})
    result = unified(f"{SCHEMA} -p c3 -p c4 --against c0 -o json", environ=service.environ)
    assert result.code == 14
    assert result.json == [
        {
            "_profile": "c3",
            "kind": "lost-path",
            "path": "size",
            "before": "100 % of 80",
            "now": "in none of 80",
        }
    ]


def test_a_comparison_with_the_known_fields(unified: Unified) -> None:
    assert unified(f"-p sandbox {SCHEMA} --against known --strict").code == 0


def test_a_rare_path_that_few_records_do_not_show_is_not_lost(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    path = baseline(unified, service, config, tmp_path)
    fleet(service, config, {"c1": lambda _, one: one.pop("rare", None)}, number=20)
    assert unified(f"{SCHEMA} -p c1 --against {path} --strict", environ=service.environ).code == 0


def test_a_connection_that_cannot_be_read(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    path, file = baseline(unified, service, config, tmp_path), tmp_path / "result.xml"
    whole = service.reply

    def reply(seen: Seen) -> Reply:
        if dict(seen.query)["integrated_account_id"] == "c2":
            return served({"statusCode": 403, "error": "Error", "message": "no"}, 403)
        return whole(seen)

    service.reply = reply
    result = unified(f"{SCHEMA} -p 'c*' --against {path} --junit {file}", environ=service.environ)
    assert result.code == 9
    assert result.stderr.splitlines()[-1] == "error: 1 of 10 connections failed: c2"
    assert {suite.name: suite.errors for suite in JUnitXml.fromfile(str(file)) if suite.errors} == {
        "c2": 1
    }


def test_a_check_that_saw_no_record_does_not_pass(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    path, file = baseline(unified, service, config, tmp_path), tmp_path / "result.xml"
    whole = service.reply
    empty = {"c2", "c5"}
    service.reply = lambda seen: (
        served({"result": []})
        if dict(seen.query)["integrated_account_id"] in empty
        else whole(seen)
    )
    result = unified(f"{SCHEMA} -p 'c*' --against {path} --junit {file}", environ=service.environ)
    assert (result.code, result.stderr) == (
        0,
        (
            "no record in c2, c5; 8 connections: no path is missing or has another type, 0 other"
            " differences\n"
        ),
    )
    suites = {suite.name: suite.skipped for suite in JUnitXml.fromfile(str(file))}
    assert {name for name, skipped in suites.items() if skipped} == empty
    result = unified(f"{SCHEMA} -p c2 -p c5 --against {path}", environ=service.environ)
    assert (result.code, result.stderr) == (9, "error: nothing was compared: there is no record\n")


@pytest.mark.parametrize("tty", [False, True])
def test_names_that_would_drive_a_terminal(
    unified: Unified, service: Service, tty: bool, tmp_path: Path
) -> None:
    service.reply = lambda _: served(
        {"result": [{"a\x1b[31m\tb\nc": 1, "type": "x\x1b]0;y\x07"}] * 40}
    )
    shown = unified("schema ticketing/tickets", environ=service.environ, tty=tty)
    (tmp_path / "none.json").write_text('{"properties": {"type": {"type": "string", "enum": []}}}')
    told = unified(
        f"schema ticketing/tickets --strict --against {tmp_path}/none.json",
        environ=service.environ,
        tty=tty,
    )
    assert (shown.code, told.code) == (0, 14)
    # On a pipe the names are data.
    for text in (shown.stdout, told.stdout, told.stderr) if tty else (told.stderr,):
        assert "\x1b[31m" not in text
        assert "\x1b]0" not in text
    assert len(shown.stdout.splitlines()) == (4 if tty else 2)


COUNTS: list[Any] = [
    {},
    {"string": -5},
    {"string": 10**30, "object": 1},
    {"object": 0},
    {"null": 50, "string": True},
]


@pytest.mark.parametrize("outer", COUNTS)
@pytest.mark.parametrize("inner", COUNTS)
def test_a_schema_with_impossible_counts_is_still_compared(
    unified: Unified, service: Service, config: Config, tmp_path: Path, outer: Any, inner: Any
) -> None:
    fleet(service, config, {})
    path = tmp_path / "odd.json"
    members = {"size": {"x-counts": inner}, "gone": {"x-counts": inner}}
    path.write_text(json.dumps({"x-counts": outer, "properties": members}))
    assert unified(f"{SCHEMA} -p c0 --against {path}", environ=service.environ).code in {0, 14}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("ticketing/nothing", 2, "no resource ticketing/nothing"),
        ("ticketing/tickets --strict", 2, "--strict and --junit need --against"),
        ("ticketing/tickets --against none.json", 11, "cannot read none.json: No such file"),
        ("ticketing/tickets --against bad.json", 2, "bad.json is not JSON"),
        ("ticketing/tickets --against list.json", 2, "this is not a JSON Schema of records"),
        ("ticketing/tickets --against deep.json", 2, "is no"),
        ("ticketing/tickets --against endless.json", 2, "this is not a JSON Schema of records"),
        (
            "ticketing/tickets --against empty.json",
            2,
            "empty.json names no members of records, so there is nothing to",
        ),
        (
            "ticketing/tickets --against one.json --junit ./one.json",
            2,
            "--junit one.json would replace the schema of ",
        ),
        ("ticketing/tickets --records 0", 2, "--records"),
    ],
)
def test_wrong_options_are_refused(
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text("{")
    Path("empty.json").write_text("{}")
    Path("one.json").write_text('{"properties": {"id": {"type": "string"}}}')
    Path("list.json").write_text(json.dumps({"properties": [1]}))
    Path("endless.json").write_text('{"x-counts": {"string": 1e999}}')
    Path("deep.json").write_text('{"items":' * 5000 + "{}" + "}" * 5000)
    result = unified(f"schema {words}", environ=service.environ)
    assert (result.code, service.seen) == (code, []), result.stderr
    assert message in result.stderr
