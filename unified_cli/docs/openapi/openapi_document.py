"""The catalogue as an OpenAPI 3.1 document, for other tools."""

from unified_cli import __version__
from unified_cli.catalogue import Catalogue, Operation, Resource, Service
from unified_cli.docs.openapi.component_names import operation_id, pascal, record_name, schema_reference
from unified_cli.docs.openapi.connection_routes import TAG, connection_paths, connection_schemas
from unified_cli.docs.openapi.operation_responses import answer_schemas, responses_of, shared_responses
from unified_cli.docs.openapi.query_parameters import parameters_of, shared_parameters
from unified_cli.docs.openapi.record_schemas import (
    action_schema,
    body_name,
    input_schema,
    record_schema,
    shared_schemas,
)
from unified_cli.json_text.values import JsonObject

_ABOUT = """
Every operation of the unified APIs, each scoped to one connection. The fields and parameters are those that are known:
a connection may have others, omit some and rename some, and any query parameter may be sent with any operation.

Answers are described in the format `unified`. `{formats}` takes others (raw, normalized, stream, debug), and `{key_by}`
makes an object of a list's array; their answers do not fit this document. A file comes in its own media type. An
action answers its record in an envelope here; a provider may leave the envelope out.
"""


def document(catalogue: Catalogue) -> JsonObject:
    """The whole document. Its operation ids are the commands, with dashes between the words."""
    service = catalogue.service
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {**shared_schemas(service), **connection_schemas(service)}
    for api in catalogue.apis.values():
        for resource in api.resources.values():
            schemas[record_name(api.name, resource.name)] = record_schema(resource)
            for operation in resource.operations.values():
                described = _operation(operation, resource, service)
                paths.setdefault(operation.path, {})[operation.method.lower()] = described
                schemas.update(answer_schemas(operation, service))
                schemas.update(_body_schemas(operation, resource))
    paths.update(
        connection_paths(service, pascal(service.connection), [pascal(service.page_size), pascal(service.cursor)])
    )
    tags = {api.name: api.about or api.title for api in catalogue.apis.values()}
    tags[TAG] = "The connections themselves, and the providers' own records"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "unified",
            "version": __version__,
            "description": _ABOUT.strip().format(formats=service.response_format, key_by=service.key_by),
            "contact": {"name": "The authors of unified"},
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "{base_url}", "variables": {"base_url": {"default": "https://api.example.com"}}}],
        "security": [{"token": []}],
        "tags": [{"name": name, "description": about} for name, about in tags.items()],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": shared_parameters(service),
            "responses": shared_responses(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, resource: Resource, service: Service) -> JsonObject:
    described: JsonObject = {
        "operationId": operation_id(operation, resource),
        "tags": [operation.api],
        "summary": operation.summary,
        "description": f"On the command line: `unified {operation.command}`",
        "parameters": parameters_of(operation, service),
        "responses": responses_of(operation),
    }
    if operation.method in {"POST", "PATCH"}:
        schema = schema_reference(body_name(operation, resource))
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return described


def _body_schemas(operation: Operation, resource: Resource) -> JsonObject:
    if operation.method not in {"POST", "PATCH"}:
        return {}
    schema = action_schema(operation) if operation.kind == "action" else input_schema(resource, operation)
    return {body_name(operation, resource): schema}
