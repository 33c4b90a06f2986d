"""The interface of a destination: a folder of this machine, or of an object store."""

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from unified_cli.errors import StateError
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions, ListTarget
from unified_cli.exported.manifest import ManifestEntry


class InUseError(StateError):
    """Another run writes to the same place, and has said so lately."""


class Destination(Protocol):
    """A place for lists and manifests, whose names are paths with `/`. `str` returns
    the user's name for the place.

    All methods raise StateError if another program changed a file, UnsafeError if the
    place leads elsewhere, and StorageError.
    """

    save_seconds: float
    """How long the end of a list may wait until the manifest reports it, in seconds."""
    most_untold: int
    """How many ended lists may wait until the manifest reports them. Each of these
    lists may keep files open.
    """

    def hold(self, manifest: str) -> AbstractContextManager[None]:
        """Keep other runs with a manifest of this name out.

        Raises StateError or InUseError if such a run is under way.
        """

    def is_held(self, manifest: str) -> bool:
        """Return whether another run with a manifest of this name is under way."""

    def check_held(self) -> None:
        """Raise TakenOverError if another run has taken over this place."""

    def read(self, name: str) -> bytes | None:
        """Return a manifest, or a file beside a list, or None."""

    def replace(self, name: str, text: bytes) -> None:
        """Write a manifest or a file beside a list, whole."""

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ListTarget:
        """Return the target that a list is written to."""

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the complete list is there.

        The method may note in the entry which state of the file it has checked.

        Raises StateError if the list was changed.
        """

    def begin_anew(self, file: str, *, keep: bool) -> None:
        """Forget how far a list was read.

        The written part stays there, and with `keep` belongs to it.
        """

    def sweep(self, entry: ManifestEntry) -> None:
        """Remove the files that a killed run left beside a complete list."""

    def records(self, file: str) -> Iterator[bytes]:
        """Return the records of a complete list."""

    def remove(self, name: str) -> None:
        """Remove a list, a file beside one, or a manifest, if it is there."""

    def place(self, file: str) -> str:
        """Return the place of a file's content. Formats that share a place replace each
        other there.
        """

    def clear(self, file: str) -> None:
        """Remove a list, also one that was only begun, with all that is beside it."""

    def manifests(self) -> list[str]:
        """Return the names of all manifests."""

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Return the differences between a complete list and its entry, in words."""


class FilePlace(Destination, Protocol):
    """A destination that keeps its files itself: it may also keep the pages of lists
    that go into tables.
    """

    def check(self, folder: str) -> None:
        """Raise UnsafeError if the folder leads elsewhere, TakenOverError as
        `check_held` does.
        """

    def create(self, name: str, text: bytes) -> bool:
        """Write a small file unless there is one.

        Says whether this one is there now.
        """

    def listed(self, folder: str) -> list[str]:
        """Return the names of the files in a folder."""

    def drop(self, names: Collection[str]) -> None:
        """Remove small files."""

    def begun(self, file: str) -> Checkpoint | None:
        """Return the checkpoint of a list, or None. A list has one from its beginning
        until its files are tidied up after its end.
        """
