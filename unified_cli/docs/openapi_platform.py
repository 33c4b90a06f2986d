"""The other routes of the OpenAPI document: connections, credentials, the log, and the
providers' own records.
"""

from collections.abc import Sequence

from unified_cli.catalogue import Service
from unified_cli.catalogue.model import ConnectionWords
from unified_cli.docs.openapi_parts import (
    NAME,
    SWITCH,
    TEXT,
    component_of,
    failures,
    json_body,
    json_response,
    parameter,
    shared_parameter,
)
from unified_cli.docs.openapi_schemas import list_schema, schema_reference
from unified_cli.values import JsonObject

TAG = "connections"
_TIME: JsonObject = {"type": "string", "format": "date-time"}


def paths(service: Service) -> dict[str, JsonObject]:
    """Return the routes, by path."""
    return {**_connections(service), **_provided(service), **_credentials(service), **_log(service)}


def _connections(service: Service) -> dict[str, JsonObject]:
    words = service.connections
    account = _in_path("id", "The connection's id")
    narrow = _of_an_offer(words)
    named = (
        words.tenant,
        f"{words.product}.name",
        words.status,
        words.created,
        words.updated,
        words.environment,
    )
    filters = [parameter(name, TEXT, f"Only connections with this {name}") for name in named]
    filters.append(
        parameter(words.sandbox, SWITCH, "True for only sandboxes, false for no sandboxes")
    )
    return {
        service.accounts: _get(
            "list", "List the connections", "ConnectionPage", [*_paging(service), *filters]
        ),
        words.own: _get("me", "Get the connection of the token", "Connection", []),
        f"{service.accounts}/{{id}}": _get("get", "Get a connection", "Connection", [account]),
        service.capabilities: _get(
            "capabilities", "Show what a connection offers", "Offer", [account, *narrow]
        ),
        words.product_offer: _get(
            "product",
            "Show what a product offers",
            "Offer",
            [_in_path("id", "The product's id or name"), *narrow],
        ),
        service.tools: _get(
            "tools", "Describe its provider's methods", "ToolPage", [account, narrow[2]]
        ),
    }


def _provided(service: Service) -> dict[str, JsonObject]:
    own: JsonObject = {"type": "object"}
    connection = shared_parameter(component_of(service.connection))
    resource = _in_path("resource", "The provider's resource")
    return {
        f"{service.proxy}/{{resource}}": _get(
            "proxy-list",
            "List the provider's own records",
            list_schema(own, service),
            [connection, resource, *_paging(service)],
        ),
        f"{service.proxy}/{{resource}}/{{id}}": _get(
            "proxy-get",
            "Get a record as the provider has it",
            own,
            [connection, resource, _in_path("id", "The record's id")],
        ),
    }


def _credentials(service: Service) -> dict[str, JsonObject]:
    """Return the routes that renew credentials or return new credentials."""
    accounts, words = service.accounts, service.connections
    return {
        words.renewal: _post("refresh", "Renew the credentials of a connection", "Renewal"),
        words.link: _post("link", "Make the token with which a customer signs in", "LinkToken"),
        f"{accounts}/token": _post("token", "Make a connection's own token", "OwnToken"),
        f"{accounts}/{{id}}/mcp": _post(
            "mcp",
            "Make the address of a connection's MCP server",
            "McpServer",
            _in_path("id", "The connection's id"),
        ),
    }


def _log(service: Service) -> dict[str, JsonObject]:
    words = service.connections
    kind: JsonObject = {"type": "string", "enum": [words.logged]}
    times: JsonObject = {
        "type": "object",
        "required": ["gt", "lt"],
        "properties": {"gt": _TIME, "lt": _TIME},
    }
    members = ("request_type", service.connection, words.environment, words.product)
    filters: JsonObject = {"type": "object", "properties": dict.fromkeys(members, TEXT)}
    size: JsonObject = {"type": "integer", "minimum": 1, "default": 100}
    parameters = [
        parameter(words.log_type, kind, "The kind of entries", required=True),
        _of_members("created_at", times, "The first and last time, at most a month apart")
        | {"required": True},
        _of_members(words.log_filter, filters, "Only entries with these values"),
        parameter(service.page_size, size, "Entries per page, 100 at most"),
        _paging(service)[1],
    ]
    return {words.log: _get("log", "List what the service did", "LogPage", parameters)}


def _paging(service: Service) -> list[JsonObject]:
    return [shared_parameter(component_of(name)) for name in (service.page_size, service.cursor)]


def _of_an_offer(words: ConnectionWords) -> list[JsonObject]:
    kinds = {"type": "string", "enum": [words.provided, words.unified, "all"], "default": "all"}
    return [
        parameter(words.offer_kind, kinds, "Only this part of the offer"),
        parameter(words.resource, TEXT, "Only these resources, separated by commas"),
        parameter(
            words.methods,
            TEXT,
            "Only these methods of the provider, separated by commas; read, write and custom are"
            " groups of methods",
        ),
        parameter(words.described, SWITCH, "False also shows methods without a description"),
    ]


def _in_path(name: str, about: str) -> JsonObject:
    return parameter(name, NAME, about, place="path", required=True)


def _of_members(name: str, schema: JsonObject, about: str) -> JsonObject:
    """Return a parameter whose members are in brackets: `name[member]=value`."""
    return {**parameter(name, schema, about), "style": "deepObject", "explode": True}


def _get(
    name: str, summary: str, answer: JsonObject | str, parameters: Sequence[JsonObject]
) -> JsonObject:
    about = f"{summary}, for programs that discover which calls are possible"
    return {"get": {**_described(name, summary, about, answer), "parameters": [*parameters]}}


def _post(name: str, summary: str, answer: str, *parameters: JsonObject) -> JsonObject:
    """Return a route for POST, whose body and response have the same name."""
    about = f"{summary}, for the environment's token only"
    body = json_body(schema_reference(f"{answer}Input"))
    described = _described(name, summary, about, answer)
    return {"post": {**described, "parameters": [*parameters], "requestBody": body}}


def _described(name: str, summary: str, about: str, answer: JsonObject | str) -> JsonObject:
    schema = schema_reference(answer) if isinstance(answer, str) else answer
    return {
        "operationId": f"{TAG}-{name}",
        "tags": [TAG],
        "summary": summary,
        "description": about,
        "responses": {"200": json_response(summary, schema), **failures()},
    }
