"""Read the lists of an export in a local folder."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import dropwhile
from pathlib import Path, PurePosixPath

from unified_cli.catalogue import Operation, Resource
from unified_cli.errors import ConfigError, IncompleteError, UsageError
from unified_cli.exported import export_state
from unified_cli.exported.destination import Destination
from unified_cli.exported.list_history import ListHistory
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import ManifestEntry, no_export
from unified_cli.installation import command_to_add
from unified_cli.json_text.members import member
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_READABLE = {".ndjson": "NDJSON", ".parquet": "Parquet", ".delta": "Delta"}
_NULL = b"null"
# The most profiles to name in a suggested command.
_MOST_NAMED = 10
Words = Callable[[Runtime, str], Sequence[str]]
"""Returns the words of the command that exported to a place. Empty if unknown."""


class ExportedLists:
    """The lists in an export, or in the folder of one of its profiles. `words` returns
    the command of the export, for errors.
    """

    def __init__(self, runtime: Runtime, path: Path, words: Words) -> None:
        """Raises StateError if there is no export, and StorageError if it cannot be
        read.
        """
        # A folder without a manifest is the folder of a profile.
        of_profile = not LocalFolder(runtime, path).manifests()
        if of_profile and not LocalFolder(runtime, path.parent).manifests():
            raise no_export(path)
        profile = path.name if of_profile else None
        self._path = path
        self.folder = path if profile is None else path.parent
        self._destination = LocalFolder(runtime, self.folder)
        self._words = partial(words, runtime, str(self.folder))
        every = _entries(self._destination)
        self._done = lists_done(*export_state.count_done(every))
        self._entries = {
            name: entry for name, entry in every.items() if profile in {None, entry.profile}
        }

    def entries_of(self, resource: Resource | Operation) -> list[ManifestEntry]:
        """Return the entry of each profile's first file.

        This includes the profiles that do not offer the list. Raises UsageError if no
        entry can be read, and IncompleteError if the export has not reached the list.
        """
        name = resource.name if isinstance(resource, Resource) else resource.resource
        wanted = f"{resource.api}/{name}"
        found = [
            entry
            for entry in self._entries.values()
            if (entry.api, entry.resource) == (resource.api, name)
            and PurePosixPath(entry.file).stem == name
        ]
        offered = [entry for entry in found if entry.offered]
        kinds = {PurePosixPath(entry.file).suffix for entry in offered}
        if kinds and not kinds & _READABLE.keys():
            other_formats = ", ".join(sorted(kind.removeprefix(".") for kind in kinds))
            raise UsageError(
                f"{self._path} has {wanted} as {other_formats}, but records can only be read from"
                " NDJSON, Parquet and Delta",
                hint=f"unified export {wanted} --to DIR --format ndjson, into another folder",
            )
        if not offered:
            raise self._no_list_error(wanted, found)
        if all(entry.is_unread for entry in offered):
            raise self._unfinished_error()
        readable = {
            entry.profile: entry
            for entry in found
            if not entry.offered or PurePosixPath(entry.file).suffix in _READABLE
        }
        return [*readable.values()]

    def only(self, resource: Resource | Operation) -> ManifestEntry:
        """Return the entry of a list's first file.

        Raises UsageError if several profiles have the list, or it cannot be read.
        """
        found = [entry for entry in self.entries_of(resource) if entry.offered]
        if len({entry.profile for entry in found}) > 1:
            names = ", ".join(sorted(f"{self._path}/{entry.profile}" for entry in found))
            wanted = f"{found[0].api}/{found[0].resource}"
            hint = f"name the folder of one profile: {names}"
            if any(entry.table for entry in found):
                hint = f"unified export {wanted} -p NAME --to DIR, into another folder"
            raise UsageError(f"{self._path} holds {wanted} of several profiles", hint=hint)
        return found[0]

    def newest(self, first: ManifestEntry) -> Iterator[bytes]:
        """Yield the newest state of each record in the list that begins with this file.

        Raises IncompleteError if the export is not finished, StateError if a file was
        changed, and StorageError if reading fails.
        """
        if first.complete and first.table is not None:
            return _rows(self.folder, first)
        if first.is_unread:
            raise self._unfinished_error()
        if not first.complete or not self._destination.holds(first):
            why = f"{self.folder / first.file} is not complete: {first.gap or 'the file is gone'}"
            raise with_command(IncompleteError(why), self._words())
        return _newest(ListHistory.from_first(self._destination, first, self._entries))

    def _unfinished_error(self) -> IncompleteError:
        return with_command(unfinished_error(self.folder, self._done), self._words())

    def _no_list_error(self, wanted: str, found: Sequence[ManifestEntry]) -> UsageError:
        if found:
            owners = named(sorted(entry.profile for entry in found), _MOST_NAMED)
            return UsageError(f"no {wanted} in {self._path}, because {owners} did not offer it")
        error = UsageError(f"no {wanted} in {self._path}")
        options = [*dropwhile(lambda word: not word.startswith("-"), self._words())]
        names = sorted({entry.profile for entry in self._entries.values()})
        if not options and len(names) <= _MOST_NAMED:
            options = [*(word for name in names for word in ("-p", name)), "--to", str(self.folder)]
        if options:
            error.next_command = shlex.join(["unified", "export", wanted, *options])
        return error


def _rows(folder: Path, entry: ManifestEntry) -> Iterator[bytes]:
    """Return the records of a part of a Delta table.

    Raises ConfigError if the packages that read it are missing, and StorageError if
    reading fails.
    """
    if find_spec("deltalake") is None or find_spec("pyarrow") is None:
        raise ConfigError(
            "a Delta table needs the packages deltalake and pyarrow",
            hint=command_to_add("deltalake>=1.6", "pyarrow"),
        )
    from unified_cli.exported import delta_rows  # noqa: PLC0415  an extra

    return delta_rows.read(folder, entry)


def identifier_in(record: bytes) -> bytes:
    """Return the id of a record as JSON text, or `null`."""
    return member(record, "id") or _NULL


def _newest(history: ListHistory) -> Iterator[bytes]:
    destination, entries = history
    if len(entries) == 1:
        yield from destination.records(entries[0].file)
        return
    newer: set[bytes] = set()
    for entry in reversed(entries):
        here: set[bytes] = set()
        for record in destination.records(entry.file):
            identifier = identifier_in(record)
            if identifier not in newer:
                yield record
            if entry is not entries[0] and identifier != _NULL:
                here.add(identifier)
        newer |= here


def lists_done(done: int, total: int) -> str:
    """Return how many lists are done, in words."""
    return f"{done} of {counted(total, 'list')} done"


def unfinished_error(place: object, done: str) -> IncompleteError:
    """Return the error for an unfinished export."""
    return IncompleteError(f"{place} is not finished: {done}")


def with_command(error: IncompleteError, words: Sequence[str]) -> IncompleteError:
    """Return the error with this export command as the next step."""
    if words:
        error.next_command = shlex.join(words)
    else:
        error.add_hint("run the export again")
    return error


def _entries(destination: Destination) -> dict[str, ManifestEntry]:
    if result := export_state.all_lists(export_state.manifests(destination).values()):
        return result
    raise no_export(destination)
