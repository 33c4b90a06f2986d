"""What clients may ask about the service itself: the schema of a method, and what a connection can do."""

from collections.abc import Iterable
from typing import Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.json_values import dump
from unified_cli.sandbox.accounts import LACKED, character
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse, decoded


def schema(operation: Operation) -> SandboxResponse:
    """What an operation takes and gives, as JSON Schema."""
    facts = operation.facts
    record = _object(facts.fields)
    answer: dict[str, Any] = {
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


def capabilities_account(request: SandboxRequest) -> str | None:
    """The account that `/integrated-account/{id}/capabilities` asks about; None for other paths."""
    parts = request.path.split("/")
    if request.method != "GET" or len(parts) != 4 or parts[1] != "integrated-account" or parts[3] != "capabilities":
        return None
    return decoded(parts[2])


def capabilities(catalogue: Catalogue, account: str) -> SandboxResponse:
    """The unified routes that a connection has."""
    kind = character(account)
    if kind is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    unified = {
        api.name: {
            resource.name: list(resource.operations)
            for resource in api.resources.values()
            if kind != "limited" or resource.name not in LACKED
        }
        for api in catalogue.apis.values()
    }
    return SandboxResponse.json(dump({"integrated_account_id": account, "type": "unified", "unified": unified}))


def _object(fields: Iterable[KnownField]) -> dict[str, Any]:
    return {"type": "object", "properties": {field.name: _schema(field) for field in fields}}


def _schema(field: KnownField) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": field.type}
    if field.values:
        schema["enum"] = list(field.values)
    return schema
