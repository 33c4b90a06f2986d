"""Read a file several times, and notice if its content changes between reads. The file
may be renamed between reads.
"""

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from unified_cli.errors import StateError
from unified_cli.storage import regular_file

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PIECE = 1024 * 1024
_BUFFER = 256 * 1024


class UnchangedFile:
    """An open regular file.

    `size` and `sha256` describe the content that the file had when it was opened.
    """

    def __init__(self, path: Path, read: Callable[[int, int], None] | None = None) -> None:
        """Open the file, and compute its digest.

        While the digest is computed, `read` is called with the number of bytes read so
        far and the size of the file. Raises NotRegularError for a pipe, a folder or a
        device, and OSError if reading fails.
        """
        self.path = path
        self._handle = regular_file.descriptor(path, follow=True)
        self._status = os.fstat(self._handle)
        self.size, self.sha256 = self._content(read)

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def reader(self) -> BinaryIO:
        """Return a file object at the start of the content.

        Reading raises OSError if it fails, and StateError if the content has changed.
        """
        return io.BufferedReader(_CheckedReader(self), _BUFFER)

    def read(self, size: int, at: int) -> bytes:
        """Return at most `size` bytes from the position `at`.

        Raises OSError if reading fails, and StateError if the content has changed.
        """
        result = os.pread(self._handle, size, at)
        now = os.fstat(self._handle)
        if (now.st_size, now.st_mtime_ns) != (self._status.st_size, self._status.st_mtime_ns):
            # Compare the content, too, because maybe only the modification time has
            # changed.
            if now.st_size != self.size or self._content() != (self.size, self.sha256):
                raise self.changed()
            self._status = now
        return result

    def _content(self, read: Callable[[int, int], None] | None = None) -> tuple[int, str]:
        digest, size = hashlib.sha256(), 0
        while piece := os.pread(self._handle, _PIECE, size):
            digest.update(piece)
            size += len(piece)
            if read:
                read(size, self._status.st_size)
        return size, digest.hexdigest()

    @property
    def has_name(self) -> bool:
        """Whether the path still names this file."""
        try:
            return os.path.samestat(self.path.stat(), self._status)
        except OSError:
            return False

    def check_name(self) -> None:
        """Raise StateError if the file was renamed or replaced."""
        if not self.has_name:
            raise StateError(
                f"{self.path} was replaced in the meantime; the open file was read to its end"
            )

    def changed(self) -> StateError:
        """Return the error for a file that has changed."""
        return StateError(
            f"{self.path} has changed since it was opened",
            hint="restore its content, and run the same command again",
        )


class _CheckedReader(io.RawIOBase):
    """Reads a file, and checks at the end that the content has not changed."""

    def __init__(self, file: UnchangedFile) -> None:
        self._file = file
        self._at = 0
        self._in_order = True
        """Whether the file was read in order, so that the digest of the content is
        known.
        """
        self._digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        target = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size}
        at = target[whence] + offset
        self._in_order = self._in_order and at == self._at
        self._at = at
        return at

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        view = memoryview(buffer).cast("B")
        found = self._file.read(len(view), self._at)
        view[: len(found)] = found
        self._at += len(found)
        self._digest.update(found)
        if (
            not found
            and self._in_order
            and (self._at, self._digest.hexdigest())
            != (
                self._file.size,
                self._file.sha256,
            )
        ):
            raise self._file.changed()
        return len(found)
