"""The schemas of records, and the names of components.

The names are distinct even without dots and dashes.
"""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

from unified_cli.catalogue import Operation, Resource, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.sandbox.sample_requests import required_fields
from unified_cli.sandbox.vocabulary import NAMELESS, singular
from unified_cli.values import Json, JsonObject, Toml

# Assumption: every record has these fields, except records that the service publishes
# without an id.
_ALWAYS = (KnownField("id"), KnownField("created_at"), KnownField("updated_at"))
_REMOTE = KnownField("remote_data", "object")
_ID: JsonObject = {"type": ["string", "number"]}
_TIME: JsonObject = {"type": "string", "format": "date-time"}
_WORD = re.compile(r"<(\w+)>")


def record_name(api: str, resource: str) -> str:
    """Return a record's schema name, such as `TicketingTicket`."""
    return f"{pascal(api)}{pascal(singular(resource))}"


def action_name(operation: Operation, resource: Resource) -> str:
    """Return the prefix of an action's schemas, such as `UserDirectoryUserSuspend`.

    The names of the schemas of its body and its response begin with it.
    """
    number = "2" if _has_twin(operation, resource) else ""
    return f"{record_name(operation.api, operation.resource)}{pascal(operation.name)}{number}"


def operation_id(operation: Operation, resource: Resource) -> str:
    """Return the words of the command, joined by dashes.

    If the names of two operations of a resource differ only in `_` and `-`, a number is
    added for the one with `_`.
    """
    return operation.command.replace(" ", "-") + ("-2" if _has_twin(operation, resource) else "")


def _has_twin(operation: Operation, resource: Resource) -> bool:
    dashed = operation.name.replace("_", "-")
    return dashed != operation.name and dashed in resource.operations


def pascal(text: str) -> str:
    """Convert words that dashes or underscores join to PascalCase."""
    return "".join(word[:1].upper() + word[1:] for word in re.split("[-_]", text))


def schema_reference(name: str) -> JsonObject:
    """Return a reference to the schema of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def shared_schemas(service: Service) -> JsonObject:
    """Return the schemas that several resources share, by name."""
    words = {
        **service._asdict(),
        **service.connections._asdict(),
        "statuses": ", ".join(service.connections.statuses),
    }

    def filled(value: Toml) -> Json:
        if isinstance(value, dict):
            return {filled(name): filled(item) for name, item in value.items()}
        if isinstance(value, list):
            return [filled(item) for item in value]
        return _WORD.sub(lambda match: words[match[1]], value) if isinstance(value, str) else value

    table = tomllib.loads(Path(__file__).with_name("schemas.toml").read_text("utf-8"))
    return {name: filled(schema) for name, schema in table.items()}


def record_schema(resource: Resource) -> JsonObject:
    """Return the schema of a record in a response."""
    fields = {field.name: field for field in resource.facts.fields}
    named = resource.name not in NAMELESS
    for field in _ALWAYS if named else ():
        fields.setdefault(field.name, field)
    schema = object_schema(fields.values())
    if named:
        schema["properties"]["id"] = {"type": "string", "description": "The record's id"}
        schema["required"] = ["id"]
    return {"description": resource.about or f"A record of {resource.name}", **schema}


def list_schema(record: JsonObject, service: Service) -> JsonObject:
    """Return the schema of a page of records."""
    cursor = {"type": ["string", "null"]}
    return {
        "type": "object",
        "required": [service.items, service.cursor],
        "properties": {
            service.items: {"type": "array", "items": record},
            service.cursor: {
                **cursor,
                "description": "Where the next page starts; null on the last one",
            },
            service.previous_cursor: {**cursor, "description": "Where the page before starts"},
            service.record_count: {
                "type": "integer",
                "description": "How many records the page has",
            },
            service.partial: {
                "type": "boolean",
                "description": "True where the provider left something out",
            },
        },
    }


def input_schema(resource: Resource, operation: Operation) -> JsonObject:
    """Return the schema of the body of a create or an update.

    It has the fields of the record, all optional.
    """
    fields = operation.facts.sent(operation.name) or tuple(
        field for field in resource.facts.fields if field.name != "id"
    )
    return object_schema((*fields, _REMOTE), sent=True)


def action_schema(operation: Operation) -> JsonObject:
    """Return the schema of an action's body."""
    fields = {field.name: field for field in (*operation.facts.sent(operation.name), _REMOTE)}
    needed = required_fields(operation)
    for name in needed:
        fields.setdefault(name, KnownField(name))
    schema = object_schema(fields.values(), sent=True)
    for name in needed:
        schema["properties"][name] = needed_schema(schema["properties"][name])
    return {**schema, **({"required": needed} if needed else {})}


def needed_schema(schema: JsonObject) -> JsonObject:
    """Return the schema of a required value, which must not be null or empty."""
    if "anyOf" in schema:
        return {**schema, "anyOf": [schema_reference("NeededReference")]}
    kind = schema["type"] if isinstance(schema["type"], str) else schema["type"][0]
    least = {"string": "minLength", "array": "minItems"}.get(kind)
    return {**schema, "type": kind, **({least: 1} if least else {})}


def body_name(operation: Operation, resource: Resource) -> str:
    """Return the schema's name for an operation's body."""
    if operation.kind == "action":
        return f"{action_name(operation, resource)}Input"
    own = operation.name.capitalize() if operation.name in operation.facts.body else ""
    return f"{record_name(operation.api, operation.resource)}{own}Input"


def object_schema(fields: Iterable[KnownField], *, sent: bool = False) -> JsonObject:
    """Return the schema of an object with these fields and possibly others.

    `sent` means that it is in a request, not in a response.
    """
    return {
        "type": "object",
        "properties": {field.name: _field_schema(field, sent=sent) for field in fields},
    }


def _field_schema(field: KnownField, *, sent: bool) -> JsonObject:
    about = {"description": values_of(field)} if values_of(field) else {}
    if field.references and field.type == "object":
        return {"anyOf": [_reference(sent=sent), {"type": "null"}], **about}
    if field.is_time:
        # Do not use a list of types: the format would apply to both, and tools that
        # create requests would ignore it.
        return {"anyOf": [_TIME, {"type": "null"}], **about}
    return {"type": [field.type, "null"], **_details(field, sent=sent), **about}


def _reference(*, sent: bool) -> JsonObject:
    """Return the schema of a reference. In a request, the id alone is enough."""
    return schema_reference("SentReference" if sent else "Reference")


def _details(field: KnownField, *, sent: bool) -> JsonObject:
    if field.type == "array":
        if field.name.endswith("_ids"):
            return {"items": _ID}
        return {"items": _reference(sent=sent) if field.references else {}}
    if field.type == "object":
        # Without `additionalProperties`, some generators create an object without
        # members.
        return {"additionalProperties": True}
    return {}


def values_of(field: KnownField) -> str:
    """Return the known values of a field, or the resource that it refers to, in
    words.
    """
    if field.values:
        return f"Known values: {', '.join(field.values)}"
    return f"Of {field.references}" if field.references else ""
