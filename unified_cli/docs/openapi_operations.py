"""What an operation of the OpenAPI document takes and answers."""

from collections.abc import Iterator

from unified_cli.catalogue import Operation, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.docs.openapi_schemas import object_schema, pascal, record_name, schema_reference, values_of
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.seeded.sample_requests import required_parameters

_BYTES: JsonObject = {"schema": {"type": "string", "format": "binary"}}
_FAILURES = {"4XX": "ClientError", "5XX": "ServerError"}
# What an action answers that is no whole record of its resource.
_PIECES = {"page-content export": ("page", "body")}
_TEXT: JsonObject = {"type": "string"}
_TIME: JsonObject = {"type": "string", "format": "date-time"}
_SWITCH: JsonObject = {"type": "boolean"}
_OPERATORS = {"eq": "this time", "gt": "later", "lt": "earlier", "in": "one of these times"}
_BRACKETS = str.maketrans({"[": "_", "]": None})


def shared_parameters(service: Service) -> dict[str, JsonObject]:
    """The parameters that many operations have, by the names of their components."""
    found = [*_of_lists(service), *_of_all(service)]
    found += [
        _parameter(service.body_passthrough, _SWITCH, "Send the body to the provider as it is"),
        _parameter("Idempotency-Key", _TEXT, "The same for each repeat of the same write", place="header"),
    ]
    return {_component(one): one for one in found}


def parameters_of(operation: Operation, service: Service) -> list[JsonObject]:
    """The parameters of an operation; those that many have as references."""
    found = [_of_all(service)[0]]
    if operation.takes_id:
        found.append(_parameter("id", _TEXT, "The record's id", place="path", required=True))
    found += _of_lists(service) if operation.lists else ()
    found += _of_all(service)[1:]
    shared = {one["name"] for one in found}
    own = [one for one in _own(operation, service) if one["name"] not in shared]
    references = [one if one["in"] == "path" else shared_parameter(_component(one)) for one in found]
    if operation.method in {"POST", "PATCH"}:
        references += [shared_parameter(name) for name in (_word(service.body_passthrough), "IdempotencyKey")]
    return references + own


def shared_parameter(name: str) -> JsonObject:
    """What stands for a parameter of this component."""
    return {"$ref": f"#/components/parameters/{name}"}


def _of_all(service: Service) -> list[JsonObject]:
    # The id stays: whoever leaves it out gets records that do not fit this document.
    excluded = {"type": "array", "items": {"type": "string", "pattern": "^(?!id$)[^,]+$"}}
    return [
        _parameter(service.connection, _TEXT, "The connection", required=True),
        _parameter(
            service.response_format,
            schema_reference("ResponseFormat"),
            "The only format that this document describes",
        ),
        _parameter(f"{service.exclude_fields}[]", excluded, "Fields to leave out of the records"),
        _parameter(service.ignore_remote_data, _SWITCH, "Leave out the provider's own data"),
    ]


def _of_lists(service: Service) -> list[JsonObject]:
    size = {"type": "integer", "minimum": 1}
    found = [
        _parameter(service.page_size, size, "Records per page"),
        _parameter(service.cursor, _TEXT, "The cursor that the previous page gave"),
        _parameter(service.ignore_limit, _SWITCH, "Ignore the page size"),
    ]
    times = service.times.split()
    for name in times:
        found += [_time_filter(name, operator) for operator in service.operators.split()]
    way = schema_reference("SortOrder")
    return found + [_parameter(f"{service.sort}[{name}]", way, f"Sort by {name}") for name in times]


def _time_filter(name: str, operator: str) -> JsonObject:
    about = f"Only records whose {name} is {_OPERATORS.get(operator, operator)}"
    if operator == "in":
        return _parameter(f"{name}[{operator}][]", {"type": "array", "items": _TIME}, about)
    return _parameter(f"{name}[{operator}]", _TIME, about)


def _own(operation: Operation, service: Service) -> Iterator[JsonObject]:
    needed = required_parameters(operation)
    taken = {service.page_size, service.cursor, service.connection, service.sort}
    known = [one for one in operation.facts.query.get(operation.name, ()) if one.name not in taken]
    named = [(one.parameter, one) for one in known]
    named += [(name, KnownField(name)) for name in needed if name not in dict(named)]
    for name, one in named:
        schema = {"type": "array", "items": _TEXT} if one.type == "array" else {"type": _kind(one)}
        # Validating proxies look for a required name as it is encoded, and never find one that has brackets.
        required, plain = name in needed, "[" not in name
        about = "Required" if required and not plain else values_of(one)
        yield _parameter(name, schema, about, required=required and plain)


def _kind(one: KnownField) -> str:
    return one.type if one.type in ("number", "boolean") else "string"


def _parameter(
    name: str, schema: JsonObject, about: str, *, place: str = "query", required: bool = False
) -> JsonObject:
    description = {"description": about} if about else {}
    return {"name": name, "in": place, "required": required, "schema": schema, **description}


def _component(parameter: JsonObject) -> str:
    return _word(parameter["name"])


def _word(name: str) -> str:
    return pascal(name.translate(_BRACKETS))


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
