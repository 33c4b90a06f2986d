"""Routes about the service itself: the schema of an operation, and the operations that a connection has."""

from collections.abc import Iterable

from unified_cli.catalogue import Catalogue, Operation, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.accounts import UNSUPPORTED, kind_of
from unified_cli.sandbox.messages import Refusal, SandboxResponse, decoded


def schema(operation: Operation) -> SandboxResponse:
    """The parameters, the body and the records of an operation, as JSON Schema."""
    facts = operation.facts
    record = _object(facts.fields)
    answer: JsonObject = {
        "resource": operation.resource,
        "method": operation.name,
        "schema": record,
        "query_schema": _object(facts.query.get(operation.name, ())),
        "default_query": {},
    }
    if operation.takes_body:
        answer["request_body_schema"] = _object(facts.body.get(operation.name, ()))
        answer["default_body"] = {}
    return SandboxResponse.json(dump(answer))


def capabilities_account(service: Service, path: str) -> str | None:
    """The account whose capabilities a path is for; None for other paths."""
    before, _, after = service.capabilities.partition("{id}")
    account = path.removeprefix(before).removesuffix(after)
    return None if "/" in account or path != service.capabilities_path(account) else decoded(account)


def capabilities(catalogue: Catalogue, path: str) -> SandboxResponse:
    """The operations that a connection has. Raises Refusal 404 where there is no such connection."""
    account = capabilities_account(catalogue.service, path) or ""
    kind = kind_of(account)
    if kind is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    unified = {
        api.name: {
            resource.name: list(resource.operations)
            for resource in api.resources.values()
            if kind != "limited" or resource.name not in UNSUPPORTED
        }
        for api in catalogue.apis.values()
    }
    return SandboxResponse.json(dump({catalogue.service.connection: account, "type": "unified", "unified": unified}))


def _object(fields: Iterable[KnownField]) -> JsonObject:
    return {"type": "object", "properties": {field.name: _schema(field) for field in fields}}


def _schema(field: KnownField) -> JsonObject:
    schema: JsonObject = {"type": field.type}
    if field.values:
        schema["enum"] = list(field.values)
    return schema
