"""Write and read the journal of a plan that is applied.

The name of the journal is the digest of the plan, so that a plan is never applied
twice, even if its file is renamed.
"""

from pathlib import Path
from typing import Self

import msgspec

from unified_cli.errors import StateError, StorageError
from unified_cli.storage import file_lock, folders, permissions
from unified_cli.storage.append_file import MemoryFile
from unified_cli.storage.file_lock import HeldLock
from unified_cli.writes import journal as journals
from unified_cli.writes.entry import VERSION, EntryState, RunKind, read_header
from unified_cli.writes.journal import Journal

_KINDS = (RunKind.APPLY,)
_LINES_BEFORE = 1
"""The number of lines before the calls in a plan, which has a header of one line."""
_REMEDY = (
    "nothing was sent; restore the journal from a backup, or remove it to apply the plan again"
    " with new keys"
)


class ApplyHeader(msgspec.Struct):
    """The first line of the journal: the digest and the file name of the plan, the time
    at which it was first applied, and the number of its calls.

    `version` is the version of the program that began the journal. Older versions did
    not record it.
    """

    plan: str
    path: str
    at: float
    calls: int
    version: str = ""
    kind: RunKind = RunKind.APPLY
    v: int = VERSION


class ApplyJournal(Journal):
    """The open journal of a plan. Without a `lock`, the journal is only in memory."""

    lock: HeldLock | None = None

    @classmethod
    def open(cls, data: Path | None, header: ApplyHeader) -> "tuple[Self, StorageError | None]":
        """Open or create the plan's journal.

        If no file can be created, returns a journal in memory and the error. Raises
        StateError if another process is applying the plan or the journal is damaged,
        ConfigError if another user may have written the journal, and StorageError if an
        existing journal cannot be used.
        """
        try:
            return cls._in_folder(data, header), None
        except StorageError as error:
            if data is not None and _is_begun(_path(data, header)):
                # Do not continue with a journal in memory: all finished calls would be
                # sent again.
                error.add_hint("nothing was sent")
                raise
            journal = cls(MemoryFile(Path("(memory)")), _REMEDY)
            journal._open(header)
            return journal, error

    @classmethod
    def _in_folder(cls, data: Path | None, header: ApplyHeader) -> Self:
        if data is None:
            raise StorageError("there is no home directory")
        path = _path(data, header)
        folder = path.parent
        try:
            folders.make_private(folder)
            permissions.check_own_folder(folder)
        except OSError as error:
            raise StorageError(f"cannot write {folder}: {error.strerror}") from None
        lock = HeldLock(path.with_name(f"{path.name}.lock"), file_lock.IN_DATA_FOLDER)
        lock.take(f"the plan {header.path}")
        try:
            journal = cls(journals.open_file(path, missing_ok=True), _REMEDY)
            journal._open(header)
        except BaseException:
            lock.release()
            raise
        journal.lock = lock
        return journal

    def _open(self, header: ApplyHeader) -> None:
        highest = header.calls + _LINES_BEFORE

        def accept(line: bytes) -> int:
            if read_header(line, self.path, ApplyHeader, _KINDS, hint=_REMEDY).plan != header.plan:
                raise StateError(f"{self.path} belongs to another plan", hint=_REMEDY)
            return highest

        with self.opening("use the journal"):
            if not self.load(accept):
                self.begin(header)
                self.highest = highest

    def done(self, number: int) -> bool:
        """Return whether the call on this line of the plan is done."""
        return self.state(number) is EntryState.OK

    def close(self) -> None:
        """Close the journal, and release its lock."""
        super().close()
        if self.lock is not None:
            self.lock.release()


def _path(data: Path, header: ApplyHeader) -> Path:
    return data / "plans" / f"{header.plan}.ndjson"


def _is_begun(path: Path) -> bool:
    """Return whether the plan may have a journal that is not empty."""
    try:
        return path.stat().st_size > 0
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def open_to_read(path: Path) -> tuple[Journal, ApplyHeader]:
    """Open the journal of a plan for reading, and return the journal and its header.

    Raises StateError if the journal is damaged, and StorageError if reading fails.
    """
    found = ApplyHeader("", "", 0, 0)

    def highest(line: bytes) -> int:
        nonlocal found
        found = read_header(line, path, ApplyHeader, _KINDS)
        return found.calls + _LINES_BEFORE

    return journals.open_to_read(path, _REMEDY, highest), found
