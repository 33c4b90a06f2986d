"""Generate the schema of an operation and the documentation of an API."""

from collections.abc import Iterable
from html import escape

from unified_cli.catalogue import Api, Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.values import JsonObject

DOCUMENTS = "https://docs.example.com"
_PAGES = {"md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}


def documentation(api: Api, product: str, form: str) -> SandboxResponse:
    """Return the documentation of an API for a product.

    `form` is json, md or html. Raises Refusal 400 for any other form.

    Assumption: the service documents only that this page exists, not its structure.
    """
    title = f"{product}: {api.title}"
    operations = [
        operation
        for resource in api.resources.values()
        for operation in resource.operations.values()
    ]
    if form == "json":
        methods = [
            {
                "resource": operation.resource,
                "method": operation.name,
                "description": operation.summary,
                "path": operation.path,
            }
            for operation in operations
        ]
        return SandboxResponse.json(dump({"title": title, "methods": methods}))
    if form not in _PAGES:
        raise Refusal(400, f"format is json, md or html, not {form!r}")
    lines = [
        (f"{operation.resource} {operation.name}", operation.summary) for operation in operations
    ]
    if form == "md":
        text = "\n".join([f"# {title}", "", *(f"- `{name}`: {about}" for name, about in lines), ""])
    else:
        items = "".join(
            f"<li><code>{escape(name)}</code>: {escape(about)}</li>" for name, about in lines
        )
        text = (
            f"<!doctype html><title>{escape(title)}</title><h1>{escape(title)}</h1><ul>{items}</ul>"
        )
    return SandboxResponse(200, text.encode(), {"content-type": _PAGES[form]})


def schema(operation: Operation, *, answers: bool = False) -> SandboxResponse:
    """Return the JSON Schema of an operation.

    It describes the parameters, the body and, with `answers`, the records that the
    operation returns.
    """
    record = _object(operation.facts.fields, operation.facts.members)
    answer: JsonObject = {
        "method": operation.name,
        "schema": record,
        "documentation_link": f"{DOCUMENTS}/{operation.api}/{operation.resource}",
        "response_mapping": None,
        "query_schema": query_schema(operation)
        | _required([parameter.name for parameter in _parameters(operation) if parameter.required]),
        "request_body_schema": (
            body_schema(operation) | _required(operation.required_fields)
            if operation.takes_body
            else None
        ),
        "default_query": {},
        "default_body": {} if operation.takes_body else None,
    }
    if answers:
        answer["response_schema"] = record
    return SandboxResponse.json(dump(answer))


def _required(names: list[str]) -> JsonObject:
    return {"required": names} if names else {}


def query_schema(operation: Operation) -> JsonObject:
    """Return the known parameters of an operation."""
    return _object(_parameters(operation))


def _parameters(operation: Operation) -> tuple[KnownField, ...]:
    return operation.facts.query.get(operation.name, ())


def body_schema(operation: Operation) -> JsonObject:
    """Return the known fields of an operation's body."""
    facts = operation.facts
    return _object(
        facts.body.get(operation.name) or (facts.fields if operation.kind == "write" else ()),
        facts.members,
    )


def _object(fields: Iterable[KnownField], members: Iterable[KnownField] = ()) -> JsonObject:
    """Return the fields as JSON Schema, with their known members."""
    properties = {field.name: _schema(field) for field in fields}
    for one in members:
        field, _, member = one.name.partition(".")
        if field in properties:
            within = properties[field].setdefault("properties", {})
            within[member] = _schema(one)
    return {"type": "object", "properties": properties}


def _schema(field: KnownField) -> JsonObject:
    schema: JsonObject = {"type": field.type}
    if field.values:
        schema["enum"] = list(field.values)
    return schema
