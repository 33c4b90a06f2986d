"""The rows of a table: the newest state of each id in a list file, and the Parquet
files that hold them. Memory holds one Parquet file at a time.
"""

import io
import json
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import compress, count
from typing import NamedTuple

import pyarrow as pa
from deltalake.transaction import AddAction
from pyarrow import compute, parquet

from unified_cli.exported import parquet_file
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.json_text import change_time
from unified_cli.masking import excerpt
from unified_cli.plural import counted, named

PROFILE, _ID, _RECORD = parquet_file.COLUMNS[0], parquet_file.COLUMNS[1], parquet_file.COLUMNS[-1]
# Memory holds the rows of a row group, and a file of them.
_BATCH_BYTES = 1024 * 1024
_GROUP_BYTES = 4 * 1024 * 1024
_FILE_BYTES = 24 * 1024 * 1024
_ROWS_AT_ONCE = 2_000
_READ_BYTES = 1024 * 1024
_NULL = b"null"
_BITS = (1 << 64) - 1
_NEVER = -(1 << 63)
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_MOST_NAMED = 3
_LONGEST_ID = 40
Open = Callable[[str], pa.NativeFile]
"""Opens a data file of a table by its name."""


class NewestRecords:
    """The records of a list file that are the newest state of their id. Memory holds 17
    bytes for each record of the file.

    The record with the larger `updated_at` is newer. A record without it is the oldest;
    of two equal ones, the later record is newer. A table stores an id as text. If a
    number and a text look alike, only the first can be in the table; the other is left
    out. A record without an id is left out too, because its earlier state cannot be
    found. Both are reported.
    """

    def __init__(self, records: Callable[[], Iterable[bytes]]) -> None:
        """Read the records once. Raises the errors of reading them."""
        self._records = records
        self._keys, self._stamps = array("Q"), array("q")
        for record in records():
            self._keys.append(_key(record))
            self._stamps.append(_stamp(record))
        self._kept = bytearray(map(bool, self._keys))
        self._others: set[int] = set()
        if repeated := _repeated(self._keys):
            self._choose(repeated)
        self._first = bytes(self._kept), frozenset(self._others)

    def _choose(self, repeated: set[int]) -> None:
        """Keep only the newest state of each repeated id. Ids of another JSON type than
        the first are left out.
        """
        newest: dict[int, int] = {}
        for at, key in enumerate(self._keys):
            if not key or key >> 1 not in repeated:
                continue
            before = newest.setdefault(key >> 1, at)
            if self._keys[before] != key:
                self._leave_out(at)
            elif before != at:
                older = before if self._stamps[at] >= self._stamps[before] else at
                self._kept[older] = False
                newest[key >> 1] = at if older == before else before

    def begin(self) -> None:
        """Reset the choice that an earlier attempt to commit made."""
        self._kept, self._others = bytearray(self._first[0]), {*self._first[1]}

    def __len__(self) -> int:
        return self._kept.count(True)

    def __iter__(self) -> Iterator[bytes]:
        return compress(self._records(), self._kept)

    def ids(self) -> tuple[pa.Array, "array[int]"]:
        """Return the ids as a table knows them, and the place of each in the file."""
        ids = pa.array((parquet_file.identity(record) for record in self), pa.string())
        return ids, array("Q", compress(count(), self._kept))

    def replaces(self, place: int, record: bytes) -> bool:
        """Return whether the record at this place replaces the table's record with its
        id. If not, it no longer counts.
        """
        if _key(record) != self._keys[place]:
            self._leave_out(place)
        elif _stamp(record) > self._stamps[place]:
            self._kept[place] = False
        return bool(self._kept[place])

    def _leave_out(self, place: int) -> None:
        self._kept[place] = False
        self._others.add(place)

    def left_out(self) -> list[str]:
        """Return which records are in no table, in words."""
        said = []
        if nameless := self._keys.count(0):
            said.append(f"{counted(nameless, 'record')} without an id left out")
        if self._others:
            found = dict.fromkeys(
                excerpt((parquet_file.json_id(record) or b"").decode(), _LONGEST_ID)
                for at, record in enumerate(self._records())
                if at in self._others
            )
            said.append(
                "left out, as the same id is there as another kind of value:"
                f" {named([*found], _MOST_NAMED)}"
            )
        return [f"{one} (--allow-partial accepts that)" for one in said]


def _key(record: bytes) -> int:
    """Return a 62-bit hash of the id's text. The lowest bit marks a JSON string. 0
    without an id.
    """
    found = parquet_file.json_id(record)
    if found is None or found == _NULL:
        return 0
    if b"\\" in found or found[:1] in b"{[":
        name = parquet_file.identity(record) or b""
    else:
        name = found[1:-1] if found[:1] == b'"' else found
    # The hash function has a new key in each process, so no one can choose ids that
    # collide.
    return (hash(name) << 1) & _BITS | 2 | (found[:1] == b'"')


def _stamp(record: bytes) -> int:
    """Return the time of a record's last change, in microseconds, from its own
    fields.
    """
    at = change_time.changed_at(record)
    return _NEVER if at is None else (at.at - _EPOCH) // _MICROSECOND


def _repeated(keys: "array[int]") -> set[int]:
    """Return the keys that occur more than once. The JSON type of their ids does not
    matter.
    """
    if len(keys) < 2:
        return set()
    found = pa.Array.from_buffers(pa.uint64(), len(keys), [None, pa.py_buffer(keys)])
    names = compute.shift_right(found, pa.scalar(1, pa.uint64()))
    names = names.take(compute.array_sort_indices(names))
    same = compute.equal(names.slice(1), names.slice(0, len(keys) - 1))
    return {*names.slice(1).filter(same).unique().to_pylist()} - {0}


