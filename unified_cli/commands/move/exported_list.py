"""The records of one list in the folder of an export, those that later runs added in place of the older ones."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self

from unified_cli.catalogue import Resource
from unified_cli.commands.move.side import SideFacts, identifier_in
from unified_cli.errors import IncompleteError, StateError, UsageError
from unified_cli.exported.destination import Destination
from unified_cli.exported.list_history import ListHistory
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import NAME, Manifest, ManifestEntry
from unified_cli.runtime import Runtime

_READABLE = (".ndjson", ".parquet")


class ExportedList(NamedTuple):
    """The complete files of a list."""

    facts: SideFacts
    history: ListHistory

    @classmethod
    def find(cls, runtime: Runtime, path: Path, resource: Resource) -> Self:
        """The list in an export, or in the folder of one of its profiles.

        Raises UsageError where it is not there or there are several, IncompleteError where it is not complete,
        StateError where it was changed, StorageError.
        """
        # An export in shards has a manifest for each.
        profile = None if LocalFolder(runtime, path).manifests() else path.name
        folder = path if profile is None else path.parent
        destination = LocalFolder(runtime, folder)
        entries = {name: entry for name, entry in _entries(destination).items() if profile in {None, entry.profile}}
        first = _first(entries, resource, path)
        if not first.complete or not destination.holds(first):
            why = f"{folder / first.file} is not complete: {first.why or 'the file is gone'}"
            raise IncompleteError(why, hint="run the export again")
        facts = SideFacts("folder", written(path), first.origin, first.account_id)
        return cls(facts, ListHistory.of(destination, first, entries))

    def records(self) -> Iterator[bytes]:
        """The newest state of each record. Raises StorageError."""
        newer: set[bytes] = set()
        destination, entries = self.history
        for entry in reversed(entries):
            here: set[bytes] = set()
            for record in destination.records(entry.file):
                identifier = identifier_in(record)
                if identifier not in newer:
                    yield record
                if entry is not entries[0]:
                    here.add(identifier)
            newer |= here


def written(path: Path) -> str:
    """The name of a file or folder as it can be written in UTF-8."""
    return str(path).encode("utf-8", "backslashreplace").decode()


def _entries(destination: Destination) -> dict[str, ManifestEntry]:
    found: dict[str, ManifestEntry] = {}
    for name in destination.manifests():
        found |= Manifest.of(destination.read(name) or b"", name, str(destination)).entries
    if not found:
        raise StateError(f"{destination} holds no {NAME}, so it is no export")
    return found


def _first(entries: dict[str, ManifestEntry], resource: Resource, path: Path) -> ManifestEntry:
    """The file with the whole list. Raises UsageError where there is none, or one of each of several profiles."""
    wanted = f"{resource.api}/{resource.name}"
    found = [
        entry
        for entry in entries.values()
        if (entry.api, entry.resource) == (resource.api, resource.name)
        and PurePosixPath(entry.file).stem == resource.name
        and entry.offered
    ]
    readable = [entry for entry in found if PurePosixPath(entry.file).suffix in _READABLE]
    if not readable:
        said = (
            f"{path} holds {wanted} in no format that keeps records as they are" if found else f"no {wanted} in {path}"
        )
        raise UsageError(said, hint="export --format ndjson" if found else f"unified export {wanted} --to {path}")
    if len({entry.profile for entry in readable}) > 1:
        names = ", ".join(sorted(f"{path}/{entry.profile}" for entry in readable))
        raise UsageError(f"{path} holds {wanted} of several profiles", hint=f"name one of {names}")
    return readable[0]
