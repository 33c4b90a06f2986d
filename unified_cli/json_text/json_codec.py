"""Encoding and decoding JSON with the standard library, which is imported anyway."""

import json

from unified_cli.json_text import json_check
from unified_cli.json_text.values import Json


def dump(value: Json) -> str:
    """A value as compact JSON; in ASCII where it holds lone surrogates, which UTF-8 cannot encode."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def encoded(value: Json) -> bytes:
    """A value as compact JSON in UTF-8."""
    return dump(value).encode()


def read(text: str) -> Json:
    """The value of a JSON text. Very long numbers become text and others may lose digits, so it is not for output."""
    try:
        return json.loads(text)
    except ValueError:
        return json_check.scan(text)
