"""Save records from a pipe or an export to a file, so that an import of the records can
be resumed.
"""

import contextlib
import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from unified_cli.errors import StateError, StorageError, UsageError
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, file_lock, folders, input_bounds, permissions
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.writes import import_journal

_FOLDER, _NAME = "imports", "stdin"
STDIN = "standard input"


class StdinCopy(NamedTuple):
    """A copy of an input. If the copy is temporary, `not_kept` says why. Otherwise it
    is None.
    """

    path: Path
    not_kept: StorageError | None = None
    named: str = STDIN

    @property
    def shown(self) -> Path:
        """The name of the input in messages."""
        return Path(self.named) if self.not_kept else self.path


@contextlib.contextmanager
def copy_stdin(runtime: Runtime, where: list[Any], token_stdin: bool) -> Iterator[StdinCopy]:
    """Save standard input in the same way as `keep_input`.

    Also raises UsageError if stdin is a terminal or is closed. With `token_stdin`,
    raises UsageError, too, because stdin cannot contain both the token and the records.
    """
    _check(runtime, token_stdin)
    assert runtime.stdin is not None  # noqa: S101  checked above
    chunks = iter(partial(runtime.stdin.read, 1 << 20), b"")
    with keep_input(runtime, where, chunks, STDIN) as copy:
        yield copy


@contextlib.contextmanager
def keep_input(
    runtime: Runtime, where: list[Any], chunks: Iterable[bytes], named: str
) -> Iterator[StdinCopy]:
    """Save an input in the data folder.

    `where` is the destination of the records, and `named` is the name of the input in
    messages. The same records for the same destination are saved to the same file, so
    that a second run finds the journal of the first run. If there is no data folder,
    the copy is removed after the block. Raises UsageError if the input is too large,
    ConfigError if other users can change the data folder, and StorageError if the copy
    cannot be written.
    """
    data = runtime.folder("data")
    folder = data / _FOLDER if data else None
    with contextlib.ExitStack() as stack:
        try:
            not_kept = None
            copy = stack.enter_context(_begin(folder))
        except StorageError as error:
            not_kept = error
            copy = stack.enter_context(_begin_elsewhere(stack, error))
        path = _fill(copy, where, chunks, named)
        if not_kept is None and (not_kept := _lacks_locks(path)) is not None:
            stack.callback(path.unlink, missing_ok=True)
        if not_kept is None:
            runtime.stderr.note(f"{named} is saved as {path}")
        elif folder and _is_begun(folder / path.name):
            # Stop here. Without its journal, the import would send records again that
            # are already done.
            not_kept.add_hint("nothing was sent")
            raise not_kept
        yield StdinCopy(path, not_kept, named)


def unlisted_journals(runtime: Runtime) -> list[Path]:
    """Return the journals of unfinished imports from a pipe that version 0.1 began.
    Version 0.1 did not add them to the list of runs.
    """
    data = runtime.folder("data")
    if data is None:
        return []
    return [
        journal
        for journal in sorted((data / _FOLDER).glob(f"*{import_journal.SUFFIX}"))
        if not import_journal.version_of(journal) and not _is_done(journal)
    ]


def remove_unlisted(runtime: Runtime, journal: str) -> None:
    """Remove the files of an import by version 0.1, so that it is not listed again.

    Does nothing for other journals. Raises StorageError.
    """
    path = Path(journal)
    if path not in unlisted_journals(runtime):
        return
    others = [other for other in path.parent.glob(f"{_input_of(path)}*") if other != path]
    for other in (*others, path):
        try:
            other.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"cannot remove {other}: {error.strerror}") from None


def _input_of(journal: Path) -> str:
    return journal.name.removesuffix(import_journal.SUFFIX)


def _is_done(journal: Path) -> bool:
    results = {path.name for path in journal.parent.glob(f"{_input_of(journal)}.*")}
    results.discard(journal.name)
    return bool(results) and all("unified-done" in name for name in results)


def _check(runtime: Runtime, token_stdin: bool) -> None:
    if token_stdin:
        raise UsageError(
            "standard input holds the records, so no token can be read from it (--token-file FILE)"
        )
    if runtime.stdin is None:
        raise UsageError("standard input is closed, so there is nothing to import")
    if runtime.stdin_is_terminal:
        raise UsageError(
            "standard input is a terminal (name a file, or use a pipe: … | unified"
            " import API/RESOURCE -)"
        )


def _begin_elsewhere(stack: contextlib.ExitStack, why: StorageError) -> AtomicFile:
    """Create a file in a temporary folder. Raises `why` if that fails, too."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="unified-import-", ignore_cleanup_errors=True)
        return AtomicFile.beside(Path(stack.enter_context(folder)) / _NAME)
    except OSError:
        why.add_hint("import from a file instead")
        raise why from None


def _begin(folder: Path | None) -> AtomicFile:
    if folder is None:
        raise StorageError("there is no home directory")
    try:
        folders.make_private(folder)
        permissions.check_own_folder(folder)
        atomic_file.sweep_unheld(folder, _NAME)
        return AtomicFile.beside(folder / _NAME)
    except OSError as error:
        raise StorageError(f"cannot write into {folder}: {error.strerror}") from None


def _fill(copy: AtomicFile, where: list[Any], chunks: Iterable[bytes], named: str) -> Path:
    digest = hashlib.sha256(json.dumps(where).encode())
    try:
        for chunk in chunks:
            if copy.size > input_bounds.LARGEST_COPY:
                bound = f"{input_bounds.LARGEST_COPY >> 30} GiB"
                raise UsageError(
                    f"{named} is larger than {bound}",
                    hint="save it to a file, and import the file",
                )
            digest.update(chunk)
            copy.write(chunk)
        path = copy.folder / f"{digest.hexdigest()[:24]}.ndjson"
        copy.publish(path, replace=True)
    except OSError as error:
        raise StorageError(
            f"cannot save the piped input: {copy.folder}: {error.strerror}"
        ) from None
    return path


def _lacks_locks(path: Path) -> StorageError | None:
    """Return the reason why an import of this file cannot be locked, or None if the
    disk supports locks.
    """
    lock = import_journal.lock_of(path, file_lock.IN_DATA_FOLDER)
    try:
        lock.take(str(path))
    except StateError:
        return None
    except StorageError as error:
        return error
    lock.release()
    return None


def _is_begun(copy: Path) -> bool:
    """Return whether an import of this copy may have a journal."""
    try:
        return copy.with_name(f"{copy.name}{import_journal.SUFFIX}").exists()
    except OSError:
        return True
