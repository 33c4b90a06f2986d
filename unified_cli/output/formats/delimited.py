"""CSV and TSV: the first page decides the columns, and values without a column are named."""

import re
from collections.abc import Sequence

from unified_cli.json_text.members import Parts, Record, parts, pick, text
from unified_cli.json_text.values import JsonObject
from unified_cli.output.formats.record_writer import RecordWriter
from unified_cli.output.style import Style

_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')
# How a cell begins that a spreadsheet takes for a formula.
_FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠]")  # noqa: RUF001  the full-width forms count as well
_TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_MOST_NAMED = 10


class Delimited(RecordWriter):
    r"""One header, then a record a row: quoted as RFC 4180 says, or with `\t`, `\n`, `\r` and `\\` in TSV.

    An empty text is `""` in CSV, and null is nothing.
    """

    def __init__(self, style: Style, memory: JsonObject) -> None:
        super().__init__(memory)
        self._style = style
        self._csv = style.format == "csv"
        self._columns: list[str] | None = memory.get("columns")
        self._lost: dict[str, None] = dict.fromkeys(memory.get("lost", ()))
        self._guarded: int = memory.get("guarded", 0)

    def add(self, records: Sequence[Record], *, one_line: bool) -> bytes:  # noqa: ARG002  cells are written anew
        """The rows, with the header before the first."""
        members = [parts(record) for record in records]
        rows = []
        if self._columns is None and records:
            self._columns = self._fix([one for one in members if one is not None])
            rows.append(self._line([self._cell(column, guard=False) for column in self._columns]))
        for record, one in zip(records, members, strict=True):
            rows.append(self._row({"value": bytes(record)} if one is None else one))
        self.memory |= {"columns": self._columns, "lost": [*self._lost], "guarded": self._guarded}
        return "".join(rows).encode("utf-8", "backslashreplace")

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  rows need no end
        """The header, where there were no records to put it before."""
        if self._columns is not None or not self._style.columns:
            return b""
        return self._line([self._cell(column, guard=False) for column in self._style.columns]).encode("utf-8")

    def shortcomings(self) -> Sequence[str]:
        """The keys that have no column."""
        if not self._lost:
            return []
        named = ", ".join([*self._lost][:_MOST_NAMED])
        more = f" and {len(self._lost) - _MOST_NAMED} more" if len(self._lost) > _MOST_NAMED else ""
        return [f"no column for {named}{more}, first seen after the header was written (name them with --columns)"]

    def remarks(self) -> Sequence[str]:
        """How many cells got a quote."""
        return [f"{self._guarded} cells were given a ' so that no spreadsheet runs them"] if self._guarded else []

    def _fix(self, members: Sequence[Parts]) -> list[str]:
        if self._style.columns:
            return [*self._style.columns]
        seen = [key for one in members for key in one]
        # Any connection's page may come first, so the known columns are there whether it has them or not.
        ahead = [*self._style.first, *self._style.known] if self._style.first else []
        return [*dict.fromkeys([*ahead, *seen])] or ["value"]

    def _row(self, members: Parts) -> str:
        assert self._columns is not None  # noqa: S101  fixed before the first row
        if not self._style.columns and not members.keys() <= {*self._columns}:
            self._lost |= dict.fromkeys(key for key in members if key not in self._columns)
        cells = []
        for column in self._columns:
            value = pick(members, column) if self._style.columns else members.get(column)
            cells.append(self._cell(text(value), guard=value is not None and value[:1] == b'"', empty=value == b'""'))
        return self._line(cells)

    def _cell(self, cell: str, *, guard: bool, empty: bool = False) -> str:
        if guard and self._style.safe_cells and _FORMULA.match(cell) and not _is_number(cell):
            self._guarded += 1
            cell = f"'{cell}"
        if not self._csv:
            return cell.translate(_TSV_ESCAPES)
        return '"' + cell.replace('"', '""') + '"' if empty or _QUOTED.search(cell) else cell

    def _line(self, cells: Sequence[str]) -> str:
        # A row of one empty cell would be an empty line, which many programs skip.
        return (",".join(cells) or '""') + "\n" if self._csv else "\t".join(cells) + "\n"


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d+)?", cell) is not None
