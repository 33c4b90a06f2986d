"""Export to a folder in an object store."""

import hashlib
import sys
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch

from unified_cli.commands.export import chunk_log, delta_folder
from unified_cli.commands.export.chunk_log import ChunkLog, ListPlace
from unified_cli.commands.export.chunked_list import ChunkedList
from unified_cli.commands.export.store_lease import StoreLease
from unified_cli.errors import StateError, UsageError
from unified_cli.exported import gone_ids
from unified_cli.exported.checkpoint import REPLACE, Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions
from unified_cli.exported.manifest import NAME, ManifestEntry
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.storage.object_store import StoredObjects

_MANIFESTS = "manifest*.json"


def objects(runtime: Runtime, text: str, *, make: bool) -> StoredObjects:
    """Return the objects below the URL of a store.

    `make` creates the folder of a `file://`. Raises UsageError if the text is not such
    a URL, UnsafeError if it holds credentials, ConfigError if the library for object
    stores is missing, and StorageError if the store fails.
    """
    url = object_store.parse_url(text)
    if url is None:
        raise UsageError(
            "an engine only writes to an object store or a shared disk",
            hint="use --to s3://BUCKET/DIR, or --to file:///DIR",
        )
    return StoredObjects.at(url, runtime.environ, make=make)


class StoreFolder:
    """A folder with a folder of chunks for each list. The logs are below `.log`."""

    # Save the manifest rarely, because it is large, and the logs have the latest state.
    save_seconds = 60.0
    most_unreported = sys.maxsize

    def __init__(self, runtime: Runtime, objects: StoredObjects) -> None:
        self._runtime = runtime
        self._objects = objects
        self._lease: StoreLease | None = None

    def __str__(self) -> str:
        return str(self._objects.url)

    @contextmanager
    def hold(self, manifest: str) -> Generator[None]:
        """Hold the lease during the block.

        Raises StateError if another run has it, and StorageError if the store fails.
        """
        self._lease = StoreLease(self._runtime, self._objects, f".lease/{manifest}")
        try:
            self._lease.take()
            yield
        finally:
            self._lease.release()
            self._lease = None

    def is_held(self, manifest: str) -> bool:
        """Return whether another run with this manifest is running."""
        return StoreLease(self._runtime, self._objects, f".lease/{manifest}").is_held

    def check_held(self) -> None:
        """Raise TakenOverError if another run has the lease.

        Raises StorageError if the store fails.
        """
        if self._lease:
            self._lease.check()

    def check(self, folder: str) -> None:  # noqa: ARG002  a store has no links
        """Raise TakenOverError if another run has the lease.

        Raises StorageError if the store fails.
        """
        self.check_held()

    def read(self, name: str) -> bytes | None:
        """Return a small object, or None. Raises StorageError."""
        return self._objects.get(name)

    def replace(self, name: str, text: bytes) -> None:
        """Write a small object.

        Raises TakenOverError if another run has the lease, and StorageError if the
        store fails.
        """
        self.check_held()
        self._objects.put(name, text)

    def create(self, name: str, text: bytes) -> bool:
        """Write a small object unless it exists.

        Returns whether it now has this text. Raises the same errors as `replace`.
        """
        self.check_held()
        return self._objects.create(name, text)

    def listed(self, folder: str) -> list[str]:
        """Return the names of the objects below this name. Raises StorageError."""
        return [*self._objects.listed(folder)]

    def drop(self, names: Collection[str]) -> None:
        """Remove small objects. Raises the same errors as `replace`."""
        if names:
            self.check_held()
            self._objects.remove(names)

    def target(self, file: str, identity: ListIdentity, options: ListExportOptions) -> ChunkedList:
        """Return the target of a list: its chunks, and their log."""
        takes_over = self._lease is not None and self._lease.follows_frozen
        return ChunkedList(
            self._runtime,
            self._objects,
            file,
            identity,
            options,
            check_held=self.check_held,
            takes_over=takes_over,
        )

    def holds(self, entry: ManifestEntry) -> bool:
        """Return whether the list exists.

        The first call reads the log. Later calls compare the digest of the chunks with
        that in the entry. Raises StateError if the list was changed, and StorageError
        if the store fails.
        """
        if not entry.complete:
            return False
        place = ListPlace.from_file(entry.file)
        chunks = place.chunks(self._objects)
        if entry.look and chunk_log.chunks_digest(chunks) == entry.look:
            return True
        last = ChunkLog(self._objects, place.log).last()
        if last is None or not last.state.complete:
            return False
        counts_match = (last.state.bytes, last.state.records) == (entry.bytes, entry.records)
        if not counts_match or chunk_log.changed(self._objects, place, last.chunks, chunks):
            raise StateError(
                f"{self}/{place.folder} is not the list that was exported", hint=REPLACE
            )
        known = {chunk.name for chunk in last.chunks}
        # Remove chunks of a killed run that are not in the log.
        self._objects.remove([f"{place.folder}/{name}" for name in chunks if name not in known])
        # A new object can be read before the store lists it, so the list may lack some.
        if known <= chunks.keys():
            entry.look = chunk_log.chunks_digest({name: chunks[name] for name in known})
        return True

    def begin_anew(self, file: str, *, keep: bool) -> None:
        """Reset the log of a list.

        Raises TakenOverError if another run writes to it.
        """
        chunk_log.begin_anew(self._objects, ListPlace.from_file(file), keep=keep)

    def read_checkpoint(self, file: str) -> Checkpoint | None:
        """Return the state of an unfinished list, or None.

        Raises StateError if the log is damaged, and StorageError if the store fails.
        """
        last = ChunkLog(self._objects, ListPlace.from_file(file).log).last()
        return last.state if last and (last.state.pages or last.state.complete) else None

    def sweep(self, entry: ManifestEntry) -> None:
        """Do nothing, because a complete list has no other files."""

    def records(self, file: str) -> Iterator[bytes]:
        """Yield the records of a complete list.

        Raises StateError if a chunk is missing, and StorageError if the store fails.
        """
        place = ListPlace.from_file(file)
        last = ChunkLog(self._objects, place.log).last()
        for chunk in last.chunks if last else ():
            yield from chunk_log.records(self._objects, place, chunk)

    def remove(self, name: str) -> None:
        """Remove a list or a small object, if it exists.

        Raises TakenOverError if another run writes to it.
        """
        if fnmatch(name, _MANIFESTS) or gone_ids.is_beside(name):
            self._objects.remove([name])
        else:
            chunk_log.remove(self._objects, name)

    def clear(self, file: str) -> None:
        """Remove the chunks of a list, and reset its log. Raises the same errors as
        `remove`.
        """
        place = ListPlace.from_file(file)
        if self.read_checkpoint(file) or place.chunks(self._objects):
            chunk_log.remove(self._objects, file)
            # Without this, the log would grow with each read of the list.
            ChunkLog(self._objects, place.log).prune()

    def place(self, file: str) -> str:
        """Return the place of a list, which is the same for all formats."""
        return file if delta_folder.is_part(file) else ListPlace.from_file(file).log

    def manifests(self) -> list[str]:
        """Return the names of all manifests. Raises StorageError."""
        names = {name for name in self._objects.names() if fnmatch(name, _MANIFESTS)}
        # A new object can be read before the store lists it, so look for it by its
        # name.
        return sorted(names | ({NAME} if self._objects.stored(NAME) else set()))

    def differences(self, entry: ManifestEntry) -> Iterator[str]:
        """Yield the differences between a complete list and its entry. Raises
        StorageError.
        """
        place = ListPlace.from_file(entry.file)
        last = ChunkLog(self._objects, place.log).last()
        if last is None or not last.state.complete:
            yield "its log does not say that it is complete"
            return
        chunks = place.chunks(self._objects)
        for chunk in last.chunks:
            data = self._objects.get(f"{place.folder}/{chunk.name}")
            if data is None:
                yield f"{chunk.name} is gone"
            elif hashlib.sha256(data).hexdigest() != chunk.sha256:
                yield f"{chunk.name}: not the bytes that were written"
        known = {chunk.name for chunk in last.chunks}
        yield from (f"{name} is not part of the list" for name in chunks if name not in known)
        if (last.state.bytes, last.state.sha256) != (entry.bytes, entry.sha256):
            yield f"{counted(last.state.bytes, 'byte')} were written, not {entry.bytes}"
