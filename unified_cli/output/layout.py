"""What a screen is made of beside tables: rows in columns without heads, and trees."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from unified_cli import text_width
from unified_cli.masking import visible
from unified_cli.output import screen
from unified_cli.output.screen import Bar, Cell, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.output.text_columns import GAP
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from rich.text import Text


def rows(
    runtime: Runtime,
    widths: Sequence[int],
    cells: Iterable[Sequence[Cell]],
    *,
    gap: int = GAP,
    indent: int = 0,
    hanging: str = "",
) -> TerminalText:
    """The rows in columns of these widths; a longer text goes on in further lines, which begin with `hanging`."""
    from rich.padding import Padding  # noqa: PLC0415  only where a screen is drawn
    from rich.table import Table  # noqa: PLC0415  as above

    grid = Table.grid(padding=(0, gap, 0, 0))
    for size in widths:
        grid.add_column(width=size, no_wrap=True)
    for row in cells:
        grid.add_row(*(_broken(runtime, cell, size, hanging) for cell, size in zip(row, widths, strict=True)))
    total = indent + sum(widths) + gap * len(widths)
    return screen.drawn(runtime, Padding(grid, (0, 0, 0, indent)), width=max(runtime.width, total))


def lines(runtime: Runtime, texts: Iterable[Cell], *, indent: int = 0, hanging: str = "    ") -> TerminalText:
    """Each text on a line of its own, broken where the terminal ends."""
    return rows(runtime, [runtime.width - indent], ([one] for one in texts), gap=0, indent=indent, hanging=hanging)


def _broken(runtime: Runtime, cell: Cell, size: int, hanging: str) -> "Text":
    from rich.text import Text  # noqa: PLC0415  as above

    if isinstance(cell, Bar):
        return screen.text(runtime, cell)
    words, style = (cell.text, cell.look.style) if isinstance(cell, Word) else (cell, "")
    return Text("\n".join(text_width.wrapped(visible(words), size, indent=hanging, fold=True)), style)
