"""The chunks of a list as a store has them: whether they are what was written, their records, and their end."""

import hashlib
import io
import secrets
from collections.abc import Iterable, Iterator, Mapping

from unified_cli.bulk.export import parquet_file
from unified_cli.bulk.export.checkpoint import Checkpoint
from unified_cli.bulk.export.destinations.chunk_log import Chunk, ChunkLog, LogEntry
from unified_cli.bulk.export.destinations.list_place import ListPlace
from unified_cli.bulk.export.list_target import TakenOverError
from unified_cli.bulk.export.manifest import REMEDY
from unified_cli.errors import StateError
from unified_cli.storage.object_store.stored_objects import Stored, StoredObjects


def changed(
    objects: StoredObjects, place: ListPlace, known: Iterable[Chunk], there: Mapping[str, Stored]
) -> str | None:
    """The name of a known chunk that is gone, or not what was written; `there` are those that the store lists.

    Of a chunk with another tag, as one that was copied has it, the bytes are looked at. Raises StorageError.
    """
    for chunk in known:
        path = f"{place.folder}/{chunk.name}"
        # A store may list an object some time after it can be read.
        stored = there.get(chunk.name) or objects.stored(path)
        if stored is None or stored.size != chunk.bytes:
            return chunk.name
        if chunk.tag and stored.tag != chunk.tag:
            data = objects.get(path)
            if data is None or hashlib.sha256(data).hexdigest() != chunk.sha256:
                return chunk.name
    return None


def remove(objects: StoredObjects, file: str) -> None:
    """Have the log of a list say that nothing was read, and remove its chunks.

    Raises TakenOverError where another run writes to it, StorageError.
    """
    place = ListPlace.of(file)
    log = ChunkLog(objects, place.log)
    if number := log.newest():
        number += 1
        if not log.add(LogEntry(number, secrets.token_hex(4), number, None, Checkpoint())):
            raise TakenOverError(f"{objects.url}/{place.folder}")
    objects.remove([f"{place.folder}/{name}" for name in place.chunks(objects)])


def records(objects: StoredObjects, place: ListPlace, chunk: Chunk) -> Iterator[bytes]:
    """The records of a chunk. Raises StateError where it is gone, StorageError."""
    data = objects.get(f"{place.folder}/{chunk.name}")
    if data is None:
        raise StateError(f"{objects.url}/{place.folder}/{chunk.name} is gone", hint=REMEDY)
    if place.suffix == ".parquet":
        yield from parquet_file.records(io.BytesIO(data))
    else:
        yield from lines(data)


def lines(data: bytes) -> Iterator[bytes]:
    """The lines of a chunk, without their ends."""
    yield from (line.removesuffix(b"\n") for line in io.BytesIO(data))


def as_parquet(lines: bytes, profile: str) -> bytes:
    """A chunk of these lines, which may be none, as a Parquet file."""
    made = io.BytesIO()
    parquet_file.write(io.BytesIO(lines), made.write, profile)
    return made.getvalue()
