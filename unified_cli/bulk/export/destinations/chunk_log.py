"""The log of a list in an object store: what is in each of its chunks, and how far the list was read after it.

An entry is made only where there is none, so of two writers one gets its number. The other one stops: it was taken for
dead, and its place was taken.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, NamedTuple

import msgspec

from unified_cli.bulk.export import increments
from unified_cli.bulk.export.checkpoint import Checkpoint, Count
from unified_cli.bulk.export.increments import Mark
from unified_cli.bulk.export.manifest import REMEDY
from unified_cli.errors import StateError
from unified_cli.storage import state
from unified_cli.storage.object_store.stored_objects import StoredObjects

_VERSION = 1
_NAME = re.compile(r"\d{6,}\.json", re.ASCII)


@dataclass(frozen=True, slots=True)
class Chunk:
    """An object with some pages of a list; `mark` says how far they go in time, if that was asked for.

    `tag` is what the store called these bytes; versions before took no note of it.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w.-]+$")]
    bytes: Count
    sha256: str
    mark: Mark | None = None
    tag: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for a time that is none."""
        increments.check_times(self.mark)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A chunk that was written by `writer`, or none where a writer began anew or took over.

    `state` is what follows, with the fingerprints of the cursors since the entry before. Entries before the number
    `first` hold no more. The entry that completes the list has the chunks of all.
    """

    number: Count
    writer: str
    first: Count
    chunk: Chunk | None
    state: Checkpoint
    chunks: tuple[Chunk, ...] = ()
    v: int = _VERSION


class LoggedList(NamedTuple):
    """What a log says: the chunks in their order, and the state after them; `number` is that of the last entry."""

    number: int
    first: int
    chunks: tuple[Chunk, ...]
    state: Checkpoint


class ChunkLog:
    """The entries of one list, which are objects in a folder of their own."""

    def __init__(self, objects: StoredObjects, folder: str) -> None:
        self._objects = objects
        self._folder = folder

    def last(self) -> LogEntry | None:
        """The newest entry. Raises StateError for a damaged one, StorageError."""
        number = self.newest()
        return self._read(_name(number)) if number else None

    def newest(self) -> int:
        """The number of the newest entry, 0 without any. Raises StorageError."""
        names = self._objects.sizes(self._folder)
        number = max((int(name.partition(".")[0]) for name in names if _NAME.fullmatch(name)), default=0)
        # A store may list an object some time after it can be read.
        while self._objects.stored(f"{self._folder}/{_name(number + 1)}"):
            number += 1
        return number

    def read(self) -> LoggedList | None:
        """What the whole log says; None for an empty one. Raises as `last` does."""
        last = self.last()
        if last is None:
            return None
        if last.state.complete:
            return LoggedList(last.number, last.first, last.chunks, last.state)
        entries = [*(self._read(_name(number)) for number in range(last.first, last.number)), last]
        # Whoever read the list anew, keeping its records, began with no page.
        anew = max((at for at, entry in enumerate(entries) if not entry.state.pages), default=0)
        seen = [one for entry in entries[anew:] for one in entry.state.seen]
        chunks = tuple(entry.chunk for entry in entries if entry.chunk)
        return LoggedList(last.number, last.first, chunks, replace(last.state, seen=seen))

    def entry(self, number: int) -> LogEntry:
        """The entry with this number. Raises StateError where it is damaged or gone, StorageError."""
        return self._read(_name(number))

    def add(self, entry: LogEntry) -> bool:
        """Make the entry; says whether it is there, and not another writer's. Raises StorageError."""
        text = {**asdict(entry), "state": entry.state.members()}
        return self._objects.create(f"{self._folder}/{_name(entry.number)}", json.dumps(text).encode())

    def _read(self, name: str) -> LogEntry:
        path = f"{self._folder}/{name}"
        text = self._objects.get(path)
        entry = None if text is None else state.decoded(text, LogEntry)
        if entry is None or entry.v != _VERSION or _name(entry.number) != name:
            raise StateError(f"{self._objects.url}/{path} is damaged, gone or of another version", hint=REMEDY)
        return entry


def total(chunks: Sequence[Chunk]) -> int:
    """The bytes of the chunks."""
    return sum(chunk.bytes for chunk in chunks)


def _name(number: int) -> str:
    return f"{number:06}.json"
