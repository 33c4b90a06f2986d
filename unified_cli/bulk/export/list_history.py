"""The complete files of a list that earlier runs wrote, and where the next one begins."""

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self

from unified_cli.bulk.export import increments, parquet_file
from unified_cli.bulk.export.increments import Increment
from unified_cli.bulk.export.manifest import Manifest, ManifestEntry
from unified_cli.errors import StateError, StorageError
from unified_cli.storage import folders, regular_file


class ListHistory(NamedTuple):
    """The files below `folder`: that of the whole list, and then those of what changed, in their order."""

    folder: Path
    entries: list[ManifestEntry]

    @classmethod
    def of(
        cls,
        folder: Path,
        first: ManifestEntry,
        entries: Mapping[str, ManifestEntry],
        is_there: Callable[[ManifestEntry], bool],
    ) -> Self:
        """The history that begins with this file. Raises StateError where a later one is gone or was changed."""
        found = [first]
        while (entry := entries.get(_name(first.file, len(found) + 1))) and entry.complete:
            if not is_there(entry):
                raise StateError(f"{folder / entry.file} is gone", hint="--restart starts anew")
            found.append(entry)
        return cls(folder, found)

    @property
    def next_file(self) -> str:
        """The name of the next file."""
        return _name(self.entries[0].file, len(self.entries) + 1)

    @property
    def has_records(self) -> bool:
        """Whether there is any record."""
        return any(entry.records for entry in self.entries)

    def next_increment(self, lag: float) -> Increment:
        """What the next file is to hold: how far the others came they say, or, where none does, their records.

        Raises StorageError.
        """
        marks = [entry.mark for entry in self.entries if entry.mark]
        return increments.after(
            marks or [increments.mark_of(partial(self._records, entry.file), lag) for entry in self.entries], lag
        )

    def _records(self, file: str) -> Iterator[bytes]:
        path = self.folder / file
        try:
            if path.suffix == ".parquet":
                yield from parquet_file.records(path)
                return
            with os.fdopen(regular_file.descriptor(path), "rb") as lines:
                yield from (line.removesuffix(b"\n") for line in lines)
        except OSError as error:
            raise StorageError(f"cannot read {path}: {error.strerror}") from None


def forget(folder: Path, name: str, files: Collection[str]) -> None:
    """Remove the manifest of that name, and what was added to the lists that begin with these files.

    The first files stay until there are new ones. Raises UnsafeError where a folder is a link, StorageError.
    """
    try:
        known = Manifest.open(folder / name, None, 0).entries
    except StateError:
        # Who starts anew may do so because it is damaged.
        known = {}
    try:
        for first in known.keys() & {*files}:
            number = 2
            while (file := _name(first, number)) in known:
                folders.check_below(folder, folder / file)
                (folder / file).unlink(missing_ok=True)
                number += 1
        (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"cannot remove {error.filename}: {error.strerror}") from None


def _name(file: str, number: int) -> str:
    path = PurePosixPath(file)
    return str(path.with_name(f"{path.stem}.{number}{path.suffix}"))
