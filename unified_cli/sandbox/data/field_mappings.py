"""The field mappings of connections that have their own: fields renamed, left out, or of another type."""

from collections.abc import Callable, Mapping

from unified_cli.json_text.values import Json, JsonColumns

_TIMES = ("created_at", "updated_at")
_POINTER = {"id", "name"}


def _remapped(columns: JsonColumns) -> JsonColumns:
    """References as plain ids, and one field more."""
    plain = {name: [_plain(value) for value in values] for name, values in columns.items()}
    return {**plain, "mapped_by": ["custom" for _ in next(iter(plain.values()))]}


def _plain(value: Json) -> Json:
    return value["id"] if isinstance(value, dict) and value.keys() == _POINTER else value


def _untimed(columns: JsonColumns) -> JsonColumns:
    return {name: values for name, values in columns.items() if name not in _TIMES}


MAPPINGS: Mapping[str, Callable[[JsonColumns], JsonColumns]] = {"remapped": _remapped, "untimed": _untimed}
"""What becomes of seeded records, by the kind of their connection."""