class DataFile(NamedTuple):
    """A Parquet file of a part, by its name below the table, its bytes and rows."""

    name: str
    size: int
    rows: int


class PartWriter:
    """Writes rows to new Parquet files of a part, one row group at a time; memory holds
    one file.

    Only columns of times have statistics: readers that open a table as a pyarrow
    dataset cannot filter by a text column with statistics.
    """

    def __init__(
        self, save: Callable[[str, bytes], None], prefix: str, columns: ParquetColumns
    ) -> None:
        """`save` writes a whole file; the names begin with `prefix`."""
        self._save = save
        self._prefix = prefix
        self._columns = columns
        every = parquet_file.schema(columns)
        self.schema = every.remove(every.get_field_index(PROFILE))
        """The columns of a file. The profile is left out, because the commit names the
        part.
        """
        self._held: list[pa.RecordBatch] = []
        self._begin_file()
        self.added: list[DataFile] = []
        self.actions: list[AddAction] = []
        """The files, as a commit takes them."""

    def _begin_file(self) -> None:
        self._bytes = io.BytesIO()
        self._times: list[pa.Table] = []
        self._writer = parquet.ParquetWriter(
            self._bytes,
            self.schema,
            compression="zstd",
            use_dictionary=False,
            write_statistics=[*parquet_file.TIMES],
            write_page_checksum=True,
            store_schema=False,
        )

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows. Raises what writing raises."""
        self._held.append(batch.select(self.schema.names))
        if sum(one.nbytes for one in self._held) >= _GROUP_BYTES:
            self._end_group()

    def end(self, records: Iterable[bytes]) -> None:
        """Add the rows of records, and end the last file. Raises as `write` does."""
        for batch in parquet_file.batches(records, self._columns, _BATCH_BYTES):
            self.write(batch)
        self._end_group()
        if self._times:
            self._end_file()

    def _end_group(self) -> None:
        rows, self._held = pa.Table.from_batches(self._held, self.schema), []
        if len(rows):
            self._writer.write_table(rows, row_group_size=len(rows))
            self._times.append(rows.select(parquet_file.TIMES))
            if self._bytes.tell() >= _FILE_BYTES:
                self._end_file()

    def _end_file(self) -> None:
        self._writer.close()
        content, times = self._bytes.getvalue(), pa.concat_tables(self._times)
        ends = {name: compute.min_max(times[name]).as_py() for name in parquet_file.TIMES}
        values = {
            f"{end}Values": {
                name: change_time.timestamp(found[end])
                for name, found in ends.items()
                if found[end]
            }
            for end in ("min", "max")
        }
        file = DataFile(f"{self._prefix}-{len(self.added)}.parquet", len(content), len(times))
        self._save(file.name, content)
        self.added.append(file)
        part, now = {PROFILE: self._columns.profile}, int(time.time() * 1000)
        statistics = json.dumps({"numRecords": file.rows, **values})
        self.actions.append(AddAction(file.name, file.size, part, now, True, statistics))
        self._begin_file()


def merge(
    files: Sequence[DataFile], opened: Open, new: NewestRecords, writer: PartWriter
) -> list[DataFile]:
    """Rewrite the files with changed ids, and return the files to replace. Only the
    rows that stay are written. New records that do not replace an older one no longer
    count.
    """
    replaced = []
    ids, places = new.ids()
    for file in files:
        with opened(file.name) as content, _parquet(content) as found:
            there = found.read([_ID], use_threads=False)[_ID].cast(pa.string())
            at = compute.index_in(there, value_set=ids).to_pylist()
            hits = {row: places[one] for row, one in enumerate(at) if one is not None}
            if not hits:
                continue
            replaced.append(file)
            for batch in _unchanged(found, hits, new, writer.schema):
                writer.write(batch)
    return replaced


def _unchanged(
    found: parquet.ParquetFile, hits: dict[int, int], new: NewestRecords, schema: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file that stay; `hits` are the places of records with the id
    of a row.
    """
    first = 0
    for batch in _batches(found, schema):
        records = batch.column(schema.get_field_index(_RECORD))
        rows = range(first, first + len(batch))
        stays = [
            row not in hits or not new.replaces(hits[row], records[row - first].as_py().encode())
            for row in rows
        ]
        yield batch.filter(pa.array(stays))
        first += len(batch)


def records(files: Iterable[DataFile], opened: Open) -> Iterator[bytes]:
    """Yield the records in files. Raises OSError for damaged ones."""
    schema = pa.schema([(_RECORD, pa.string())])
    for file in files:
        with opened(file.name) as content, _parquet(content) as found:
            for batch in _batches(found, schema):
                for record in batch.column(0).to_pylist():
                    yield record.encode()


def _parquet(content: pa.NativeFile) -> parquet.ParquetFile:
    return parquet.ParquetFile(
        content, pre_buffer=False, buffer_size=_READ_BYTES, page_checksum_verification=True
    )


def _batches(found: parquet.ParquetFile, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows with these columns, even from files of other writers."""
    for group in range(found.num_row_groups):
        for batch in found.iter_batches(_ROWS_AT_ONCE, [group], schema.names, use_threads=False):
            yield from pa.Table.from_batches([batch]).select(schema.names).cast(schema).to_batches()
