"""A table of records: fitted to a terminal, complete on a pipe; columns that are left out are named."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from unified_cli.json_text.members import Parts, Record, parts
from unified_cli.json_text.record_columns import pick
from unified_cli.masking import excerpt, visible
from unified_cli.output import table_layout
from unified_cli.output.record_writer import RecordWriter, WriterMemory, joined
from unified_cli.output.style import Style
from unified_cli.output.table_layout import Measured
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
            sign = self._style.ellipsis
            head = self._line(
                table_layout.cut(visible(column).upper(), size, sign) for column, size in self._widths.items()
            )
            yield f"\x1b[1m{head}\x1b[0m" if self._style.colour else head
        if not self._style.columns and len(self._hidden) < _MOST_HIDDEN:
            self._hidden |= dict.fromkeys(key for key in members if key not in self._widths)
        yield self._line(self._cells(members))

    def remarks(self) -> Sequence[str]:
        """The columns that are not shown."""
        if self._widths is None and self._style.listing:
            return ["no records"]
        hidden = excerpt(", ".join(self._hidden))
        remedy = "there is no room for more columns" if self._style.columns else "--columns names what to show"
        return [f"not shown: {hidden} ({remedy})"] if hidden else []

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
        found = Measured(natural, {column for column in columns if table_layout.is_id(column)}, set())
        for members in _all_members(slices):
            for column in columns:
                value = pick(members, column)
                natural[column] = max(natural[column], width(table_layout.cell(value)))
                if column not in found.fixed and table_layout.shows_id(value):
                    found.fixed.add(column)
                if column not in found.times and table_layout.is_time(value):
                    found.times.add(column)
        if style.width is None:
            return natural
        if not style.columns:
            return table_layout.fit(found, style.width)
        widths = table_layout.share(found, style.width)
        self._hidden = dict.fromkeys(column for column in columns if column not in widths)
        return widths

    def _line(self, cells: Iterable[str]) -> str:
        assert self._widths is not None  # noqa: S101  measured before the first line
        return "  ".join(pad(cell, size) for cell, size in zip(cells, self._widths.values(), strict=True)).rstrip()

    def _cells(self, members: Parts) -> Iterator[str]:
        """The cells of a row, cut where they are longer than those of the first page; ids are never cut."""
        assert self._widths is not None  # noqa: S101  as above
        for column, size in self._widths.items():
            value = pick(members, column)
            shown = table_layout.cell(value)
            whole = self._style.width is None or table_layout.is_id(column) or table_layout.shows_id(value)
            yield shown if whole else table_layout.cut(shown, size, self._style.ellipsis)


def _all_members(slices: Iterable[Sequence[Record]]) -> Iterator[Parts]:
    return map(_members, chain.from_iterable(slices))


def _members(record: Record) -> Parts:
    members = parts(record)
    return {"value": bytes(record)} if members is None else members
