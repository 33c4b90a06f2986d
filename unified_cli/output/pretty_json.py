"""A JSON document on stdout: as served, or indented and coloured on a terminal or on request; no digit changes."""

import re
from collections.abc import Iterator
from functools import lru_cache

from unified_cli.output import stdout, terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime

# It is compiled where there are colours only.
_WORD = r"(?P<number>-?\d[\d.eE+-]*)|(?P<bool_true>true)|(?P<bool_false>false)|(?P<null>null)|(?P<brace>[{}[\]]+)"
_PIECE = 1 << 18
# The base colours, which every theme makes readable; bright ones are not on a light ground. They are spelled out:
# rich, which would make the same of their names, takes as long to import as a megabyte takes to colour.
_KEY, _TEXT, _AFTER = '\x1b[1;34m"', '\x1b[32m"', "\x1b[0m"
_BEFORE = {
    "number": "\x1b[1;36m",
    "bool_true": "\x1b[3;32m",
    "bool_false": "\x1b[3;31m",
    "null": "\x1b[3;35m",
    "brace": "\x1b[1m",
}


def write(runtime: Runtime, body: bytes) -> None:
    """Write one JSON document and a newline."""
    colour = terminal.has_colour(runtime)
    text = pretty(body).rstrip() if runtime.stdout_is_terminal or runtime.pretty else body
    text = text if text.endswith(b"\n") else text + b"\n"
    if runtime.stdout_is_terminal or colour:
        stdout.show(runtime, shown(text, colour=colour))
    else:
        stdout.write(runtime, [text])


def shown(document: bytes, *, colour: bool) -> Iterator[TerminalText]:
    """JSON as it is shown on a terminal, coloured where asked for, in pieces."""
    text = document.decode("utf-8")
    if not colour:
        yield terminal.json_visible(text)
        return
    for piece in pieces(text):
        yield coloured(terminal.json_visible(piece))


def pretty(body: bytes) -> bytes:
    """The document indented by two blanks, everything else as it was."""
    import msgspec  # noqa: PLC0415  what goes to a pipe is not changed

    try:
        return msgspec.json.format(body, indent=2)
    except msgspec.DecodeError:
        # Half a surrogate pair, which msgspec refuses; the document is shown as it was served.
        return body


def coloured(text: TerminalText) -> TerminalText:
    """The JSON text with ANSI colours; the text without them is unchanged.

    Takes JSON without control characters other than line breaks, whole or cut between two strings.

    A highlighter that matches token by token needs seconds for some megabytes. Here the text is split at its quotes:
    every second part is a string, and the parts between them, which are few different ones, are coloured once each.
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
    """The text in pieces that end at line breaks, so that few coloured ones are in memory at a time."""
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
    return re.sub(_WORD, _word, text)


def _word(match: re.Match[str]) -> str:
    return _BEFORE[match.lastgroup or ""] + match[0] + _AFTER
