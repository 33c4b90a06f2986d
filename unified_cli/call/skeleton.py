"""Print a request body to fill in, made of the known fields; the service may require others."""

from typing import Any

from unified_cli.catalogue import Operation
from unified_cli.catalogue.known import KnownField
from unified_cli.json_text.values import JsonObject
from unified_cli.output import pretty_json
from unified_cli.runtime import Runtime

_TIME = "2026-01-31T12:00:00Z"
_EMPTY: JsonObject = {"number": 0, "boolean": False, "array": [], "object": {}}


def show(runtime: Runtime, operation: Operation) -> None:
    """Print the skeleton of the operation's body; nothing is sent, and no connection is needed."""
    import msgspec  # noqa: PLC0415  only for a skeleton

    pretty_json.write(runtime, msgspec.json.encode(skeleton(operation)))


def skeleton(operation: Operation) -> JsonObject:
    """Every known field of the body, or else of the record, with an empty value.

    A field with known values shows them, separated by `|`; a time is one, as an empty one is refused.
    """
    return {field.name: _empty(field) for field in operation.accepted_fields}


def _empty(field: KnownField) -> Any:
    if field.values:
        return "|".join(field.values)
    return _TIME if field.is_time else _EMPTY.get(field.type, "")
