"""The runs that this user has made: one journal each, in a folder of the user's data."""

import contextlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Self

import msgspec

from unified_cli import __version__, os_limits
from unified_cli.catalogue import Operation
from unified_cli.cli.option_parts import ConnectionOptions
from unified_cli.errors import StateError, StorageError, UsageError
from unified_cli.masking import masked
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, file_lock, folders, permissions, regular_file, state
from unified_cli.storage.atomic_file import AtomicFile, NotSyncedError
from unified_cli.storage.file_lock import HeldLock
from unified_cli.writes.entry import VERSION, JournalEntry, RunKind, read_header

RUN_ID = re.compile(r"\d{8}-[0-9a-f]{4,8}")
_SUFFIX = ".ndjson"
_MOST_TRIES = 100
_LONGEST_POINTER = 16 * 1024


class RunHeader(msgspec.Struct):
    """The first line of a run's journal: what was asked for, by which version, when.

    `command` are the words after the program's name, `selection` the values of `-p`;
    `account_id`, `base_url` and `token_file` are what those flags gave. `calls` is the
    number of calls, `body` their common body. A run whose journal is elsewhere, an
    `import` or an `export`, has its `path`. Older versions wrote no `kind`. What is
    `ordered` is done in the order of the calls.
    """

    run: str
    command: str
    at: float
    version: str = __version__
    selection: tuple[str, ...] = ()
    account_id: str = ""
    base_url: str = ""
    token_file: str = ""
    calls: int = 0
    body: str | None = None
    path: str = ""
    kind: RunKind | None = None
    ordered: bool = False
    v: int = VERSION

    @classmethod
    def of(
        cls, kind: RunKind, operation: Operation, options: ConnectionOptions, at: float, calls: int
    ) -> Self:
        """The header of so many calls of an operation to the connections that the
        options select.
        """
        named = options.token_file
        token_file = str(os_limits.absolute(Path(named))) if named else ""
        return cls(
            "",
            operation.command,
            at,
            selection=options.profile,
            account_id=options.account_id or "",
            base_url=options.base_url or "",
            token_file=token_file,
            calls=calls,
            kind=kind,
        )


