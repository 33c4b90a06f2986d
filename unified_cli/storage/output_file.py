"""Write a result to a file that the user named, atomically. The path is checked before
any request.

Devices, pipes, sockets and open descriptors are not replaced: the result is written to
them.
"""

import errno
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from unified_cli import os_limits
from unified_cli.errors import StorageError, UsageError
from unified_cli.runtime import WholeWriter
from unified_cli.storage import atomic_file, regular_file
from unified_cli.storage.atomic_file import AtomicFile, NotSyncedError

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

OVERWRITE = "--force overwrites it"
ANOTHER = "name another file, or remove it"
# Names of this process's descriptors. Opening such a name would truncate its file.
_DESCRIPTOR = re.compile(r"/dev/(?:(stdout)|(stderr)|fd/(\d{1,7}))|/proc/self/fd/(\d{1,7})")


def write(path: Path, chunks: Iterable[bytes], *, force: bool, instead: str = OVERWRITE) -> int:
    """Write the chunks to the file, and return their size.

    Without `force`, the file must not exist, and `instead` is the hint if it does.
    Raises StorageError. There is then no new file, unless the error says that the file
    was written.
    """
    with opened(path, force=force, instead=instead) as file:
        for chunk in chunks:
            file.write(chunk)
    return file.size


@contextmanager
def opened(path: Path, *, force: bool, instead: str = OVERWRITE) -> Iterator[AtomicFile]:
    """Yield a file that gets its name after the block.

    After an error, the file is removed. Without `force`, the path must not exist, and
    `instead` is the hint if it does. Raises StorageError. If the path cannot be
    written, raises the error before the block.
    """
    check(path, force=force, instead=instead)
    try:
        atomic_file.sweep_unheld(path.parent, path.name)
        with AtomicFile.beside(path) as file:
            yield file
            file.publish(path, replace=force)
    except FileExistsError:
        raise StorageError(f"{path} exists", hint=instead) from None
    except NotSyncedError as error:
        raise StorageError(error.message) from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from None


def check(path: Path, *, force: bool, instead: str = OVERWRITE, other: str | None = None) -> None:
    """Raise StorageError if the file cannot be written, and UsageError if `other`, an
    output of the same command, is the same file. Call it before any request.
    """
    if other and os_limits.absolute(path) == os_limits.absolute(Path(other)):
        raise UsageError(f"{path} is named twice for two outputs", hint="name another file")
    if path.is_symlink():
        raise StorageError(f"{path} is a symbolic link; name the file itself")
    if path.is_dir():
        raise StorageError(f"{path} is a folder; name a file in it")
    if is_special(path):
        raise StorageError(f"{path} is not a regular file, so it is not changed")
    if path.exists() and not force:
        raise StorageError(f"{path} exists", hint=instead)
    check_folder(path)


def check_folder(path: Path) -> None:
    """Raise StorageError if the path cannot be a file.

    For example, its folder is missing or not writable.
    """
    os_limits.absolute(path)
    if not path.name or path.name == "..":
        raise StorageError(f"{path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise StorageError(
            f"there is no folder {path.parent}", hint=f"mkdir -p {shlex.quote(str(path.parent))}"
        )
    if not os.access(path.parent, os.W_OK):
        raise StorageError(f"the folder {path.parent} cannot be written")


class OutputStream(WholeWriter):
    """A stream to a device or pipe. Its errors name `path`.

    `close` does not close a descriptor that was already open.
    """

    def __init__(self, path: Path, descriptor: int, *, owned: bool) -> None:
        super().__init__(descriptor)
        self._path = path
        self._owned = owned

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of the data, and return its length. Raises OSError."""
        try:
            return super().write(data)
        except OSError as error:
            error.filename = str(self._path)
            raise

    def isatty(self) -> bool:
        """Return whether the stream is a terminal."""
        return os.isatty(self.fileno())

    def close(self) -> None:
        """Close the stream, so that its reader sees the end."""
        if self._owned and not self.closed:
            os.close(self.fileno())
        super().close()


def open_stream(path: Path) -> OutputStream | None:
    """Open the device or pipe at `path`.

    Returns None for a regular or missing file. Links are not followed, except the names
    that the system gives to descriptors, such as `/dev/stdout`. Raises StorageError,
    for example if a named pipe has no reader.
    """
    try:
        if match := _DESCRIPTOR.fullmatch(str(path)):
            descriptor = 1 if match[1] else 2 if match[2] else int(match[3] or match[4])
            os.fstat(descriptor)
            return OutputStream(path, descriptor, owned=False)
        if not is_special(path):
            return None
        handle = regular_file.without_waiting(path, os.O_WRONLY)
        os.set_blocking(handle, True)
        return OutputStream(path, handle, owned=True)
    except OSError as error:
        if error.errno == errno.ENXIO and path.is_fifo():
            raise StorageError(
                f"there is no reader of {path}", hint="start its reader first"
            ) from None
        raise StorageError(f"cannot write {path}: {error.strerror}") from None


def write_stream(stream: OutputStream, chunks: Iterable[bytes]) -> int:
    """Write the chunks to the stream and close it.

    Returns the number of bytes. Raises StorageError.
    """
    size = 0
    try:
        with stream:
            for chunk in chunks:
                size += stream.write(chunk)
    except OSError as error:
        raise StorageError(f"cannot write {error.filename}: {error.strerror}") from None
    return size


def is_stream(path: Path) -> bool:
    """Return whether `open_stream` returns a stream. Raises OSError."""
    return _DESCRIPTOR.fullmatch(str(path)) is not None or is_special(path)


def is_special(path: Path) -> bool:
    """Return whether `path` is not a regular file, a folder or a link. Raises
    OSError.
    """
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
