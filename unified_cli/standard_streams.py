"""The standard streams of this process: each write is whole, and input ends at the end of the file only.

Who starts a program may hand it a pipe or a terminal in non-blocking mode, as terminal multiplexers and Node.js do, and
whoever else holds it may set that mode at any time. Then a write may be a partial one, and a read may find nothing yet.
The mode is left as it is, because others share it.
"""

import io
import os
import select
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

T = TypeVar("T")


class _DescriptorStream(io.RawIOBase):
    """A stream of a descriptor, which stays open."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor


class WholeWriter(_DescriptorStream):
    """Writes to a descriptor: all of what it is given, however long the reader takes."""

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: "ReadableBuffer", /) -> int:
        """Write all of the data; gives its length. Raises OSError where the descriptor cannot be written."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        while rest:
            written = _when_ready(self._descriptor, select.POLLOUT, partial(os.write, self._descriptor, rest))
            rest = rest[written:]
        return size


class PatientReader(_DescriptorStream):
    """Reads from a descriptor, and waits where nothing has come yet."""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        """Fill the buffer with what has come; 0 at the end of the file. Raises OSError where nothing can be read."""
        view = memoryview(buffer).cast("B")
        data = _when_ready(self._descriptor, select.POLLIN, partial(os.read, self._descriptor, len(view)))
        view[: len(data)] = data
        return len(data)


def _when_ready(descriptor: int, event: int, act: Callable[[], T]) -> T:
    """What the act gives, as soon as the descriptor is ready for it."""
    while True:
        try:
            return act()
        except BlockingIOError:
            waiting = select.poll()
            waiting.register(descriptor, event)
            waiting.poll()
