"""Limit how much is read from files and pipes, and how long to wait for it."""

import errno
import io
import os
import select
import stat
from collections.abc import Callable, Iterator
from functools import partial
from typing import AnyStr, BinaryIO, TextIO

from unified_cli.errors import UsageError

LONGEST_LINE = 32 * 1024 * 1024
"""The most bytes of a record: a line, an element of an array, or a row of a table."""
LARGEST_DOCUMENT = 64 * 1024 * 1024
"""The most bytes to read into memory at once: a body, the file of a field, or ids on
standard input.
"""
MOST_RECORDS = 5_000_000
"""The most records of an input. The number is limited because a run keeps a few bytes
for each record.
"""
LARGEST_COPY = 8 * 1024**3
"""The most bytes to copy from a pipe to a file."""
MOST_REQUESTS = 200_000
"""The most requests to build before the first request is sent."""
WRITER_SECONDS = 10.0
"""How long to wait for the writer of a named pipe, in seconds."""
_PIECE = 1024 * 1024


def is_named_pipe(path: str) -> bool:
    """Return whether the path is a named pipe.

    Returns False for the pipe of a shell's `<(…)`, which is already open.
    """
    try:
        return stat.S_ISFIFO(os.lstat(path).st_mode)
    except (OSError, ValueError):
        return False


def reader(path: str) -> BinaryIO:
    """Open the file for reading.

    Raises TimeoutError if a named pipe has no writer, OSError if the file cannot be
    opened, and ValueError if the path is invalid.
    """
    if not is_named_pipe(path):
        return open(path, "rb")  # noqa: PTH123  a path as typed
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        _wait_for_writer(handle, path)
        os.set_blocking(handle, True)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _wait_for_writer(handle: int, path: str) -> None:
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    if not poller.poll(WRITER_SECONDS * 1000) and _has_no_writer(handle):
        raise TimeoutError(
            errno.ETIMEDOUT, f"there is no writer for this pipe (after {WRITER_SECONDS:g} s)", path
        )


def _has_no_writer(handle: int) -> bool:
    """Return whether the pipe has no writer.

    Returns False if the writer has not written yet.
    """
    try:
        return os.read(handle, 1) == b""
    except BlockingIOError:
        return False


def whole(file: BinaryIO, name: str, hint: str | None = None) -> bytes:
    """Return all bytes from the current position of the file.

    Raises UsageError if there are more than `LARGEST_DOCUMENT` bytes, and OSError if
    reading fails.
    """
    content = io.BytesIO()
    while piece := file.read(_PIECE):
        content.write(piece)
        if content.tell() > LARGEST_DOCUMENT:
            raise UsageError(f"{name} is larger than {LARGEST_DOCUMENT >> 20} MiB", hint=hint)
    return content.getvalue()


def lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Yield the lines, including their line endings.

    Raises UsageError if a line has more than `LONGEST_LINE` bytes, and OSError if
    reading fails.
    """
    yield from _lines(partial(file.readline, _PIECE), b"", (b"\n",), name)


def text_lines(file: TextIO, name: str) -> Iterator[str]:
    """Yield the lines of a text file, including their line endings.

    Raises UsageError if a line has more than `LONGEST_LINE` characters.
    """
    yield from _lines(partial(file.readline, _PIECE), "", ("\n", "\r"), name)


def _lines(
    read: Callable[[], AnyStr], empty: AnyStr, ends: tuple[AnyStr, ...], name: str
) -> Iterator[AnyStr]:
    number = 0
    while line := read():
        number += 1
        if len(line) == _PIECE and not line.endswith(ends):
            # The line was longer than a piece, so join its pieces, up to the limit.
            pieces, size = [line], len(line)
            while not pieces[-1].endswith(ends) and (piece := read()):
                pieces.append(piece)
                size += len(piece)
                if size > LONGEST_LINE:
                    raise too_long(f"{name}, line {number}")
            line = empty.join(pieces)
        yield line


def too_long(what: str) -> UsageError:
    """Return the error for a record that is longer than `LONGEST_LINE` bytes."""
    return UsageError(
        f"{what} is longer than {LONGEST_LINE >> 20} MiB, the most that a record may have"
    )
