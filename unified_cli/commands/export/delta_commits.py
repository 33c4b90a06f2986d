"""The part of a table: the rows that the records of a read become, each id once, and
the commits that put them in.

Each commit says which read of which list it is of.
"""

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Self

import pyarrow as pa
from deltalake import (
    ColumnProperties,
    CommitProperties,
    DeltaTable,
    Transaction,
    WriterProperties,
    write_deltalake,
)
from pyarrow import compute, dataset

from unified_cli import os_limits
from unified_cli.exported import parquet_file
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.list_export import TablePart
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.masking import excerpt
from unified_cli.plural import counted, named

PROFILE, _ID, _RECORD = parquet_file.COLUMNS[0], parquet_file.COLUMNS[1], parquet_file.COLUMNS[-1]
OURS = "unified"
"""The member of a commit that says which list it is of."""
# The rows that a reader of a file holds at once, as this program does in a merge.
_ROWS_AT_ONCE = 20_000
# A join goes through files of its own from some size on, but does not spill the new
# rows.
_MERGE_BYTES = 200_000_000
_MERGED_AT_ONCE = 16_000_000
_NULL = b"null"
_SUM = 1 << 128
_BITS = (1 << 64) - 1
_MOST_NAMED = 3
_LONGEST_ID = 40


class DistinctRecords:
    """The records of a read, which are gone through several times: memory holds 64 bits
    of each.

    A table knows an id by its text, so that of a number and a text that look alike only
    one can be in it: the one that came first. Neither is it known without an id what a
    record was before. Both are left out and reported.
    """

    def __init__(self, records: Callable[[], Iterable[bytes]]) -> None:
        """Go through the records once. Raises what that raises."""
        self._records = records
        self.bytes = 0
        """How many bytes the records have."""
        self._keys = array("Q", self._found_keys())
        self._dropped: set[int] = set()
        self._others: set[int] = set()
        self._named: dict[str, None] = {}
        self.nameless = self._keys.count(0)
        """How many records have no id."""
        if len(repeated := _repeated(self._keys)):
            self._choose(repeated)

    def _found_keys(self) -> Iterator[int]:
        for record in self._records():
            self.bytes += len(record)
            yield _key(record)

    def _choose(self, repeated: set[int]) -> None:
        """Of ids that came several times keep the last record of the kind that was
        first.
        """
        kept: dict[int, tuple[int, int]] = {}
        for at, key in enumerate(self._keys):
            if key and key >> 1 in repeated:
                before, kind = kept.get(key >> 1, (-1, key))
                if kind != key:
                    self._others.add(key)
                else:
                    self._dropped.add(before)
                    kept[key >> 1] = at, key

    def leave_out(self, record: bytes) -> None:
        """Leave out what has the id of this record of the table as another kind of
        value.
        """
        other = _key(record) ^ 1
        if other in self._known:
            self._others.add(other)

    def replaces(self, record: bytes) -> bool:
        """Return whether this record of the table is to be replaced."""
        key = _key(record)
        return key in self._known and key not in self._others

    @cached_property
    def _known(self) -> set[int]:
        return {*self._keys}

    def __iter__(self) -> Iterator[bytes]:
        for at, record in enumerate(self._records()):
            key = self._keys[at]
            if key and key not in self._others and at not in self._dropped:
                yield record

    def ids(self) -> pa.Array:
        """Return the ids as the table knows them."""
        return pa.array((parquet_file.identity(record) for record in self), pa.string())

    def left_out(self) -> list[str]:
        """Anything that is not in the table, in words."""
        told = []
        if self.nameless:
            told.append(f"{counted(self.nameless, 'record')} without an id left out")
        if self._others:
            found: dict[str, None] = {}
            for at, record in enumerate(self._records()):
                if self._keys[at] in self._others:
                    found[excerpt((parquet_file.json_id(record) or b"").decode(), _LONGEST_ID)] = (
                        None
                    )
            told.append(
                "left out, as the same id is there as another kind of value:"
                f" {named([*found], _MOST_NAMED)}"
            )
        return [f"{one} (--allow-partial accepts that)" for one in told]


