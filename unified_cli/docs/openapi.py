"""Convert the catalogue to an OpenAPI 3.1 document, for other tools."""

from collections.abc import Iterator

from unified_cli import __version__
from unified_cli.catalogue import Catalogue, Operation, Resource, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.docs import openapi_platform
from unified_cli.docs.openapi_parts import (
    SWITCH,
    TEXT,
    component,
    failures,
    json_body,
    json_response,
    parameter,
    shared_parameter,
)
from unified_cli.docs.openapi_schemas import (
    action_schema,
    body_name,
    input_schema,
    list_schema,
    needed_schema,
    object_schema,
    operation_id,
    pascal,
    record_name,
    record_schema,
    schema_reference,
    shared_schemas,
    values_of,
)
from unified_cli.sandbox.sample_requests import required_fields, required_parameters
from unified_cli.values import JsonObject

_ABOUT = """
Every operation of the unified APIs, each scoped to one connection. The fields and parameters
are those that are known: a connection may have others, omit some and rename some, and any query
parameter may be sent with any operation.

Answers are described in the format `unified`. `{formats}` selects another format (raw,
normalized, stream, debug), and `{key_by}` turns the array of a list into an object; this
document does not describe such answers. `{passthrough}` sends a body of any form to the
provider unchanged; this document does not describe such a body and its answer either. A file
is served in its own media type. The answer of an action has an envelope around its record here;
a provider may leave out the envelope.
"""
_BYTES: JsonObject = {"schema": {"type": "string", "format": "binary"}}
# Actions whose response is a part of a record.
_PIECES = {"page-content export": ("page", "body")}
# The times of filters may be dates, too, so they have no format.
_OPERATORS = {"eq": "this time", "gt": "later", "lt": "earlier", "in": "one of these times"}


