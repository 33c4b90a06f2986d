"""Wrap calls that the operating system may refuse at any time, and calls that neither a
deadline nor a signal can end.
"""

import contextlib
import errno
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from threading import Thread
from typing import TypeVar

from unified_cli import signals
from unified_cli.errors import ExitCode, StorageError, UnifiedError

if sys.platform != "win32":
    import resource

_GONE = "the working directory was removed"
_ELSEWHERE = "cd to another directory"
_FEWER_FILES = "ulimit -n shows the limit, --workers 1 needs fewer"
# The limit to assume if it is unknown. It is the lowest default of all systems, which
# macOS has.
_UNKNOWN_FILES = 256
# The most files to compare, because a folder may have millions.
_MOST_FILES = 1000
_CLOSE = 0.75
Result = TypeVar("Result")


def start_thread(work: Callable[[], None]) -> Thread:
    """Return a running daemon thread that does the work.

    Raises StorageError if no thread can start.
    """
    thread = Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # `start` raises this only if there are too many threads.
        raise StorageError(
            "the operating system allows no more threads",
            hint="ulimit -u shows the limit, --workers 1 needs fewer",
        ) from None
    return thread


def open_files() -> int:
    """Return how many files this process may have open. Connections count, too."""
    return raise_open_files(0)


def raise_open_files(wanted: int) -> int:
    """Raise the limit of open files to `wanted` if it is lower, and return the new
    limit.

    The operating system may allow fewer files.
    """
    if sys.platform == "win32":
        return _UNKNOWN_FILES
    infinite = resource.RLIM_INFINITY
    try:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    except OSError:
        # In some sandboxes, the limit cannot be read.
        return _UNKNOWN_FILES
    if hard != infinite:
        wanted = min(hard, wanted)
    if soft != infinite and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return sys.maxsize if soft == infinite else soft


def is_no_descriptor(error: BaseException) -> bool:
    """Return whether the error means that too many files and sockets are open."""
    return isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}


def no_descriptor() -> StorageError:
    """Return the error for too many open files and sockets."""
    return StorageError(
        "the operating system allows no more open files or connections", hint=_FEWER_FILES
    )


def absolute(path: Path) -> Path:
    """Return the absolute path, without resolving links and `..`.

    Raises StorageError if the path is relative and the working directory was removed.
    """
    try:
        return path.absolute()
    except OSError:
        raise StorageError(
            f"{path} is below the working directory, which was removed", hint=_ELSEWHERE
        ) from None


def resolve_path(path: Path) -> Path:
    """Return the absolute path, with links and `..` resolved.

    The path need not exist. Raises the errors of `absolute`, and OSError.
    """
    # `Path.resolve` raises for links in a circle before Python 3.13.
    return Path(os.path.realpath(absolute(path)))


def lost_directory() -> StorageError | None:
    """Return the error for a removed working directory. Returns None if it exists."""
    try:
        Path.cwd()
    except OSError:
        return StorageError(_GONE, hint=_ELSEWHERE)
    return None


def with_next_step(error: UnifiedError) -> UnifiedError:
    """Return the error, with a hint about the next step if the program knows one.

    It knows a next step for too many open files, a missing file, and a removed working
    directory. If the working directory was removed, a ConfigError becomes a
    StorageError.
    """
    causes = [*_causes(error)]
    if any(isinstance(cause, FileNotFoundError) for cause in causes) and lost_directory():
        if _ELSEWHERE not in error.message:
            error.add_hint(f"{_GONE}: {_ELSEWHERE}")
        if error.code is ExitCode.CONFIG:
            return StorageError(error.reason, hint=error.hint)
    for cause in causes:
        if error.hint is None and is_no_descriptor(cause):
            error.add_hint(_FEWER_FILES)
        elif (
            error.hint is None
            and isinstance(cause, OSError)
            and (hint := _about_file(cause, error.message))
        ):
            error.add_hint(hint)
    return error


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__context__


def _about_file(cause: OSError, message: str) -> str | None:
    """Return what to do about a missing file or folder.

    Returns None for another error, or if the message does not name the file.
    """
    name = str(cause.filename) if isinstance(cause.filename, str | os.PathLike) else ""
    if not name or name not in message:
        return None
    if cause.errno == errno.EISDIR:
        return "name a file in it"
    return _closest_file_advice(Path(name)) if cause.errno == errno.ENOENT else None


def _closest_file_advice(missing: Path) -> str | None:
    try:
        similar = find_similar(missing)
    except OSError:
        return f"there is no folder {missing.parent}"
    if similar:
        return f"did you mean {similar}?"
    return None if missing.is_absolute() else f"the program looked in {absolute(Path())}"


def find_similar(missing: Path) -> Path | None:
    """Return the file or folder with the most similar name to a missing file or folder.
    Returns None if no name is similar.

    Raises OSError if their folder cannot be read.
    """
    siblings = [path.name for path in islice(missing.parent.iterdir(), _MOST_FILES)]
    near = get_close_matches(missing.name, siblings, 1, _CLOSE)
    return missing.with_name(near[0]) if near else None


class UnansweredError(TimeoutError):
    """The call did not end by its deadline, and its thread was abandoned."""


def run_with_timeout(work: Callable[[], Result], seconds: float = math.inf) -> Result:
    """Do the work within this many seconds, and return its result.

    Raises the error of the work, UnansweredError if it takes longer, and StorageError
    if no thread can start.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  it is raised in the caller's thread
            errors.append(error)

    thread = start_thread(run)
    until = time.monotonic() + seconds
    while thread.is_alive() and (left := until - time.monotonic()) > 0:
        thread.join(min(left, signals.LONGEST_WAIT))
    if errors:
        raise errors[0]
    if not results:
        raise UnansweredError
    return results[0]
