"""Encode and decode JSON with the standard library."""

import json

from unified_cli.json_text import json_check
from unified_cli.values import Json, JsonColumns, JsonObject

# `json.dumps` would create an encoder for each call.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: Json) -> str:
    """Return a value as compact JSON.

    The text is ASCII if the value contains lone surrogates, which UTF-8 cannot encode.
    """
    text = _COMPACT.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def encoded(value: Json) -> bytes:
    """Return a value as compact JSON in UTF-8."""
    return dump(value).encode()


def objects(columns: JsonColumns) -> list[JsonObject]:
    """Return the objects with the members in these columns."""
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def encoded_objects(columns: JsonColumns) -> list[bytes]:
    """Return the same as `objects` as compact JSON in UTF-8."""
    return [encoded(value) for value in objects(columns)]


def read(text: str) -> Json:
    """Decode JSON.

    Do not write the result as output: very long numbers become strings, and other
    numbers may lose digits.
    """
    try:
        return json.loads(text)
    except ValueError:
        return json_check.scan(text)
