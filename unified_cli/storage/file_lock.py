"""Lock files. When a process ends, the operating system releases all of its locks."""

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from unified_cli.errors import StateError, StorageError
from unified_cli.storage import regular_file

if TYPE_CHECKING:
    from filelock import FileLock

IN_DATA_FOLDER = "set XDG_DATA_HOME to a folder on another disk"
# The errors of file systems without locks, such as some NFS, Lustre without flock, and
# 9p.
_WITHOUT_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP}
_MODE = 0o600
_MOMENT = 0.2
_NOTED_SECONDS = 1.0
# With a shorter interval, two hundred waiting processes would slow down the process
# that holds the lock.
_POLL_SECONDS = 0.1
# In some folders, such as /proc, creating a file always fails with ENOENT, as if
# another process had just removed the file. So stop trying at some point.
_MOST_TRIES = 10


class NoLocksError(OSError):
    """The disk of a folder does not support locks. `reason` names the folder and the
    error.
    """

    def __init__(self, folder: Path, error: OSError) -> None:
        self.reason = f"the folder {folder} is on a disk without locks: {error.strerror}"
        super().__init__(error.errno, self.reason)


class HeldLock:
    """A lock that is held from `take` to `release`. Other processes fail instead of
    waiting for it.

    The file of the lock contains the id of the process, and is removed on release.
    Another thread may release the lock. `instead` is the hint for the case that the
    disk does not support locks.
    """

    def __init__(self, path: Path, instead: str | None = None) -> None:
        self._path = path
        self._instead = instead
        self._lock: FileLock | None = None

    def take(self, what: str, seconds: float = _MOMENT) -> None:
        """Take the lock.

        Waits for up to `seconds`, because another process may hold the lock for a
        moment, only to find out whether the lock was free. Raises StateError if another
        process holds the lock for longer, or if the path of the lock is not a regular
        file. Raises StorageError if the file cannot be created. Messages call the
        locked thing `what`.
        """
        _check(self._path)
        lock = FileLock(
            self._path,
            seconds,
            mode=_MODE,
            thread_local=False,
            poll_interval=_MOMENT / 10,
            on_acquired=_sign,
            fallback_to_soft=False,
        )
        for _ in range(_MOST_TRIES):
            try:
                lock.acquire()
                if lock.is_locked:
                    break
            except Timeout:
                if (holder := _holder(self._path)) is not None:
                    raise StateError(f"{what} is in use by process {holder or '?'}") from None
                # The previous holder has removed the file, so the lock on this file is
                # useless. Try again with a new file.
            except OSError as error:
                if (lacking := _no_locks_error(self._path, error)) is not None:
                    raise StorageError(lacking.reason, hint=self._instead) from None
                raise _refused(self._path, error) from None
        else:
            raise StorageError(f"cannot create {self._path}: the folder accepts no file")
        self._lock = lock

    def release(self) -> None:
        """Remove the file and release the lock, if held.

        Ignores errors, because the next process can use the file again.
        """
        if self._lock is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self._lock.release()
            self._lock = None


@contextlib.contextmanager
def hold(
    path: Path, seconds: float, note: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Hold a lock on the file during the block, and keep the file.

    If `seconds` is negative, wait forever. After a second, `note` is called with a
    message about the wait. Raises TimeoutError if another process holds the lock for
    longer than `seconds`, NoLocksError if the disk does not support locks, and OSError
    if the file cannot be used.
    """
    regular_file.check(path)
    lock = FileLock(
        path, timeout=seconds, mode=_MODE, poll_interval=_POLL_SECONDS, fallback_to_soft=False
    )
    long = not 0 <= seconds <= _NOTED_SECONDS
    try:
        try:
            lock.acquire(timeout=_NOTED_SECONDS if long else seconds)
        except Timeout:
            if not long:
                raise
            note(f"waiting for another process, which has locked {path}")
            lock.acquire()
    except OSError as error:
        raise _no_locks_error(path, error) or error from None
    try:
        yield
    finally:
        # If closing fails, the lock is released anyway, and the work is done.
        with contextlib.suppress(OSError):
            lock.release()


def _check(path: Path) -> None:
    try:
        regular_file.check(path)
    except regular_file.NotRegularError:
        raise StateError(f"{path} is not a regular file", hint="remove it") from None
    except OSError as error:
        raise _refused(path, error) from None


def _no_locks_error(path: Path, error: OSError) -> NoLocksError | None:
    if error.errno not in _WITHOUT_LOCKS:
        return None
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
    return NoLocksError(path.parent, error)


def _refused(path: Path, error: OSError) -> StorageError:
    if error.errno in {errno.EACCES, errno.EROFS} and not os.path.lexists(path):
        # The lock is the first file in the folder, so report that the folder cannot be
        # written.
        return StorageError(f"cannot write into the folder {path.parent}: {error.strerror}")
    return StorageError(f"cannot write {path}: {error.strerror}")


def _sign(handle: int) -> None:
    os.ftruncate(handle, 0)
    os.write(handle, f"{os.getpid()}\n".encode())


def _holder(path: Path) -> str | None:
    """Return the process id in the lock's file, or None."""
    try:
        with os.fdopen(regular_file.descriptor(path), "rb") as file:
            return file.read(20).decode("ascii", "replace").strip()
    except FileNotFoundError:
        return None
