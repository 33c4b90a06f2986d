"""Find the files of a list that earlier runs completed."""

from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple, Self

from unified_cli.errors import StateError
from unified_cli.exported import gone_ids
from unified_cli.exported.checkpoint import START_ANEW
from unified_cli.exported.destination import Destination
from unified_cli.exported.increments import Mark
from unified_cli.exported.manifest import ManifestEntry


class ListHistory(NamedTuple):
    """The files of a list at a destination: the whole list, then later changes in
    order.
    """

    destination: Destination
    entries: list[ManifestEntry]

    @classmethod
    def from_first(
        cls, destination: Destination, first: ManifestEntry, entries: Mapping[str, ManifestEntry]
    ) -> Self:
        """Return the history that begins with this file.

        Raises StateError if a later file is missing or was changed.
        """
        found = [first, *_later_files(first, entries)]
        for entry in found[1:]:
            if not destination.holds(entry):
                raise StateError(f"{destination}/{entry.file} is gone", hint=START_ANEW)
        return cls(destination, found)

    def then(self, entry: ManifestEntry) -> Self:
        """Return the history, extended by a file. The history of a table always has
        only one entry.
        """
        return self._replace(entries=[entry] if entry.table else [*self.entries, entry])

    @property
    def next_file(self) -> str:
        """The name of the next file."""
        return _name(self.entries[0].file, len(self.entries) + 1)

    @property
    def has_records(self) -> bool:
        """Whether there are any records."""
        return any(entry.table.rows if entry.table else entry.records for entry in self.entries)

    @property
    def marks(self) -> list[Mark]:
        """The marks of the files, in order."""
        return [mark for entry in self.entries for mark in entry.marks]


def check_end(
    destination: Destination, first: ManifestEntry, entries: Mapping[str, ManifestEntry]
) -> None:
    """Raise StateError if the last file of a list is missing.

    It is missing if a run was killed while it restarted the list. A restart removes the
    last file first, so if the last file exists, all files exist.
    """
    *_, last = (first, *_later_files(first, entries))
    if last is not first and not destination.holds(last):
        raise StateError(f"{destination}/{last.file} is gone", hint=START_ANEW)


def read_at(first: ManifestEntry, entries: Mapping[str, ManifestEntry]) -> str:
    """Return the time at which the list of this file was last read."""
    return max(max(entry.ended, entry.checked) for entry in (first, *_later_files(first, entries)))


def sweep(
    destination: Destination, first: ManifestEntry, entries: Mapping[str, ManifestEntry]
) -> None:
    """Remove files that a killed run left next to the complete files of a list."""
    for entry in (first, *_later_files(first, entries)):
        destination.sweep(entry)


def _later_files(
    first: ManifestEntry, entries: Mapping[str, ManifestEntry]
) -> Iterator[ManifestEntry]:
    number = 2
    while (entry := entries.get(_name(first.file, number))) and entry.complete:
        yield entry
        number += 1


def note_ids(
    destination: Destination, known: Mapping[str, ManifestEntry], files: Collection[str]
) -> None:
    """Store the ids of these lists before a full read.

    `files` are the first files of the lists. Raises UnsafeError if a folder is a link,
    and StorageError if writing fails.
    """
    for first in sorted(files):
        if first in known and known[first].complete:
            gone_ids.keep(destination, [known[first], *_later_files(known[first], known)])


def forget(
    destination: Destination, every: Collection[str], files: Collection[str], *, keep: bool
) -> None:
    """Remove the later files of the lists that begin with these files.

    The first files stay: the run replaces them or, with `keep`, appends to them.
    `every` has the files in all manifests. Raises the same errors as `note_ids`.
    """
    for first in sorted(files):
        number = 2
        while _name(first, number) in every:
            number += 1
        # Remove the newest file first, so that older versions notice that the list is
        # incomplete.
        for later in range(number - 1, 1, -1):
            destination.remove(_name(first, later))
    for first in sorted(files):
        destination.begin_anew(first, keep=keep)


def _name(file: str, number: int) -> str:
    path = PurePosixPath(file)
    return str(path.with_name(f"{path.stem}.{number}{path.suffix}"))
