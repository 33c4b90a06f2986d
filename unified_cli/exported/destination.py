"""The interface of a destination, and the check that every file in its manifests is
there.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from unified_cli.errors import StateError
from unified_cli.exported.checkpoint import Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions, ListTarget
from unified_cli.exported.manifest import (
    TIMESTAMPS,
    Manifest,
    ManifestEntry,
    no_export,
    without_lists,
)
from unified_cli.plural import counted


class InUseError(StateError):
    """Another run writes to the same place, and has said so lately."""


class Destination(Protocol):
    """A place for lists and manifests; both have names with `/` as paths have. Its text
    is how a user names it.

    All methods raise StateError for what another program changed, UnsafeError where the
    place leads elsewhere, and StorageError.
    """

    save_seconds: float
    """How long what ended may wait to be reported in the manifest."""
    most_untold: int
    """How many lists that ended may wait for that; each of them may keep files open."""

    def hold(self, manifest: str) -> AbstractContextManager[None]:
        """Keep other runs with a manifest of this name out.

        Raises StateError or InUseError if one is under way.
        """

    def check_held(self) -> None:
        """Raise TakenOverError if another run has taken over from the one that holds
        it.
        """

    def read(self, name: str) -> bytes | None:
        """Return a manifest, or a file beside a list, or None."""

    def replace(self, name: str, text: bytes) -> None:
        """Write a manifest or a file beside a list, whole."""

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ListTarget:
        """Return what a list is written to."""

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the complete list is there.

        The entry may note what that was judged by.

        Raises StateError where the list was changed.
        """

    def begin_anew(self, file: str, *, keep: bool) -> None:
        """Forget how far a list was read.

        The written part stays there, and with `keep` belongs to it.
        """

    def sweep(self, entry: ManifestEntry) -> None:
        """Remove what a run that was killed left beside a complete list."""

    def records(self, file: str) -> Iterator[bytes]:
        """Return the records of a complete list."""

    def remove(self, name: str) -> None:
        """Remove a list, a file beside one, or a manifest, if it is there."""

    def manifests(self) -> list[str]:
        """Return the names of all manifests."""

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Return how a complete list is not what its entry says."""


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

    def is_empty(self, folder: str) -> bool:
        """Return whether nothing is in a folder."""

    def begun(self, file: str) -> Checkpoint | None:
        """Return how far a list is that was begun, or ended and not tidied up, or None
        if nothing was.
        """

    def clear(self, file: str) -> None:
        """Remove a list, also one that was only begun, with all that is beside it."""


@dataclass(slots=True)
class ManifestCheck:
    """How many files were compared with their manifest, what differs, and what was
    never completed.
    """

    compared: int = 0
    differences: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def parquet_columns(destination: Destination) -> int:
    """Return which columns the Parquet files of other manifests have, as
    `Manifest.parquet` says it, for one more beside them.

    Raises StorageError.
    """
    for name in destination.manifests():
        # Anyone who uses a damaged one is reported.
        with suppress(StateError):
            return Manifest.of(destination.read(name) or b"", name, str(destination)).parquet
    return TIMESTAMPS


def verify(destination: Destination) -> ManifestCheck:
    """Compare the files at a destination with its manifests.

    Raises StateError if it does not exist, or a damaged one; UnsafeError where a folder
    in it is a link; StorageError.
    """
    found = destination.manifests()
    if not found:
        raise no_export(destination)
    check = ManifestCheck()
    entries: list[ManifestEntry] = []
    for name in found:
        manifest = Manifest.of(destination.read(name) or b"", name, str(destination))
        entries += manifest.entries.values()
        if manifest.ended is None:
            check.missing.append(f"{name}: the export has not come to its end")
        for entry in manifest.entries.values():
            if entry.complete:
                check.compared += 1
                check.differences += [
                    f"{entry.file}: {said}" for said in destination.differences(entry)
                ]
            elif entry.offered:
                check.missing.append(f"{entry.file}: not complete: {entry.why}")
    for name, of_it in without_lists(entries).items():
        check.missing.append(
            f"{name}: none of its {counted(len(of_it), 'list')} is offered, so nothing was read"
        )
    return check
