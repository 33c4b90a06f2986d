"""The field mappings of connections that have their own: fields renamed, left out, or of another type."""

from collections.abc import Callable, Mapping

from unified_cli.json_text.values import Json, JsonObject

_TIMES = ("created_at", "updated_at")
_POINTER = {"id", "name"}


def _remapped(record: JsonObject) -> JsonObject:
    """References as plain ids, and one field more."""
    plain: JsonObject = {name: _plain(value) for name, value in record.items()}
    return {**plain, "mapped_by": "custom"}


def _plain(value: Json) -> Json:
    return value["id"] if isinstance(value, dict) and value.keys() == _POINTER else value


def _untimed(record: JsonObject) -> JsonObject:
    return {name: value for name, value in record.items() if name not in _TIMES}


MAPPINGS: Mapping[str, Callable[[JsonObject], JsonObject]] = {"remapped": _remapped, "untimed": _untimed}
"""What becomes of a seeded record, by the kind of its connection."""
