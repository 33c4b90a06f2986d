"""The places an export can go to, as the user names them: a folder, or the URL of one in an object store."""

from pathlib import Path

from unified_cli.errors import UsageError
from unified_cli.exported.destination import Destination, FilePlace
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.storage.object_store import StoredObjects


def destination(runtime: Runtime, text: str, *, make: bool, tables: bool = False) -> Destination:
    """The place; `make` makes the folder of a `file://`, with `tables` its lists may be parts of tables.

    Raises UsageError for a URL that names no place, UnsafeError for one with credentials, ConfigError where the library
    for object stores is missing, StorageError.
    """
    files = _files(runtime, text, make=make)
    if not tables:
        return files
    from unified_cli.commands.export.tables.table_folder import TableFolder  # noqa: PLC0415  most are files

    return TableFolder(runtime, text, files)


def _files(runtime: Runtime, text: str, *, make: bool) -> FilePlace:
    url = object_store.parse_url(text)
    if url is None:
        return LocalFolder(runtime, Path(text))
    from unified_cli.commands.export.stores.folder import StoreFolder  # noqa: PLC0415  most exports go to a folder

    return StoreFolder(runtime, objects(runtime, text, make=make))


def objects(runtime: Runtime, text: str, *, make: bool) -> StoredObjects:
    """The objects below the URL of a store. Raises as `destination` does, UsageError for a folder that is none."""
    url = object_store.parse_url(text)
    if url is None:
        raise UsageError(
            "an engine writes to an object store or a shared disk", hint="--to s3://BUCKET/DIR, or --to file:///DIR"
        )
    return StoredObjects.at(url, runtime.environ, make=make)
