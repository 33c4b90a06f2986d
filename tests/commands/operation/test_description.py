"""`--describe`: what a connection says that an operation takes, shown as it is meant,
or reported as invalid.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from published.publishing import ENVIRONMENT, publishing
from server import Reply, Service

LIST, CREATE = "ticketing tickets list", "ticketing tickets create"
Config = Callable[[str], Path]


def says(service: Service, **members: Any) -> dict[str, str]:
    """Let the service describe every method so; the environment that asks it."""
    service.reply = lambda _: Reply(body=json.dumps({"method": "create", **members}).encode())
    return service.environ


def schema(required: list[str] | None = None, **properties: Any) -> Any:
    return {"type": "object", "properties": properties, "required": required or []}


def test_required_fields_come_first(unified: Unified, service: Service) -> None:
    environ = says(
        service,
        query_schema=schema(workspace={"type": "string", "description": "Which\none"}),
        request_body_schema=schema(["b"], a={"enum": ["x", "y"]}, b={"type": "integer"}),
        default_query={"limit": 7},
        default_body={"kind": "task"},
        documentation_link="https://docs.example.com/x",
    )
    result = unified(f"{CREATE} --describe", environ=environ)
    assert result.code == 0
    assert [line.split("\t") for line in result.stdout.splitlines()] == [
        ["query", "workspace", "string", "", "", "Which one"],
        ["body", "b", "integer", "required", "", ""],
        ["body", "a", "", "", "x | y", ""],
    ]
    assert (
        result.stderr == 'the service adds to the query: {"limit":7}\n'
        'the service adds to the body: {"kind":"task"}\n'
        "more: https://docs.example.com/x\n"
    )
    (seen,) = service.seen
    assert (seen.method, seen.path) == ("GET", "/unified/ticketing/tickets/meta/create")
    table = unified(
        f"{CREATE} --describe --color never", environ=environ, tty=True
    ).stdout.splitlines()
    assert table[0].split() == ["IN", "NAME", "TYPE", "REQUIRED", "VALUES", "ABOUT"]
    assert table[2].split() == ["body", "b", "integer", "required"]


@pytest.mark.parametrize(
    "command",
    [
        LIST,
        "ticketing tickets get x",
        "ticketing tickets delete x",
        "user-directory users suspend",
        "ticketing attachments download",
    ],
)
def test_every_operation_can_be_described(command: str, unified: Unified) -> None:
    result = unified(f"-p sandbox {command} --describe -o json")
    assert (result.code, result.json["method"]) == (0, command.split()[2])


@pytest.mark.parametrize("name", ["get", "update", "delete"])
def test_no_id_is_needed_for_it(name: str, unified: Unified) -> None:
    result = unified(f"-p sandbox ticketing tickets {name} --describe -o json")
    assert (result.code, result.json["method"]) == (0, name)


def test_no_id_is_needed_for_a_skeleton(unified: Unified) -> None:
    assert (
        unified("ticketing tickets update --skeleton").json
        == unified("ticketing tickets update 7 --skeleton").json
    )
    for shown in ("--dry-run", "--as curl", "--upload x"):
        assert "the ID is missing" in unified(f"ticketing tickets update -f a=b {shown}").stderr


@pytest.mark.parametrize(
    ("served", "more"),
    [
        (schema(a={"type": "string", "anyOf": [{"type": "string"}]}), False),
        (schema(**{f"n{number}": {} for number in range(1000)}), False),
        (schema(**{f"n{number}": {} for number in range(1001)}), True),
        (schema(a=schema(a=schema(a=schema(a=schema(a=schema(a={}))))), b={}), True),
        (schema(a={"$ref": "elsewhere.json#/a"}), True),
        ({"$ref": "#/definitions/gone"}, True),
        (schema(**{"x" * 201: {}}), True),
    ],
)
def test_hidden_fields_are_counted(
    served: Any, more: bool, unified: Unified, service: Service
) -> None:
    environ = says(service, request_body_schema=served)
    told = (
        "not all of the description is shown here: -o json prints it completely\n" if more else ""
    )
    assert unified(f"{CREATE} --describe", environ=environ).stderr == told
    assert unified(f"{CREATE} --describe -o json", environ=environ).stderr == ""


def test_an_unnamed_description_is_reported(unified: Unified, service: Service) -> None:
    result = unified(f"{CREATE} --describe", environ=says(service, schema=schema(a={})))
    assert (result.stdout, result.stderr) == (
        "",
        "the description has no parameters and no fields\n",
    )


@pytest.mark.parametrize("output", ["json", "raw"])
def test_it_is_printed_as_served(output: str, unified: Unified, service: Service) -> None:
    body = b'{"method":"x",  "query_schema":{"a":{"type":"number","x":1.10}}, "b":"\\ud800"}'
    service.reply = lambda _: Reply(body=body)
    assert unified(f"{LIST} --describe -o {output}", environ=service.environ).raw == body + b"\n"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("-p a -p b", "may be several connections"),
        ("-p '*'", "may be several connections"),
        ("-o csv", "-o csv"),
        ("--jq .", "--describe cannot be used with --jq"),
        ("--out x", "--describe cannot be used with --jq"),
        ("--columns a", "cannot be used with --jq"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    typed: str, said: str, unified: Unified, config: Config
) -> None:
    config('[profiles.a]\naccount_id = "full"\nbase_url = "sandbox:"\n')
    result = unified(f"{LIST} --describe {typed}", environ={"UNIFIED_PROFILE": "sandbox"})
    assert (result.code, result.stdout) == (2, "")
    assert said in result.stderr


def test_it_is_only_shown(unified: Unified, service: Service) -> None:
    shown = unified(f"{CREATE} --describe --dry-run", environ=service.environ).json
    assert shown["url"].partition("?")[0] == f"{service.url}/unified/ticketing/tickets/meta/create"
    assert service.seen == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"method":"list"}', 4),
        (b'{"query_schema":null,"default_body":{"a":1}}', 4),
        (b"[]", 5),
        (b'{"query', 5),
        (b'{"query_schema":"text"}', 5),
        (b'{"query_schema":{"a":1}}', 5),
        (b"", 5),
        (b"\xff", 5),
    ],
)
def test_an_invalid_description_is_reported(
    body: bytes, code: int, unified: Unified, service: Service
) -> None:
    service.reply = lambda _: Reply(body=body)
    result = unified(f"{LIST} --describe --retries 0", environ=service.environ)
    assert (result.code, result.stdout) == (code, "")
    assert result.stderr.startswith("error: ")


def nested(depth: int) -> Any:
    found: Any = {"type": "string"}
    for _ in range(depth):
        found = schema(a=found)
    return found


@pytest.mark.parametrize(
    ("query", "names"),
    [
        (["a", "b"], ["a", "b"]),
        (nested(30), ["a", "a[a]", "a[a][a]", "a[a][a][a]", "a[a][a][a][a]"]),
        ({"type": "object"}, []),
        (schema(a={"description": "x" * 5_000_000}), ["a"]),
    ],
)
def test_a_schema_is_shown_in_every_form(
    query: Any, names: list[str], unified: Unified, service: Service
) -> None:
    result = unified(f"{LIST} --describe", environ=says(service, query_schema=query))
    assert result.code == 0
    assert [line.split("\t")[1] for line in result.stdout.splitlines()] == names
    assert names or "no parameters and no fields" in result.stderr


HOSTILE = ["$(touch evil)", "a\nb", "\x1b[31mred", "\u202egnp", "\ud800", "\x9b1m", "a\tb", "\x07"]


@pytest.mark.parametrize("tty", [True, False])
def test_no_name_drives_a_terminal(tty: bool, unified: Unified, service: Service) -> None:
    fields = schema(
        **{name: {"enum": HOSTILE, "description": "".join(HOSTILE)} for name in HOSTILE}
    )
    environ = says(
        service,
        query_schema=fields,
        documentation_link="".join(HOSTILE),
        default_query={"".join(HOSTILE): 1},
    )
    result = unified(f"{LIST} --describe --color never", environ=environ, tty=tty)
    assert result.code == 0
    for text in (result.stdout, result.stderr):
        assert not {*text} & {"\x1b", "\u202e", "\x9b", "\x07"}
    assert len(result.stdout.splitlines()) >= len(HOSTILE)


def test_the_published_service_describes_it(unified: Unified) -> None:
    with publishing() as published:
        result = unified(f"{LIST} --describe", environ=published.environ())
        assert (result.code, result.stdout) == (0, "")
        assert result.stderr.endswith("more: https://docs.example.com/ticketing/tickets\n")
        assert unified(f"{CREATE} --describe", environ=published.environ()).code == 4
        assert unified(f"{LIST} --describe", environ=published.environ(f"{ENVIRONMENT}x")).code == 7


@pytest.fixture(name="cached")
def _cached(tmp_path: Path) -> dict[str, Path]:
    """Folders with a cache."""
    return {"config": tmp_path / "config", "data": tmp_path / "data", "cache": tmp_path / "cache"}


def test_a_skeleton_has_what_the_connection_described(
    unified: Unified, service: Service, cached: dict[str, Path]
) -> None:
    fields = schema(
        ["board"], board={"type": "integer"}, labels={"type": "array"}, name={"type": "object"}
    )
    environ = says(service, request_body_schema=fields)
    before = unified(f"{CREATE} --skeleton", environ=environ, folders=cached).json
    unified(f"{CREATE} --describe", environ=environ, folders=cached)
    after = unified(f"{CREATE} --skeleton", environ=environ, folders=cached).json
    assert after == {**before, "board": 0, "labels": []}
    assert len(service.seen) == 1
    for others in (
        "-a another",
        "--base-url https://other.example",
        "-p sandbox",
        "-p sandbox -p sandbox",
    ):
        assert (
            unified(f"{CREATE} {others} --skeleton", environ=environ, folders=cached).json == before
        )
    assert (
        unified("ticketing tickets update x --skeleton", environ=environ, folders=cached).json
        == before
    )
    assert unified(f"{CREATE} --skeleton", folders=cached).json == before
    later = {"folders": cached, "wall": lambda: 4e9}
    assert unified(f"{CREATE} --skeleton", environ=environ, **later).json == before


@pytest.mark.parametrize("command", [LIST, "ticketing tickets get x"])
def test_a_parameter_that_the_connection_requires_is_named(
    command: str, unified: Unified, service: Service, cached: dict[str, Path]
) -> None:
    environ = says(
        service, query_schema=schema(["workspace"], workspace={"type": "object"}, other={})
    )
    unified(f"{command} --describe", environ=environ, folders=cached)
    operation = " ".join(command.split()[:3])
    said = (
        f"the query lacks workspace, which this connection requires for {operation} (-q"
        " workspace=…)\n"
    )
    shown = unified(f"{command} --dry-run", environ=environ, folders=cached)
    assert (shown.code, shown.stderr) == (0, said)
    for given in ("-q workspace=1", "-q 'workspace[id]=1'", "-a another"):
        assert unified(f"{command} {given} --dry-run", environ=environ, folders=cached).stderr == ""
    # Nor is the description itself held up by it.
    assert "lacks" not in unified(f"{command} --describe", environ=environ, folders=cached).stderr


def test_defaults_that_the_service_adds_are_never_sent(
    unified: Unified, service: Service, cached: dict[str, Path]
) -> None:
    environ = says(
        service, request_body_schema=schema(a={}), default_body={"b": 1}, default_query={"c": 2}
    )
    unified(f"{CREATE} --describe", environ=environ, folders=cached)
    assert "b" not in unified(f"{CREATE} --skeleton", environ=environ, folders=cached).json
    shown = unified(f"{CREATE} -f a=x --dry-run", environ=environ, folders=cached).json
    assert (shown["body"], "c=" in shown["url"]) == ({"a": "x"}, False)
