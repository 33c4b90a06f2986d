"""Named bytes in an object store: put whole, created at most once, listed, removed."""

import os
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from unified_cli.errors import ConfigError, StorageError
from unified_cli.storage.object_store import store_errors
from unified_cli.storage.object_store.store_url import StoreUrl

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_TIMEOUT = timedelta(seconds=60)
_RETRY_TIMEOUT = timedelta(seconds=90)
_RETRIES = 6
# As the stores' own tools spell it.
_CLEAR_TEXT = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP")
_OTHERS = 0o077


def check() -> None:
    """Raise ConfigError where the library that reaches object stores is not installed."""
    if find_spec("obstore") is None:
        raise ConfigError("object stores need the package obstore", hint="pip install obstore")


class StoredObjects:
    """The objects below a URL, each known by its path from there.

    `file://` makes the folder; from then on nothing that this process makes is open to others.

    Credentials come from the environment, as the store's own tools take them. All methods raise StorageError, for a
    store that does not answer with the exit code of a network, for one that refuses with that of a configuration.
    """

    def __init__(self, url: StoreUrl, store: "ObjectStore") -> None:
        self.url = url
        self._store = store

    @classmethod
    def at(cls, url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> Self:
        """The objects below the URL, whose folder is made where it is one and missing; nothing is sent.

        Raises ConfigError without the library, StorageError.
        """
        check()
        from obstore import exceptions  # noqa: PLC0415  an extra

        if url.is_folder:
            # The library gives files the rights that the process leaves open, and its threads share them.
            os.umask(_OTHERS)
        try:
            return cls(url, _opened(url, environ, make=make))
        except (exceptions.BaseError, ValueError, OSError) as error:
            raise store_errors.error_of(url, "open", error) if url.is_folder else store_errors.unusable(url) from None

    def get(self, path: str) -> bytes | None:
        """The bytes of an object, None where there is none."""
        with self._failing("read"):
            try:
                content: bytes = self._store.get(path).bytes().to_bytes()
            except FileNotFoundError:
                return None
            return content

    def put(self, path: str, data: bytes) -> None:
        """Write an object, whole; what was there is replaced."""
        with self._failing("write to"):
            self._store.put(path, data, use_multipart=False)

    def create(self, path: str, data: bytes) -> bool:
        """Write an object unless there is one; says whether the one that is there has these bytes.

        They must be unlike those of any other writer: a put whose answer is lost is repeated, and meets itself.
        """
        from obstore import exceptions  # noqa: PLC0415  as above

        with self._failing("write to"):
            try:
                self._store.put(path, data, mode="create", use_multipart=False)
            except exceptions.AlreadyExistsError:
                return self.get(path) == data
        return True

    def sizes(self, folder: str) -> dict[str, int]:
        """The names of all objects below the folder, as paths from it, in their order, each with its bytes."""
        with self._failing("list"):
            found = {meta["path"]: meta["size"] for batch in self._store.list(folder) for meta in batch}
        return {path.removeprefix(f"{folder}/"): found[path] for path in sorted(found)}

    def names(self) -> list[str]:
        """The names of the objects that are in no folder."""
        with self._failing("list"):
            return sorted(meta["path"] for meta in self._store.list_with_delimiter()["objects"])

    def remove(self, paths: Collection[str]) -> None:
        """Remove those of the objects that are there."""
        for path in paths:
            with self._failing("remove from"):
                try:
                    self._store.delete(path)
                except FileNotFoundError:
                    continue

    @contextmanager
    def _failing(self, what: str) -> Generator[None]:
        from obstore import exceptions  # noqa: PLC0415  as above

        try:
            yield
        except StorageError:
            raise
        except (exceptions.BaseError, OSError) as error:
            raise store_errors.error_of(self.url, what, error) from None


def _opened(url: StoreUrl, environ: Mapping[str, str], *, make: bool) -> "ObjectStore":
    from obstore import store  # noqa: PLC0415  as above

    if url.is_folder:
        return store.LocalStore(url.prefix, mkdir=make)
    makers: dict[str, Callable[..., ObjectStore]] = {"s3": store.S3Store, "gs": store.GCSStore, "az": store.AzureStore}
    return makers[url.scheme](
        url.bucket,
        prefix=url.prefix or None,
        client_options={
            "timeout": _TIMEOUT,
            "allow_http": any(environ.get(name, "").lower() in {"1", "true"} for name in _CLEAR_TEXT),
        },
        retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRY_TIMEOUT},
    )
