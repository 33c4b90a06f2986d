"""Encoding JSON with msgspec: seven times as fast as the standard library, for what imports it anyway or runs long."""

import msgspec

from unified_cli.json_text.values import Json


def compact(value: Json) -> bytes:
    """A value without lone surrogates as compact JSON."""
    return msgspec.json.encode(value)
