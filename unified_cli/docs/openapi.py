"""The catalogue as an OpenAPI 3.1 document, for other tools."""

from unified_cli import __version__
from unified_cli.catalogue import Catalogue, Operation, Resource, Service
from unified_cli.catalogue.model import ConnectionWords
from unified_cli.docs.openapi_operations import (
    answer_schemas,
    failures,
    json_response,
    list_schema,
    parameters_of,
    responses_of,
    shared_parameter,
    shared_parameters,
    shared_responses,
)
from unified_cli.docs.openapi_schemas import (
    action_schema,
    body_name,
    input_schema,
    operation_id,
    pascal,
    record_name,
    record_schema,
    schema_reference,
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
_TAG = "connections"
_MAYBE: JsonObject = {"type": ["string", "null"]}
_NAMES: JsonObject = {"type": "array", "items": {"type": "string"}}
_SWITCH: JsonObject = {"schema": {"type": "boolean"}}


def document(catalogue: Catalogue) -> JsonObject:
    """The whole document. Its operation ids are the commands, with dashes between the words."""
    service = catalogue.service
    paths: dict[str, JsonObject] = {}
    schemas: JsonObject = {**shared_schemas(service), **_connection_schemas(service)}
    for api in catalogue.apis.values():
        for resource in api.resources.values():
            schemas[record_name(api.name, resource.name)] = record_schema(resource)
            for operation in resource.operations.values():
                described = _operation(operation, resource, service)
                paths.setdefault(operation.path, {})[operation.method.lower()] = described
                schemas.update(answer_schemas(operation, service))
                schemas.update(_body_schemas(operation, resource))
    paths.update(
        _connection_paths(service, pascal(service.connection), [pascal(service.page_size), pascal(service.cursor)])
    )
    tags = {api.name: api.about or api.title for api in catalogue.apis.values()}
    tags[_TAG] = "The connections themselves, and the providers' own records"
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


def _connection_paths(service: Service, connection: str, pages: list[str]) -> dict[str, JsonObject]:
    """The paths; `connection` and `pages` are the components of the parameters that name a connection and page."""
    words = service.connections
    paging = [shared_parameter(name) for name in pages]
    account = _parameter("id", "path", "The connection's id")
    resource = _parameter("resource", "path", "The provider's resource")
    record = _parameter("id", "path", "The record's id")
    named = (words.tenant, f"{words.product}.name", words.status, words.created, words.updated, words.environment)
    filters = [_parameter(name, "query", f"Only those of this {name}") for name in named]
    sandboxes = {**_parameter(words.sandbox, "query", "Only those that are sandboxes, or none"), **_SWITCH}
    own: JsonObject = {"type": "object"}
    product = _parameter("id", "path", "The product's id or name")
    narrow = _offer_parameters(words)
    return {
        service.accounts: _get("list", "List the connections", "ConnectionPage", [*paging, *filters, sandboxes]),
        words.own: _get("me", "Get the connection of the token", "Connection", []),
        f"{service.accounts}/{{id}}": _get("get", "Get a connection", "Connection", [account]),
        service.capabilities: _get("capabilities", "Show what a connection offers", "Offer", [account, *narrow]),
        words.product_offer: _get("product", "Show what a product offers", "Offer", [product, *narrow]),
        service.tools: _get("tools", "Describe its provider's methods", "ToolPage", [account, narrow[2]]),
        f"{service.proxy}/{{resource}}": _get(
            "proxy-list", "List the provider's own records", list_schema(own, service),
            [shared_parameter(connection), resource, *paging],
        ),
        f"{service.proxy}/{{resource}}/{{id}}": _get(
            "proxy-get", "Get a record as the provider has it", own, [shared_parameter(connection), resource, record]
        ),
    }  # fmt: skip


def _offer_parameters(words: ConnectionWords) -> list[JsonObject]:
    kinds: JsonObject = {"schema": {"type": "string", "enum": [words.provided, words.unified, "all"], "default": "all"}}
    return [
        {**_parameter(words.offer_kind, "query", "Only this part"), **kinds},
        _parameter(words.resource, "query", "Only these resources, separated by commas"),
        _parameter(words.methods, "query", "Only these methods of the provider, separated by commas"),
        {**_parameter(words.described, "query", "False shows methods without a description too"), **_SWITCH},
    ]


def _connection_schemas(service: Service) -> dict[str, JsonObject]:
    """The schemas of these routes, by name."""
    text: JsonObject = {"type": "string"}
    return {
        "Connection": _connection(service),
        "ConnectionPage": _platform_list("Connection", service),
        "Offer": _offer(service.connections),
        "Tool": {
            "description": "A method of a connection's provider",
            "type": "object",
            "required": ["resource", "method", "name"],
            "properties": {
                **dict.fromkeys(("resource", "method", "name", "description"), text),
                "query_schema": {"type": "object"},
                "body_schema": {"type": ["object", "null"]},
                "response_schema": {"type": "object"},
                "required": _NAMES,
            },
        },
        "ToolPage": _platform_list("Tool", service, pages=False),
    }


def _platform_list(name: str, service: Service, *, pages: bool = True) -> JsonObject:
    """A list of the service itself: without the cursor of the page before, and without a count."""
    more: JsonObject = {service.cursor: _MAYBE, service.page_size: {"type": "integer"}} if pages else {}
    records: JsonObject = {"type": "array", "items": schema_reference(name)}
    return {"type": "object", "required": [service.items], "properties": {service.items: records, **more}}


def _connection(service: Service) -> JsonObject:
    words, text = service.connections, {"type": "string"}
    time: JsonObject = {"type": "string", "description": "In UTC, like 2024-09-01 10:00:00"}
    names = (words.tenant, words.authentication, words.region, words.environment, words.installation)
    product = {"type": "object", "properties": dict.fromkeys(("id", "name", "label", "category"), text)}
    forbidden = {
        "type": ["object", "null"],
        "description": "The last call that lacked scopes; a success clears it",
        "properties": {**dict.fromkeys((words.resource, "method", words.occurred), text), words.missing_scopes: _NAMES},
    }
    return {
        "description": "An account in some product, with the state of its login",
        "type": "object",
        "required": ["id"],
        "properties": {
            "id": {**text, "description": "The connection's id"},
            words.status: {**text, "description": f"Known values, others may come: {', '.join(words.statuses)}"},
            words.last_error: _MAYBE,
            words.last_forbidden: forbidden,
            words.last_action: {},
            **dict.fromkeys(names, _MAYBE),
            words.sandbox: {"type": "boolean", "description": "True where writes are refused"},
            words.product: product,
            "context": {"type": "object", "description": "The customer's own data: never show it unasked"},
            words.stored_fields: _NAMES,
            words.created: time,
            words.updated: time,
        },
    }


def _offer(words: ConnectionWords) -> JsonObject:
    text: JsonObject = {"type": "string"}
    method: JsonObject = {
        "type": "object",
        "required": ["method"],
        "properties": {
            **dict.fromkeys(("method", "name"), text),
            "description": _MAYBE,
            words.described: {"type": "boolean"},
        },
    }
    provided = {"type": "object", "properties": {words.resource: text, words.methods: _array(method)}}
    unified = {
        "type": "object",
        "required": [words.model, words.resource, words.methods],
        "properties": {
            **dict.fromkeys((words.model, words.model_title, words.resource, "description", words.documentation), text),
            words.methods: _NAMES,
            words.overridden: {"type": "boolean", "description": "The environment has a mapping of its own"},
        },
    }
    state = {**dict.fromkeys(("id", words.status, words.authentication), text), words.blocked: {"type": "boolean"}}
    return {
        "description": "What a connection or a product offers",
        "type": "object",
        "properties": {
            words.product: {"type": "object"},
            words.environment: text,
            words.provided: _array(provided),
            words.unified: _array(unified),
            "auth": {"type": "object"},
            words.readiness: {"type": "object"},
            words.account: {"type": "object", "properties": state},
        },
    }


def _array(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}


def _get(name: str, summary: str, answer: JsonObject | str, parameters: list[JsonObject]) -> JsonObject:
    schema = schema_reference(answer) if isinstance(answer, str) else answer
    described = {
        "operationId": f"{_TAG}-{name}",
        "tags": [_TAG],
        "summary": summary,
        "description": f"{summary}, for programs that find out what there is to call",
        "parameters": parameters,
        "responses": {"200": json_response(summary, schema), **failures()},
    }
    return {"get": described}


def _parameter(name: str, place: str, about: str) -> JsonObject:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "schema": {"type": "string"}, "description": about, **required}
