"""The catalogue as an OpenAPI 3.1 document, for other tools."""

from collections.abc import Iterable, Mapping

from unified_cli import __version__
from unified_cli.catalogue import Catalogue, Operation, Resource, Service
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.values import JsonObject

_ABOUT = (
    "Every operation of the unified APIs, each scoped to one connection. The fields and parameters are those that are"
    " known: a connection may have others, omit some and rename some, and any query parameter may be sent with any"
    " operation."
)
_ERROR = "The service or the provider behind it refused or failed; the status says how."


def document(catalogue: Catalogue) -> JsonObject:
    """The whole document. Its operation ids are the commands, with dashes between the words."""
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {"error": _error()}
    for api in catalogue.apis.values():
        for resource in api.resources.values():
            schemas[_name(resource)] = _record(resource)
            for operation in resource.operations.values():
                described = _operation(operation, resource, catalogue.service)
                paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "unified", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "{base_url}", "variables": {"base_url": {"default": "https://api.example.com"}}}],
        "security": [{"token": []}],
        "tags": [{"name": api.name, "description": api.about or api.title} for api in catalogue.apis.values()],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(operation: Operation, resource: Resource, service: Service) -> JsonObject:
    described: JsonObject = {
        "operationId": operation.command.replace(" ", "-"),
        "tags": [operation.api],
        "summary": operation.summary,
        "parameters": _parameters(operation, service),
        "responses": {
            "200": {"description": "done", "content": {"application/json": {"schema": _answer(operation, service)}}},
            "default": {
                "description": _ERROR,
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}},
            },
        },
    }
    if operation.method in {"POST", "PATCH"}:
        body = operation.facts.body.get(operation.name)
        schema = {"$ref": _reference(resource)} if body is None and operation.kind == "write" else _object(body or ())
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if operation.kind in {"delete", "action"}:
        described["responses"]["204"] = {"description": "done, no content"}
    return described


def _parameters(operation: Operation, service: Service) -> list[JsonObject]:
    text: JsonObject = {"type": "string"}
    found = [_parameter(service.connection, "query", text, "the connection", required=True)]
    if operation.takes_id:
        found.append(_parameter("id", "path", text, "the record's id", required=True))
    if operation.lists:
        size = {"type": "integer", "minimum": 1}
        found.append(_parameter(service.page_size, "query", size, "records per page"))
        found.append(_parameter(service.cursor, "query", text, "the cursor that the previous page gave"))
    taken = {one["name"] for one in found if one["in"] == "query"}
    known = [one for one in operation.facts.query.get(operation.name, ()) if one.name not in taken]
    found += [_parameter(one.name, "query", text, _values(one)) for one in known]
    if operation.method in {"POST", "PATCH"}:
        found.append(_parameter("Idempotency-Key", "header", text, "the same for each repeat of the same write"))
    return found


def _parameter(name: str, place: str, schema: JsonObject, about: str, *, required: bool = False) -> JsonObject:
    description = {"description": about} if about else {}
    return {"name": name, "in": place, "required": required, "schema": schema, **description}


def _answer(operation: Operation, service: Service) -> JsonObject:
    record = {"$ref": f"#/components/schemas/{operation.api}.{operation.resource}"}
    if operation.lists:
        properties = {service.items: {"type": "array", "items": record}, service.cursor: {"type": ["string", "null"]}}
        return {"type": "object", "required": [service.items], "properties": properties}
    # Assumption: deletes and actions, whose response is not documented, may give a record, wrapped or not, or any JSON.
    return record if operation.kind in {"read", "write"} else {}


def _record(resource: Resource) -> JsonObject:
    return {"description": resource.about, **_object(resource.facts.fields)}


def _object(fields: Iterable[KnownField]) -> JsonObject:
    return {"type": "object", "properties": {one.name: _property(one) for one in fields}}


def _property(one: KnownField) -> JsonObject:
    description = {"description": _values(one)} if _values(one) else {}
    return {"type": [one.type, "null"], **({"items": {}} if one.type == "array" else {}), **description}


def _values(one: KnownField) -> str:
    if one.values:
        return f"known values: {', '.join(one.values)}"
    return f"of {one.references}" if one.references else ""


def _name(resource: Resource) -> str:
    return f"{resource.api}.{resource.name}"


def _reference(resource: Resource) -> str:
    return f"#/components/schemas/{_name(resource)}"


def _error() -> JsonObject:
    properties: Mapping[str, JsonObject] = {
        "statusCode": {"type": "integer"},
        "error": {"type": "string"},
        "message": {},
    }
    return {"type": "object", "properties": dict(properties)}
