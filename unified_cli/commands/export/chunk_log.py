"""Store the log of a list in an object store: its chunks and its progress.

An entry is created only if it does not exist, so only one of two writers can use a
number. The other writer must stop, because another run has taken over.
"""

import hashlib
import io
import json
import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import PurePosixPath
from typing import Annotated, NamedTuple, Self

import msgspec

from unified_cli.errors import StateError
from unified_cli.exported import parquet_file
from unified_cli.exported.checkpoint import START_ANEW, Checkpoint, Count
from unified_cli.exported.list_export import TakenOverError
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.storage import state
from unified_cli.storage.object_store import Stored, StoredObjects

_VERSION = 1
_NAME = re.compile(r"\d{6,}\.json", re.ASCII)


class ListPlace(NamedTuple):
    """The log of a list, and its chunks: objects in `folder` whose names begin with
    `begin`.
    """

    folder: str
    begin: str
    suffix: str
    log: str

    @classmethod
    def from_file(cls, file: str) -> Self:
        """Return the place for a list from its local file.

        The file is one such as `acme/ats/jobs.2.ndjson`.
        """
        path = PurePosixPath(file)
        resource, _, number = path.stem.rpartition(".")
        added = bool(resource) and number.isdecimal()
        begin = int(number) if added else 1
        folder = path.parent / (resource if added else path.stem)
        return cls(str(folder), f"{begin:04}-", path.suffix, f".log/{folder}/{begin:04}")

    def chunk(self, number: int) -> str:
        """Return the name of the chunk of an entry.

        All writers use the same name, so a frozen writer that wakes up cannot add
        another chunk for this entry.
        """
        return f"{self.begin}{number:06}{self.suffix}"

    def chunks(self, objects: StoredObjects) -> dict[str, Stored]:
        """Return the stored chunks by name, including those without an entry in the
        log.
        """
        return {
            name: stored
            for name, stored in objects.listed(self.folder).items()
            if name.startswith(self.begin)
        }


def chunks_digest(chunks: Mapping[str, Stored]) -> str:
    """Return a digest of the names, sizes and tags of chunks.

    Returns "" if a chunk has no tag.
    """
    found = sorted((name, stored.size, stored.tag) for name, stored in chunks.items())
    return (
        hashlib.sha256(repr(found).encode()).hexdigest() if all(tag for _, _, tag in found) else ""
    )


@dataclass(frozen=True, slots=True)
class Chunk:
    """An object with some pages of a list, and its tag in the store. Older versions did
    not record the tag.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[\w.-]+$")]
    bytes: Count
    sha256: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of the log, with the chunk that `writer` wrote, if any.

    `state` is the state after the entry, with the hashes of the cursors since the
    previous entry. Entries before `first` are ignored. The last entry of a complete
    list has all chunks.
    """

    number: Count
    writer: str
    first: Count
    chunk: Chunk | None
    state: Checkpoint
    chunks: tuple[Chunk, ...] = ()
    v: int = _VERSION


class LoggedList(NamedTuple):
    """The content of a log: the chunks in order, the state, and the number of the last
    entry.
    """

    number: int
    first: int
    chunks: tuple[Chunk, ...]
    state: Checkpoint


