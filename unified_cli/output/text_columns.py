"""Columns: how wide they are where there is not room for all, and as tabs on a pipe."""

from collections.abc import Collection, Sequence

from unified_cli.masking import MaskedText

GAP = 2
"""Blanks between two columns."""


def is_id(column: str) -> bool:
    """Whether a column holds ids, which are never cut."""
    return column == "id" or column.endswith(("_id", " id"))


def taken(widths: Collection[int]) -> int:
    """How wide columns of these widths are together."""
    return sum(widths) + GAP * (len(widths) - 1)


def narrowed(widths: list[int], least: list[int], room: int) -> list[int]:
    """The widths, the widest reduced until they fit, none below its least."""
    narrowed = widths.copy()
    while taken(narrowed) > room:
        open_ones = [at for at, size in enumerate(narrowed) if size > least[at]]
        if not open_ones:
            break
        narrowed[max(open_ones, key=narrowed.__getitem__)] -= 1
    return narrowed


def lines(rows: Sequence[Sequence[MaskedText]]) -> bytes:
    """One line a row, cells separated by tabs; a tab or line break within a cell becomes a blank.

    The name of a file is written with its own bytes, which need not be UTF-8.
    """
    text = "".join("\t".join(" ".join(cell.split()) for cell in row) + "\n" for row in rows)
    return text.encode("utf-8", "surrogateescape")
