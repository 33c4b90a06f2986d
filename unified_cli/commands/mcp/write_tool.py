"""The write tool: one operation on one connection. It reports the outcome and the key.

Four modules check whether a write is allowed: `command` checks the permissions of the
server, `server` whether it offers the tool, `tool_calls` whether it offers the profile,
and this module deletes and read-only profiles.
"""

import msgspec

from unified_cli.call import builder, dry_run
from unified_cli.catalogue import Operation
from unified_cli.catalogue.known_filters import doubtful_fields, texts_for_objects
from unified_cli.commands.mcp import operation_search, tool_calls
from unified_cli.commands.mcp.connection_read import USUAL_BYTES
from unified_cli.commands.mcp.read_tool import DATA
from unified_cli.commands.mcp.tool_calls import QueryValue, ToolWorld
from unified_cli.errors import UnifiedError, UnknownError, UnsafeError, UsageError
from unified_cli.http.request import Content, Request
from unified_cli.json_text import json_codec
from unified_cli.json_text.members import parts, text
from unified_cli.json_text.record_label import LABEL
from unified_cli.values import Json, JsonObject
from unified_cli.writes import outcome


class WriteArguments(msgspec.Struct, forbid_unknown_fields=True):
    """The arguments of the tool."""

    operation: str
    profile: str
    id: str | None = None
    query: dict[str, QueryValue | list[QueryValue]] = {}
    body: dict[str, Json] | None = None
    idempotency_key: str | None = None
    dry_run: bool = False


def write(world: ToolWorld, arguments: WriteArguments, *, deletes: bool) -> str:
    """Return the outcome of the write as JSON.

    A dry run returns the request, without sending or recording it.

    Raises UnifiedError if the write was not done or is in doubt.
    """
    operation = operation_search.find(world.catalogue, arguments.operation)
    if not operation.changes:
        raise UsageError(f"{operation.command} changes nothing", hint="use the read tool")
    if operation.method == "DELETE" and not deletes:
        raise UnsafeError(
            "this server does not delete", hint="it must be started with --allow-deletes"
        )
    if arguments.body is not None and LABEL in arguments.body:
        raise UsageError(
            f"the body holds {LABEL}, which no record has",
            hint="name the connection only in the argument profile",
        )
    name = world.served.select_one(arguments.profile)
    settings = world.served.settings(name)
    body = _body(arguments, operation.method, operation.kind)
    key = builder.read_key(arguments.idempotency_key, operation.method)
    content = Content(tool_calls.pairs(arguments.query), body, key)
    request = world.request(settings, operation, arguments.id, content)
    builder.check_writable(settings, request)
    unknown = _unknown_fields(operation, arguments)
    if arguments.dry_run:
        return _not_sent(tool_calls.connection(name, settings), request, unknown)
    world.budget.spend()
    with world.client(name, settings) as client:
        run, sent = world.log.plan(name, request, arguments.id)
        world.log.add_sent(sent)
        attempt = outcome.attempt(client, request, sent.n, arguments.id)
        world.log.add(attempt.entry)
    if attempt.response is None:
        raise _failed(attempt.error, key, run)
    response = attempt.response
    facts = {
        "about": DATA,
        "connection": tool_calls.connection(name, settings),
        "outcome": "done",
        "status": response.status,
        "idempotency_key": key,
        "run": run,
        **unknown,
    }
    return _done(facts, response.body)


def _done(facts: JsonObject, body: bytes | None) -> str:
    head = json_codec.encoded(facts)
    return (head[:-1] + b',"result":' + _body_or_id(body) + b"}").decode("utf-8", "replace")


def _unknown_fields(operation: Operation, arguments: WriteArguments) -> JsonObject:
    body = arguments.body or {}
    texts = [name for name, value in body.items() if isinstance(value, str)]
    found = doubtful_fields(operation, body) + texts_for_objects(operation, texts)
    if not found:
        return {}
    return {
        "unknown_fields": [
            {"field": doubtful.name, "message": doubtful.message} for doubtful in found
        ]
    }


def _not_sent(connection: JsonObject, request: Request, unknown: JsonObject) -> str:
    shown = {
        "connection": connection,
        "outcome": "not sent",
        "idempotency_key": request.key,
        "request": dry_run.as_json(request),
        **unknown,
    }
    return msgspec.json.encode(shown).decode("utf-8")


def _failed(error: UnifiedError | None, key: str | None, run: str) -> UnifiedError:
    assert error is not None  # noqa: S101  a write without an answer has one
    became = "in doubt" if isinstance(error, UnknownError) else "failed"
    error.add_hint(
        f"outcome: {became}{f'; idempotency_key: {key}' if key else ''}; unified runs show {run}"
    )
    return error


def _body(arguments: WriteArguments, method: str, kind: str) -> bytes | None:
    if method == "DELETE" and arguments.body is None:
        return None
    if arguments.body is None:
        if kind == "write":
            raise UsageError("body is missing", hint="the describe tool returns its fields")
        return b"{}"
    return json_codec.encoded(arguments.body)


def _body_or_id(body: bytes | None) -> bytes:
    if not body:
        return b"null"
    if len(body) <= USUAL_BYTES:
        return body.strip()
    found = parts(body.strip()) or {}
    return json_codec.encoded(
        {
            "id": text(found.get("id")),
            "_left_out": f"the answer has {len(body)} bytes: use the read tool",
        }
    )
