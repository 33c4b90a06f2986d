"""What is read from and written to the part of a table: each commit says which read of which list it is of."""

import hashlib
import json
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from unified_cli import os_limits
from unified_cli.commands.export.tables import rows
from unified_cli.commands.export.tables.rows import Digest, DistinctRecords
from unified_cli.exported import parquet_file
from unified_cli.exported.checkpoint import TableRead
from unified_cli.exported.list_export import TablePart
from unified_cli.json_text.values import JsonObject

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import CommitProperties, DeltaTable, WriterProperties

PROFILE, _ID, _RECORD = parquet_file.COLUMNS[0], parquet_file.COLUMNS[1], parquet_file.COLUMNS[-1]
OURS = "unified"
"""The member of a commit that says which list it is of."""
# What readers of a file hold at once, as this program does where it merges.
_ROWS_AT_ONCE = 20_000
# A join goes through files of its own from some size on, but not with what is new in it.
_MERGE_BYTES = 200_000_000
_MERGED_AT_ONCE = 16_000_000


def app(part: TablePart) -> str:
    """What the reads of a list are known by in its table."""
    return f"unified:{hashlib.sha256(json.dumps(owner(part)).encode()).hexdigest()[:32]}"


def owner(part: TablePart) -> JsonObject:
    """Whose part it is, and of which list."""
    found = {"origin": part.origin, "account": part.account, "api": part.api, "resource": part.resource}
    return {**found, "profile": part.columns.profile}


def _commit(part: TablePart, number: int) -> "CommitProperties":
    from deltalake import CommitProperties, Transaction  # noqa: PLC0415  an extra

    told = json.dumps({**owner(part), "read": number})
    return CommitProperties(custom_metadata={OURS: told}, app_transactions=[Transaction(app(part), number)])


def replaced(table: "DeltaTable", part: TablePart, number: int, found: DistinctRecords) -> TableRead:
    """Have the part hold these records and no others."""
    digest = Digest()
    _overwrite(table, part, number, rows.batches(digest.counting(found), part.columns))
    return TableRead(number, digest.rows, digest.text)


def merged(table: "DeltaTable", part: TablePart, number: int, found: DistinctRecords) -> TableRead:
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
    new = rows.batches(digest.counting(found) if digest else found, part.columns)
    if found.bytes > _MERGED_AT_ONCE:
        _rewrite(table, part, number, new, found.ids())
    else:
        _merge(table, part, number, new)
    if digest is None:
        table.update_incremental()
        digest = Digest.of(records(table, part))
    return TableRead(number, digest.rows, digest.text)


def _writing() -> "WriterProperties":
    """How files are written.

    Where a column of text has statistics, no reader that takes the table for a dataset of pyarrow can filter by it: the
    library calls texts otherwise there.
    """
    from deltalake import ColumnProperties, WriterProperties  # noqa: PLC0415  an extra

    return WriterProperties(
        compression="ZSTD",
        max_row_group_size=_ROWS_AT_ONCE,
        default_column_properties=ColumnProperties(statistics_enabled="NONE"),
        column_properties={name: ColumnProperties(statistics_enabled="CHUNK") for name in parquet_file.TIMES},
    )


def _merge(table: "DeltaTable", part: TablePart, number: int, new: "pa.RecordBatchReader") -> None:
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
    table: "DeltaTable", part: TablePart, number: int, new: "pa.RecordBatchReader", ids: "pa.StringArray"
) -> None:
    """The same without a join, which holds all that is new at once: have the others written again."""
    import pyarrow as pa  # noqa: PLC0415  an extra, and slow to import
    from pyarrow import compute  # noqa: PLC0415  as above

    def others() -> "Iterator[pa.RecordBatch]":
        found = _batches(table, part, new.schema.names)
        # The thread that writes is the library's, which reads in none of its own.
        while (batch := os_limits.result_of(lambda: next(found, None))) is not None:
            yield batch.filter(compute.invert(compute.is_in(batch.column(new.schema.names.index(_ID)), ids)))

    _overwrite(table, part, number, pa.RecordBatchReader.from_batches(new.schema, chain(others(), new)))


def _overwrite(table: "DeltaTable", part: TablePart, number: int, found: "pa.RecordBatchReader") -> None:
    from deltalake import write_deltalake  # noqa: PLC0415  an extra

    write_deltalake(
        table,
        found,
        mode="overwrite",
        predicate=f"{PROFILE} = {_literal(part)}",
        writer_properties=_writing(),
        commit_properties=_commit(part, number),
    )


def records(table: "DeltaTable", part: TablePart, only: "pa.StringArray | None" = None) -> Iterator[bytes]:
    """The records of a part, or only those with some ids."""
    from pyarrow import compute  # noqa: PLC0415  an extra, and slow to import

    for batch in _batches(table, part, [_ID, _RECORD]):
        same = batch if only is None else batch.filter(compute.is_in(batch.column(0), only))
        for record in same.column(1).to_pylist():
            yield record.encode()


def _batches(table: "DeltaTable", part: TablePart, columns: list[str]) -> "Iterator[pa.RecordBatch]":
    """The rows of a part, some thousands at a time."""
    from pyarrow import dataset  # noqa: PLC0415  an extra, and slow to import

    wanted = dataset.field(PROFILE) == part.columns.profile
    found = table.to_pyarrow_dataset().scanner(
        columns=columns, filter=wanted, batch_size=_ROWS_AT_ONCE, batch_readahead=1, fragment_readahead=1
    )
    yield from found.to_batches()


def _literal(part: TablePart) -> str:
    """The name of the part as SQL has it: other parts are neither read nor in conflict."""
    name = part.columns.profile.replace("'", "''")
    return f"'{name}'"
