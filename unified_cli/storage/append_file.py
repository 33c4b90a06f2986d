"""Files that are only appended to.

There are three classes: a file that is durable after `sync`, a document that is always
complete, and a replacement in memory for the case that no file can be written.
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
    """A private file to create or open, and then to append to. `size` is its length in
    bytes.

    After a crash, the last write may be partial, and the reader must cut it off. All
    methods raise OSError, and NotRegularError if the path is not a regular file. Links
    are not followed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._handle = -1

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._handle >= 0

    def create(self) -> None:
        """Create the file.

        Raises FileExistsError if the path exists, even as a dangling link.
        """
        self._open(os.O_CREAT | os.O_EXCL)

    def open(self, *, missing_ok: bool = False, writable: bool = True) -> None:
        """Open the file for reading and, if `writable`, for appending.

        With `missing_ok` and `writable`, create the file if it is missing.
        """
        self._open(
            (os.O_CREAT if missing_ok else 0) if writable else os.O_RDONLY, writable=writable
        )

    def _open(self, flags: int, *, writable: bool = True) -> None:
        way = os.O_RDWR | os.O_APPEND if writable else os.O_RDONLY
        self._handle = regular_file.descriptor(self.path, way | flags)
        self.size = self.status.st_size

    def hold(self) -> None:
        """Lock the file until it is closed, so that `regular_file.remove_unheld` does
        not remove it.
        """
        # If the file system has no locks, `remove_unheld` keeps all files.
        with contextlib.suppress(OSError):
            fcntl.flock(self._handle, fcntl.LOCK_EX)

    @property
    def status(self) -> os.stat_result:
        """The owner and the mode of the open file."""
        return os.fstat(self._handle)

    def append(self, data: bytes) -> None:
        """Append all of the data."""
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
        """Return a file object at the start of the content. Close it before
        appending.
        """
        os.lseek(self._handle, 0, os.SEEK_SET)
        return open(self._handle, "rb", closefd=False)

    def sha256(self, size: int) -> "hashlib._Hash":
        """Return the hash object of the first `size` bytes, which can be updated with
        more data.
        """
        result = hashlib.sha256()
        with self.reader() as content:
            while size and (block := content.read(min(size, _BLOCK))):
                result.update(block)
                size -= len(block)
        return result

    def read(self, size: int, at: int) -> bytes:
        """Return at most `size` bytes from the position `at`."""
        return os.pread(self._handle, size, at)

    def close(self) -> None:
        """Close the file, if it is open."""
        if self.is_open:
            handle, self._handle = self._handle, -1
            os.close(handle)


class GrowingDocument:
    """A new file that begins with `head`, continues with elements between commas, and
    always ends with `foot`.

    Each element is added in one write, so that the file is valid even if the process is
    killed. Raises FileExistsError if the path exists, and another OSError if writing
    fails.
    """

    def __init__(self, path: Path, head: bytes, foot: bytes) -> None:
        self._foot = foot
        self._at = len(head)
        self._empty = True
        self._handle = regular_file.descriptor(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        self._write(head + foot, 0)

    def add(self, element: bytes) -> None:
        """Add an element, or leave the document unchanged if that fails."""
        data = element if self._empty else b",\n" + element
        try:
            self._write(data + self._foot, self._at)
        except OSError:
            with contextlib.suppress(OSError):
                # Write the end of the document again. This works even on a full disk,
                # because it only overwrites bytes.
                self._write(self._foot, self._at)
                os.ftruncate(self._handle, self._at + len(self._foot))
            raise
        self._at += len(data)
        self._empty = False

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _write(self, data: bytes, at: int) -> None:
        rest = memoryview(data)
        while rest:
            written = os.pwrite(self._handle, rest, at)
            at += written
            rest = rest[written:]


class MemoryFile:
    """An `AppendFile` in memory, which is lost when the process ends."""

    def __init__(self, path: Path) -> None:
        """`path` is the file that could not be written."""
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
