"""The rows of a table: the newest state of each id in a list file, and the Parquet
files with the rows.

Only one Parquet file is in memory at a time.
"""

import io
import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain, compress, count, islice
from typing import NamedTuple

import pyarrow as pa
from pyarrow import compute, parquet

from unified_cli import hints
from unified_cli.exported import parquet_file
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.json_text import change_time
from unified_cli.masking import excerpt
from unified_cli.plural import counted, named

PROFILE, _ID, _RECORD = parquet_file.COLUMNS[0], parquet_file.COLUMNS[1], parquet_file.COLUMNS[-1]
# One row group and one file are in memory at a time.
BATCH_BYTES = 1024 * 1024
_GROUP_BYTES = 4 * 1024 * 1024
_FILE_BYTES = 24 * 1024 * 1024
_ROWS_AT_ONCE = 2_000
_BITS = (1 << 64) - 1
_NEVER = -(1 << 63)
_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
_MOST_NAMED = 3
_LONGEST_ID = 40
Open = Callable[[str], parquet.ParquetFile]
"""Opens a data file of a table by its name."""


class NewestRecords:
    """The newest record of each id in a list file. Each record of the file takes 17
    bytes of memory.

    The record with the larger `updated_at` is newer. A record without it is older than
    any other, and of two equal times, the later record is newer. A table stores an id
    as text. If a number and a text look alike, only the first can be in the table, and
    the other is left out. A record without an id is left out, too, because its earlier
    state cannot be found. Both are reported.
    """

    def __init__(self, records: Callable[[], Iterable[bytes]]) -> None:
        """Read the records once. Raises the errors of reading them."""
        self._records = records
        self._keys, self._stamps = array("Q"), array("q")
        for record in records():
            self._keys.append(_key(record))
            self._stamps.append(_stamp(record))
        self._kept, self._others = bytearray(map(bool, self._keys)), set[int]()
        repeated, newest = _repeated(self._keys), dict[int, int]()
        for at, key in enumerate(self._keys) if repeated else ():
            if key >> 1 in repeated:
                before = newest.setdefault(key >> 1, at)
                if before != at and self._replaces(at, self._keys[before], self._stamps[before]):
                    self._kept[before] = False
                    newest[key >> 1] = at

    def _replaces(self, place: int, key: int, stamp: int) -> bool:
        """Return whether the record is newer than the state with this key and stamp.

        If it is not, the record at this place no longer counts.
        """
        if key != self._keys[place]:
            self._others.add(place)
        elif stamp <= self._stamps[place]:
            return True
        self._kept[place] = False
        return False

    def replaces(self, place: int, record: bytes) -> bool:
        """Return whether the record is newer than the table's record with the same id.

        If it is not, the record at this place no longer counts.
        """
        return self._replaces(place, _key(record), _stamp(record))

    def __len__(self) -> int:
        return self._kept.count(True)

    def __iter__(self) -> Iterator[bytes]:
        return compress(self._records(), self._kept)

    def ids(self) -> tuple[pa.Array, "array[int]"]:
        """Return the ids, as a table stores them, and their places in the file."""
        ids = pa.array((parquet_file.identity(record) for record in self), pa.string())
        return ids, array("Q", compress(count(), self._kept))

    def left_out(self) -> list[str]:
        """Return sentences about the records that were left out."""
        sentences = []
        if nameless := self._keys.count(0):
            sentences.append(f"{counted(nameless, 'record')} without an id left out")
        if self._others:
            found = dict.fromkeys(
                excerpt((parquet_file.json_id(record) or b"").decode(), _LONGEST_ID)
                for at, record in enumerate(self._records())
                if at in self._others
            )
            sentences.append(
                "left out, because the table has the same id as a value of another type:"
                f" {named([*found], _MOST_NAMED)}"
            )
        return [f"{sentence}{hints.ACCEPTS}" for sentence in sentences]


def _key(record: bytes) -> int:
    """Return a 62-bit hash of the id's text, or 0 without an id.

    The lowest bit marks a JSON string.
    """
    found = parquet_file.json_id(record)
    name = parquet_file.as_text(found)
    if found is None or name is None:
        return 0
    # Python's hash has a random key in each process, so ids cannot be chosen to
    # collide.
    return (hash(name) << 1) & _BITS | 2 | (found[:1] == b'"')


def _stamp(record: bytes) -> int:
    """Return the time in microseconds when a record was last changed."""
    at = change_time.changed_at(record)
    return _NEVER if at is None else (at.at - _EPOCH) // _MICROSECOND


