"""The interface of destinations: local folders and object stores."""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from unified_cli.errors import StateError
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions, ListTarget
from unified_cli.exported.manifest import ManifestEntry


class InUseError(StateError):
    """Another run is writing to the same destination."""


class Destination(Protocol):
    """A destination for lists and manifests, whose names are paths with `/`.

    `str` returns the name that the user gave. All methods raise StateError if another
    program changed a file, UnsafeError if a folder is a link, and StorageError.
    """

    save_seconds: float
    """How long a finished list may be missing from the manifest after a crash, in
    seconds.
    """
    most_unreported: int
    """How many finished lists may be missing from the manifest. Each may keep files
    open.
    """

    def hold(self, manifest: str) -> AbstractContextManager[None]:
        """Lock the manifest during the block.

        Raises StateError or InUseError if another run has locked it.
        """

    def is_held(self, manifest: str) -> bool:
        """Return whether another run holds the lock."""

    def check_held(self) -> None:
        """Raise TakenOverError if another run has taken over the lock."""

    def read(self, name: str) -> bytes | None:
        """Return the content of a manifest or a file beside a list, or None."""

    def replace(self, name: str, text: bytes) -> None:
        """Write a manifest or a file beside a list, atomically."""

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ListTarget:
        """Return the target for the pages of a list."""

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the complete list exists.

        May record in the entry when the file was checked. Raises StateError if the list
        was changed.
        """

    def begin_anew(self, file: str, *, keep: bool) -> None:
        """Prepare a list for a new read: discard its progress. With `keep`, keep the
        written records.
        """

    def sweep(self, entry: ManifestEntry) -> None:
        """Remove the files that a killed run left beside a complete list."""

    def records(self, file: str) -> Iterator[bytes]:
        """Return the records of a complete list."""

    def remove(self, name: str) -> None:
        """Remove a list, a file beside a list, or a manifest, if it exists."""

    def place(self, file: str) -> str:
        """Return where the content of a file is.

        Formats with the same place replace each other.
        """

    def clear(self, file: str) -> None:
        """Remove a list, complete or not, with all files beside it."""

    def manifests(self) -> list[str]:
        """Return the names of all manifests."""

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Return the differences between a complete list and its entry, in words."""


class FilePlace(Destination, Protocol):
    """A destination that stores files, including the pages of lists that are written to
    tables.
    """

    def check(self, folder: str) -> None:
        """Raise UnsafeError if the folder is a link, and TakenOverError as `check_held`
        does.
        """

    def create(self, name: str, text: bytes) -> bool:
        """Write a small file unless it exists, and return whether it was written."""

    def listed(self, folder: str) -> list[str]:
        """Return the names of the files in a folder."""

    def drop(self, names: Collection[str]) -> None:
        """Remove small files."""

    def read_checkpoint(self, file: str) -> Checkpoint | None:
        """Return the checkpoint of an unfinished list, or None."""
