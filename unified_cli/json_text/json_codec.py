"""Encoding and decoding JSON with the standard library, which is imported anyway."""

import json

from unified_cli.json_text import json_check
from unified_cli.values import Json, JsonColumns, JsonObject

# Made once, because `json.dumps` would make an encoder for each call.
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def dump(value: Json) -> str:
    """Return a value as compact JSON.

    The text is ASCII if the value holds lone surrogates, which UTF-8 cannot encode.
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
    """Return the objects whose members these columns hold."""
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def encoded_objects(columns: JsonColumns) -> list[bytes]:
    """Return the objects of `objects` as compact JSON in UTF-8."""
    return [encoded(value) for value in objects(columns)]


def read(text: str) -> Json:
    """Return the value of a JSON text.

    Do not use it for output: very long numbers become text, and others may lose digits.
    """
    try:
        return json.loads(text)
    except ValueError:
        return json_check.scan(text)
