"""Colours for JSON text of any size, those of rich's theme but for its bright ones."""

import re
from collections.abc import Iterator
from functools import lru_cache

from unified_cli.output.terminal import TerminalText

_WORD = re.compile(
    r"(?P<number>-?\d[\d.eE+-]*)|(?P<bool_true>true)|(?P<bool_false>false)|(?P<null>null)|(?P<brace>[{}[\]]+)"
)
_PIECE = 1 << 18
# The base colours, which every theme makes readable; bright ones are not on a light
# ground. They are spelled out: rich, which would make the same of their names, takes as
# long to import as a megabyte takes to colour.
_KEY, _TEXT, _AFTER = '\x1b[1;34m"', '\x1b[32m"', "\x1b[0m"
_BEFORE = {
    "number": "\x1b[1;36m",
    "bool_true": "\x1b[3;32m",
    "bool_false": "\x1b[3;31m",
    "null": "\x1b[3;35m",
    "brace": "\x1b[1m",
}


def coloured(text: TerminalText) -> TerminalText:
    """The JSON text with ANSI colours; the text without them is unchanged.

    Takes JSON without control characters other than line breaks, whole or cut between two strings.

    A highlighter that matches token by token needs seconds for some megabytes. Here the
    text is split at its quotes: every second part is a string, and the parts between
    them, which are few different ones, are coloured once each.
    """
    # Without backslashes before it, a quote can only begin or end a string.
    escapes, marked = "\\" in text, str(text)
    if escapes:
        marked = marked.replace("\\\\", "\x01").replace('\\"', "\x02")
    before, *rest = marked.split('"')
    parts = [""] * (len(rest) // 2 * 3)
    parts[0::3] = map(_opening, rest[1::2])
    parts[1::3] = rest[0::2]
    parts[2::3] = map(_closing, rest[1::2])
    made = _between(before) + "".join(parts)
    return TerminalText(made.replace("\x02", '\\"').replace("\x01", "\\\\") if escapes else made)


def pieces(text: str) -> Iterator[str]:
    """The text in pieces that end at line breaks, so that few coloured ones are in
    memory at a time.
    """
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


@lru_cache(4096)
def _opening(after: str) -> str:
    """The beginning of a string: a colon after it says that it is a key."""
    return _KEY if after.lstrip().startswith(":") else _TEXT


@lru_cache(4096)
def _closing(after: str) -> str:
    """The end of a string and the text between it and the next one."""
    return f'"{_AFTER}{_between(after)}'


def _between(text: str) -> str:
    return _WORD.sub(_word, text)


def _word(match: re.Match[str]) -> str:
    return _BEFORE[match.lastgroup or ""] + match[0] + _AFTER