def document(catalogue: Catalogue) -> JsonObject:
    """Return the whole document.

    The operation ids are the commands, with dashes between the words.
    """
    service = catalogue.service
    paths: dict[str, JsonObject] = {}
    schemas = shared_schemas(service)
    for api in catalogue.apis.values():
        for resource in api.resources.values():
            schemas[record_name(api.name, resource.name)] = record_schema(resource)
            for operation in resource.operations.values():
                described = _operation(operation, resource, service)
                paths.setdefault(operation.path, {})[operation.method.lower()] = described
                if operation.name == "update":
                    collection = operation.path.removesuffix("/{id}")
                    paths.setdefault(collection, {})["patch"] = _by_body(described)
                schemas.update(_answer_schemas(operation, service))
                schemas.update(_body_schemas(operation, resource))
    paths.update(openapi_platform.paths(service))
    tags = {api.name: api.about or api.title for api in catalogue.apis.values()}
    tags[openapi_platform.TAG] = "The connections themselves, and the providers' own records"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unified",
            "version": __version__,
            "description": (
                _ABOUT.strip().format(
                    formats=service.response_format,
                    key_by=service.key_by,
                    passthrough=service.body_passthrough,
                )
            ),
            "contact": {"name": "The authors of unified"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [
            {"url": "{base_url}", "variables": {"base_url": {"default": "https://api.example.com"}}}
        ],
        "security": [{"token": []}],
        "tags": [{"name": name, "description": about} for name, about in tags.items()],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": _shared_parameters(service),
            "responses": _shared_responses(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, resource: Resource, service: Service) -> JsonObject:
    described: JsonObject = {
        "operationId": operation_id(operation, resource),
        "tags": [operation.api],
        "summary": operation.summary,
        "description": f"On the command line: `unified {operation.command}`",
        "parameters": _parameters_of(operation, service),
        "responses": {**_successes(operation), **failures()},
    }
    if operation.method in {"POST", "PATCH"}:
        schema = schema_reference(body_name(operation, resource))
        described["requestBody"] = json_body(schema, required=bool(required_fields(operation)))
    return described


def _by_body(update: JsonObject) -> JsonObject:
    """Return an update at the resource's path, with the record's id in the body."""
    fields = update["requestBody"]["content"]["application/json"]["schema"]
    return {
        **update,
        "operationId": f"{update['operationId']}-by-body",
        "description": "For providers that take the id in the body",
        "parameters": [item for item in update["parameters"] if item.get("in") != "path"],
        "requestBody": json_body({"allOf": [fields, schema_reference("RecordId")]}),
    }


def _body_schemas(operation: Operation, resource: Resource) -> JsonObject:
    if operation.method not in {"POST", "PATCH"}:
        return {}
    schema = (
        action_schema(operation)
        if operation.kind == "action"
        else input_schema(resource, operation)
    )
    return {body_name(operation, resource): schema}


def _shared_parameters(service: Service) -> dict[str, JsonObject]:
    found = [*_of_lists(service), *_of_all(service)]
    found.append(
        parameter(
            "Idempotency-Key", TEXT, "The same for each repeat of the same write", place="header"
        )
    )
    return {component(parameter): parameter for parameter in found}


def _parameters_of(operation: Operation, service: Service) -> list[JsonObject]:
    found = [_of_all(service)[0]]
    if operation.takes_id:
        found.append(parameter("id", TEXT, "The record's id", place="path", required=True))
    found += _of_lists(service) if operation.lists else ()
    found += _of_all(service)[1:]
    shared = {parameter["name"] for parameter in found}
    own = [parameter for parameter in _own(operation, service) if parameter["name"] not in shared]
    references = [
        parameter if parameter["in"] == "path" else shared_parameter(component(parameter))
        for parameter in found
    ]
    if operation.method in {"POST", "PATCH"}:
        references.append(shared_parameter("IdempotencyKey"))
    return references + own


def _of_all(service: Service) -> list[JsonObject]:
    # Records in this document must have an id, so it cannot be excluded.
    excluded = {"type": "array", "items": {"type": "string", "pattern": "^(?!id$)[^,]+$"}}
    return [
        # The service refuses an empty connection id, like a missing one.
        parameter(service.connection, {**TEXT, "minLength": 1}, "The connection", required=True),
        parameter(
            service.response_format,
            schema_reference("ResponseFormat"),
            "The only format that this document describes",
        ),
        parameter(f"{service.exclude_fields}[]", excluded, "Fields to leave out of the records"),
        parameter(service.ignore_remote_data, SWITCH, "Leave out the provider's own data"),
    ]


def _of_lists(service: Service) -> list[JsonObject]:
    size = {"type": "integer", "minimum": 1}
    found = [
        parameter(service.page_size, size, "Records per page"),
        parameter(service.cursor, TEXT, "The cursor that the previous page gave"),
        parameter(service.ignore_limit, SWITCH, "Ignore the page size"),
    ]
    times = service.times.split()
    for name in times:
        found += [_time_filter(name, operator) for operator in service.operators.split()]
    way = schema_reference("SortOrder")
    return found + [parameter(f"{service.sort}[{name}]", way, f"Sort by {name}") for name in times]


def _time_filter(name: str, operator: str) -> JsonObject:
    about = f"Only records whose {name} is {_OPERATORS.get(operator, operator)}, in ISO 8601"
    if operator == "in":
        return parameter(f"{name}[{operator}][]", {"type": "array", "items": TEXT}, about)
    return parameter(f"{name}[{operator}]", TEXT, about)


def _own(operation: Operation, service: Service) -> Iterator[JsonObject]:
    needed = required_parameters(operation)
    reserved = {service.page_size, service.cursor, service.connection, service.sort}
    known = [
        field
        for field in operation.facts.query.get(operation.name, ())
        if field.name not in reserved
    ]
    named = [(field.parameter, field) for field in known]
    named += [(name, KnownField(name)) for name in needed if name not in dict(named)]
    for name, one in named:
        schema = (
            {"type": "array", "items": TEXT}
            if one.type == "array"
            else {"type": one.type if one.type in ("number", "boolean") else "string"}
        )
        # Validating proxies look for the encoded name, so they would not find a
        # required name with brackets.
        required, plain = name in needed, "[" not in name
        if required:
            schema = needed_schema(schema)
        about = "Required" if required and not plain else values_of(one)
        yield parameter(name, schema, about, required=required and plain)


def _shared_responses() -> JsonObject:
    content = {"application/json": {"schema": schema_reference("Error")}}
    return {
        "ClientError": {"description": "The request was refused", "content": content},
        "ServerError": {
            "description": "The service or the provider behind it failed",
            "content": content,
        },
    }


def _answer_schemas(operation: Operation, service: Service) -> dict[str, JsonObject]:
    record = schema_reference(record_name(operation.api, operation.resource))
    if operation.lists:
        return {
            f"{record_name(operation.api, operation.resource)}Page": list_schema(record, service)
        }
    if operation.kind != "action":
        return {}
    names = _PIECES.get(f"{operation.resource} {operation.name}")
    known = {field.name: field for field in operation.facts.fields}
    piece = object_schema(known[name] for name in names) if names else record
    return {
        _result_name(operation): {
            "type": "object",
            "required": [service.items],
            "properties": {service.items: piece},
        }
    }


def _successes(operation: Operation) -> JsonObject:
    record = record_name(operation.api, operation.resource)
    if operation.lists:
        return {"200": json_response("A page of records", schema_reference(f"{record}Page"))}
    if operation.name == "download":
        # The media type is that of the file. Generators without media ranges use the
        # first type. The range comes last: tools that use the first match would
        # otherwise read a record as a file.
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
