"""What the operating system may refuse to a process at any time: another thread, another open file."""

import errno
import sys
from collections.abc import Callable
from threading import Thread

from unified_cli.errors import StorageError, UnifiedError

_FEWER_FILES = "ulimit -n shows the limit, --workers 1 needs few"


def start_thread(work: Callable[[], None]) -> Thread:
    """A running daemon thread that does the work. Raises StorageError where no further thread can be had."""
    thread = Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # All that `start` raises for a new thread.
        raise StorageError(
            "the operating system allows no more threads", hint="ulimit -u shows the limit, --workers 1 needs few"
        ) from None
    return thread


def open_files() -> int:
    """How many files and connections this process may have open at a time."""
    if sys.platform == "win32":
        return 512
    import resource  # noqa: PLC0415  not on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def is_no_descriptor(error: BaseException) -> bool:
    """Whether it is the operating system's refusal to open another file or socket."""
    return isinstance(error, OSError) and error.errno in {errno.EMFILE, errno.ENFILE}


def no_descriptor() -> StorageError:
    """The error for that refusal, whatever was to be opened."""
    return StorageError("the operating system allows no more open files or connections", hint=_FEWER_FILES)


def add_hint(error: UnifiedError) -> None:
    """Say in an error without a hint what to do, if that refusal is behind it."""
    cause: BaseException | None = error
    while cause is not None and error.hint is None:
        if is_no_descriptor(cause):
            error.add_hint(_FEWER_FILES)
        cause = cause.__context__
