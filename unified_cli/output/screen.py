"""Draw tables, bars and coloured words on a terminal with rich."""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from unified_cli import text_width
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.output import stdout, terminal
from unified_cli.output.terminal import GAP, TerminalText, is_id, narrow, total_width
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

_NARROWEST = 10
_TRAILING = re.compile(r" +((?:\x1b\[0m)?)$", re.MULTILINE)


class Look(Enum):
    """The style of a word or of a part of a bar. A part of a bar also has two
    characters: one for UTF-8, and one for other encodings.

    The parts of a bar have different characters, because some terminals and some people
    cannot distinguish colours. Yellow and cyan are not used: they are not readable on
    both light and dark backgrounds.
    """

    GOOD = ("green", "█", "#")
    BAD = ("red", "▒", "x")
    DOUBT = ("magenta", "░", "?")
    OPEN = ("dim", "·", ".")
    STRONG = ("bold", "█", "#")

    @property
    def style(self) -> str:
        """The style's name in rich."""
        return str(self.value[0])


class Bar(NamedTuple):
    """A bar whose parts are proportional to their numbers. A number above 0 is always
    visible.
    """

    parts: Sequence[tuple[int, Look]]
    size: int = 10


class Word(NamedTuple):
    """A text with a look."""

    text: MaskedText
    look: Look


class Column(NamedTuple):
    """The header of a column. The cells of a `cut` column are shortened instead of
    wrapped.

    Columns of ids must not be cut.
    """

    head: str
    cut: bool = False


Cell: TypeAlias = MaskedText | Word | Bar
"""The possible cells of a table."""


def lengths(bar: Bar) -> list[int]:
    """Return the length of each part of a bar.

    The length is proportional to the part's number, but at least 1 if the number is
    above 0.
    """
    total = sum(number for number, _ in bar.parts)
    if not total:
        return [0] * len(bar.parts)
    exact = [number * bar.size / total for number, _ in bar.parts]
    result = [max(1, int(length)) if length else 0 for length in exact]
    # If the parts are too short in total, lengthen the parts that rounding shortened
    # most. If they are too long in total, shorten the longest part.
    while (left := bar.size - sum(result)) > 0:
        result[max(range(len(result)), key=lambda at: exact[at] - result[at])] += 1
    if left and max(result) > -left:
        result[result.index(max(result))] += left
    return result


def render(runtime: Runtime, *things: "RenderableType", width: int | None = None) -> TerminalText:
    """Render objects with rich, in the width and colours of the terminal.

    Control characters in untrusted text must already be escaped.
    """
    made = terminal.rendered(
        *things,
        colour=runtime.has_colour(),
        encoding=runtime.encoding,
        width=width or runtime.width,
    )
    return terminal.styled(_TRAILING.sub(r"\1", made))


def text(runtime: Runtime, cell: Cell) -> "Text":
    """Return a cell as rich text."""
    if isinstance(cell, Bar):
        made = _text()
        for part, style in _pieces(runtime, cell):
            made.append(part, style)
        return made
    if isinstance(cell, Word):
        return _text(_shown(runtime, cell.text), cell.look.style)
    return _text(_shown(runtime, cell))


def _text(words: str = "", style: str = "", *, unbroken: bool = False) -> "Text":
    from rich.text import Text  # noqa: PLC0415  only where a screen is drawn

    if unbroken:
        return Text(words, style, no_wrap=True, overflow="ignore")
    return Text(words, style)


def _shown(runtime: Runtime, words: MaskedText) -> str:
    return terminal.encodable(visible(words), runtime.encoding)


def _encodable(runtime: Runtime, cell: Cell) -> Cell:
    if isinstance(cell, Bar):
        return cell
    if isinstance(cell, Word):
        return Word(masked(_shown(runtime, cell.text)), cell.look)
    return masked(_shown(runtime, cell))


def table(
    runtime: Runtime,
    heads: Sequence[str | Column],
    rows: Sequence[Sequence[Cell]],
    *,
    apart: int | None = None,
) -> TerminalText:
    """Return the rows under their headers. Each column is as wide as its widest cell.

    On a terminal, long text is wrapped between words in its column. If the words are
    too long for their columns, the cells of column number `apart`, which usually has
    ids, get their own lines. If the rows are still too wide, all cells get their own
    lines. Without a terminal, nothing is cut.
    """
    columns = _columns(heads)
    rows = [[_encodable(runtime, cell) for cell in row] for row in rows]
    shown = [[*row] for row in rows]
    aside: list[Cell] = []
    if (
        runtime.stdout_is_terminal
        and apart is not None
        and _least_room(columns, shown) > runtime.width
    ):
        aside = [row.pop(apart) for row in shown]
        aside_head = columns.pop(apart).head
    if runtime.stdout_is_terminal and _least_room(columns, shown) > runtime.width:
        return _cells_on_lines(runtime, _columns(heads), rows)
    widths = _widths(runtime, columns, shown)
    total, heading = total_width(widths), _heading(columns)
    if not aside:
        return render(runtime, _grid(runtime, columns, widths, [heading, *shown]), width=total)
    things: list[RenderableType] = []
    for cells, last in zip(
        [heading, *shown], [Word(masked(aside_head.upper()), Look.STRONG), *aside], strict=True
    ):
        things.append(_grid(runtime, columns, widths, [cells]))
        line = text(runtime, last)
        if not line.plain:
            continue
        if not is_id(aside_head):
            lines = text_width.wrapped(line.plain, runtime.width - GAP, fold=True)
            line.plain = f"\n{' ' * GAP}".join(lines)
        line.pad_left(GAP)
        things.append(line)
    return render(
        runtime,
        *things,
        width=max(total, runtime.width, *(GAP + cell_size(cell) for cell in aside)),
    )


