"""The records of a table, typed and spooled as they are read, and loaded without a
change.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import BinaryIO

import duckdb
import msgspec

from unified_cli.commands.sql.statement import Table, quoted
from unified_cli.errors import StorageError
from unified_cli.json_text import json_check
from unified_cli.json_text.record_label import LABEL

# The kinds of values of a member; an odd number is one that a double does not hold.
_BOOLEAN, _BIG, _HUGE, _REAL, _TEXT, _NESTED, _ODD = (1 << at for at in range(7))
_TIMES = ("created_at", "updated_at")
_RECORD = "record"
_MOST_COLUMNS = 1000
_MOST_SEEN = 20 * _MOST_COLUMNS
_PIECE = 4 << 20
# JSON text has no byte below 0x20 but white space: so no value needs a quote, and an
# empty field is a member that is not there.
_BETWEEN = b"\x1f"
_BREAK = re.compile(rb"[\n\r]")
_FIRST = {
    ord('"'): _TEXT,
    ord("{"): _NESTED,
    ord("["): _NESTED,
    ord("t"): _BOOLEAN,
    ord("f"): _BOOLEAN,
}
_NULL = ord("n")
_members = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


@dataclass(slots=True)
class _SpooledColumn:
    """A member that is a column; `digits` are those of its longest whole number."""

    name: str
    at: int
    kinds: int = 0
    digits: int = 0

    @property
    def type(self) -> str:
        """Return the type that holds all of its values as they are."""
        if self.name in _TIMES:
            return "TIMESTAMPTZ"
        kinds = self.kinds
        if self.name == "id" or kinds in {0, _TEXT}:
            return "VARCHAR"
        if kinds & _NESTED:
            return "JSON"
        if kinds in {_BOOLEAN, _BIG}:
            return "BOOLEAN" if kinds == _BOOLEAN else "BIGINT"
        if kinds in {_HUGE, _HUGE | _BIG}:
            return "HUGEINT"
        exact = kinds == _REAL or (kinds == _REAL | _BIG and self.digits <= 15)
        return "DOUBLE" if exact else "VARCHAR"


def _decoded(line: bytes) -> dict[str, msgspec.Raw] | None:
    """Return the members of a record, or None where it cannot be decoded."""
    try:
        if not line.isascii():
            line.decode()
        return _members(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _kind_of_number(raw: bytes) -> int:
    if raw.removeprefix(b"-").isdigit():
        value = int(raw) if len(raw) <= 40 else 1 << 127
        return _BIG if -(1 << 63) <= value < 1 << 63 else _HUGE if abs(value) < 1 << 127 else _ODD
    if len(raw) <= 16 and not re.search(rb"[eE]", raw):
        # A double gives fifteen digits back.
        return _REAL
    try:
        return _REAL if Decimal(repr(float(raw))) == Decimal(raw.decode()) else _ODD
    except (InvalidOperation, OverflowError, ValueError):
        return _ODD


class TableSpool:
    """The records of one table in files of a private folder.

    The `names`, in small letters, are those that may be columns, and with `every` all
    members are wanted. Those that are `known` are there although no record has them.
    `record` says that the whole text is wanted, too.
    """

    def __init__(
        self,
        table: Table,
        folder: Path,
        names: Collection[str],
        known: Collection[str],
        *,
        every: bool,
        record: bool,
    ) -> None:
        self.table = table
        self.count = self.left_out = self.halves = 0
        self.seen: dict[str, _SpooledColumn | None] = {}
        """The members of the records, each with its column, if it has one."""
        self.without_column: list[str] = []
        self._folder, self._names, self._known = folder, names, known
        self._every, self._record = every, record
        self._columns: dict[str, _SpooledColumn] = {}
        self._taken = {LABEL, _RECORD}
        self._files: list[tuple[Path, int]] = []
        self._file: BinaryIO | None = None
        self._rows: list[list[bytes]] = []
        self._size = self._longest = 0

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return ".".join(self.table)

    def add(self, profile: bytes, line: bytes) -> None:
        """Take a record of a connection, which is JSON text. Raises StorageError."""
        members = _decoded(line)
        if members is None:
            line = json_check.without_halves(line)
            members = _decoded(line)
            if members is None:
                self.left_out += 1
                return
            self.halves += 1
        if not members.keys() <= self.seen.keys():
            for name in members:
                if name not in self.seen:
                    self._note(name)
        row = [profile, line if self._record else b"", *[b""] * len(self._columns)]
        # Of a long record few members may be wanted, or of a thousand columns few be
        # there.
        few = len(self._columns) <= len(members)
        for name in self._columns if few else members:
            column, value = self.seen.get(name), members.get(name)
            if column is None or value is None or (raw := bytes(value))[0] == _NULL:
                continue
            if (kind := _FIRST.get(raw[0], 0)) == 0:
                kind = _kind_of_number(raw)
                column.digits = max(column.digits, len(raw) if kind == _BIG else 0)
            column.kinds |= kind
            row[column.at] = raw
        self.count += 1
        self._rows.append(row)
        self._size += len(line)
        self._longest = max(self._longest, len(line))
        if self._size > _PIECE:
            self._flush()

    def _note(self, name: str) -> None:
        """Give a member that was not seen before its column, if it is to have one."""
        called = f"{LABEL}_served" if name == LABEL else name
        small, found = called.lower(), None
        odd = small in self._taken or not small or "\0" in small
        if odd or len(self._columns) >= _MOST_COLUMNS:
            if len(self.without_column) < _MOST_COLUMNS:
                self.without_column.append(name)
        elif self._every or small in self._names:
            found = self._columns[name] = _SpooledColumn(called, len(self._columns) + 2)
        if found is not None or len(self.seen) < _MOST_SEEN:
            self._taken.add(small)
            self.seen[name] = found

    def _flush(self) -> None:
        width = len(self._columns) + 2
        try:
            if self._file is None or self._files[-1][1] != width:
                # The width of a file is fixed.
                self._close()
                path = self._folder / f"{self.name}-{len(self._files)}"
                self._file = path.open("xb")
                self._files.append((path, width))
            blank = [b""] * width
            lines = [
                _BETWEEN.join(row if len(row) == width else row + blank[len(row) :])
                for row in self._rows
            ]
            text = b"\n".join(lines)
            if text.count(b"\n") >= len(lines) or b"\r" in text:
                text = b"\n".join(_BREAK.sub(b" ", line) for line in lines)
            self._file.write(text + b"\n")
        except OSError as error:
            raise StorageError(f"cannot write into {self._folder}: {error.strerror}") from None
        self._rows.clear()
        self._size = 0

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()

    def load(self, database: duckdb.DuckDBPyConnection) -> None:
        """Make the table, and load the files into it, which are gone then."""
        if self._rows:
            self._flush()
        self._close()
        there = [*self._columns.values()]
        for name in dict.fromkeys(("id", *_TIMES, *self._known)):
            if name.lower() in self._names and name.lower() not in self._taken:
                self._columns[name] = _SpooledColumn(name, 0)
        types = {LABEL: "VARCHAR", **{one.name: one.type for one in self._columns.values()}}
        types |= {_RECORD: "JSON"} if self._record else {}
        columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
        schema, table = map(quoted, self.table)
        database.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        database.execute(f"CREATE TABLE {schema}.{table} ({columns})")
        loaded = 0
        for path, width in self._files:
            text = self._insertion(f"{schema}.{table}", there[: width - 2])
            row = database.execute(text, [str(path)]).fetchone()
            loaded += row[0] if row else 0
            path.unlink()
        if loaded != self.count:
            raise RuntimeError(f"{self.name}: {loaded} of {self.count} records were loaded")

    def _insertion(self, table: str, columns: list[_SpooledColumn]) -> str:
        """Return the statement that loads a file with these columns."""
        names = [LABEL, *(one.name for one in columns), *([_RECORD] if self._record else [])]
        picks = ["json_extract_string(p, '$')", *(_pick(f"c{one.at}", one.type) for one in columns)]
        picks += ["r::JSON"] if self._record else []
        kinds = {
            "p": "VARCHAR",
            "r": "VARCHAR",
            **{f"c{one.at}": _read_as(one.type) for one in columns},
        }
        fields = ", ".join(f"{name}: '{kind}'" for name, kind in kinds.items())
        longest = max(4 << 20, 3 * self._longest + 4096)
        return (
            # Every name is quoted.
            f"INSERT INTO {table} ({', '.join(map(quoted, names))}) SELECT {', '.join(picks)}"  # noqa: S608
            " FROM read_csv(?, auto_detect=false, header=false, delim=chr(31), quote='',"
            " escape='', comment='', nullstr='', new_line='\\n', strict_mode=true,"
            f" columns={{{fields}}}, max_line_size={longest}, buffer_size={2 * longest})"
        )


def _read_as(kind: str) -> str:
    return kind if kind in {"BOOLEAN", "BIGINT", "HUGEINT", "DOUBLE"} else "VARCHAR"


def _pick(name: str, kind: str) -> str:
    """Return the value of a column from its JSON text."""
    if kind == "VARCHAR":
        return f"CASE WHEN {name}[1] = '\"' THEN json_extract_string({name}, '$') ELSE {name} END"
    if kind == "TIMESTAMPTZ":
        return f"TRY_CAST(json_extract_string({name}, '$') AS TIMESTAMPTZ)"
    return f"{name}::JSON" if kind == "JSON" else name
