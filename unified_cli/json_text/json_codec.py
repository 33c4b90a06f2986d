"""JSON text made of values and read into values, with the standard library only."""

import json
from typing import Any

from unified_cli.json_text import json_check


def dump(value: Any) -> str:
    """A value as compact JSON; text stays readable but for lone surrogates, which UTF-8 cannot carry."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def read(text: str) -> Any:
    """A value for looking at, never for giving back: very long numbers become text, others may lose digits."""
    try:
        return json.loads(text)
    except ValueError:
        return json_check.scan(text)
