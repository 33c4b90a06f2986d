"""Write records to a Parquet file: the exact JSON text of each, and columns for
joins.
"""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from unified_cli.errors import ConfigError
from unified_cli.installation import command_to_add
from unified_cli.json_text import change_time
from unified_cli.json_text.members import member, parts, string, text
from unified_cli.json_text.record_columns import pick

if TYPE_CHECKING:
    import pyarrow as pa

_PROFILE, _ID, _RECORD = "_profile", "id", "record"
TIMES = ("created_at", "updated_at")
COLUMNS = (_PROFILE, _ID, *TIMES, _RECORD)
# The most rows and bytes of a row group, which is in memory. The last record may exceed
# the bytes.
_ROWS, _BYTES = 20_000, 16 * 1024 * 1024
# Read fewer rows at once than the default of 65,536, which span several row groups.
_AT_ONCE = 1_000


def check(what: str = "--format parquet") -> None:
    """Raise ConfigError if the library that reads and writes Parquet is not
    installed.
    """
    if find_spec("pyarrow") is None:
        raise ConfigError(f"{what} needs the package pyarrow", hint=command_to_add("pyarrow"))


class ParquetColumns(NamedTuple):
    """The columns of a file besides the record: the `profile`, and `more` paths.

    `timestamps` is False if the other files in the folder have the times as text.
    """

    profile: str
    more: Sequence[str] = ()
    timestamps: bool = True


def schema(columns: ParquetColumns) -> "pa.Schema":
    """Return the schema, which does not depend on the records.

    Its columns are `_profile`, `id`, `created_at`, `updated_at`, `record`, and the
    requested ones. The times are UTC timestamps. All other columns are text, because a
    double would change large numbers, and a member may have several types.
    """
    import pyarrow as pa  # noqa: PLC0415  an extra, and slow to import

    words = pa.string()
    time = pa.timestamp("us", "UTC") if columns.timestamps else words
    return pa.schema(
        [
            (_PROFILE, words),
            (_ID, words),
            *((name, time) for name in TIMES),
            (_RECORD, words),
            *((name, words) for name in columns.more),
        ]
    )


def batches(
    records: Iterable[bytes], columns: ParquetColumns, size: int = _BYTES
) -> "Iterator[pa.RecordBatch]":
    """Yield the rows of these records in batches, as the columns' schema says."""
    import pyarrow as pa  # noqa: PLC0415  as above

    kinds = schema(columns)
    read_time = _time if columns.timestamps else as_text
    for group in _groups(records, size):
        members = [parts(record) or {} for record in group]
        values: list[list[Any]] = [
            [columns.profile] * len(group),
            [as_text(parts.get(_ID)) for parts in members],
            *([read_time(parts.get(name)) for parts in members] for name in TIMES),
            group,
            *([as_text(pick(parts, name)) for parts in members] for name in columns.more),
        ]
        arrays = [pa.array(column, kind) for column, kind in zip(values, kinds.types, strict=True)]
        yield pa.record_batch(arrays, schema=kinds)


def json_id(record: bytes) -> bytes | None:
    """Return the id of a record as JSON text."""
    return member(record, _ID)


def identity(record: bytes) -> bytes | None:
    """Return the id of a record as its column has it."""
    return as_text(json_id(record))


def write(lines: BinaryIO, send: Callable[[bytes], object], columns: ParquetColumns) -> None:
    """Convert lines of records to a Parquet file, and pass its bytes to `send`.

    Raises OSError if reading or writing fails, and any error that `send` raises.
    """
    from pyarrow import PythonFile, parquet  # noqa: PLC0415  as above

    with (
        PythonFile(_Sink(send), mode="w") as sink,
        parquet.ParquetWriter(sink, schema(columns), compression="zstd") as writer,
    ):
        for batch in batches((line.removesuffix(b"\n") for line in lines), columns):
            writer.write_batch(batch)


def records(content: BinaryIO) -> Iterator[bytes]:
    """Yield the records of a Parquet file that an export wrote.

    Raises ValueError if it is another kind of file, and OSError if reading fails.
    """
    from pyarrow import parquet  # noqa: PLC0415  see above

    with parquet.ParquetFile(content) as file:
        if _RECORD not in file.schema_arrow.names:
            raise ValueError(f"it has no column {_RECORD}, as exports write it")
        for batch in file.iter_batches(_AT_ONCE, columns=[_RECORD]):
            for record in batch.column(0).to_pylist():
                yield record.encode()


def _groups(records: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    size = 0
    for record in records:
        group.append(record)
        size += len(record) + 1
        if len(group) == _ROWS or size >= most:
            yield group
            group, size = [], 0
    if group:
        yield group


def _time(value: bytes | None) -> datetime | None:
    """Return a member as a time, or None.

    Returns None if the member is not a time or is too precise.
    """
    if value is None or not value.startswith(b'"'):
        return None
    try:
        found = change_time.parse(string(value))
    except (ValueError, OverflowError):
        return None
    return None if found.rest else found.at


# Backslashes before a lone surrogate, or before text that looks like one.
_BEFORE_HALF = re.compile(r"\\+(?=u[dD][89a-fA-F][0-9a-fA-F]{2}|[\ud800-\udfff])")


def as_text(value: bytes | None) -> bytes | None:
    r"""Return a member as text, or None for null.

    UTF-8 cannot encode a lone surrogate, so it becomes its escape: `\ud83d`.
    Backslashes before it, and before text that looks like an escape, are doubled, so
    that different members never become the same text. A lone surrogate in an object or
    array keeps its JSON escape.
    """
    if value is None or value == b"null":
        return None
    if not value.startswith(b'"'):
        return text(value).encode()
    if b"\\" not in value:
        # Text without an escape needs no decoding.
        return value[1:-1]
    return _BEFORE_HALF.sub(r"\g<0>\g<0>", string(value)).encode("utf-8", "backslashreplace")


class _Sink(io.RawIOBase):
    """A stream that passes its bytes to a function."""

    def __init__(self, send: Callable[[bytes], object]) -> None:
        self._send = send
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._send(bytes(data))
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size
