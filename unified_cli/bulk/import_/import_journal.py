"""The journal of an import: what was sent stands on the disk before it is sent, and what came of it after."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Self

import msgspec

from unified_cli.errors import StateError, StorageError
from unified_cli.masking import NO_TEXT, MaskedText, cut
from unified_cli.storage import folders, regular_file, state
from unified_cli.storage.append_file import AppendFile
from unified_cli.storage.state import StateLine

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
# States that only a record that was sent can have.
_AFTER_SENT = (EntryState.UNKNOWN, EntryState.FAILED)
_REMEDY = "nothing was sent; restore it from a backup, or --restart sends every record again, under new keys"
_STATES = tuple(EntryState)
_USUAL_LINE = 4096
# Far below what is taken for damage.
_LONGEST_TEXT = 64 * 1024


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
    _highest: int
    _file: AppendFile
    _states: bytearray
    _sent: "array[int]"
    _last: "array[int]"

    @classmethod
    def open(cls, path: Path, header: JournalHeader, *, highest: int, restart: bool) -> Self:
        """The journal of this input, begun where there is none, or where `restart` throws the old one away.

        `highest` is the number of the input's last record. Its caller holds the lock. Raises StateError for a journal
        of something else or a damaged one, StorageError.
        """
        journal = cls(path, header, highest, AppendFile(path), bytearray(), array("q"), array("q"))
        try:
            journal._open(restart=restart)
        except regular_file.NotRegularError:
            raise state.not_regular(path, "move it away") from None
        except OSError as error:
            raise StorageError(f"cannot use the journal {path}: {error.strerror}") from None
        return journal

    def _open(self, *, restart: bool) -> None:
        self._file.open(missing_ok=True)
        try:
            if restart:
                self._file.cut(0)
            if not self._load():
                self._append([msgspec.json.encode(self.header)])
                folders.sync(self.path.parent)
        except BaseException:
            self._file.close()
            raise

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
            line = msgspec.json.encode(_bounded(entry))
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
        line = self._file.read(_USUAL_LINE, at)
        if b"\n" not in line:
            line = self._file.read(state.LONGEST_LINE, at)
        entry = state.decoded(line.partition(b"\n")[0], JournalEntry)
        if entry is None:
            raise StateError(f"{self.path} has changed during the import", hint=_REMEDY)
        return entry

    def _load(self) -> bool:
        """Read what earlier runs wrote; False where there is nothing yet."""
        empty = True
        for line in state.lines(self._file, _REMEDY):
            if empty:
                self._match(line.text)
            elif not self._read(line):
                raise state.damage(self.path, line.number, _REMEDY)
            empty = False
        return not empty

    def _read(self, line: StateLine) -> bool:
        """Note what a line says; whether it can be one of this import."""
        entry = state.decoded(line.text, JournalEntry)
        if entry is None or not 0 < entry.n <= self._highest:
            return False
        self._note(entry, line.position)
        return entry.s not in _AFTER_SENT or self._sent[entry.n] >= 0

    def _match(self, line: bytes) -> None:
        asked = self.header
        found = state.decoded(line, JournalHeader)
        if found is None:
            raise StateError(f"{self.path} is damaged in line 1, or no journal of an import", hint=_REMEDY)
        if found.v != _VERSION:
            raise StateError(f"{self.path} was written by another version of this program")
        if found.fingerprint != asked.fingerprint:
            # The header has a digest of them all.
            what = "another operation, connection, query or --map"
            hint = "the same command as before resumes it; --restart discards it, and sends everything again"
            raise StateError(f"{self.path} is of an import with {what}", hint=hint)
        if (found.size, found.sha256) != (asked.size, asked.sha256):
            raise StateError(
                f"{self.path} is of other input: the file has changed", hint="--restart begins a new import"
            )
        self.header = found


def _bounded(entry: JournalEntry) -> JournalEntry:
    """The entry without an id that no record has, and with a reason that can be read again."""
    if len(entry.id) + len(entry.why) < _LONGEST_TEXT:
        return entry
    identifier = entry.id if len(entry.id) < _LONGEST_TEXT else ""
    return msgspec.structs.replace(entry, id=identifier, why=cut(entry.why))
