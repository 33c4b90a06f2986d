"""The journal of an import: what was sent stands on the disk before it is sent, and what came of it after."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Self

import msgspec

from unified_cli.errors import StateError, StorageError
from unified_cli.masking import NO_TEXT, MaskedText
from unified_cli.storage import folders
from unified_cli.storage.append_file import AppendFile

_VERSION = 1


class EntryState(Enum):
    """What is known of one record."""

    NEW = "new"
    SENT = "sent"
    """It may have been done; nobody has seen an answer."""
    OK = "ok"
    REFUSED = "refused"
    """It was not done, and would not be another time."""
    FAILED = "failed"
    """It was not done, and another time it may be."""
    UNKNOWN = "unknown"
    """It may have been done; the answer was lost."""
    LEFT_OUT = "left out"
    """There was nothing to send."""


IN_DOUBT = (EntryState.SENT, EntryState.UNKNOWN)
_STATES = tuple(EntryState)


class JournalEntry(msgspec.Struct, omit_defaults=True):
    """One line: `s` is the state of record `n`.

    A sent record has its hash `h`, its idempotency key `k` and the time `t`; an outcome has `id`, `status` and `why`.
    """

    s: EntryState
    n: int
    h: str = ""
    k: str = ""
    t: float = 0
    id: str = ""
    status: int = 0
    why: MaskedText = NO_TEXT


class JournalHeader(msgspec.Struct):
    """The first line: which input goes where; `import_id` makes the keys of this import its own."""

    import_id: str
    fingerprint: str
    size: int
    sha256: str
    v: int = _VERSION


@dataclass(slots=True)
class Journal:
    """An open journal; `header` is the one in the file."""

    path: Path
    header: JournalHeader
    _file: AppendFile
    _states: bytearray
    _sent: "array[int]"
    _last: "array[int]"

    @classmethod
    def open(cls, path: Path, header: JournalHeader, *, restart: bool) -> Self:
        """The journal of this input, begun where there is none, or where `restart` throws the old one away.

        Its caller holds the lock. Raises StateError for a journal of something else or a damaged one, StorageError.
        """
        file = AppendFile(path)
        try:
            file.open(missing_ok=True)
            if restart:
                file.cut(0)
            journal = cls(path, header, file, bytearray(), array("q"), array("q"))
            if not journal._load():
                journal._append([msgspec.json.encode(header)])
                folders.sync(path.parent)
        except OSError as error:
            raise StorageError(f"cannot use the journal {path}: {error.strerror}") from None
        return journal

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def state(self, number: int) -> EntryState:
        """What is known of a record."""
        return _STATES[self._states[number]] if number < len(self._states) else EntryState.NEW

    def sent(self, number: int) -> JournalEntry | None:
        """The line that said the record was about to be sent; None for a record that was not."""
        at = self._sent[number] if number < len(self._sent) else -1
        return None if at < 0 else self._entry(at)

    def last(self, number: int) -> JournalEntry:
        """The last line about a record; for records that are not new."""
        return self._entry(self._last[number])

    def add_sent(self, entries: Sequence[JournalEntry]) -> None:
        """Put on the disk that these records are about to be sent; only then may they be."""
        self._add(entries)
        self.sync()

    def add_outcomes(self, entries: Iterable[JournalEntry]) -> None:
        """Write down what became of records; the disk may have it a little later."""
        self._add(entries)

    def sync(self) -> None:
        """Have everything written on the disk."""
        try:
            self._file.sync()
        except OSError as error:
            raise self._failure(error) from None

    def _add(self, entries: Iterable[JournalEntry]) -> None:
        lines = []
        at = self._file.size
        for entry in entries:
            line = msgspec.json.encode(entry)
            self._note(entry, at)
            at += len(line) + 1
            lines.append(line)
        if lines:
            self._append(lines)

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
            self._sent.extend([-1] * more)
            self._last.extend([-1] * more)
        self._states[number] = _STATES.index(entry.s)
        self._last[number] = at
        if entry.s is EntryState.SENT:
            self._sent[number] = at

    def _entry(self, at: int) -> JournalEntry:
        line, size = b"", 4096
        while b"\n" not in line:
            line = self._file.read(size, at)
            size *= 2
        return msgspec.json.decode(line.partition(b"\n")[0], type=JournalEntry)

    def _load(self) -> bool:
        """Read what earlier runs wrote; False where there is nothing yet. A torn last line is cut off."""
        with self._file.reader() as lines:
            whole = 0
            for number, line in enumerate(lines, 1):
                if not line.endswith(b"\n"):
                    break
                if number == 1:
                    self._match(line)
                else:
                    self._read(line, number, whole)
                whole += len(line)
        if whole < self._file.size:
            self._file.cut(whole)
        return whole > 0

    def _read(self, line: bytes, number: int, at: int) -> None:
        try:
            entry = msgspec.json.decode(line, type=JournalEntry)
            self._note(entry, at)
        except (msgspec.MsgspecError, IndexError, OverflowError, MemoryError):
            raise StateError(
                f"{self.path} is damaged in line {number}; what was sent is not known any more "
                "(--restart imports everything again)"
            ) from None

    def _match(self, line: bytes) -> None:
        asked = self.header
        try:
            found = msgspec.json.decode(line, type=JournalHeader)
        except msgspec.MsgspecError:
            raise StateError(f"{self.path} is no journal of an import (move it away)") from None
        if found.v != _VERSION:
            raise StateError(f"{self.path} was written by another version of this program")
        for same, what in (
            (found.fingerprint == asked.fingerprint, "belongs to an import into something else, or with another --map"),
            ((found.size, found.sha256) == (asked.size, asked.sha256), "belongs to other input: the file has changed"),
        ):
            if not same:
                raise StateError(f"{self.path} {what} (--restart begins a new import)")
        self.header = found
