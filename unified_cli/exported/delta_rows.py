"""Read the part of a connection in the Delta table of a list, as an export wrote it.

Import this module only to read a table, because its libraries are an extra.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from deltalake import DeltaTable, exceptions
from pyarrow import dataset, parquet

from unified_cli.errors import StorageError
from unified_cli.exported.manifest import ManifestEntry

_PROFILE, _RECORD = "_profile", "record"
_AT_ONCE = 1_000


def read(folder: Path, entry: ManifestEntry) -> Iterator[bytes]:
    """Yield the records of a connection's part. Raises StorageError."""
    path = folder / entry.api / entry.resource
    try:
        yield from records(DeltaTable(str(path)), entry.profile)
    except (exceptions.DeltaError, OSError, ValueError) as error:
        first = str(error).partition("\n")[0]
        raise StorageError(f"cannot read {path}: {first}") from None


def records(table: DeltaTable, profile: str) -> Iterator[bytes]:
    """Return the records of a part in this version of a table.

    Raises the errors of the libraries: FileNotFoundError if a file is gone, and OSError
    if one is damaged.
    """
    # Read one file at a time: if the records are processed slowly, a scanner of the
    # whole part buffers up to a gibibyte.
    files = [*table.to_pyarrow_dataset().get_fragments(dataset.field(_PROFILE) == profile)]
    return chain.from_iterable(map(_records, files))


def _records(file: dataset.Fragment) -> Iterator[bytes]:
    with parquet.ParquetFile(file.open(), page_checksum_verification=True) as content:
        for batch in content.iter_batches(_AT_ONCE, columns=[_RECORD]):
            for record in batch.column(0).to_pylist():
                yield record.encode()
