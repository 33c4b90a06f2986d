"""Lay out trees, and columns without headers."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from unified_cli import text_width
from unified_cli.output import screen
from unified_cli.output.screen import Bar, Cell, Look
from unified_cli.output.terminal import GAP, TerminalText
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text
    from rich.tree import Tree

STEP = 4
"""The indentation of each level of a tree."""


def rows(
    runtime: Runtime,
    widths: Sequence[int],
    cells: Iterable[Sequence[Cell]],
    *,
    gap: int = GAP,
    indent: int = 0,
    hanging: str = "",
) -> TerminalText:
    """Return the rows in columns of these widths.

    Text that is too long for its column continues on further lines, which begin with
    `hanging`.
    """
    from rich.padding import Padding  # noqa: PLC0415  only where a screen is drawn

    grid = _grid(runtime, widths, cells, gap=gap, hanging=hanging)
    total = indent + sum(widths) + gap * len(widths)
    return screen.render(runtime, Padding(grid, (0, 0, 0, indent)), width=max(runtime.width, total))


def _grid(
    runtime: Runtime,
    widths: Sequence[int],
    cells: Iterable[Sequence[Cell]],
    *,
    gap: int = GAP,
    hanging: str = "",
) -> "Table":
    rows = (zip(row, widths, strict=True) for row in cells)
    return screen.grid(
        widths, ([_broken(runtime, cell, size, hanging) for cell, size in row] for row in rows), gap
    )


def lines(
    runtime: Runtime, texts: Iterable[Cell], *, indent: int = 0, hanging: str = "    "
) -> TerminalText:
    """Return each text on its own line, wrapped to the terminal's width."""
    return rows(
        runtime,
        [runtime.width - indent],
        ([text] for text in texts),
        gap=0,
        indent=indent,
        hanging=hanging,
    )


def _broken(runtime: Runtime, cell: Cell, size: int, hanging: str) -> "Text":
    shown = screen.text(runtime, cell)
    if not isinstance(cell, Bar):
        shown.plain = "\n".join(text_width.wrapped(shown.plain, size, indent=hanging, fold=True))
    return shown


class Branch(NamedTuple):
    """A row of a tree, and the rows below it. The first cell is indented; the others
    are in columns.
    """

    cells: Sequence[Cell]
    below: Sequence["Branch"]


def tree(
    runtime: Runtime, head: Cell, widths: Sequence[int], branches: Sequence[Branch]
) -> TerminalText:
    """Return rows as a tree, in columns of these widths.

    The first column's width includes the connecting lines of the tree.
    """
    from rich.tree import Tree  # noqa: PLC0415  only where a screen is drawn

    root = Tree(screen.text(runtime, head), guide_style=Look.OPEN.style)
    _add(runtime, root, widths, branches)
    return screen.render(runtime, root)


def _add(runtime: Runtime, node: "Tree", widths: Sequence[int], branches: Sequence[Branch]) -> None:
    within = [widths[0] - STEP, *widths[1:]]
    for branch in branches:
        _add(runtime, node.add(_grid(runtime, within, [branch.cells])), within, branch.below)
