"""What an export needs of the place it goes to."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Protocol

from unified_cli.bulk.export.checkpoint import ListIdentity
from unified_cli.bulk.export.list_export import ListExportOptions
from unified_cli.bulk.export.list_target import ListTarget
from unified_cli.bulk.export.manifest import ManifestEntry
from unified_cli.errors import StateError


class InUseError(StateError):
    """Another run writes to the same place, and has said so lately."""


class Destination(Protocol):
    """A place for lists and manifests; both have names with `/` as paths have. Its text is how a user names it.

    All methods raise StateError for what another program changed, UnsafeError where the place leads elsewhere, and
    StorageError.
    """

    save_seconds: float
    """How long what ended may wait to be told in the manifest."""
    most_untold: int
    """How many lists that ended may wait for that; each of them may keep files open."""

    def hold(self, manifest: str) -> AbstractContextManager[None]:
        """Keep other runs with a manifest of this name out. Raises StateError or InUseError where one is under way."""

    def check_held(self) -> None:
        """Raise TakenOverError where another run has taken over from the one that holds it."""

    def read(self, manifest: str) -> bytes | None:
        """A manifest; None where there is none."""

    def replace(self, manifest: str, text: bytes) -> None:
        """Write a manifest, whole."""

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ListTarget:
        """What a list is written to."""

    def holds(self, entry: ManifestEntry) -> bool:
        """Whether the complete list is there; the entry may note what that was judged by.

        Raises StateError where the list was changed.
        """

    def sweep(self, file: str) -> None:
        """Remove what a run that was killed left beside a complete list."""

    def records(self, file: str) -> Iterator[bytes]:
        """The records of a complete list."""

    def remove(self, name: str) -> None:
        """Remove a list or a manifest, if it is there."""

    def manifests(self) -> list[str]:
        """The names of all manifests."""

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """How a complete list is not what its entry says."""
