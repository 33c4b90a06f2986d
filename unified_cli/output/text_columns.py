"""Rows in columns: aligned on a terminal, tab-separated on a pipe."""

from collections.abc import Sequence
from itertools import zip_longest

from unified_cli.masking import MaskedText, visible
from unified_cli.output import terminal
from unified_cli.output.terminal import TerminalText
from unified_cli.runtime import Runtime

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
    return [max(width(word) for cell in column for word in cell.split(" ")) for column in zip(*rows, strict=True)]


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


def wrapped(cell: str, size: int) -> list[str]:
    """The cell in lines of at most that width, broken at blanks only, so that ids and paths stay whole."""
    first, *words = cell.split(" ")
    lines = [first]
    for word in words:
        if width(longer := f"{lines[-1]} {word}") <= size:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def lines(rows: Sequence[Sequence[MaskedText]]) -> bytes:
    """One line a row, cells separated by tabs; a tab or line break within a cell becomes a blank.

    The name of a file is written with its own bytes, which need not be UTF-8.
    """
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    return text.encode("utf-8", "surrogateescape")


def width(text: str) -> int:
    """How many columns the text takes on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len  # noqa: PLC0415  help on a pipe is plain ASCII and does without rich

    return cell_len(text)


def beginning(text: str, size: int) -> str:
    """As much of the text as fits into so many columns, whole characters only."""
    if text.isascii():
        return text[:size]
    from rich.cells import split_graphemes  # noqa: PLC0415  as above

    end = 0
    for _, after, columns in split_graphemes(text)[0]:
        size -= columns
        if size < 0:
            break
        end = after
    return text[:end]


def pad(text: str, size: int) -> str:
    """The text, filled with blanks up to that many columns."""
    return text + " " * (size - width(text))
