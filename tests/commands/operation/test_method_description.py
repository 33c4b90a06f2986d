"""The description of a method by its connection: read in every form that makes sense,
and kept for it alone.
"""

import contextlib
import io
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from published.publishing import publishing
from server import Reply, Service

from unified_cli.call import method_description
from unified_cli.catalogue import Operation, load
from unified_cli.catalogue.described import DescribedField, MethodDescription, SchemaError, fields
from unified_cli.catalogue.known import KnownField
from unified_cli.config import file, known_methods, resolution
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, RefusedError, ServiceError
from unified_cli.fleet.clients import Clients
from unified_cli.http import request as requests
from unified_cli.runtime import Runtime
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.stderr import Stderr

CATALOGUE = load()
CREATE = CATALOGUE.operation("ticketing", "tickets", "create")
LIST = CATALOGUE.operation("ticketing", "tickets", "list")


def resolved(environ: Mapping[str, str], folder: Path) -> tuple[Runtime, Settings]:
    runtime = Runtime(
        None, None, Stderr(io.BytesIO()), environ, folders={"cache": folder / "cache"}
    )
    return runtime, resolution.resolve(Overrides(), runtime, file.read(runtime))


def asked(
    environ: Mapping[str, str], folder: Path, operation: Operation = CREATE
) -> MethodDescription:
    """The service's answer; it is kept as a command keeps it."""
    runtime, settings = resolved(environ, folder)
    with Clients(runtime, CATALOGUE) as clients:
        client = clients.open(settings)
        scope = requests.scope_of(settings, CATALOGUE.service)
        try:
            found = method_description.fetch(client, scope, operation)
        finally:
            client.close()
    known_methods.keep(runtime, settings, operation, found)
    return found


def recalled(environ: Mapping[str, str], folder: Path, operation: Operation = CREATE) -> Any:
    runtime, settings = resolved(environ, folder)
    return known_methods.recall(runtime, settings, operation)


def says(service: Service, **members: Any) -> dict[str, str]:
    """Let the service describe every method so; the environment that asks it."""
    service.reply = lambda _: Reply(body=json.dumps({"method": "create", **members}).encode())
    return service.environ


def schema(required: list[str] | None = None, **properties: Any) -> Any:
    return {"type": "object", "properties": properties, "required": required or []}


