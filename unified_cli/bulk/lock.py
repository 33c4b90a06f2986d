"""One process at a time: a lock file beside what it guards."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unified_cli.errors import StateError, StorageError


@contextmanager
def held(guarded: Path) -> Iterator[None]:
    """Hold `guarded`.lock; the system lets go of it whatever ends the process.

    Raises StateError naming the process that holds it, StorageError where the lock file cannot be made.
    """
    path = guarded.with_name(guarded.name + ".lock")
    try:
        handle = _open(path, guarded)
    except OSError as error:
        raise StorageError(f"cannot lock {path}: {error.strerror}") from None
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _open(path: Path, guarded: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 20, 0).decode("ascii", "replace").strip()
            os.close(handle)
            raise StateError(f"{guarded} is in use by process {holder or 'unknown'}") from None
        # Its last holder may have removed the file between our opening and locking it.
        if path.exists() and os.fstat(handle).st_ino == path.stat().st_ino:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
            return handle
        os.close(handle)
