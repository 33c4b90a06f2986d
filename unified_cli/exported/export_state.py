"""Combine the manifests at a destination.

A run has one manifest, but each task and each shard has its own. The latest manifest of
a list applies.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from urllib.parse import unquote

from unified_cli.errors import StateError
from unified_cli.exported import gone_ids, list_history
from unified_cli.exported.checkpoint import ListIdentity, TableRead
from unified_cli.exported.destination import Destination, InUseError
from unified_cli.exported.manifest import (
    NOT_READ,
    TIMESTAMPS,
    Manifest,
    ManifestEntry,
    is_of_task,
    list_of,
    manifest_of,
    no_export,
    without_lists,
)
from unified_cli.output import formats
from unified_cli.plural import counted

Entries = dict[str, ManifestEntry]
_UNKNOWN = ListIdentity("", {})
# The number of slashes in a list's file name: PROFILE/API/RESOURCE.
_SLASHES = 2
_TABLE = f".{formats.DELTA}"


def manifests(
    destination: Destination, *, beside: str = "", damaged: bool = False
) -> dict[str, Manifest]:
    """Return the manifests at a destination, by name.

    With `beside`, the name of a manifest, return only the others that may have the same
    lists. Raises StateError if a manifest is damaged, unless `damaged` skips it, and
    StorageError if reading fails.
    """
    result = {}
    for name in destination.manifests():
        if beside == name or (is_of_task(beside) and is_of_task(name)):
            continue
        with suppress(StateError) if damaged else nullcontext():
            if (found := manifest_at(destination, name)) is not None:
                result[name] = found
    return result


def manifest_at(destination: Destination, name: str) -> Manifest | None:
    """Return a manifest at a destination, or None. Raises the same errors as
    `manifests`.
    """
    text = destination.read(name)
    return None if text is None else Manifest.from_text(text, name, str(destination))


def latest(found: Iterable[Manifest]) -> Entries:
    """Return the entries of each list. If several runs read a list, use the last run,
    and its format.
    """
    lists: dict[str, list[ManifestEntry]] = {}
    for manifest in found:
        of_run: dict[str, list[ManifestEntry]] = {}
        for entry in manifest.entries.values():
            of_run.setdefault(list_of(entry.file), []).append(entry)
        for name, entries in of_run.items():
            if name not in lists or _run_order(lists[name]) < _run_order(entries):
                lists[name] = entries
    return {entry.file: entry for entries in lists.values() for entry in entries}


def all_lists(found: Iterable[Manifest]) -> Entries:
    """Return the entries of `latest`, and one for each list that an unfinished run has
    not read yet.
    """
    found = [*found]
    entries = latest(found)
    known = {list_of(file) for file in entries}
    unread = {
        list_of(file): file
        for manifest in found
        if not manifest.ended
        for file in manifest.running
        if list_of(file) not in known and file.count("/") == _SLASHES
    }
    return entries | {file: _empty_entry(file, 0, _UNKNOWN) for file in unread.values()}


def read_times(entries: Entries, files: Collection[str]) -> dict[str, str]:
    """Return when each finished list was last read. A list is finished if it is
    complete or not offered.
    """
    listed = {file: entries[file] for file in files if file in entries}
    return {
        file: list_history.read_at(entry, entries)
        for file, entry in listed.items()
        if entry.complete or not entry.offered
    }


def known(destination: Destination, own: Manifest, *, damaged: bool = True) -> Entries:
    """Return the latest entries of all lists at a destination. `own` is the manifest of
    a run there.

    Raises the same errors as `manifests`.
    """
    beside = manifests(destination, beside=own.name, damaged=damaged)
    return latest([*beside.values(), own])


def take(destination: Destination, own: Manifest) -> None:
    """Fill a run's new manifest with the latest entries of its lists.

    Raises StateError if a manifest is damaged, and StorageError if the destination
    fails.
    """
    found = {**manifests(destination, beside=own.name), own.name: own}
    turn = _next_turn(found.values())
    lists = {list_of(name) for name in own.running}
    own.replaced = {*own.replaced} | {
        file for each in found.values() for file in each.replaced if list_of(file) in lists
    }
    for name, entries in _by_list(latest(found.values())).items():
        if name not in own.running:
            continue
        if any(own.entries.get(entry.file) is not entry for entry in entries):
            own.entries = {
                file: entry for file, entry in own.entries.items() if list_of(file) != list_of(name)
            } | {entry.file: replace(entry, turn=turn) for entry in entries}
        if len(entries) > 1 and not own.entries[name].complete:
            # An earlier run was killed while it restarted this list, so finish the
            # restart.
            _begin_anew(destination, own, [name], keep=False)


def take_anew(
    destination: Destination,
    own: Manifest,
    connections: Collection[str],
    identity_of: Callable[[str], ListIdentity],
    *,
    keep: bool,
) -> None:
    """Restart the lists of a run.

    Records their ids first. With `keep`, keeps the existing records. Raises UnsafeError
    if a folder is a link, and StorageError if the destination fails.
    """
    found = {**manifests(destination, beside=own.name, damaged=True), own.name: own}
    turn, known = _next_turn(found.values()), latest(found.values())
    first_files = {list_of(name): name for name in own.running}
    again, others = set[str](), set[str]()
    for each in found.values():
        for file in (*each.entries, *each.running, *each.replaced):
            first = first_files.get(list_of(file))
            if first and _suffix(file) != _suffix(first):
                # The new format replaces this file.
                others.add(file)
                again.add(first)
            elif first and (file in each.entries or file in each.replaced):
                again.add(file)
    again |= {file for file in own.running if _suffix(file) == _TABLE}
    readable = {name for name, first in first_files.items() if gone_ids.can_tell(first)}
    list_history.note_ids(
        destination,
        known,
        {entry.list_file for entry in known.values() if list_of(entry.file) in readable},
    )
    own.entries = {
        file: entry for file, entry in own.entries.items() if list_of(file) not in first_files
    } | {file: _empty_entry(file, turn, identity_of(first_files[list_of(file)])) for file in again}
    own.replaced = ({*own.replaced} - again) | others
    # Write the manifest before removing files, so that after a kill the next run can
    # remove the rest.
    destination.replace(own.name, own.text())
    _begin_anew(destination, own, own.running, keep=keep)
    for name in {manifest_of(connection) for connection in connections} & {
        *destination.manifests()
    }:
        if name not in found:
            destination.remove(name)


def _begin_anew(
    destination: Destination, own: Manifest, files: Collection[str], *, keep: bool
) -> None:
    list_history.forget(destination, own.entries, files, keep=keep)
    own.entries = {
        name: entry
        for name, entry in own.entries.items()
        if entry.list_file not in files or name == entry.list_file
    }


def removable(destination: Destination, own: Manifest) -> list[str]:
    """Return the replaced files to remove, because their list is complete in another
    format.

    The newest file of a list is first. Files that are in use again are no longer listed
    as replaced. Raises the same errors as `manifests`.
    """
    live = known(destination, own)
    complete = {list_of(entry.file) for entry in live.values() if entry.complete}
    complete -= {list_of(entry.file) for entry in live.values() if not entry.complete}
    places = {destination.place(file) for file in live}
    own.replaced = {file for file in own.replaced if destination.place(file) not in places}
    return sorted(
        (file for file in own.replaced if list_of(file) in complete),
        key=lambda file: (len(file), file),
        reverse=True,
    )


def check_free(destination: Destination, own: Manifest) -> None:
    """Raise InUseError if another run is reading a list of this run, in any format.

    Call it after writing the manifest of this run. Also raises StorageError.
    """
    lists = {list_of(file) for file in own.running}
    for name, other in manifests(destination, beside=own.name, damaged=True).items():
        shared = [file for file in other.running if list_of(file) in lists]
        if shared and not other.ended and destination.is_held(name):
            raise InUseError(f"another run reads {min(shared)} to {destination}")


def parquet_columns(destination: Destination) -> int:
    """Return the kind of columns in the Parquet files, as in `Manifest.parquet`.

    Raises StorageError.
    """
    found = manifests(destination, damaged=True).values()
    return next((manifest.parquet for manifest in found), TIMESTAMPS)


@dataclass(slots=True)
class ManifestCheck:
    """The result of `verify`: the number of compared files, the differences, and the
    missing parts: the reasons for files that are not complete, and sentences about
    connections. `done` counts the finished `lists`. `unfinished` has the manifests of
    unfinished runs.
    """

    done: int = 0
    lists: int = 0
    compared: int = 0
    differences: list[str] = field(default_factory=list)
    gaps: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


def verify(destination: Destination) -> ManifestCheck:
    """Compare the files at a destination with its manifests.

    Raises StateError if there is no export or a manifest is damaged, UnsafeError if a
    folder in the destination is a link, and StorageError if reading fails.
    """
    found = manifests(destination)
    if not found:
        raise no_export(destination)
    entries = all_lists(found.values())
    check = ManifestCheck(*count_done(entries))
    for name, manifest in found.items():
        # Ignore an unfinished run if later runs have read all its lists.
        has_any = any(entries.get(file) is entry for file, entry in manifest.entries.items())
        leaves_any = any(file in entries and entries[file].is_unread for file in manifest.running)
        is_empty = not manifest.entries and not manifest.running
        if manifest.ended is None and (has_any or leaves_any or is_empty):
            check.unfinished.append(name)
    for entry in entries.values():
        if entry.complete:
            check.compared += 1
            check.differences += [
                f"{entry.file}: {difference}" for difference in destination.differences(entry)
            ]
        elif entry.offered and not (entry.is_unread and check.unfinished):
            check.gaps[entry.file] = f"not complete: {entry.gap}"
    for name, listed in without_lists(entries.values()).items():
        check.missing.append(
            f"{name}: none of its {counted(len(listed), 'list')} is offered, so nothing was read"
        )
    return check


def count_done(entries: Entries) -> tuple[int, int]:
    """Return how many lists are done, and how many lists there are."""
    lists = _by_list(entries).values()
    done = sum(all(file.complete or not file.offered for file in files) for files in lists)
    return done, len(lists)


def _by_list(entries: Mapping[str, ManifestEntry]) -> dict[str, list[ManifestEntry]]:
    result: dict[str, list[ManifestEntry]] = {}
    for entry in entries.values():
        result.setdefault(entry.list_file, []).append(entry)
    return result


def _run_order(entries: Iterable[ManifestEntry]) -> tuple[int, str]:
    return max((entry.turn, max(entry.ended, entry.checked)) for entry in entries)


def _empty_entry(file: str, turn: int, identity: ListIdentity) -> ManifestEntry:
    profile, api, resource = list_of(file).rsplit("/", 2)
    return ManifestEntry(
        file,
        unquote(profile),
        "",
        "",
        api,
        resource,
        fingerprint=identity.digest,
        options={**identity.options},
        turn=turn,
        why=NOT_READ,
        table=TableRead(0, restart=secrets.token_hex(8)) if _suffix(file) == _TABLE else None,
    )


def _next_turn(found: Iterable[Manifest]) -> int:
    return 1 + max((entry.turn for each in found for entry in each.entries.values()), default=0)


def _suffix(file: str) -> str:
    return PurePosixPath(file).suffix