@pytest.mark.parametrize(
    ("served", "found"),
    [
        (None, []),
        ({}, []),
        ([], []),
        (True, []),
        ({"type": "object"}, []),
        ({"$ref": "#/definitions/ticket"}, []),
        (
            schema(
                ["b"],
                a={"type": "string"},
                b={"type": ["null", "integer"], "description": "How\n many"},
            ),
            [
                DescribedField("b", "integer", required=True, text="How many"),
                DescribedField("a", "string"),
            ],
        ),
        (
            schema(a={"enum": ["x", 1, None, True, {"value": "y"}, {"a": []}]}),
            [DescribedField("a", values=("x", "1", "y"))],
        ),
        (
            schema(a={"type": "array", "items": {"enum": ["x"]}}),
            [DescribedField("a", "array", values=("x",))],
        ),
        (
            schema(to={"type": "array", "items": schema(["email"], email={"type": "string"})}),
            [DescribedField("to[][email]", "string", required=True), DescribedField("to", "array")],
        ),
        (
            {"allOf": [schema(a={"type": "string"}), {"properties": {"b": {}}}, 7]},
            [DescribedField("a", "string"), DescribedField("b")],
        ),
        (
            {
                "allOf": [
                    {"required": ["a"]},
                    schema(a={"type": "string"}),
                    schema(a={"enum": ["x"]}),
                ]
            },
            [DescribedField("a", "string", required=True, values=("x",))],
        ),
        (
            {"anyOf": [schema(["a"], a={"type": "string", "required": True}), {"required": ["b"]}]},
            [DescribedField("a", "string"), DescribedField("b")],
        ),
        (
            schema(["gone", "any"], any=True, none=False, one={"const": "x"}),
            [
                DescribedField("any", required=True),
                DescribedField("gone", required=True),
                DescribedField("one", values=("x",)),
            ],
        ),
        (
            schema(
                a={"anyOf": [{"type": "null"}, {"type": "string", "enum": ["x", "y"]}]},
                b={"oneOf": [{"const": "x"}, {"const": 2}]},
            ),
            [
                DescribedField("a", "string", values=("x", "y")),
                DescribedField("b", values=("x", "2")),
            ],
        ),
        (
            {
                "$ref": "#/$defs/a~1b/c%20d",
                "$defs": {
                    "a/b": {"c d": schema(["owner"], owner={"$ref": "#/$defs/one"})},
                    "one": {"$ref": "#/$defs/two", "description": "Who"},
                    "two": schema(id={"type": "string"}),
                },
            },
            [
                DescribedField("owner", "object", required=True, text="Who"),
                DescribedField("owner[id]", "string"),
            ],
        ),
        (["a", "b", 7], [DescribedField("a"), DescribedField("b")]),
        (
            [
                {"name": "a", "type": "string"},
                {"name": "b", "required": True, "schema": {"type": "number"}},
                {"x": 1},
            ],
            [DescribedField("b", "number", required=True), DescribedField("a", "string")],
        ),
        (
            {"id": {"type": "string", "required": True}, "type": {"type": "string"}, "odd": 7},
            [DescribedField("id", "string", required=True), DescribedField("type", "string")],
        ),
    ],
)
def test_a_schema_is_read_in_every_form(served: Any, found: list[DescribedField]) -> None:
    assert [*fields(served)] == found


@pytest.mark.parametrize("served", ["text", 7, [1, 2], {"a": 1}, [[["a"]]]])
def test_an_invalid_schema_is_reported(served: Any, service: Service, tmp_path: Path) -> None:
    with pytest.raises(SchemaError):
        fields(served)
    environ = says(service, query_schema=served)
    with pytest.raises(ServiceError, match="the answer cannot be read"):
        asked(environ, tmp_path)
    assert recalled(environ, tmp_path) is None


def nested(depth: int) -> Any:
    found: Any = {"type": "string"}
    for _ in range(depth):
        found = schema(a=found)
    return found


def test_a_deep_schema_is_read_to_the_fifth_level(service: Service, tmp_path: Path) -> None:
    found = asked(says(service, request_body_schema=nested(30)), tmp_path)
    assert [one.name for one in found.body] == [
        "a",
        "a[a]",
        "a[a][a]",
        "a[a][a][a]",
        "a[a][a][a][a]",
    ]
    assert not found.whole
    assert asked(says(service, request_body_schema=nested(5)), tmp_path).whole


def test_a_schema_of_five_megabytes_is_read_to_its_bound(service: Service, tmp_path: Path) -> None:
    large = schema(
        **{
            f"name-{number}": {"type": "string", "description": "x" * 400}
            for number in range(6_000)
        }
    )
    environ = says(service, query_schema=large, request_body_schema=large)
    assert len(service.reply(None).body) > 5_000_000  # type: ignore[arg-type]
    found = asked(environ, tmp_path)
    assert (len(found.query), len(found.body)) == (1000, 1000)
    kept = recalled(environ, tmp_path)
    assert (len(kept.query), len(kept.body)) == (100, 100)


def test_endless_schemas_are_read_to_a_limit() -> None:
    many: Any = {"properties": {"a": {"type": "string"}}}
    for _ in range(6):
        many = {"allOf": [many] * 20}
    assert [one.name for one in fields(many)] == ["a"]
    wide: Any = {"type": "string"}
    for _ in range(5):
        wide = schema(**{f"n{number}": wide for number in range(10)})
    assert len(fields(wide)) == 1000
    tree = schema(a={"type": "string"}, below={"$ref": "#"})
    assert [one.name for one in fields(tree) if one.name.endswith("below]")][-1:] == [
        "below[below][below][below][below]"
    ]
    loop: Any = {"$ref": "#/x", "x": {"$ref": "#/x"}}
    assert fields(loop) == ()


