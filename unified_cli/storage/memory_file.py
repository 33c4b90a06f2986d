"""What is appended to a file, kept in memory where no file can be written."""

import io
from io import BufferedReader
from pathlib import Path
from typing import cast


class MemoryFile:
    """Has the methods of an `AppendFile` that is open; what it holds is gone with the process."""

    def __init__(self, path: Path) -> None:
        """`path` is that of the file which cannot be written."""
        self.path = path
        self._content = bytearray()

    @property
    def size(self) -> int:
        """How many bytes were written."""
        return len(self._content)

    def append(self, data: bytes) -> None:
        """Write all of it to the end."""
        self._content += data

    def sync(self) -> None:
        """Do nothing: there is no disk."""

    def cut(self, size: int) -> None:
        """Remove what is after the first `size` bytes."""
        del self._content[size:]

    def reader(self) -> BufferedReader:
        """The content as a file object, from its beginning."""
        return BufferedReader(cast("io.RawIOBase", io.BytesIO(self._content)))

    def read(self, size: int, at: int) -> bytes:
        """At most `size` bytes from the position `at`."""
        return bytes(self._content[at : at + size])

    def close(self) -> None:
        """Do nothing: the content goes with the object."""
