"""An export in an object store, or on a disk that machines share."""

from unified_cli.errors import UsageError
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.storage.object_store import StoredObjects


def objects(runtime: Runtime, text: str, *, make: bool) -> StoredObjects:
    """The objects below the URL of a store; `make` makes the folder of a `file://`.

    Raises UsageError for what is no such URL, UnsafeError for one with credentials, ConfigError where the library for
    object stores is missing, StorageError.
    """
    url = object_store.parse_url(text)
    if url is None:
        raise UsageError(
            "an engine writes to an object store or a shared disk", hint="--to s3://BUCKET/DIR, or --to file:///DIR"
        )
    return StoredObjects.at(url, runtime.environ, make=make)
