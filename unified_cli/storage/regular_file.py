"""Open a regular file of this program, without waiting for another process."""

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
    """The name belongs to something other than a regular file: a link, a folder, a
    pipe, a socket or a device.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "not a regular file", str(path))


def descriptor(path: Path, flags: int = os.O_RDONLY, *, follow: bool = False) -> int:
    """Return a descriptor of the regular file at `path`.

    A link to one is followed only with `follow`.

    Raises NotRegularError if anything else has that name, and FileNotFoundError or
    another OSError if it cannot be opened.
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
    """Return a descriptor without waiting for a writer.

    A named pipe without one does not block the open. Raises OSError.
    """
    return os.open(path, flags | _WITHOUT_WAITING, 0o600)


def remove_unheld(path: Path) -> None:
    """Remove a file that no process holds.

    The process that made it was killed. A file that cannot be checked stays.
    """
    with contextlib.suppress(OSError):
        handle = descriptor(path, os.O_RDWR)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        finally:
            os.close(handle)


def check(path: Path, *, follow: bool = False) -> None:
    """Raise NotRegularError for anything but a regular file.

    A free name is accepted. Use it before a library opens a file by its name. Raises
    OSError.
    """
    try:
        status = path.stat(follow_symlinks=follow)
    except (FileNotFoundError, NotADirectoryError):
        return
    if not stat.S_ISREG(status.st_mode):
        raise NotRegularError(path)
