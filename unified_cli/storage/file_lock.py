"""Locks of files, held by one process at a time and gone when it ends, however it ends."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli.errors import StateError, StorageError

if TYPE_CHECKING:
    from filelock import FileLock

_MODE = 0o600
# Not shorter: two hundred waiting processes that look again and again would leave no time for the one that works.
_POLL_SECONDS = 0.1


class HeldLock:
    """A lock that is never waited for, held from `take` to `release`.

    Its file says which process holds it, and is gone when it is released. It may be released by another thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: FileLock | None = None

    def take(self, what: str) -> None:
        """Take the lock at once. Raises StateError where another process has it, StorageError where no file can be."""
        from filelock import FileLock, Timeout  # noqa: PLC0415  only for long work

        lock = FileLock(self._path, mode=_MODE, thread_local=False, blocking=False, on_acquired=_sign)
        while not lock.is_locked:
            try:
                lock.acquire()
            except Timeout:
                if (holder := _holder(self._path)) is not None:
                    raise StateError(f"{what} is in use by process {holder or '?'}") from None
                # Whoever held the lock has removed the file meanwhile, and a lock on a file without a name is none.
            except OSError as error:
                raise StorageError(f"cannot write {self._path}: {error.strerror}") from None
        self._lock = lock

    def release(self) -> None:
        """Remove the file and release the lock, if it is held."""
        if self._lock is not None:
            self._path.unlink(missing_ok=True)
            self._lock.release()
            self._lock = None


@contextlib.contextmanager
def waiting(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock, and leave its file for the next; a negative number of seconds waits for ever.

    Raises TimeoutError where another process holds it for so long, and OSError.
    """
    from filelock import FileLock  # noqa: PLC0415  only for what changes files

    with FileLock(path, timeout=seconds, mode=_MODE, poll_interval=_POLL_SECONDS):
        yield


def _sign(handle: int) -> None:
    """Write into the lock's file which process holds it."""
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())


def _holder(path: Path) -> str | None:
    """The process that holds the lock, as its file says; None where there is no file."""
    try:
        with path.open("rb") as file:
            return file.read(20).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
