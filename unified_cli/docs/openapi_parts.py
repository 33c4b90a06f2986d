"""The parts that the operations of the OpenAPI document share."""

from unified_cli.docs.openapi_schemas import pascal
from unified_cli.values import JsonObject

TEXT: JsonObject = {"type": "string"}
NAME: JsonObject = {**TEXT, "minLength": 1}
SWITCH: JsonObject = {"type": "boolean"}
_FAILURES = {"4XX": "ClientError", "5XX": "ServerError"}
_BRACKETS = str.maketrans({"[": "_", "]": None})


def parameter(
    name: str, schema: JsonObject, about: str, *, place: str = "query", required: bool = False
) -> JsonObject:
    """Return a parameter, with a description if there is one."""
    description = {"description": about} if about else {}
    return {"name": name, "in": place, "required": required, "schema": schema, **description}


def component(one: JsonObject) -> str:
    """Return the name of a parameter among the shared ones."""
    return component_of(one["name"])


def component_of(name: str) -> str:
    """Return the component's name for a shared parameter of this name."""
    return pascal(name.translate(_BRACKETS))


def shared_parameter(name: str) -> JsonObject:
    """Return a reference to a shared parameter."""
    return {"$ref": f"#/components/parameters/{name}"}


def json_response(description: str, schema: JsonObject) -> JsonObject:
    """Return a response in JSON."""
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def json_body(schema: JsonObject, *, required: bool = True) -> JsonObject:
    """Return a body in JSON."""
    return {"required": required, "content": {"application/json": {"schema": schema}}}


def failures() -> JsonObject:
    """Return the responses to a failed request."""
    return {
        status: {"$ref": f"#/components/responses/{name}"} for status, name in _FAILURES.items()
    }
