"""A table of records: fitted to a terminal, complete on a pipe; columns that are left out are named."""

from collections.abc import Sequence

from unified_cli.json_text.members import Parts, Record, parts, pick
from unified_cli.json_text.values import JsonObject
from unified_cli.masking import excerpt, visible
from unified_cli.output.formats import table_layout
from unified_cli.output.formats.record_writer import RecordWriter
from unified_cli.output.style import Style
from unified_cli.output.text_columns import pad, width


class Table(RecordWriter):
    """Rows in columns; the first page decides which, and how wide. A single record has a line for each field."""

    def __init__(self, style: Style, memory: JsonObject) -> None:
        super().__init__(memory)
        self._style = style
        self._widths: dict[str, int] | None = memory.get("widths")
        self._hidden: dict[str, None] = dict.fromkeys(memory.get("hidden", ()))

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:  # noqa: ARG002  cells are written anew
        """The rows, with their heads before the first."""
        if not records:
            return b""
        members = [_members(record) for record in records]
        if not self._style.listing:
            return self._encode([line for one in members for line in self._field_lines(one)])
        lines = []
        if self._widths is None:
            self._widths = self._measure(members)
            head = self._line({column: visible(column).upper() for column in self._widths})
            lines.append(f"\x1b[1m{head}\x1b[0m" if self._style.colour else head)
        for one in members:
            if not self._style.columns:
                self._hidden |= dict.fromkeys(key for key in one if key not in self._widths)
            lines.append(self._line({column: table_layout.cell(pick(one, column)) for column in self._widths}))
        self.memory |= {"widths": self._widths, "hidden": [*self._hidden]}
        return self._encode(lines)

    def remarks(self) -> Sequence[str]:
        """The columns that are not shown."""
        if self._widths is None and self._style.listing:
            return ["no records"]
        hidden = excerpt(", ".join(self._hidden))
        return [f"not shown: {hidden} (--columns names what to show)"] if hidden else []

    def _encode(self, lines: Sequence[str]) -> bytes:
        return "".join(f"{line}\n" for line in lines).encode(self._style.encoding, "backslashreplace")

    def _field_lines(self, members: Parts) -> Sequence[str]:
        columns = self._style.columns or [*members]
        size = max((width(visible(column)) for column in columns), default=0)
        return [
            f"{pad(visible(column), size)}  {table_layout.cell(pick(members, column))}".rstrip() for column in columns
        ]

    def _measure(self, members: Sequence[Parts]) -> dict[str, int]:
        columns = self._style.columns or table_layout.candidates(members, self._style.known, self._style.first)
        natural = {
            column: max(width(visible(column)), *(width(table_layout.cell(pick(one, column))) for one in members))
            for column in columns
        }
        if self._style.width is None or self._style.columns:
            return natural
        fixed = {
            column
            for column in columns
            if table_layout.is_id(column) or any(table_layout.shows_id(pick(one, column)) for one in members)
        }
        return table_layout.fit(natural, fixed, self._style.width)

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


def _members(record: Record) -> Parts:
    members = parts(record)
    return {"value": bytes(record)} if members is None else members
