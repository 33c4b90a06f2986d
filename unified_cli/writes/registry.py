"""Create, find and remove the runs of this user. Each run has a journal in the user's
data folder.
"""

import contextlib
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Self

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
_LONGEST_POINTER = 1024 * 1024
_NEWEST = {"latest", "newest", "recent", "previous", "-1"}


class RunHeader(msgspec.Struct):
    """The first line of a run's journal: the command, the program's version, and the
    time at which the run began.

    `command` are the words after the program's name, and `selection` the values of the
    option `-p`. `account_id`, `base_url` and `token_file` are the values of the options
    with these names. `calls` is the number of calls, and `body` is the body that they
    share. Older versions did not write `kind`. An `ordered` run sends its calls in
    order.

    An import, an export or an applied plan keeps its state in another file, at `path`.
    If several plans are applied, `paths` are the files of the other plans. `words` is
    the complete command, which continues the work. Older versions did not record it.
    `corrected` is the command that imports the file of refused lines after the user has
    corrected it. `inputs` are the file of records, or the files of the plans. `query`
    is part of each request. `targets` are the profiles of the calls, with their
    addresses and accounts. `ended` is the state of an export that has ended.
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
    paths: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    corrected: tuple[str, ...] = ()
    targets: tuple[tuple[str, str, str], ...] = ()
    inputs: tuple[str, ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    ended: str = ""
    kind: RunKind | None = None
    ordered: bool = False
    v: int = VERSION

    @property
    def continues(self) -> bool:
        """Whether the run can continue, because its complete command is known or its
        calls are in the journal.
        """
        return bool(not self.path or self.words)

    @classmethod
    def for_calls(
        cls, kind: RunKind, operation: Operation, options: ConnectionOptions, at: float, calls: int
    ) -> Self:
        """Return the header of a run with this many calls of an operation, to the
        connections that the options select.
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
    """The folder of all runs. It does not exist for a user without a home directory."""

    def __init__(self, runtime: Runtime) -> None:
        folder = runtime.folder("data")
        self._folder = folder / "runs" if folder else None
        self._wall = runtime.wall

    def ids(self) -> list[str]:
        """Return the ids of all runs.

        Raises ConfigError if other users can change the folder of the runs, and
        StorageError if the folder cannot be read.
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
        """Return the path of a run's journal.

        Raises UsageError if there is no such run, and the errors of `ids`.
        """
        hint = "unified runs list shows them"
        if not RUN_ID.fullmatch(run):
            if run.lower() in _NEWEST:
                hint = 'did you mean "last"?'
            elif found := [name for name in self.ids() if self._is_meant(name, run.strip())]:
                hint = f"did you mean {max(found)}?"
            raise UsageError(f"{run!r} is not the id of a run, such as 20261121-7f3a", hint=hint)
        path = self._path(run)
        if path is None or not path.is_file():
            raise UsageError(f"there is no run {run}", hint=hint)
        permissions.check_own_folder(path.parent)
        return path

    def _is_meant(self, run: str, typed: str) -> bool:
        """Return whether the user may mean this run: the typed text is a part of its
        id, or a file of its command.
        """
        header = None if typed in run else self._run_with_own_state(run)
        return typed in run or bool(header and typed in header.command.split())

    def lock(self, run: str) -> HeldLock:
        """Lock a run.

        Raises StateError if another process is working on the run, and StorageError if
        locking fails.
        """
        path = self.path(run)
        lock = _lock_of(path)
        lock.take(f"run {run}")
        return lock

    def reserve(self) -> tuple[str, HeldLock]:
        """Create the id of a new run, and lock it.

        Raises StorageError if the folder cannot be written, and the errors of `ids`.
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
        raise StorageError(f"{self._folder} has no free id for another run")

    def _sweep(self, folder: Path) -> None:
        """Remove the locks and partial journals of killed processes, which had not sent
        anything yet.
        """
        parts = {part.name[1:].partition(_SUFFIX)[0] for part in folder.glob(f".*{_SUFFIX}.*.part")}
        locks = {lock.name.partition(_SUFFIX)[0] for lock in folder.glob(f"*{_SUFFIX}.lock")}
        for run in parts | locks:
            path = folder / f"{run}{_SUFFIX}"
            lock = _lock_of(path)
            # Keep files that are in use, or that cannot be removed.
            with contextlib.suppress(StateError, StorageError):
                lock.take(path.name, 0)
                try:
                    atomic_file.sweep(path)
                finally:
                    lock.release()

    def is_running(self, run: str) -> bool:
        """Return whether a process is working on a run."""
        path = self._path(run)
        if path is None or not _lock_path(path).exists():
            return False
        lock = _lock_of(path)
        try:
            lock.take(run, 0)
        except StateError:
            return True
        except StorageError:
            return False
        lock.release()
        return False

    def write(
        self, header: RunHeader, entries: Iterable[JournalEntry], *, replace: bool = False
    ) -> Path:
        """Write the journal of a run, completely or not at all.

        The caller must have reserved the id. To `replace` an existing journal, the
        caller must hold the lock of the run. Raises StorageError.
        """
        path = self._path(header.run)
        if path is None:
            raise StorageError("there is no home directory")
        try:
            with AtomicFile.beside(path) as file:
                for chunk in journal_text(header, entries):
                    file.write(chunk)
                file.publish(path, replace=replace)
        except OSError as error:
            if isinstance(error, NotSyncedError):
                # The run continues in memory, so this file would get no outcomes, and
                # resuming it would send everything again.
                with contextlib.suppress(OSError):
                    path.unlink()
            raise StorageError(f"cannot write {path}: {error.strerror}") from None
        return path

    def list_old(self, command: str, path: str, at: float) -> None:
        """Try to add an import to the list of runs. An older version began the import
        without listing it.

        `path` is the journal of the import, and `at` the time at which it began.
        """
        header = RunHeader("", command, at, path=path, kind=RunKind.IMPORT)
        with contextlib.suppress(StorageError):
            if self._run_with_same_state(header) is None:
                header.run, lock = self.reserve()
                try:
                    self.write(header, ())
                finally:
                    lock.release()

    @contextlib.contextmanager
    def listed(self, header: RunHeader) -> Iterator["ListedWork"]:
        """Add an import, an export or plans to the list of runs, as running during the
        block.

        Work that is already in the list is not added again.
        """
        # Do not store secrets, or file names that are not UTF-8.
        header.command = masked(header.command)
        if any(masked(word) != word for word in header.words):
            header.words = header.corrected = header.query = ()
        lock: HeldLock | None = None
        text = "".join((header.command, header.path, *header.paths, *header.words))
        if not any("\ud800" <= letter <= "\udfff" for letter in text):
            with contextlib.suppress(StorageError, StateError):
                lock = self._begin_listed(header)
        try:
            yield ListedWork(self, header if lock else None)
        finally:
            if lock is not None:
                lock.release()

    def _begin_listed(self, header: RunHeader) -> HeldLock:
        before = self._run_with_same_state(header)
        if before is None:
            run, lock = self.reserve()
        else:
            header.run, header.at, header.command = before.run, before.at, before.command
            run, lock = before.run, self.lock(before.run)
        try:
            self.write(msgspec.structs.replace(header, run=run), (), replace=before is not None)
        except BaseException:
            lock.release()
            raise
        header.run = run
        return lock

    def _run_with_same_state(self, header: RunHeader) -> RunHeader | None:
        found = (self._run_with_own_state(run) for run in self.ids())
        places = (header.path, header.paths)
        return next((run for run in found if run and (run.path, run.paths) == places), None)

    def _run_with_own_state(self, run: str) -> RunHeader | None:
        try:
            path = self.path(run)
            with os.fdopen(regular_file.descriptor(path), "rb") as file:
                if permissions.problem(path, os.fstat(file.fileno())):
                    return None
                header = state.decoded(file.readline(_LONGEST_POINTER), RunHeader)
        except (OSError, UsageError):
            return None
        return header if header and header.path else None

    def remove(self, run: str) -> None:
        """Remove the journal of a run. The caller must hold the lock of the run. Raises
        StorageError.
        """
        path = self.path(run)
        try:
            path.unlink(missing_ok=True)
            folders.sync(path.parent)
        except OSError as error:
            raise StorageError(f"cannot remove {path}: {error.strerror}") from None

    def _path(self, run: str) -> Path | None:
        return self._folder / f"{run}{_SUFFIX}" if self._folder else None


class ListedWork(NamedTuple):
    """An import, an export or plans in the list of runs, unless `header` is None."""

    registry: RunRegistry
    header: RunHeader | None

    @property
    def run(self) -> str | None:
        """The id of the run."""
        return self.header.run if self.header else None

    def end(self, word: str) -> None:
        """Try to record how the work ended."""
        if self.header is not None:
            with contextlib.suppress(StorageError):
                ended = msgspec.structs.replace(self.header, ended=word)
                self.registry.write(ended, (), replace=True)


def header_of(line: bytes, path: Path) -> RunHeader:
    """Decode the header of a journal.

    Raises StateError if the header is invalid, or if another version wrote it in
    another format.
    """
    header = read_header(line, path, RunHeader, (None, *RunKind))
    if not RUN_ID.fullmatch(header.run):
        raise StateError(f"{path} is damaged in line 1, or is not a journal")
    return header


def journal_text(header: RunHeader, entries: Iterable[JournalEntry]) -> Iterator[bytes]:
    """Yield the text of a new journal in large pieces."""
    return state.chunks(msgspec.json.encode(line) for line in chain([header], entries))


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _lock_of(path: Path) -> HeldLock:
    return HeldLock(_lock_path(path), file_lock.IN_DATA_FOLDER)
