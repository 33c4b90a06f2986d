"""Write records as CSV or TSV.

The first page defines the columns. Members that appear only on later pages are
reported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Parts, Record, one_line, parts, string, text
from unified_cli.json_text.record_columns import pick
from unified_cli.output.record_writer import RecordWriter, Style, WriterMemory, joined
from unified_cli.plural import counted, named

_QUOTED = re.compile(r'[",\r\n]|^\s|\s$')
# A spreadsheet runs a cell as a formula if it begins with one of these characters.
_FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠]")  # noqa: RUF001  the full-width forms count as well
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_TSV_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_TSV_LETTERS = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}
_TSV_ESCAPE = re.compile(r"\\([\\tnr])")
_MOST_NAMED, _MOST_LOST = 10, 1000
_TYPED = ":json"


def typed_name(column: str, *, path: bool) -> str:
    """Return the name of a column of JSON cells.

    The name is written as a JSON string if it could be mistaken for a path.
    """
    plain = column.isprintable() and column.strip() == column and "." not in column
    as_is = path or (plain and column[:1] not in {"", '"'})
    return (column if as_is else dump(column)) + _TYPED


def untyped_name(head: str) -> tuple[str, bool]:
    """Return the column's name, and whether its cells are JSON. Reverses
    `typed_name`.
    """
    name = head.removesuffix(_TYPED)
    if name == head:
        return head, False
    quoted = name.startswith('"') and not json_check.flaw(name.encode("utf-8"))
    return (string(name.encode("utf-8")) if quoted else name), True


def without_escapes(cell: str) -> str:
    """Return the text of a TSV cell."""
    return _TSV_ESCAPE.sub(lambda found: _TSV_LETTERS[found[1]], cell) if "\\" in cell else cell


class Delimited(RecordWriter):
    r"""Writes a header, and a row for each record.

    CSV follows RFC 4180, with `""` for an empty string and an empty cell for null. TSV
    escapes `\t`, `\n`, `\r` and `\\`. If `style.typed` is set, each cell is JSON.
    """

    def __init__(self, style: Style, memory: WriterMemory) -> None:
        super().__init__(style, memory)
        self._csv = style.format.delimiter == ","
        self._paths = {*(style.columns or style.more)}
        columns = memory.get("columns")
        self._columns: dict[str, None] | None = None if columns is None else dict.fromkeys(columns)
        self._begun = columns is not None
        self._lost: dict[str, None] = dict.fromkeys(memory.get("lost", ()))
        self._guarded: int = memory.get("guarded", 0)

    def prepare(self, slices: Iterable[Sequence[Record]]) -> None:
        """Choose the columns from the first records."""
        if self._columns is None:
            self._columns = dict.fromkeys(self._style.columns) or self._fix(slices)

    # `one_line` is not needed, because each cell is encoded again.
    def add(self, records: Sequence[Record], *, one_line: bool) -> Iterator[bytes]:  # noqa: ARG002
        """Yield the rows, and the header before the first row."""
        for rows in joined(self._rows(records)):
            yield rows.encode("utf-8", "backslashreplace")
        self.memory |= {"lost": [*self._lost], "guarded": self._guarded}

    def _rows(self, records: Sequence[Record]) -> Iterator[str]:
        if self._columns is None:
            return
        if records and not self._begun:
            self._begun = True
            self.memory["columns"] = [*self._columns]
            yield self._head(self._columns)
        for record in records:
            members = parts(record)
            yield self._row(self._columns, {"value": bytes(record)} if members is None else members)

    def end(self, next_cursor: str | None) -> bytes:  # noqa: ARG002  rows need no end
        """Return the header if there were no records."""
        columns = self._style.columns or self._style.more
        if self._begun or not columns:
            return b""
        return self._head(columns).encode("utf-8")

    def _head(self, columns: Iterable[str]) -> str:
        mark = "\ufeff" if self._csv and self._style.bom else ""
        if self._style.typed:
            columns = [typed_name(column, path=column in self._paths) for column in columns]
        return mark + self._line([self._cell(column, guard=False) for column in columns])

    def missing_parts(self) -> Sequence[str]:
        """Return a sentence about the members that were left out because they have no
        column.
        """
        if not self._lost:
            return []
        lost = named([*self._lost], _MOST_NAMED) + (
            " at least" if len(self._lost) >= _MOST_LOST else ""
        )
        return [
            (
                f"no column for {lost}, first seen after the header was written (name them with"
                " --columns)"
            )
        ]

    def notes(self) -> Sequence[str]:
        """Return a note with the number of cells that --csv-safe changed."""
        return (
            [
                (
                    f"put a ' before {counted(self._guarded, 'cell')} that a spreadsheet would run"
                    " as a formula"
                )
            ]
            if self._guarded
            else []
        )

    def _fix(self, slices: Iterable[Sequence[Record]]) -> dict[str, None] | None:
        style, record = self._style, None
        found: dict[str, None] = {}
        for record in chain.from_iterable(slices):
            found |= dict.fromkeys(parts(record) or ())
        if record is None:
            return None
        # The first page may come from any connection, so include all known columns.
        ahead = (
            [*style.first, *style.known] if style.first and style.expects(found) else style.first
        )
        return (dict.fromkeys(ahead) | found or {"value": None}) | dict.fromkeys(style.more)

    def _row(self, columns: Mapping[str, None], members: Parts) -> str:
        if not self._style.columns and not members.keys() <= columns.keys():
            lost = (key for key in members if key not in columns and key not in self._lost)
            self._lost |= dict.fromkeys(islice(lost, _MOST_LOST - len(self._lost)))
        cells = []
        for column in columns:
            value = pick(members, column) if column in self._paths else members.get(column)
            if self._style.typed:
                json_text = b"" if value is None else one_line(value)
                cells.append(self._cell(json_text.decode("utf-8"), guard=False))
                continue
            cells.append(
                self._cell(
                    text(value), guard=value is not None and value[:1] == b'"', empty=value == b'""'
                )
            )
        return self._line(cells)

    def _cell(self, cell: str, *, guard: bool, empty: bool = False) -> str:
        if (
            guard
            and self._style.safe_cells
            and _FORMULA.match(cell)
            and not _NUMBER.fullmatch(cell)
        ):
            self._guarded += 1
            cell = f"'{cell}"
        if not self._csv:
            return cell.translate(_TSV_ESCAPES)
        return '"' + cell.replace('"', '""') + '"' if empty or _QUOTED.search(cell) else cell

    def _line(self, cells: Sequence[str]) -> str:
        # A row with one empty cell would be an empty line, which many programs skip.
        return (",".join(cells) or '""') + "\n" if self._csv else "\t".join(cells) + "\n"
