"""Write a list to an object store, in chunks of complete pages with a log."""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import replace

from unified_cli.commands.export import chunk_log
from unified_cli.commands.export.chunk_log import Chunk, ChunkLog, ListPlace, LogEntry, LoggedList
from unified_cli.errors import StateError
from unified_cli.exported.checkpoint import START_ANEW, Checkpoint, ListIdentity
from unified_cli.exported.list_export import ListExportOptions, TakenOverError
from unified_cli.exported.manifest import timestamp
from unified_cli.runtime import Runtime
from unified_cli.storage.object_store import StoredObjects

# The most bytes of a chunk, and the longest time between its first and last page, in
# seconds. A chunk is in memory, and is lost if the process is killed.
BYTES = 4 * 1024 * 1024
_SECONDS = 30.0


class ChunkedList:
    """The target for a list in an object store.

    Each page is in the logged chunks once, even if a writer is killed. The next writer
    first adds an entry, so that the old writer cannot add one. Then it removes chunks
    without an entry. A chunk has the same name for all writers and is created only if
    the name is free, so a frozen writer cannot add chunks later. All methods raise
    StorageError.
    """

    def __init__(
        self,
        runtime: Runtime,
        objects: StoredObjects,
        file: str,
        identity: ListIdentity,
        options: ListExportOptions,
        *,
        check_held: Callable[[], None],
        takes_over: bool,
    ) -> None:
        """`takes_over` means that an old writer may still be alive, but frozen.
        `check_held` raises TakenOverError if another run has taken over from this one.
        """
        self._monotonic, self._wall = runtime.monotonic, runtime.wall
        self._objects = objects
        self._place = ListPlace.from_file(file)
        self._log = ChunkLog(objects, self._place.log)
        self._identity = identity
        self._options = options
        self._check_held = check_held
        self._takes_over = takes_over
        self._writer = secrets.token_hex(4)
        self._known = LoggedList(0, 1, (), self._fresh())
        self._buffer, self._counted = bytearray(), 0
        self._logged_at = self._monotonic()
        self.state = self._known.state

    # `force` is not needed, because only `restart` replaces a list.
    def open(
        self,
        *,
        force: bool,  # noqa: ARG002
        restart: bool = False,
        keep: bool = False,
    ) -> None:
        """Resume at the end of the log, or begin.

        `restart` discards the log; with `keep`, new chunks follow the existing ones.
        Raises StateError if the list has other options or was changed.
        """
        self._read_or_restart(keep=keep, restart=restart)
        if self._identity.begins_elsewhere(self._known.state.options):
            self._restart_log()
        self.state = self._known.state
        if (restart and keep) or (self.state.records and not self.state.pages):
            self._restart_pages()
        elif not self.state.pages and not self.state.records:
            # No page was read yet, so other options are allowed.
            known = self.state
            self.state = replace(
                self._fresh(), bytes=known.bytes, sha256=known.sha256, table=known.table
            )
        elif self.state.fingerprint != self._identity.digest:
            other = self._identity.differing_options(self.state.options)
            raise StateError(f"{self} belongs to an export with {other}", hint=START_ANEW)
        stored = self._place.chunks(self._objects)
        if wrong := chunk_log.changed(self._objects, self._place, self._known.chunks, stored):
            raise StateError(f"{self}/{wrong} is gone or was changed", hint=START_ANEW)
        unknown = stored.keys() - {chunk.name for chunk in self._known.chunks}
        if not restart and not self.state.complete:
            # First use up the next number of a frozen writer, before removing its chunk
            # and writing our first chunk.
            if self._takes_over:
                self._fence(self.state)
            elif unknown:
                self._add(None, self.state)
        if unknown:
            self._objects.remove([f"{self._place.folder}/{name}" for name in sorted(unknown)])
        self._logged_at = self._monotonic()

    def __str__(self) -> str:
        return f"{self._objects.url}/{self._place.folder}"

    @property
    def is_published(self) -> bool:
        """Whether the list is complete in the log."""
        return self.state.complete

    def lines(self) -> Iterator[bytes]:
        """Yield the records of the logged chunks."""
        for chunk in self._known.chunks:
            yield from chunk_log.records(self._objects, self._place, chunk)

    def append(self, data: bytes) -> None:
        """Buffer a part of a page."""
        self._buffer += data

    def count(self, state: Checkpoint) -> None:
        """Mark the page as complete, and write a chunk if enough pages are buffered."""
        self.state = state
        self._counted = len(self._buffer)
        if self._counted >= BYTES or self._monotonic() - self._logged_at >= _SECONDS:
            self._write(state)

    def keep(self) -> None:
        """Write the buffered complete pages."""
        if self.state.pages != self._known.state.pages:
            self._write(self.state)

    def publish(self, end: bytes, *, force: bool) -> None:  # noqa: ARG002  see above
        """Write the buffered records, with the entry that completes the list."""
        self._buffer += end
        self._counted = len(self._buffer)
        self._write(replace(self.state, complete=True))

    def tidy(self) -> None:
        """Do nothing, because the log stays."""

    def abandon(self) -> None:
        """Reset the log, if any."""
        if self._known.chunks or self._known.state.pages:
            self._restart_log()

    def close(self) -> None:
        """Discard the buffered records."""
        self._buffer.clear()

    def _read_or_restart(self, *, keep: bool, restart: bool) -> None:
        if not restart or keep:
            self._known = self._log.read() or self._known
        state = self._known.state
        # Read the list again, because the provider may return the missing records now.
        partial = state.complete and state.partial_pages
        # A list can only be read again and appended to its records with --dedupe.
        again = state.records and not state.pages and not self._options.dedupe
        if not keep and (restart or partial or again):
            self._restart_log()

    def _fresh(self) -> Checkpoint:
        return Checkpoint.begin(self._identity, timestamp(self._wall()))

    def _restart_log(self) -> None:
        # The old writer may still commit the discarded read to its table.
        number, state = self._log.newest(), replace(self._fresh(), table=self._known.state.table)
        self._known = LoggedList(number, number + 1, (), state)
        self._begin_with(self._known.state)

    def _restart_pages(self) -> None:
        again = self._known.state.begun_again()
        self._begin_with(
            replace(again, fingerprint=self._identity.digest, options={**self._identity.options})
        )

    def _begin_with(self, state: Checkpoint) -> None:
        self._fence(state) if self._takes_over else self._add(None, state)

    def _fence(self, state: Checkpoint) -> None:
        """Use up the next number of a frozen writer.

        Then the frozen writer can use neither the number nor the name of its chunk.
        """
        self._takes_over = False
        # Readers accept an empty chunk.
        if chunk := self._created(b""):
            self._add_chunk(chunk, state)
        else:
            self._take_number(state)

    def _take_number(self, state: Checkpoint) -> None:
        """Create an entry for the chunk of another writer, and remove the chunk."""
        name = self._place.chunk(self._known.number + 1)
        self._add(None, state)
        self._objects.remove([f"{self._place.folder}/{name}"])

    def _write(self, state: Checkpoint) -> None:
        """Write the complete pages as a chunk, then its entry in the log.

        Raises TakenOverError if another writer has already used the number.
        """
        lines = self._counted_bytes()
        if not lines:
            self._add(None, state)
        elif chunk := self._created(lines) or self._created_after(lines):
            self._add_chunk(chunk, state)
        else:
            raise TakenOverError(str(self))
        del self._buffer[: self._counted]
        self._counted = 0
        self._logged_at = self._monotonic()

    def _created(self, lines: bytes) -> Chunk | None:
        """Create and return the chunk with these lines. Returns None if it exists."""
        data = (
            chunk_log.as_parquet(lines, self._options.parquet) if self._options.parquet else lines
        )
        name = self._place.chunk(self._known.number + 1)
        tag = self._objects.created(f"{self._place.folder}/{name}", data)
        return (
            None if tag is None else Chunk(name, len(data), hashlib.sha256(data).hexdigest(), tag)
        )

    def _created_after(self, lines: bytes) -> Chunk | None:
        """Create and return the chunk under a later number.

        Call it if another writer has used the next number. Raises TakenOverError if
        that writer is alive.
        """
        self._check_held()
        self._take_number(self._known.state)
        return self._created(lines)

    def _counted_bytes(self) -> bytes:
        # A slice of the bytearray would copy the data twice.
        return bytes(memoryview(self._buffer)[: self._counted])

    def _add_chunk(self, chunk: Chunk, state: Checkpoint) -> None:
        sha256 = hashlib.sha256(f"{state.sha256}{chunk.sha256}".encode()).hexdigest()
        self._add(chunk, replace(state, bytes=state.bytes + chunk.bytes, sha256=sha256))

    def _add(self, chunk: Chunk | None, state: Checkpoint) -> None:
        known = self._known
        state = replace(state, updated=timestamp(self._wall()))
        chunks = (*known.chunks, chunk) if chunk else known.chunks
        # The cursors since the previous entry.
        seen = state.seen[len(known.state.seen) :]
        number = known.number + 1
        entry = LogEntry(
            number,
            self._writer,
            known.first,
            chunk,
            replace(state, seen=[] if state.complete else seen),
            chunks if state.complete else (),
        )
        if not self._log.add(entry):
            self._remove_unless_logged(number, chunk)
            raise TakenOverError(str(self))
        self._known = LoggedList(number, known.first, chunks, state)
        self.state = state

    def _remove_unless_logged(self, number: int, chunk: Chunk | None) -> None:
        if chunk and self._log.entry(number).chunk is None:
            self._objects.remove([f"{self._place.folder}/{chunk.name}"])
