"""Write and read the journal of many writes.

The journal records each call on disk before the call is sent, and later records its
outcome.
"""

import contextlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from unified_cli.errors import ConfigError, StateError, StorageError
from unified_cli.storage import permissions, regular_file, state
from unified_cli.storage.append_file import AppendFile, MemoryFile
from unified_cli.storage.state import StateLine
from unified_cli.writes.entry import AFTER_SENT, OUTCOMES, STATES, EntryState, JournalEntry, bounded

_USUAL_LINE = 4096


class Journal:
    """An open journal, in a file or in memory.

    `remedy` is the hint if the journal is damaged, and `longest` is the largest number
    of bytes in a line.
    """

    def __init__(
        self, file: AppendFile | MemoryFile, remedy: str, *, longest: int = state.LONGEST_LINE
    ) -> None:
        self.path = file.path
        self.highest = 0
        self._file = file
        self._remedy = remedy
        self._longest = longest
        self._states = bytearray()
        self._calls = array("q")
        self._sent = array("q")
        self._last = array("q")

    def begin(self, header: msgspec.Struct) -> None:
        """Write the header, and sync both the header and the file's name to disk.
        Raises StorageError.
        """
        self._append([msgspec.json.encode(header)])
        try:
            self._file.sync_name()
        except OSError as error:
            raise self._failure(error) from None

    def load(self, accept: Callable[[bytes], int], *, repair: bool = True) -> bool:
        """Read the lines of earlier runs. Returns False if there are no lines yet.

        `accept` checks the header, and returns the highest possible number of an entry.
        `repair` removes a partial last line. Do not repair a journal that another
        process may be writing. Raises StateError if the journal is damaged, the errors
        of `accept`, and OSError if reading fails.
        """
        empty = True
        for line in state.lines(self._file, self._remedy, longest=self._longest, repair=repair):
            if empty:
                self.highest = accept(line.text)
            elif not self._note_line(line):
                raise state.damage(self.path, line.number, self._remedy)
            empty = False
        return not empty

    @contextlib.contextmanager
    def opening(self, use: str) -> Iterator[None]:
        """Close the file if the block fails.

        Turns OSError into a StorageError. `use` says what the journal was opened for,
        such as "read".
        """
        try:
            yield
        except OSError as error:
            self.close()
            raise StorageError(f"cannot {use} {self.path}: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def state(self, number: int) -> EntryState:
        """Return the state of a write."""
        return STATES[self._states[number]] if number < len(self._states) else EntryState.NEW

    def numbers(self) -> Iterator[int]:
        """Return the numbers of all writes with a call in the journal."""
        return (number for number, at in enumerate(self._calls) if at >= 0)

    def noted(self) -> Iterator[int]:
        """Return the numbers of all writes with a line in the journal."""
        return (number for number, at in enumerate(self._last) if at >= 0)

    def counts(self) -> dict[EntryState, int]:
        """Return how many writes are in each state. Does not count the state NEW."""
        return {
            state: self._states.count(at)
            for at, state in enumerate(STATES)
            if state is not EntryState.NEW
        }

    def outcomes(self) -> Counter[str]:
        """Return the number of writes with each outcome. Does not count writes without
        a line in the journal.
        """
        return Counter(OUTCOMES[self.state(number)] for number in self.noted())

    def call(self, number: int) -> JournalEntry:
        """Return the line of the journal that has the call of a write.

        `number` must be one of the results of `numbers`.
        """
        return self._entry(self._calls[number])

    def sent(self, number: int) -> JournalEntry | None:
        """Return the line that was written before the write was sent, or None."""
        at = self._sent[number] if number < len(self._sent) else -1
        return None if at < 0 else self._entry(at)

    @property
    def settled(self) -> bool:
        """Whether the journal has a line about any write."""
        return any(at >= 0 for at in self._last)

    @property
    def has_sent(self) -> bool:
        """Whether any write may have been sent."""
        return any(at >= 0 for at in self._sent)

    def last(self, number: int) -> JournalEntry:
        """Return the last line about a write, which must be in the journal."""
        return self._entry(self._last[number])

    def add_sent(self, entries: Sequence[JournalEntry]) -> None:
        """Record on disk that these writes are about to be sent. Call it before sending
        them.
        """
        self.add(entries)
        self.sync()

    def add(self, entries: Iterable[JournalEntry]) -> None:
        """Append lines, such as outcomes, without syncing them to disk."""
        lines = []
        at = self._file.size
        for entry in entries:
            line = msgspec.json.encode(bounded(entry))
            self._note(entry, at)
            at += len(line) + 1
            lines.append(line)
        if lines:
            self._append(lines)

    def sync(self) -> None:
        """Sync everything to disk."""
        try:
            self._file.sync()
        except OSError as error:
            raise self._failure(error) from None

    def _append(self, lines: Sequence[bytes]) -> None:
        try:
            self._file.append(b"\n".join([*lines, b""]))
        except OSError as error:
            raise self._failure(error) from None

    def _failure(self, error: OSError) -> StorageError:
        return StorageError(f"cannot write the journal {self.path}: {error.strerror}")

    def _note(self, entry: JournalEntry, at: int) -> None:
        number = entry.n
        if number >= len(self._states):
            more = max(1024, number + 1 - len(self._states), len(self._states) // 2)
            self._states.extend(bytes(more))
            for places in (self._calls, self._sent, self._last):
                places.extend([-1] * more)
        self._states[number] = STATES.index(entry.s)
        self._last[number] = at
        if entry.s is EntryState.SENT:
            self._sent[number] = at
        if entry.call is not None:
            self._calls[number] = at

    def _entry(self, at: int) -> JournalEntry:
        line = self._file.read(_USUAL_LINE, at)
        if b"\n" not in line:
            line = self._file.read(self._longest, at)
        entry = state.decoded(line.partition(b"\n")[0], JournalEntry)
        if entry is None:
            raise StateError(f"{self.path} has changed since it was opened", hint=self._remedy)
        return entry

    def _note_line(self, line: StateLine) -> bool:
        entry = state.decoded(line.text, JournalEntry)
        if entry is None or not 0 < entry.n <= self.highest:
            return False
        self._note(entry, line.position)
        return entry.s not in AFTER_SENT or self._sent[entry.n] >= 0


def open_file(path: Path, *, missing_ok: bool = False, writable: bool = True) -> AppendFile:
    """Open the file of a journal.

    Raises ConfigError if another user may have written the file, StateError if it is
    not a regular file, FileNotFoundError if it is missing, and StorageError if it
    cannot be opened.
    """
    file = AppendFile(path)
    try:
        file.open(missing_ok=missing_ok, writable=writable)
        permissions.check(path, file.status)
    except FileNotFoundError:
        if not missing_ok:
            raise
        raise StorageError(f"cannot use the journal {path}: there is no such folder") from None
    except regular_file.NotRegularError:
        raise state.not_regular(path, "move it away") from None
    except OSError as error:
        # If the file belongs to another user, report that as the reason.
        check_owner(path)
        raise StorageError(f"cannot use the journal {path}: {error.strerror}") from None
    except ConfigError:
        file.close()
        raise
    return file


def open_to_read(path: Path, remedy: str, highest: Callable[[bytes], int]) -> Journal:
    """Open a journal for reading. Another process may be writing the journal at the
    same time.

    `highest` checks the header and returns the highest possible number of an entry.
    Raises StateError if the journal is damaged, and StorageError if reading fails.
    """
    journal = Journal(open_file(path, writable=False), remedy)
    with journal.opening("read"):
        journal.load(highest, repair=False)
    return journal


def check_owner(path: Path) -> None:
    """Raise ConfigError if another user could have written the journal at this path."""
    permissions.check_if_there(path)
