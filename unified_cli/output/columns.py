"""Rows in columns: aligned on a terminal, tab-separated on a pipe."""

import unicodedata
from collections.abc import Sequence

from unified_cli.output import terminal
from unified_cli.runtime import Runtime
from unified_cli.talk import visible

_GAP = "  "


def table(runtime: Runtime, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """The rows under their heads, each column as wide as its widest cell; nothing is cut."""
    shown = [[head.upper() for head in heads], *([visible(cell) for cell in row] for row in rows)]
    widths = [max(map(width, column)) for column in zip(*shown, strict=True)]
    lines = [_GAP.join(pad(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip() for row in shown]
    if terminal.has_colour(runtime):
        lines[0] = f"\x1b[1m{lines[0]}\x1b[0m"
    return terminal.encode(runtime, "\n".join(lines) + "\n")


def lines(rows: Sequence[Sequence[str]]) -> bytes:
    """One line a row, cells separated by tabs; a tab or line break within a cell becomes a blank."""
    return "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows).encode("utf-8")


def width(text: str) -> int:
    """How many columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, size: int) -> str:
    """The text, filled with blanks up to that many columns."""
    return text + " " * (size - width(text))