def _repeated(keys: "array[int]") -> set[int]:
    """Return the ids that occur more than once, as keys without the JSON type."""
    found = pa.Array.from_buffers(pa.uint64(), len(keys), [None, pa.py_buffer(keys)])
    names = compute.value_counts(compute.shift_right(found, pa.scalar(1, pa.uint64())))
    several = names.filter(compute.greater(names.field("counts"), 1))
    return {*several.field("values").to_pylist()} - {0}


class DataFile(NamedTuple):
    """A Parquet file of a part.

    `name` is its path below the table. A new file has `statistics` for its commit.
    """

    name: str
    size: int
    rows: int
    statistics: str = ""


def schema(columns: ParquetColumns) -> pa.Schema:
    """Return the schema of a data file. The profile is not a column, because the commit
    names the part.
    """
    every = parquet_file.schema(columns)
    return every.remove(every.get_field_index(PROFILE))


def write(
    rows: Iterable[pa.RecordBatch],
    kinds: pa.Schema,
    prefix: str,
    save: Callable[[str, bytes], None],
) -> list[DataFile]:
    """Write rows to new Parquet files, one row group at a time.

    `save` writes a whole file, so one file is in memory. Names begin with `prefix`.
    Only columns of times have statistics, because pyarrow datasets cannot filter by a
    text column that has them.
    """
    added: list[DataFile] = []
    groups = _groups(rows, kinds)
    for first in groups:
        content, times = io.BytesIO(), list[pa.Table]()
        with parquet.ParquetWriter(
            content,
            kinds,
            compression="zstd",
            use_dictionary=False,
            write_statistics=[*parquet_file.TIMES],
            write_page_checksum=True,
            store_schema=False,
        ) as writer:
            for group in chain([first], groups):
                writer.write_table(group, row_group_size=len(group))
                times.append(group.select(parquet_file.TIMES))
                if content.tell() >= _FILE_BYTES:
                    break
        found = pa.concat_tables(times)
        name, data = f"{prefix}-{len(added)}.parquet", content.getvalue()
        save(name, data)
        added.append(DataFile(name, len(data), len(found), _statistics(found)))
    return added


def _groups(rows: Iterable[pa.RecordBatch], kinds: pa.Schema) -> Iterator[pa.Table]:
    batches: list[pa.RecordBatch] = []
    for batch in rows:
        batches.append(batch.select(kinds.names))
        if sum(part.nbytes for part in batches) >= _GROUP_BYTES:
            yield pa.Table.from_batches(batches)
            batches = []
    if batches:
        yield pa.Table.from_batches(batches)


def _statistics(times: pa.Table) -> str:
    ends = {name: compute.min_max(times[name]).as_py() for name in parquet_file.TIMES}
    values = {
        f"{end}Values": {
            name: change_time.timestamp(found[end]) for name, found in ends.items() if found[end]
        }
        for end in ("min", "max")
    }
    return json.dumps({"numRecords": len(times), **values})


def merge(
    files: Sequence[DataFile], opened: Open, new: NewestRecords, kinds: pa.Schema
) -> tuple[list[DataFile], Iterator[pa.RecordBatch]]:
    """Return the files with changed ids, and the rows of these files to keep.

    Iterate over the rows before using `new`, because this drops new records that are
    older than the table's.
    """
    ids, places = new.ids()
    changed = []
    for file in files:
        with opened(file.name) as found:
            if compute.any(compute.is_in(_ids(found), value_set=ids)).as_py():
                changed.append(file)

    def unchanged() -> Iterator[pa.RecordBatch]:
        for file in changed:
            with opened(file.name) as found:
                at = iter(compute.index_in(_ids(found), value_set=ids).to_pylist())
                for batch in _batches(found, kinds):
                    records = batch.column(kinds.get_field_index(_RECORD))
                    stays = [
                        place is None
                        or not new.replaces(places[place], records[row].as_py().encode())
                        for row, place in enumerate(islice(at, len(batch)))
                    ]
                    if any(stays):
                        yield batch.filter(pa.array(stays))

    return changed, unchanged()


def _ids(found: parquet.ParquetFile) -> pa.ChunkedArray:
    return found.read([_ID], use_threads=False)[_ID].cast(pa.string())


def _batches(found: parquet.ParquetFile, kinds: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the rows with these columns, also from the files of other writers."""
    for group in range(found.num_row_groups):
        for batch in found.iter_batches(_ROWS_AT_ONCE, [group], kinds.names, use_threads=False):
            yield batch.select(kinds.names).cast(kinds)