MANY: Any = {f"n{number}": {} for number in range(1000)}
REFERRING: Any = {name: {"$ref": "#/x"} for name in MANY}
SLOW: dict[str, Any] = {
    "fields": {"allOf": [{"$ref": "#/x"}] * 100_000, "x": schema(**MANY)},
    "no fields": {"allOf": [{"$ref": "#/x"}] * 20_000, "x": {"properties": dict.fromkeys(MANY, 7)}},
    "names": {"allOf": [{"$ref": "#/x"}] * 20_000, "x": dict.fromkeys(MANY, 7)},
    "required": {"allOf": [{"$ref": "#/x"}] * 20_000, "x": {"required": [7] * 100_000}},
    "values": {"properties": REFERRING, "x": {"enum": [[]] * 100_000}},
    "parts": {"properties": REFERRING, "x": {"anyOf": [{"enum": [*range(100_000)]}] * 20}},
    "no parts": {"properties": REFERRING, "x": {"anyOf": [7] * 100_000}},
    "types": {"properties": REFERRING, "x": {"type": ["?"] * 100_000}},
    "text": {"properties": REFERRING, "x": {"description": "x " * 1_000_000}},
    "reference": {"properties": REFERRING, "x": {"$ref": "#" + "/x" * 1_000_000}},
    "list": [7] * 1_000_000,
}


