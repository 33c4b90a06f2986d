"""Rows in columns: aligned on a terminal, tab-separated on a pipe."""

from collections.abc import Sequence
from itertools import zip_longest

from unified_cli.masking import MaskedText, visible
from unified_cli.output import terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime
from unified_cli.text_width import longest_piece, pad, width, wrapped

_GAP = "  "


def table(
    runtime: Runtime, heads: Sequence[str], rows: Sequence[Sequence[MaskedText]], *, apart: int | None = None
) -> TerminalText:
    """The rows under their heads; nothing is cut.

    Each column is as wide as its widest cell. What is wider than the terminal continues on further lines of its column;
    the column `apart`, such as that of ids, then has lines of its own.
    """
    shown = [[head.upper() for head in heads], *([visible(cell) for cell in row] for row in rows)]
    aside: list[str] = []
    if runtime.stdout_is_terminal and apart is not None and _least_room(shown) > runtime.width:
        aside = [row.pop(apart) for row in shown]
    widths = [max(map(width, column)) for column in zip(*shown, strict=True)]
    if runtime.stdout_is_terminal:
        widths = narrowed(widths, _longest_words(shown), runtime.width)
    blocks = [_lines(row, widths) for row in shown]
    for block, cell in zip(blocks, aside, strict=False):
        block.append(f"{_GAP}{cell}")
    head, *body = blocks
    if terminal.has_colour(runtime):
        head = [f"\x1b[1m{line}\x1b[0m" for line in head]
    return terminal.styled("".join(f"{line}\n" for row in (head, *body) for line in row))


def _least_room(rows: Sequence[Sequence[str]]) -> int:
    """How wide the rows are if cells are broken at all their blanks."""
    words = _longest_words(rows)
    return sum(words) + len(_GAP) * (len(words) - 1)


def _longest_words(rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of the longest word in each column."""
    return [max(map(longest_piece, column)) for column in zip(*rows, strict=True)]


def narrowed(widths: list[int], least: list[int], room: int) -> list[int]:
    """The widths, the widest reduced until they fit, none below its least."""
    narrowed = widths.copy()
    while sum(narrowed) + len(_GAP) * (len(narrowed) - 1) > room:
        open_ones = [at for at, size in enumerate(narrowed) if size > least[at]]
        if not open_ones:
            break
        narrowed[max(open_ones, key=narrowed.__getitem__)] -= 1
    return narrowed


def _lines(row: Sequence[str], widths: Sequence[int]) -> list[str]:
    cells = [wrapped(cell, size) for cell, size in zip(row, widths, strict=True)]
    return [
        _GAP.join(pad(part, size) for part, size in zip(parts, widths, strict=True)).rstrip()
        for parts in zip_longest(*cells, fillvalue="")
    ]


def lines(rows: Sequence[Sequence[MaskedText]]) -> bytes:
    """One line a row, cells separated by tabs; a tab or line break within a cell becomes a blank.

    The name of a file is written with its own bytes, which need not be UTF-8.
    """
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    return text.encode("utf-8", "surrogateescape")
