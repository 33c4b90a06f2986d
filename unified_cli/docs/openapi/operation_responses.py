"""What operations answer, with the status and the media type that are served."""

from unified_cli.catalogue import Operation, Service
from unified_cli.docs.openapi.component_names import pascal, record_name, schema_reference
from unified_cli.docs.openapi.record_schemas import object_schema
from unified_cli.json_text.values import JsonObject

_BYTES: JsonObject = {"schema": {"type": "string", "format": "binary"}}
_FAILURES = {"4XX": "ClientError", "5XX": "ServerError"}
# What an action answers that is no whole record of its resource.
_PIECES = {"page-content export": ("page", "body")}


def shared_responses() -> JsonObject:
    """The answers of failures, by the names of their components."""
    content = {"application/json": {"schema": schema_reference("Error")}}
    return {
        "ClientError": {"description": "The request was refused", "content": content},
        "ServerError": {"description": "The service or the provider behind it failed", "content": content},
    }


def responses_of(operation: Operation) -> JsonObject:
    """The responses of an operation, by status."""
    return {**_successes(operation), **failures()}


def failures() -> JsonObject:
    """The responses of every failure."""
    return {status: {"$ref": f"#/components/responses/{name}"} for status, name in _FAILURES.items()}


def answer_schemas(operation: Operation, service: Service) -> dict[str, JsonObject]:
    """The schemas of an operation's answers that are about no single record, by name."""
    record = schema_reference(record_name(operation.api, operation.resource))
    if operation.lists:
        return {f"{record_name(operation.api, operation.resource)}Page": list_schema(record, service)}
    if operation.kind != "action":
        return {}
    names = _PIECES.get(f"{operation.resource} {operation.name}")
    known = {one.name: one for one in operation.facts.fields}
    piece = object_schema(known[name] for name in names) if names else record
    return {
        _result_name(operation): {
            "type": "object",
            "required": [service.items],
            "properties": {service.items: piece},
        }
    }


def list_schema(record: JsonObject, service: Service) -> JsonObject:
    """A page of records."""
    cursor = {"type": ["string", "null"]}
    return {
        "type": "object",
        "required": [service.items, service.cursor],
        "properties": {
            service.items: {"type": "array", "items": record},
            service.cursor: {**cursor, "description": "Where the next page starts; null on the last one"},
            service.previous_cursor: {**cursor, "description": "Where the page before starts"},
            service.record_count: {"type": "integer", "description": "How many records the page has"},
            service.partial: {"type": "boolean", "description": "True where the provider left something out"},
        },
    }


def json_response(description: str, schema: JsonObject) -> JsonObject:
    """A response of one JSON schema."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _successes(operation: Operation) -> JsonObject:
    record = record_name(operation.api, operation.resource)
    if operation.lists:
        return {"200": json_response("A page of records", schema_reference(f"{record}Page"))}
    if operation.name == "download":
        # The media type is that of the file; the first one is what generators without media ranges look for. The range
        # is last: tools that take the first one that fits would take a record for a file.
        answer = {"schema": schema_reference(_result_name(operation))}
        content = {"application/octet-stream": _BYTES, "application/json": answer, "*/*": _BYTES}
        return {"200": {"description": "The bytes of the file", "content": content}}
    if operation.kind == "delete":
        deleted = json_response("The id of what was deleted", schema_reference("Deleted"))
        return {"200": deleted, "204": {"description": "Deleted, without content"}}
    if operation.kind == "action":
        return {"200": json_response("The record", schema_reference(_result_name(operation)))}
    status = "201" if operation.name == "create" else "200"
    return {status: json_response("The record", schema_reference(record))}


def _result_name(operation: Operation) -> str:
    if f"{operation.resource} {operation.name}" in _PIECES:
        return f"{record_name(operation.api, operation.resource)}{pascal(operation.name)}Result"
    return f"{record_name(operation.api, operation.resource)}Result"
