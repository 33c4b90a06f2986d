"""Create or open a run, with its header and its journal."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import msgspec

from unified_cli.config import profiles
from unified_cli.errors import StateError, StorageError
from unified_cli.storage.append_file import MemoryFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.writes import journal as journals, registry as registries
from unified_cli.writes.entry import JournalEntry, RunCall, RunKind
from unified_cli.writes.journal import Journal
from unified_cli.writes.registry import RunHeader, RunRegistry

# Twice the size of the largest body, because each character of the body may become two
# in a JSON string.
_LONGEST_LINE = 130 * 1024 * 1024
_REMEDY = (
    "nothing was sent; restore the journal from a backup, or remove the run: unified runs remove ID"
)


class StoredRun:
    """A run with an open journal. As a context manager, closes the journal at the end.

    `kept` is False if the journal is only in memory.
    """

    def __init__(
        self, journal: Journal, lock: HeldLock | None, *, kept: bool, repair: bool = True
    ) -> None:
        self.journal = journal
        self.kept = kept
        self._lock = lock
        self.header = RunHeader("", "", 0)
        self.body: bytes | None = None
        """The body that the calls share."""
        with journal.opening("read"):
            if not journal.load(self._accept, repair=repair):
                raise StateError(f"{journal.path} is empty")

    @classmethod
    def begin(
        cls, registry: RunRegistry, header: RunHeader, calls: Callable[[], Iterator[JournalEntry]]
    ) -> tuple[Self, StorageError | None]:
        """Create a run with these calls on disk.

        If the run cannot be written to disk, return a run in memory and the error.
        """
        try:
            header.run, lock = registry.reserve()
        except StorageError as error:
            return cls.in_memory(header, calls), error
        try:
            path = registry.write(header, calls())
            return cls(_opened(path), lock, kept=True), None
        except StorageError as error:
            lock.release()
            return cls.in_memory(header, calls), error
        except BaseException:
            lock.release()
            raise

    @classmethod
    def in_memory(cls, header: RunHeader, calls: Callable[[], Iterator[JournalEntry]]) -> Self:
        """Create a run in memory, which is lost when the process ends."""
        header.run = header.run or "00000000-0000"
        file = MemoryFile(Path("(memory)"))
        for chunk in registries.journal_text(header, calls()):
            file.append(chunk)
        return cls(Journal(file, _REMEDY, longest=_LONGEST_LINE), None, kept=False)

    @classmethod
    def open(cls, registry: RunRegistry, run: str) -> Self:
        """Open and lock a run to continue it.

        Raises UsageError if there is no such run, and StateError if the run is in use
        or damaged.
        """
        path = registry.path(run)
        lock = registry.lock(run)
        try:
            return cls(_opened(path), lock, kept=True)
        except BaseException:
            lock.release()
            raise

    @classmethod
    def open_to_read(cls, registry: RunRegistry, run: str) -> Self:
        """Open a run for reading, even if another process is working on it."""
        return cls(_opened(registry.path(run), writable=False), None, kept=True, repair=False)

    @property
    def id(self) -> str:
        """The id of the run."""
        return self.header.run

    @property
    def kind(self) -> RunKind:
        """The kind of the run."""
        header = self.header
        if header.kind is not None:
            return header.kind
        if header.path:
            return RunKind(header.command.partition(" ")[0])
        first = next(iter(self.calls()), None)
        if header.command == "mcp serve" or first is None:
            return RunKind.AGENT
        return RunKind.LINES if first[2].line else RunKind.FAN_OUT

    @property
    def listed_header(self) -> RunHeader:
        """The header of the run, with its kind.

        The id of the run is "" if the run is only in memory.
        """
        return msgspec.structs.replace(
            self.header, kind=self.kind, run=self.id if self.kept else ""
        )

    @property
    def several(self) -> bool:
        """Whether the calls may be for several connections."""
        return self.kind is not RunKind.LINES or profiles.is_several(self.header.selection)

    @property
    def ordered(self) -> bool:
        """Whether the calls are sent in order, like lines for one connection."""
        return self.header.ordered or not self.several

    def calls(self) -> Iterator[tuple[int, JournalEntry, RunCall]]:
        """Yield the number, the journal entry and the call of each write of the run."""
        for number in self.journal.numbers():
            planned = self.journal.call(number)
            if planned.call is not None:
                yield number, planned, planned.call

    def close(self) -> None:
        """Close the journal, and release the lock."""
        self.journal.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _accept(self, line: bytes) -> int:
        self.header = registries.header_of(line, self.journal.path)
        if self.header.body is not None:
            self.body, self.header.body = self.header.body.encode("utf-8"), None
        return self.header.calls


def _opened(path: Path, *, writable: bool = True) -> Journal:
    return Journal(journals.open_file(path, writable=writable), _REMEDY, longest=_LONGEST_LINE)
