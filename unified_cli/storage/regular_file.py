"""Open regular files, and refuse pipes, devices and links."""

import contextlib
import errno
import fcntl
import os
import stat
from pathlib import Path

_WITHOUT_WAITING = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
# The errors of opening a link, a folder, a socket or a device.
_OTHER_KINDS = {errno.ELOOP, errno.EISDIR, errno.ENXIO, errno.ENODEV}


class NotRegularError(OSError):
    """The path is a link, a folder, a pipe, a socket or a device."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(path))


def descriptor(path: Path, flags: int = os.O_RDONLY, *, follow: bool = False) -> int:
    """Open the regular file at `path`, and return its descriptor.

    Follows a link only if `follow` is true. Raises NotRegularError if the path is not a
    regular file, and FileNotFoundError or another OSError if it cannot be opened.
    """
    try:
        handle = without_waiting(path, flags | (0 if follow else _NO_LINK))
    except OSError as error:
        if error.errno in _OTHER_KINDS:
            raise NotRegularError(path) from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotRegularError(path)
    return handle


def without_waiting(path: Path, flags: int = os.O_RDONLY) -> int:
    """Open a file, and return its descriptor. A named pipe without a writer does not
    block.

    Raises OSError.
    """
    return os.open(path, flags | _WITHOUT_WAITING, 0o600)


def remove_unheld(path: Path) -> None:
    """Remove a file that a killed process left, unless another process has locked it.

    Keeps the file if the lock cannot be checked.
    """
    with contextlib.suppress(OSError):
        handle = descriptor(path, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def check(path: Path, *, follow: bool = False) -> None:
    """Raise NotRegularError if the path exists and is not a regular file.

    Call it before a library opens the file. Raises OSError.
    """
    try:
        status = path.stat(follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(path)