class RunRegistry:
    """The folder of all runs; a user without a home has none."""

    def __init__(self, runtime: Runtime) -> None:
        folder = runtime.folder("data")
        self._folder = folder / "runs" if folder else None
        self._wall = runtime.wall

    def ids(self) -> list[str]:
        """The ids of all runs. Raises ConfigError where others can change the folder,
        StorageError.
        """
        if self._folder is None:
            return []
        try:
            permissions.check_own_folder(self._folder)
            self._sweep(self._folder)
            names = [path.name.removesuffix(_SUFFIX) for path in self._folder.glob(f"*{_SUFFIX}")]
        except OSError as error:
            raise StorageError(f"cannot read {self._folder}: {error.strerror}") from None
        return [name for name in names if RUN_ID.fullmatch(name)]

    def path(self, run: str) -> Path:
        """The journal of a run. Raises UsageError where there is no such run,
        ConfigError as `ids` does.
        """
        hint = "unified runs list shows them"
        if not RUN_ID.fullmatch(run):
            raise UsageError(f"{run!r} is no id of a run, such as 20261121-7f3a", hint=hint)
        path = self._path(run)
        if path is None or not path.is_file():
            raise UsageError(f"there is no run {run}", hint=hint)
        permissions.check_own_folder(path.parent)
        return path

    def lock(self, run: str) -> HeldLock:
        """The lock of a run, taken. Raises StateError where another process works on
        it, StorageError.
        """
        path = self.path(run)
        lock = _lock_of(path)
        lock.take(f"run {run}")
        return lock

    def reserve(self) -> tuple[str, HeldLock]:
        """The id of a new run, and its lock, taken. Raises as `ids`, also where nothing
        can be kept.
        """
        if self._folder is None:
            raise StorageError("there is no home directory")
        try:
            folders.make_private(self._folder)
            permissions.check_own_folder(self._folder)
            self._sweep(self._folder)
        except OSError as error:
            raise StorageError(f"cannot write {self._folder}: {error.strerror}") from None
        day = f"{datetime.fromtimestamp(self._wall(), UTC):%Y%m%d}"
        for digits in (2,) * _MOST_TRIES + (4,) * _MOST_TRIES:
            run = f"{day}-{secrets.token_hex(digits)}"
            path = self._folder / f"{run}{_SUFFIX}"
            lock = _lock_of(path)
            try:
                lock.take(run)
            except StateError:
                continue
            if not path.exists():
                return run, lock
            lock.release()
        raise StorageError(f"{self._folder} has no place for another run")

    def _sweep(self, folder: Path) -> None:
        """Remove what killed processes left: journals that were not whole, so that
        nothing was sent, and locks.
        """
        parts = {part.name[1:].partition(_SUFFIX)[0] for part in folder.glob(f".*{_SUFFIX}.*.part")}
        locks = {lock.name.partition(_SUFFIX)[0] for lock in folder.glob(f"*{_SUFFIX}.lock")}
        for run in parts | locks:
            path = folder / f"{run}{_SUFFIX}"
            lock = _lock_of(path)
            # One that is in use stays, and so does everything where the folder cannot be written.
            with contextlib.suppress(StateError, StorageError):
                lock.take(path.name, 0)
                try:
                    atomic_file.sweep(path)
                finally:
                    lock.release()

    def write(self, header: RunHeader, entries: Iterable[JournalEntry]) -> Path:
        """Write the journal of a new run, whose id is reserved; it is there with all
        its lines, or not at all.

        Raises StorageError.
        """
        path = self._path(header.run)
        if path is None:
            raise StorageError("there is no home directory")
        try:
            with AtomicFile.beside(path) as file:
                for chunk in journal_text(header, entries):
                    file.write(chunk)
                file.publish(path, replace=False)
        except OSError as error:
            if isinstance(error, NotSyncedError):
                # The run continues in memory; resuming this file would send all again.
                with contextlib.suppress(OSError):
                    path.unlink()
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        return path

    def point(self, command: str, path: str, *, at: float | None = None) -> str | None:
        """List work whose state is kept at `path`, once, and give its id; None where
        nothing can be written.

        `at` is when it began, if that is not now.
        """
        if any("\ud800" <= letter <= "\udfff" for letter in command + path):
            # The name of a file that is not UTF-8 cannot stand in JSON.
            return None
        with contextlib.suppress(StorageError):
            for run in self.ids():
                if self._pointer(run) == path:
                    return run
            run, lock = self.reserve()
            try:
                header = RunHeader(
                    run, masked(command), self._wall() if at is None else at, path=path
                )
                header.kind = RunKind(command.partition(" ")[0])
                self.write(header, ())
            finally:
                lock.release()
            return run
        return None

    def _pointer(self, run: str) -> str:
        """Where a run keeps its state, if that is elsewhere."""
        try:
            path = self.path(run)
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                if permissions.problem(path, os.fstat(file.fileno())):
                    return ""
                header = state.decoded(file.readline(_LONGEST_POINTER), RunHeader)
        except (OSError, UsageError):
            return ""
        return header.path if header else ""

    def remove(self, run: str) -> None:
        """Remove the journal of a run, whose lock is held. Raises StorageError."""
        path = self.path(run)
        try:
            path.unlink(missing_ok=True)
            folders.sync(path.parent)
        except OSError as error:
            raise StorageError(f"cannot remove {path}: {error.strerror}") from None

    def _path(self, run: str) -> Path | None:
        return self._folder / f"{run}{_SUFFIX}" if self._folder else None


def header_of(line: bytes, path: Path) -> RunHeader:
    """The first line of a journal. Raises StateError where it is none, or of a later version."""
    header = read_header(line, path, RunHeader, (None, *RunKind))
    if not RUN_ID.fullmatch(header.run):
        raise StateError(f"{path} is damaged in line 1, or no such journal")
    return header


def journal_text(header: RunHeader, entries: Iterable[JournalEntry]) -> Iterator[bytes]:
    """The text of a new journal, in pieces that are worth a write."""
    return state.chunks(msgspec.json.encode(line) for line in chain([header], entries))


def _lock_of(path: Path) -> HeldLock:
    return HeldLock(path.with_name(f"{path.name}.lock"), file_lock.IN_DATA_FOLDER)
