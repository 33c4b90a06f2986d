"""Files that only grow, of three kinds: a file that is durable once `sync` returns, a
document that is complete at all times, and a file in memory, for use if no file can be
written.
"""

import contextlib
import fcntl
import hashlib
import io
import os
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, cast

from unified_cli.storage import folders, regular_file

if TYPE_CHECKING:
    import hashlib


_BLOCK = 1024 * 1024


class AppendFile:
    """A private file that is made with `create` or opened with `open`, then appended
    to. `size` is its length in bytes.

    A crash can leave only a part of the last write: the reader decides how much of it
    counts, and cuts off the rest. All methods raise OSError as the operating system
    does, and NotRegularError for anything of that name that is not a regular file: no
    link is followed, and no pipe is waited for.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._handle = -1

    @property
    def is_open(self) -> bool:
        """Whether it was opened and not yet closed."""
        return self._handle >= 0

    def create(self) -> None:
        """Make the file.

        Raises FileExistsError if the name is taken, even by a dangling link.
        """
        self._open(os.O_CREAT | os.O_EXCL)

    def open(self, *, missing_ok: bool = False, writable: bool = True) -> None:
        """Open the file. With `missing_ok` a missing file is created, else
        FileNotFoundError is raised. Without `writable` the file is opened for reading
        only, so the right to write is not needed.
        """
        self._open(
            (os.O_CREAT if missing_ok else 0) if writable else os.O_RDONLY, writable=writable
        )

    def _open(self, flags: int, *, writable: bool = True) -> None:
        way = os.O_RDWR | os.O_APPEND if writable else os.O_RDONLY
        self._handle = regular_file.descriptor(self.path, way | flags)
        self.size = self.status.st_size

    def hold(self) -> None:
        """Hold the open file until it is closed.

        The end of the process closes the file, too. Until it is closed,
        `regular_file.remove_unheld` does not remove it.
        """
        # On a file system without locks `remove_unheld` removes nothing, so the lock is
        # not needed.
        with contextlib.suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)

    @property
    def status(self) -> os.stat_result:
        """The owner and the mode of the open file."""
        return os.fstat(self._handle)

    def append(self, data: bytes) -> None:
        """Append all of the data. The operating system may take it in parts."""
        rest = memoryview(data)
        while rest:
            written = os.write(self._handle, rest)
            self.size += written
            rest = rest[written:]

    def sync(self) -> None:
        """Sync the content to disk. `sync_name` syncs the file's name."""
        os.fsync(self._handle)

    def sync_name(self) -> None:
        """Sync the file's name to disk."""
        folders.sync(self.path.parent)

    def cut(self, size: int) -> None:
        """Remove everything after the first `size` bytes."""
        os.ftruncate(self._handle, size)
        self.size = size

    def reader(self) -> BufferedReader:
        """Return the content as a file object.

        The file object is positioned at the start, and must be closed before anything
        is appended.
        """
        os.lseek(self._handle, 0, os.SEEK_SET)
        return open(self._handle, "rb", closefd=False)

    def sha256(self, size: int) -> "hashlib._Hash":
        """Return the hash of the first `size` bytes.

        A shorter file is hashed whole. The hash object can be updated with more data.
        """
        found = hashlib.sha256()
        with self.reader() as content:
            while size and (block := content.read(min(size, _BLOCK))):
                found.update(block)
                size -= len(block)
        return found

    def read(self, size: int, at: int) -> bytes:
        """Return at most `size` bytes from the position `at`."""
        return os.pread(self._handle, size, at)

    def close(self) -> None:
        """Close it, if it is open."""
        if self.is_open:
            handle, self._handle = self._handle, -1
            os.close(handle)


class GrowingDocument:
    """A new file that begins with `head` and always ends with `foot`; the elements
    between are joined by commas.

    Each addition is one write, so that a process that is killed leaves all earlier
    elements readable. Raises OSError, and FileExistsError if the name is taken.
    """

    def __init__(self, path: Path, head: bytes, foot: bytes) -> None:
        self._foot = foot
        self._at = len(head)
        self._empty = True
        self._handle = regular_file.descriptor(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        self._write(head + foot, 0)

    def add(self, element: bytes) -> None:
        """Add an element. If that fails, the document is unchanged."""
        data = element if self._empty else b",\n" + element
        try:
            self._write(data + self._foot, self._at)
        except OSError:
            with contextlib.suppress(OSError):
                # This works on a full disk, because it only overwrites bytes.
                self._write(self._foot, self._at)
                os.ftruncate(self._handle, self._at + len(self._foot))
            raise
        self._at += len(data)
        self._empty = False

    def close(self) -> None:
        """Close it."""
        os.close(self._handle)

    def _write(self, data: bytes, at: int) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._handle, rest, at)
            at += written
            rest = rest[written:]


class MemoryFile:
    """Has the methods of an open `AppendFile`; its content is lost when the process
    ends.
    """

    def __init__(self, path: Path) -> None:
        """`path` is that of the unwritable file."""
        self.path = path
        self._content = bytearray()

    @property
    def size(self) -> int:
        """The number of bytes written."""
        return len(self._content)

    def append(self, data: bytes) -> None:
        """Append all of the data."""
        self._content += data

    def sync(self) -> None:
        """Do nothing: there is no disk."""

    def sync_name(self) -> None:
        """Do nothing: there is no name."""

    def cut(self, size: int) -> None:
        """Remove everything after the first `size` bytes."""
        del self._content[size:]

    def reader(self) -> BufferedReader:
        """Return the content as a file object, from its start."""
        return BufferedReader(cast("io.RawIOBase", io.BytesIO(self._content)))

    def read(self, size: int, at: int) -> bytes:
        """Return at most `size` bytes from the position `at`."""
        return bytes(self._content[at : at + size])

    def close(self) -> None:
        """Do nothing: the content is lost with the object."""