@pytest.mark.parametrize("name", SLOW)
def test_a_schema_that_refers_to_a_large_one_takes_no_time(name: str) -> None:
    began = time.process_time()
    with contextlib.suppress(SchemaError):
        assert len(fields(SLOW[name])) <= 1000
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"7",
        b"null",
        b'{"method":',
        b"\xff\xfe",
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b"<html>",
    ],
)
def test_an_answer_without_a_description_is_reported(
    body: bytes, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(body=body)
    with pytest.raises(ServiceError):
        asked({**service.environ, "UNIFIED_RETRIES": "0"}, tmp_path)


@pytest.mark.parametrize("members", [{}, {"query_schema": None, "default_body": {"a": 1}}])
def test_a_method_without_a_description_is_refused(
    members: dict[str, Any], service: Service, tmp_path: Path
) -> None:
    with pytest.raises(
        RefusedError, match="ticketing tickets create has no description on this connection"
    ):
        asked(says(service, **members), tmp_path)


HOSTILE = [
    "$(touch evil)",
    "`id`",
    "a b",
    "a;b",
    "a\nb",
    "\x1b[31m",
    "\u202e",
    "\ud800",
    "a'b",
    'a"b',
    "",
    "x" * 65,
    "a[b]",
    "ä",
    "-",
    "--yes",
    "-q",
    ".",
    "../x",
]


def test_only_harmless_names_are_kept(service: Service, tmp_path: Path) -> None:
    large = schema(
        ["ok.name-1_x"],
        **{name: {"type": "string"} for name in HOSTILE},
        **{"ok.name-1_x": {"type": "integer"}},
    )
    environ = says(service, query_schema=large, request_body_schema=large)
    found = asked(environ, tmp_path)
    assert {one.name for one in found.query} == {*HOSTILE, "ok.name-1_x"} - {""}
    kept = recalled(environ, tmp_path)
    assert kept.query == (KnownField("ok.name-1_x", "number", required=True),)
    assert kept.body == kept.query
    for path in (tmp_path / "cache" / "methods").iterdir():
        assert not re.search(r"touch|`|;|u001b|ud800|\\n", path.read_text())
        assert path.stat().st_mode & 0o777 == 0o600


def test_no_secret_is_kept(service: Service, tmp_path: Path) -> None:
    environ = says(service, query_schema=schema(**{service.environ["UNIFIED_TOKEN"]: {}}))
    asked(environ, tmp_path)
    assert recalled(environ, tmp_path) is None


def test_the_cache_is_per_connection_and_method(service: Service, tmp_path: Path) -> None:
    environ = says(service, query_schema=schema(workspace_id={"type": "string"}))
    asked(environ, tmp_path)
    assert [one.name for one in recalled(environ, tmp_path).query] == ["workspace_id"]
    assert recalled(environ, tmp_path, LIST) is None
    assert recalled({**environ, "UNIFIED_ACCOUNT_ID": "acct-2"}, tmp_path) is None
    assert recalled({**environ, "UNIFIED_BASE_URL": "https://other.example"}, tmp_path) is None


def test_the_description_of_an_own_token_s_connection_is_not_kept(
    service: Service, tmp_path: Path
) -> None:
    environ = {**says(service, query_schema=schema(a={})), "UNIFIED_ACCOUNT_ID": "me"}
    assert asked(environ, tmp_path).query == (DescribedField("a"),)
    assert service.seen[-1].query == []
    assert recalled(environ, tmp_path) is None


def test_it_is_forgotten_after_a_day(service: Service, tmp_path: Path) -> None:
    environ = says(service, query_schema=schema(a={}))
    asked(environ, tmp_path)
    runtime, settings = resolved(environ, tmp_path)
    for hours, known in ((23, True), (25, False)):
        later = runtime._replace(wall=lambda hours=hours: runtime.wall() + hours * 3600)  # type: ignore[misc]
        assert (known_methods.recall(later, settings, CREATE) is not None) is known


@pytest.mark.parametrize(
    "value", [[2, [], []], [1, [["a b", "string", True]], []], [1, [["a"], 7], [None]], 7, [1]]
)
def test_a_cache_file_of_another_program_does_no_harm(
    value: Any, service: Service, tmp_path: Path
) -> None:
    environ = says(service, query_schema=schema(a={}))
    asked(environ, tmp_path)
    (path,) = (tmp_path / "cache" / "methods").iterdir()
    path.write_text(json.dumps(json.loads(path.read_text()) | {"value": value}))
    found = recalled(environ, tmp_path)
    assert found is None or (found.query, found.body) == ((), ())


def test_the_described_names_come_after_the_known_ones() -> None:
    known = (KnownField("name", values=("x",)), KnownField("status", "object"))
    described = (KnownField("workspace_id"), KnownField("name", "number"))
    assert known_methods.with_known(known, described) == (*known, described[0])


def test_it_is_asked_for_where_it_is_published(tmp_path: Path) -> None:
    with publishing() as published:
        found = asked(published.environ(), tmp_path, LIST)
        assert (found.query, found.body, found.documentation) == (
            (),
            (),
            "https://docs.example.com/ticketing/tickets",
        )
        assert (found.default_query, found.default_body) == ({}, None)
        assert json.loads(found.served)["method"] == "list"
        seen = published.seen[-1]
        assert (seen.path, [name for name, _ in seen.query]) == (
            "/unified/ticketing/tickets/meta/list",
            ["integrated_account_id"],
        )
        with pytest.raises(AccessError):
            asked(published.environ(token="wrong-token-1234"), tmp_path, LIST)


@pytest.mark.parametrize("operation", list(CATALOGUE), ids=lambda one: one.command)
def test_the_sandbox_describes_every_operation(
    operation: Operation, unified_sandbox: UnifiedSandbox, tmp_path: Path
) -> None:
    environ = {
        "UNIFIED_BASE_URL": unified_sandbox.url,
        "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_ACCOUNT_ID": "full",
    }
    found = asked(environ, tmp_path, operation)
    assert {one.name for one in found.query if one.required} == {
        one.name for one in operation.facts.query.get(operation.name, ()) if one.required
    }
    assert operation.takes_body or found.body == ()
    assert {one.name for one in found.body if one.required} == {*operation.required_fields}
