"""Spool the records of a table to a file, find the column types, and load the table.

The values are not changed.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path

import duckdb
import msgspec

from unified_cli.commands.sql.statement import Plan, Table, quoted
from unified_cli.errors import StorageError
from unified_cli.json_text import json_check
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_label import LABEL

# The kinds of values. A DOUBLE can represent short whole numbers exactly. An odd number
# is a number that neither DOUBLE nor HUGEINT can represent exactly.
_BOOLEAN, _SHORT, _LONG, _HUGE, _REAL, _TEXT, _NESTED, _ODD = (1 << at for at in range(8))
_FIRST = dict(zip(b'tf"{[', (_BOOLEAN, _BOOLEAN, _TEXT, _NESTED, _NESTED), strict=True))
# A column gets the first type that allows all kinds of its values.
_TYPES = {_BOOLEAN: "BOOLEAN", _SHORT | _LONG: "BIGINT", _SHORT | _REAL: "DOUBLE"}
_TYPES[_SHORT | _LONG | _HUGE] = "HUGEINT"
_NULL = ord("n")
_TIMES = ("created_at", "updated_at")
_RECORD = "record"
_MOST_COLUMNS = 1000
_MOST_SEEN = 20 * _MOST_COLUMNS
_MOST_DIGITS = 15
_PIECE = 4 << 20
# The separator of fields. It does not occur in JSON text, so values need no quotes. An
# empty field is a missing or null member.
_BETWEEN = b"\x1f"
_ON_ONE_LINE = bytes.maketrans(b"\n\r", b"  ")
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(slots=True)
class _SpooledColumn:
    """A column: a member of records."""

    name: str
    at: int
    kinds: int = 0

    @property
    def type(self) -> str:
        """Return the SQL type that holds all values of the column exactly."""
        if self.name in _TIMES:
            return "TIMESTAMPTZ"
        if self.name == "id":
            return "VARCHAR"
        if self.kinds & _NESTED:
            return "JSON"
        fit = (name for kinds, name in _TYPES.items() if self.kinds and not self.kinds & ~kinds)
        return next(fit, "VARCHAR")

    @property
    def value(self) -> str:
        """Return the SQL expression that converts the JSON text to a value."""
        text = f"json_extract_string(c{self.at}, '$')"
        if self.type == "VARCHAR":
            return f"CASE WHEN c{self.at}[1] = '\"' THEN {text} ELSE c{self.at} END"
        if self.type == "TIMESTAMPTZ":
            return f"TRY_CAST({text} AS TIMESTAMPTZ)"
        return f"c{self.at}::{self.type}"


def _decoded(line: bytes) -> dict[str, msgspec.Raw] | None:
    try:
        line.decode()  # msgspec does not validate raw values
        return _members(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _kind_of_number(raw: bytes) -> int:
    if raw.removeprefix(b"-").isdigit():
        value = int(raw) if len(raw) <= 40 else 1 << 127
        if -(1 << 63) <= value < 1 << 63:
            return _SHORT if len(raw) <= _MOST_DIGITS else _LONG
        return _HUGE if abs(value) < 1 << 127 else _ODD
    try:
        return _REAL if Decimal(repr(float(raw))) == Decimal(raw.decode()) else _ODD
    except InvalidOperation:
        return _ODD


class TableSpool:
    """The records of one table in a file of a private folder.

    Only the columns that the statement names are spooled, unless `keep` is set or the
    statement uses all columns. A known field that the statement names is a column even
    if no record has the field.
    """

    def __init__(self, table: Table, folder: Path, plan: Plan, *, keep: bool) -> None:
        self.name = ".".join(table)
        self.count = self.left_out = self.halves = 0
        self.seen: dict[str, _SpooledColumn | None] = {}
        """The members of the records, each with its column, if it has one."""
        self.without_column: list[str] = []
        self._table, self._path = table, folder / self.name
        self._names, self._every = plan.names, plan.every or keep
        self._record = keep or _RECORD in plan.names
        self._known = ("id", *_TIMES, *(field.name for field in plan.tables[table].facts.fields))
        self._columns: dict[str, _SpooledColumn] = {}
        self._lower_names = {LABEL, _RECORD}
        self._rows: list[bytes] = []
        self._size = self._longest = 0

    def add(self, profile: str, records: Iterable[Record]) -> None:
        """Spool these records of a connection. Raises StorageError."""
        label = msgspec.json.encode(profile)
        for record in records:
            self._add(label, bytes(record).translate(_ON_ONE_LINE))
        if self._size > _PIECE:
            self._flush()

    def _add(self, label: bytes, line: bytes) -> None:
        if (members := _decoded(line)) is None:
            line = json_check.without_halves(line)
            if (members := _decoded(line)) is None:
                self.left_out += 1
                return
            self.halves += 1
        if not members.keys() <= self.seen.keys():
            for name in (member for member in members if member not in self.seen):
                self._note(name)
        row = [label, line if self._record else b"", *[b""] * len(self._columns)]
        # Loop over the columns or the members of the record, whichever are fewer.
        few = len(self._columns) <= len(members)
        for name in self._columns if few else members:
            column, value = self.seen.get(name), members.get(name)
            if column is None or value is None or (raw := bytes(value))[0] == _NULL:
                continue
            column.kinds |= _FIRST.get(raw[0]) or _kind_of_number(raw)
            row[column.at] = raw
        self.count += 1
        self._rows.append(_BETWEEN.join(row) + b"\n")
        self._size += len(self._rows[-1])
        self._longest = max(self._longest, len(self._rows[-1]))

    def _note(self, name: str) -> None:
        called, found = f"{LABEL}_served" if name == LABEL else name, None
        small = called.lower()
        odd = small in self._lower_names or not small or "\0" in small
        if odd or len(self._columns) >= _MOST_COLUMNS:
            self.without_column += [name] if len(self.without_column) < _MOST_COLUMNS else []
        elif self._every or small in self._names:
            found = self._columns[name] = _SpooledColumn(called, len(self._columns) + 2)
        if found is not None or len(self.seen) < _MOST_SEEN:
            self._lower_names.add(small)
            self.seen[name] = found

    def _flush(self) -> None:
        try:
            with self._path.open("ab") as file:
                file.writelines(self._rows)
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from None
        self._rows.clear()
        self._size = 0

    def load(self, database: duckdb.DuckDBPyConnection) -> None:
        """Load the file into its table, and remove the file. Raises StorageError."""
        self._flush()
        for name in self._known:
            if name.lower() in self._names - self._lower_names:
                self._note(name)
        columns = [*self._columns.values()]
        values = {LABEL: "json_extract_string(p, '$')"}
        values |= {column.name: column.value for column in columns}
        values |= {_RECORD: "r::JSON"} if self._record else {}
        picks = ", ".join(f"{value} AS {quoted(name)}" for name, value in values.items())
        names = ("p", "r", *(f"c{column.at}" for column in columns))
        fields = ", ".join(f"{name}: 'VARCHAR'" for name in names)
        longest = max(_PIECE, 3 * self._longest + 4096)
        schema, table = map(quoted, self._table)
        # Every name is quoted, so S608 does not apply. `null_padding` fills rows that
        # were written before later columns were found.
        row = database.execute(
            f"CREATE SCHEMA IF NOT EXISTS {schema};"  # noqa: S608
            f" CREATE TABLE {schema}.{table} AS SELECT {picks}"
            " FROM read_csv(?, auto_detect=false, header=false, delim=chr(31), quote='',"
            " escape='', comment='', nullstr='', new_line='\\n', strict_mode=true,"
            f" null_padding=true, columns={{{fields}}}, max_line_size={longest},"
            f" buffer_size={2 * longest})",
            [str(self._path)],
        ).fetchone()
        self._path.unlink()
        if row is None or row[0] != self.count:
            raise RuntimeError(f"{self.name}: {row} of {self.count} records were loaded")