class Digest:
    """The number of records and the sum of their digests, which is the same in any
    order.
    """

    def __init__(self, rows: int = 0, digest: str = "") -> None:
        self.rows = rows
        self._sum = int(digest or "0", 16)

    @classmethod
    def of(cls, records: Iterable[bytes]) -> Self:
        """That of these records."""
        found = cls()
        for record in records:
            found.add(record)
        return found

    def add(self, record: bytes, sign: int = 1) -> None:
        """Add a record, or with the sign -1 take it away."""
        self.rows += sign
        self._sum += sign * int.from_bytes(hashlib.blake2b(record, digest_size=16).digest(), "big")

    @property
    def text(self) -> str:
        """The sum as text."""
        return f"{self._sum % _SUM:032x}"

    def counting(self, records: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the records, each of which is added."""
        for record in records:
            self.add(record)
            yield record


def _key(record: bytes) -> int:
    """62 bits that represent the text of the id, and one that says whether it is a
    text. 0 without an id.
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


def _repeated(keys: "array[int]") -> set[int]:
    """Return the keys that are there more than once, whatever kind of value their ids
    are.
    """
    if len(keys) < 2:
        return set()
    found = pa.Array.from_buffers(pa.uint64(), len(keys), [None, pa.py_buffer(keys)])
    names = compute.shift_right(found, pa.scalar(1, pa.uint64()))
    names = names.take(compute.array_sort_indices(names))
    same = compute.equal(names.slice(1), names.slice(0, len(keys) - 1))
    return {*names.slice(1).filter(same).unique().to_pylist()} - {0}


def _rows(records: Iterable[bytes], columns: ParquetColumns) -> pa.RecordBatchReader:
    """Return the rows of the records as a stream."""
    return pa.RecordBatchReader.from_batches(
        parquet_file.schema(columns), parquet_file.batches(records, columns)
    )


def app(part: TablePart) -> str:
    """Return what the reads of a list are known by in its table."""
    return f"unified:{hashlib.sha256(json.dumps(owner(part)).encode()).hexdigest()[:32]}"


def owner(part: TablePart) -> dict[str, str]:
    """Whose part it is, and of which list."""
    found = {
        "origin": part.origin,
        "account": part.account,
        "api": part.api,
        "resource": part.resource,
    }
    return {**found, "profile": part.columns.profile}


def _commit(part: TablePart, number: int) -> CommitProperties:
    told = json.dumps({**owner(part), "read": number})
    return CommitProperties(
        custom_metadata={OURS: told}, app_transactions=[Transaction(app(part), number)]
    )


def replaced(table: DeltaTable, part: TablePart, number: int, found: DistinctRecords) -> TableRead:
    """Have the part hold these records and no others."""
    digest = Digest()
    _overwrite(table, part, number, _rows(digest.counting(found), part.columns))
    return TableRead(number, digest.rows, digest.text)


def merged(table: DeltaTable, part: TablePart, number: int, found: DistinctRecords) -> TableRead:
    """Have the part hold these records, and its others."""
    before = part.before
    # Another manifest may have noted a later read.
    known = before is not None and before.number == table.transaction_version(app(part))
    digest = Digest(before.rows, before.digest) if before and known else None
    ids = found.ids()
    for record in records(table, part, only=ids):
        found.leave_out(record)
        if digest and found.replaces(record):
            digest.add(record, -1)
    new = _rows(digest.counting(found) if digest else found, part.columns)
    if found.bytes > _MERGED_AT_ONCE:
        _rewrite(table, part, number, new, found.ids())
    else:
        _merge(table, part, number, new)
    if digest is None:
        table.update_incremental()
        digest = Digest.of(records(table, part))
    return TableRead(number, digest.rows, digest.text)


def _writing() -> WriterProperties:
    """Return how files are written.

    Where a column of text has statistics, no reader that reads the table as a dataset
    of pyarrow can filter by it: the library uses another type for texts there.
    """
    return WriterProperties(
        compression="ZSTD",
        max_row_group_size=_ROWS_AT_ONCE,
        default_column_properties=ColumnProperties(statistics_enabled="NONE"),
        column_properties={
            name: ColumnProperties(statistics_enabled="CHUNK") for name in parquet_file.TIMES
        },
    )


def _merge(table: DeltaTable, part: TablePart, number: int, new: pa.RecordBatchReader) -> None:
    merger = table.merge(
        new,
        predicate=f"t.{PROFILE} = {_literal(part)} AND t.{_ID} = s.{_ID}",
        source_alias="s",
        target_alias="t",
        writer_properties=_writing(),
        max_spill_size=_MERGE_BYTES,
        commit_properties=_commit(part, number),
    )
    merger.when_matched_update_all().when_not_matched_insert_all().execute()


def _rewrite(
    table: DeltaTable,
    part: TablePart,
    number: int,
    new: pa.RecordBatchReader,
    ids: pa.StringArray,
) -> None:
    """The same without a join, which holds all that is new at once: have the others
    written again.
    """

    def others() -> Iterator[pa.RecordBatch]:
        found = _batches(table, part, new.schema.names)
        # The thread that writes is the library's, which reads in none of its own.
        while (batch := os_limits.result_of(lambda: next(found, None))) is not None:
            yield batch.filter(
                compute.invert(compute.is_in(batch.column(new.schema.names.index(_ID)), ids))
            )

    _overwrite(
        table, part, number, pa.RecordBatchReader.from_batches(new.schema, chain(others(), new))
    )


def _overwrite(
    table: DeltaTable, part: TablePart, number: int, found: pa.RecordBatchReader
) -> None:
    write_deltalake(
        table,
        found,
        mode="overwrite",
        predicate=f"{PROFILE} = {_literal(part)}",
        writer_properties=_writing(),
        commit_properties=_commit(part, number),
    )


def records(
    table: DeltaTable, part: TablePart, only: pa.StringArray | None = None
) -> Iterator[bytes]:
    """Yield the records of a part, or only those with some ids."""
    for batch in _batches(table, part, [_ID, _RECORD]):
        same = batch if only is None else batch.filter(compute.is_in(batch.column(0), only))
        for record in same.column(1).to_pylist():
            yield record.encode()


def _batches(table: DeltaTable, part: TablePart, columns: list[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part, some thousands at a time."""
    wanted = dataset.field(PROFILE) == part.columns.profile
    found = table.to_pyarrow_dataset().scanner(
        columns=columns,
        filter=wanted,
        batch_size=_ROWS_AT_ONCE,
        batch_readahead=1,
        fragment_readahead=1,
    )
    yield from found.to_batches()


def _literal(part: TablePart) -> str:
    """Return the name of the part as SQL has it: other parts are neither read nor in
    conflict.
    """
    name = part.columns.profile.replace("'", "''")
    return f"'{name}'"
