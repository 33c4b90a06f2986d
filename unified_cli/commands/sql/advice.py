"""Give advice on an invalid statement. `mistakes.toml` lists the known mistakes."""

import re
import tomllib
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from unified_cli.values import JsonObject

_NEAR = re.compile(r'at or near "(.+)"')
CLOSE = 0.75
"""How similar a word must be to be suggested, from 0 to 1."""


def on_syntax(text: str, error: str) -> str | None:
    """Return advice on a statement that DuckDB cannot parse, if there is any."""
    missing = text.count("(") - text.count(")")
    bracket = f"a {'closing' if missing > 0 else 'opening'} bracket is missing"
    return _misspelt(text, error) or _first("syntax", text) or (bracket if missing else None)


def on_error(error: str) -> str | None:
    """Return advice on another error of DuckDB, if there is any."""
    return _first("error", error)


def _misspelt(text: str, error: str) -> str | None:
    # The misspelt keyword is at the position of the error, or before it.
    place, keywords = _NEAR.search(error), _mistakes()["keywords"]
    at = text.rfind(place[1]) + len(place[1]) if place else 0
    for word in reversed(re.findall(r"(?<!\.)\b[a-z]{3,}\b(?!\.)", text[:at].lower())[-3:]):
        if word not in keywords and (near := get_close_matches(word, keywords, 1, CLOSE)):
            return f"did you mean {near[0].upper()}?"
    return None


def _first(kind: str, text: str) -> str | None:
    for mistake in _mistakes()[kind]:
        if match := re.search(mistake["when"], text, re.IGNORECASE | re.MULTILINE):
            return match.expand(mistake["hint"])
    return None


@cache
def _mistakes() -> JsonObject:
    return tomllib.loads((files(__package__) / "mistakes.toml").read_text("utf-8"))