def _cells_on_lines(
    runtime: Runtime, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]
) -> TerminalText:
    heads = [column.head.upper() for column in columns]
    indent = max(map(text_width.width, heads)) + GAP
    room = max(runtime.width - indent, _NARROWEST)
    things: list[RenderableType] = []
    for row in rows:
        things += [_text()] if things else []
        for head, cell in zip(heads, row, strict=True):
            if (shown := text(runtime, cell)).plain:
                shown.plain = f"\n{' ' * indent}".join(text_width.wrapped(shown.plain, room))
                field = _text()
                field.append(text_width.pad(head, indent), Look.STRONG.style)
                things.append(field.append_text(shown))
    # Let the terminal wrap a word that is longer than a line, so that it can be copied.
    longest = max(
        (text_width.width(part) for thing in things for part in str(thing).splitlines()), default=1
    )
    return render(runtime, *things, width=max(runtime.width, longest))


class StreamedTable:
    """A table whose rows are printed as they arrive, in columns of fixed widths."""

    def __init__(
        self, runtime: Runtime, heads: Sequence[str | Column], widest: Sequence[int]
    ) -> None:
        """`widest` has the preferred width of each column."""
        self._runtime = runtime
        self._columns = _columns(heads)
        least = [
            min(_NARROWEST, size) if column.cut else size
            for column, size in zip(self._columns, widest, strict=True)
        ]
        self._widths = narrow([*widest], least, runtime.width)
        self._begun = False

    def show(self, cells: Sequence[Cell]) -> None:
        """Print a row. Prints the header before the first row. Raises the same errors
        as `stdout.write`.
        """
        rows = [cells] if self._begun else [_heading(self._columns), cells]
        self._begun = True
        shown = render(
            self._runtime,
            _grid(self._runtime, self._columns, self._widths, rows),
            width=total_width(self._widths),
        )
        stdout.show(self._runtime, [shown])


def _columns(heads: Sequence[str | Column]) -> list[Column]:
    return [head if isinstance(head, Column) else Column(head) for head in heads]


def _heading(columns: Sequence[Column]) -> list[Cell]:
    return [Word(masked(column.head.upper()), Look.STRONG) for column in columns]


def _grid(
    runtime: Runtime,
    columns: Sequence[Column],
    widths: Sequence[int],
    rows: Iterable[Sequence[Cell]],
) -> "RenderableType":
    sign = terminal.ellipsis(runtime)
    parts = (zip(row, columns, widths, strict=True) for row in rows)
    return grid(
        widths,
        (
            [_fitted(text(runtime, cell), column, size, sign) for cell, column, size in row]
            for row in parts
        ),
    )


def grid(widths: Sequence[int], rows: Iterable[Iterable["Text"]], gap: int = GAP) -> "Table":
    """Return rows in columns of these widths, without borders."""
    from rich.table import Table  # noqa: PLC0415  as above

    made = Table.grid(padding=(0, gap, 0, 0))
    for size in widths:
        made.add_column(width=size, no_wrap=True)
    for row in rows:
        made.add_row(*row)
    return made


def _fitted(cell: "Text", column: Column, size: int, sign: str) -> "Text":
    shown = cell.plain
    if text_width.width(shown) > size:
        lines = (
            [text_width.cut(shown, size, sign)] if column.cut else text_width.wrapped(shown, size)
        )
        cell.plain = "\n".join(lines)
    return cell


def _widths(
    runtime: Runtime, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]
) -> list[int]:
    cells = _contents(columns, rows)
    natural = [max(map(cell_size, column)) for column in cells]
    if not runtime.stdout_is_terminal:
        return natural
    natural = [min(size, runtime.width) for size in natural]
    least = [_least(column, content) for column, content in zip(columns, cells, strict=True)]
    return narrow(natural, least, runtime.width)


def _least_room(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> int:
    """Return the width of the rows if all cells are wrapped or cut as much as
    possible.
    """
    least = [
        _least(column, cells)
        for column, cells in zip(columns, _contents(columns, rows), strict=True)
    ]
    return total_width(least)


def _contents(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    return [[masked(column.head), *(row[at] for row in rows)] for at, column in enumerate(columns)]


def _least(column: Column, cells: Sequence[Cell]) -> int:
    if is_id(column.head):
        return max(map(cell_size, cells))
    if column.cut:
        return min(_NARROWEST, max(map(cell_size, cells)))
    return max(
        cell.size if isinstance(cell, Bar) else text_width.longest_piece(_words(cell))
        for cell in cells
    )


def cell_size(cell: Cell) -> int:
    """Return the width of a cell."""
    return cell.size if isinstance(cell, Bar) else text_width.width(_words(cell))


def _words(cell: MaskedText | Word) -> str:
    return visible(cell.text if isinstance(cell, Word) else cell)


def line(runtime: Runtime, *cells: Cell) -> "Text":
    """Return the cells in one line."""
    made = _text()
    for cell in cells:
        made.append_text(text(runtime, cell))
    return made


def paragraph(runtime: Runtime, words: MaskedText) -> "Text":
    """Return text in indented lines that fit the terminal."""
    lines = text_width.wrapped(_shown(runtime, words), runtime.width - GAP)
    return _text("\n".join(" " * GAP + line for line in lines), unbroken=True)


def sign(runtime: Runtime, look: Look) -> str:
    """Return the character of a part of a bar."""
    return str(look.value[1 if runtime.encoding.lower().startswith("utf") else 2])


def _pieces(runtime: Runtime, bar: Bar) -> Iterator[tuple[str, str]]:
    for length, (_, look) in zip(lengths(bar), bar.parts, strict=True):
        yield sign(runtime, look) * length, look.style
