"""A lock that a process holds on a file of its own, gone when the process is."""

import fcntl
import os
from pathlib import Path

from unified_cli.errors import StateError, StorageError

_MODE = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class HeldLock:
    """Held from `take` to `release`; the file says who holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self, what: str) -> None:
        """Take the lock at once. Raises StateError where another process has it, StorageError where no file can be."""
        while self._handle is None:
            try:
                handle = os.open(self._path, _MODE, 0o600)
            except OSError as error:
                raise StorageError(f"cannot write {self._path}: {error.strerror}") from None
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.read(handle, 20).decode("ascii", "replace").strip()
                os.close(handle)
                raise StateError(f"{what} is in use by process {holder or '?'}") from None
            # Whoever held it before may have removed the file meanwhile; a lock on a file without a name is none.
            if _is_there(handle, self._path):
                self._handle = handle
            else:
                os.close(handle)
        os.ftruncate(self._handle, 0)
        os.write(self._handle, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Remove the file and let go."""
        if self._handle is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._handle)
            self._handle = None


def _is_there(handle: int, path: Path) -> bool:
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    held = os.fstat(handle)
    return (named.st_dev, named.st_ino) == (held.st_dev, held.st_ino)
