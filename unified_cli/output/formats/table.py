"""A table of records: fitted to a terminal, complete on a pipe; columns that are left out are named."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from unified_cli.json_text.members import Parts, Record, parts
from unified_cli.json_text.record_columns import pick
from unified_cli.masking import excerpt, visible
from unified_cli.output.formats import table_layout
from unified_cli.output.formats.record_writer import RecordWriter, WriterMemory, joined
from unified_cli.output.style import Style
from unified_cli.output.text_columns import pad, width

_MOST_HIDDEN = 1000


class Table(RecordWriter):
    """Rows in columns; the first page decides which, and how wide. A single record has a line for each field."""

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(memory)
        self._style = style
        self._widths: dict[str, int] | None = None
        self._hidden: dict[str, None] = {}
        self._begun = False

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Choose the columns and their widths, if there are records and it is not done yet."""
        if self._widths is None and self._style.listing and any(slices):
            self._widths = self._measure(slices)

    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002  cells are written anew
        """The rows, with their heads before the first."""
        for text in joined(f"{line}\n" for record in records for line in self._lines(_members(record))):
            yield text.encode(self._style.encoding, "backslashreplace")

    def _lines(self, members: Parts) -> Iterator[str]:
        if not self._style.listing:
            yield from self._field_lines(members)
            return
        assert self._widths is not None  # noqa: S101  measured before the first line
        if not self._begun:
            self._begun = True
            head = self._line({column: visible(column).upper() for column in self._widths})
            yield f"\x1b[1m{head}\x1b[0m" if self._style.colour else head
        if not self._style.columns and len(self._hidden) < _MOST_HIDDEN:
            self._hidden |= dict.fromkeys(key for key in members if key not in self._widths)
        yield self._line({column: table_layout.cell(pick(members, column)) for column in self._widths})

    def remarks(self) -> Sequence[str]:
        """The columns that are not shown."""
        if self._widths is None and self._style.listing:
            return ["no records"]
        hidden = excerpt(", ".join(self._hidden))
        return [f"not shown: {hidden} (--columns names what to show)"] if hidden else []

    def _field_lines(self, members: Parts) -> Sequence[str]:
        columns = self._style.columns or [*members]
        size = max((width(visible(column)) for column in columns), default=0)
        return [
            f"{pad(visible(column), size)}  {table_layout.cell(pick(members, column))}".rstrip() for column in columns
        ]

    def _measure(self, slices: Iterable[Sequence[Record]]) -> dict[str, int]:
        style = self._style
        columns = style.columns or table_layout.candidates(_all_members(slices), style.known, style.first)
        natural = {column: width(visible(column)) for column in columns}
        fixed = {column for column in columns if table_layout.is_id(column)}
        for members in _all_members(slices):
            for column in columns:
                value = pick(members, column)
                natural[column] = max(natural[column], width(table_layout.cell(value)))
                if column not in fixed and table_layout.shows_id(value):
                    fixed.add(column)
        return natural if style.width is None or style.columns else table_layout.fit(natural, fixed, style.width)

    def _line(self, cells: dict[str, str]) -> str:
        assert self._widths is not None  # noqa: S101  measured before the first line
        return "  ".join(
            pad(self._fitted(column, cell), self._widths[column]) for column, cell in cells.items()
        ).rstrip()

    def _fitted(self, column: str, cell: str) -> str:
        assert self._widths is not None  # noqa: S101  as above
        if self._style.width is None or self._style.columns or table_layout.is_id(column):
            return cell
        return table_layout.cut(cell, self._widths[column], self._style.ellipsis)


def _all_members(slices: Iterable[Sequence[Record]]) -> Iterator[Parts]:
    return map(_members, chain.from_iterable(slices))


def _members(record: Record) -> Parts:
    members = parts(record)
    return {"value": bytes(record)} if members is None else members
