"""The routes beside the operations: the connections, what each offers, and its provider's own records."""

from unified_cli.catalogue import Service
from unified_cli.docs.openapi.component_names import schema_reference
from unified_cli.docs.openapi.operation_responses import failures, json_response, list_schema
from unified_cli.docs.openapi.query_parameters import shared_parameter
from unified_cli.json_text.values import JsonObject

TAG = "connections"
_STATUSES = "active, connecting, post_install_error, validation_error, needs_reauth"
_FILTERS = ("tenant_id", "integration.name", "status")


def connection_paths(service: Service, connection: str, pages: list[str]) -> dict[str, JsonObject]:
    """The paths; `connection` and `pages` are the components of the parameters that name a connection and page."""
    paging = [shared_parameter(name) for name in pages]
    account = _parameter("id", "path", "The connection's id")
    resource = _parameter("resource", "path", "The provider's resource")
    record = _parameter("id", "path", "The record's id")
    filters = [_parameter(name, "query", f"Only those of this {name}") for name in _FILTERS]
    sandboxes = {**_parameter("is_sandbox", "query", "Only those that are sandboxes, or none"), **_SWITCH}
    own: JsonObject = {"type": "object"}
    offered = {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": _NAMES}}
    capabilities = {"type": "object", "required": ["unified"], "properties": {"unified": offered}}
    tools = {"type": "array", "items": schema_reference("Tool")}
    return {
        service.accounts: _get("list", "List the connections", "ConnectionPage", [*paging, *filters, sandboxes]),
        f"{service.accounts}/me": _get("me", "Get the connection of the token", "Connection", []),
        f"{service.accounts}/{{id}}": _get("get", "Get a connection", "Connection", [account]),
        service.capabilities: _get("capabilities", "Show what a connection offers", capabilities, [account]),
        service.tools: _get("tools", "Describe what a connection offers", tools, [account]),
        f"{service.proxy}/{{resource}}": _get(
            "proxy-list", "List the provider's own records", list_schema(own, service),
            [shared_parameter(connection), resource, *paging],
        ),
        f"{service.proxy}/{{resource}}/{{id}}": _get(
            "proxy-get", "Get a record as the provider has it", own, [shared_parameter(connection), resource, record]
        ),
    }  # fmt: skip


def connection_schemas(service: Service) -> dict[str, JsonObject]:
    """The schemas of these routes, by name."""
    text: JsonObject = {"type": "string"}
    maybe: JsonObject = {"type": ["string", "null"]}
    time: JsonObject = {"type": "string", "format": "date-time"}
    names = ("tenant_id", "authentication_method", "region", "environment_id", "environment_integration_id")
    product = {"type": "object", "properties": {"name": text, "label": text, "category": text}}
    return {
        "Connection": {
            "description": "An account in some product, with the state of its login",
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": {**text, "description": "The connection's id"},
                "status": {**text, "description": f"Known values: {_STATUSES}"},
                "last_error": maybe,
                **dict.fromkeys(names, maybe),
                "is_sandbox": {"type": "boolean", "description": "True where writes are refused"},
                "integration": product,
                "context": {"type": "object", "description": "May hold the provider's credentials: never show it"},
                "created_at": time,
                "updated_at": time,
            },
        },
        "ConnectionPage": list_schema(schema_reference("Connection"), service),
        "Tool": {
            "description": "A method that a connection offers",
            "type": "object",
            "required": ["resource", "method", "name"],
            "properties": {
                **dict.fromkeys(("resource", "method", "name", "description"), text),
                "query_schema": {"type": "object"},
                "body_schema": {"type": ["object", "null"]},
                "required": _NAMES,
            },
        },
    }


_NAMES: JsonObject = {"type": "array", "items": {"type": "string"}}
_SWITCH: JsonObject = {"schema": {"type": "boolean"}}


def _get(name: str, summary: str, answer: JsonObject | str, parameters: list[JsonObject]) -> JsonObject:
    schema = schema_reference(answer) if isinstance(answer, str) else answer
    described = {
        "operationId": f"{TAG}-{name}",
        "tags": [TAG],
        "summary": summary,
        "description": f"{summary}, for programs that find out what there is to call",
        "parameters": parameters,
        "responses": {"200": json_response(summary, schema), **failures()},
    }
    return {"get": described}


def _parameter(name: str, place: str, about: str) -> JsonObject:
    required = {"required": True} if place == "path" else {}
    return {"name": name, "in": place, "schema": {"type": "string"}, "description": about, **required}