class ChunkLog:
    """The log of a list: a folder with an object for each entry."""

    def __init__(self, objects: StoredObjects, folder: str) -> None:
        self._objects = objects
        self._folder = folder

    def last(self) -> LogEntry | None:
        """Return the newest entry.

        Raises StateError if it is damaged, and StorageError if the store fails.
        """
        number = self.newest()
        return self._read(_name(number)) if number else None

    def newest(self) -> int:
        """Return the number of the newest entry, or 0. Raises StorageError."""
        names = self._objects.listed(self._folder)
        number = max(
            (int(name.partition(".")[0]) for name in names if _NAME.fullmatch(name)), default=0
        )
        # A new object can be read before the store lists it, so look for it by its
        # name.
        while self._objects.stored(f"{self._folder}/{_name(number + 1)}"):
            number += 1
        return number

    def read(self) -> LoggedList | None:
        """Return the content of the log, or None if it is empty.

        Raises the same errors as `last`.
        """
        last = self.last()
        if last is None:
            return None
        if last.state.complete:
            return LoggedList(last.number, last.first, last.chunks, last.state)
        entries = [*(self._read(_name(number)) for number in range(last.first, last.number)), last]
        # If a list is read again and appended to its records, the count of pages starts
        # at zero again.
        anew = max((at for at, entry in enumerate(entries) if not entry.state.pages), default=0)
        seen = [digest for entry in entries[anew:] for digest in entry.state.seen]
        chunks = tuple(entry.chunk for entry in entries if entry.chunk)
        return LoggedList(last.number, last.first, chunks, replace(last.state, seen=seen))

    def entry(self, number: int) -> LogEntry:
        """Return the entry with this number.

        Raises StateError if it is damaged or missing, and StorageError if the store
        fails.
        """
        return self._read(_name(number))

    def add(self, entry: LogEntry) -> bool:
        """Create the entry, or return False if another writer has created it. Raises
        StorageError.
        """
        text = {**asdict(entry), "state": entry.state.members()}
        return self._objects.create(
            f"{self._folder}/{_name(entry.number)}", json.dumps(text).encode()
        )

    def prune(self) -> None:
        """Remove the entries before the newest one. Raises StorageError."""
        names = sorted(name for name in self._objects.listed(self._folder) if _NAME.fullmatch(name))
        self._objects.remove([f"{self._folder}/{name}" for name in names[:-1]])

    def _read(self, name: str) -> LogEntry:
        path = f"{self._folder}/{name}"
        text = self._objects.get(path)
        entry = None if text is None else state.decoded(text, LogEntry)
        if entry is None or entry.v != _VERSION or _name(entry.number) != name:
            raise StateError(
                f"{self._objects.url}/{path} is damaged, gone or of another version",
                hint=START_ANEW,
            )
        return entry


def changed(
    objects: StoredObjects, place: ListPlace, known: Iterable[Chunk], listed: Mapping[str, Stored]
) -> str | None:
    """Return the name of a known chunk that changed, or None.

    A missing chunk has changed, too. `listed` has the chunks in the store. If the tag
    of a chunk differs, for example after a copy, compare its bytes. Raises
    StorageError.
    """
    for chunk in known:
        path = f"{place.folder}/{chunk.name}"
        # A new object can be read before the store lists it, so look for it by its
        # name.
        stored = listed.get(chunk.name) or objects.stored(path)
        if stored is None or stored.size != chunk.bytes:
            return chunk.name
        if chunk.tag and stored.tag != chunk.tag:
            data = objects.get(path)
            if data is None or hashlib.sha256(data).hexdigest() != chunk.sha256:
                return chunk.name
    return None


def remove(objects: StoredObjects, file: str) -> None:
    """Reset the log of a list, and remove its chunks. Raises the same errors as
    `begin_anew`.
    """
    place = ListPlace.from_file(file)
    begin_anew(objects, place)
    objects.remove([f"{place.folder}/{name}" for name in place.chunks(objects)])


def begin_anew(objects: StoredObjects, place: ListPlace, *, keep: bool = False) -> None:
    """Reset the log of a list.

    With `keep`, new chunks follow the existing ones. Raises TakenOverError if another
    run writes to it, and StorageError if the store fails.
    """
    log = ChunkLog(objects, place.log)
    try:
        known = log.read() if keep else None
    except StateError:
        # Ignore a damaged log here, because opening the list reports it.
        return
    number = (known.number if known else log.newest()) + 1
    first, state = (known.first, known.state.begun_again()) if known else (number, Checkpoint())
    if number > 1 and not log.add(LogEntry(number, secrets.token_hex(4), first, None, state)):
        raise TakenOverError(f"{objects.url}/{place.folder}")


def records(objects: StoredObjects, place: ListPlace, chunk: Chunk) -> Iterator[bytes]:
    """Yield the records of a chunk.

    Raises StateError if it is missing, and StorageError if the store fails.
    """
    data = objects.get(f"{place.folder}/{chunk.name}")
    if data is None:
        raise StateError(f"{objects.url}/{place.folder}/{chunk.name} is gone", hint=START_ANEW)
    if place.suffix == ".parquet":
        yield from parquet_file.records(io.BytesIO(data))
    else:
        yield from lines(data)


def lines(data: bytes) -> Iterator[bytes]:
    """Yield the lines of a chunk, without line ends."""
    yield from (line.removesuffix(b"\n") for line in io.BytesIO(data))


def as_parquet(lines: bytes, columns: ParquetColumns) -> bytes:
    """Convert the lines of a chunk to a Parquet file."""
    made = io.BytesIO()
    parquet_file.write(io.BytesIO(lines), made.write, columns)
    return made.getvalue()


def _name(number: int) -> str:
    return f"{number:06}.json"
