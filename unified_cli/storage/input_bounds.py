"""How much is taken from a file or a pipe that somebody names; more is refused before it is in memory."""

import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import AnyStr, BinaryIO, TextIO

from unified_cli.errors import UsageError

LONGEST_LINE = 32 * 1024 * 1024
"""The most bytes of one record: a line, an element of an array, a row of a table."""
LARGEST_DOCUMENT = 64 * 1024 * 1024
"""The most bytes of what is held as a whole: a body, a field's file, the ids on standard input."""
MOST_RECORDS = 5_000_000
"""The most records of one input: a run keeps a few bytes for each."""
LARGEST_COPY = 8 * 1024**3
"""The most bytes that are copied from a pipe to a file."""
MOST_REQUESTS = 200_000
"""The most requests that are all made before the first is sent."""
_PIECE = 1024 * 1024


def whole(file: BinaryIO, name: str, hint: str | None = None) -> bytes:
    """All of the file, from where it stands. Raises UsageError for more than `LARGEST_DOCUMENT` bytes, and OSError."""
    content = io.BytesIO()
    while piece := file.read(_PIECE):
        content.write(piece)
        if content.tell() > LARGEST_DOCUMENT:
            raise UsageError(f"{name} is larger than {LARGEST_DOCUMENT >> 20} MiB", hint=hint)
    return content.getvalue()


def lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines with their ends. Raises UsageError for one of more than `LONGEST_LINE` bytes, and OSError."""
    yield from _lines(partial(file.readline, _PIECE), b"", (b"\n",), name)


def text_lines(file: TextIO, name: str) -> Iterator[str]:
    """The lines of a text with their ends. Raises UsageError for one of more than `LONGEST_LINE` characters."""
    yield from _lines(partial(file.readline, _PIECE), "", ("\n", "\r"), name)


def _lines(read: Callable[[], AnyStr], empty: AnyStr, ends: tuple[AnyStr, ...], name: str) -> Iterator[AnyStr]:
    number = 0
    while line := read():
        number += 1
        if len(line) == _PIECE and not line.endswith(ends):
            # The pieces are put together only where there are not too many.
            pieces, size = [line], len(line)
            while not pieces[-1].endswith(ends) and (piece := read()):
                pieces.append(piece)
                size += len(piece)
                if size > LONGEST_LINE:
                    raise too_long(f"{name}, line {number}")
            line = empty.join(pieces)
        yield line


def too_long(what: str) -> UsageError:
    """The error for a record of more than `LONGEST_LINE` bytes."""
    return UsageError(f"{what} is longer than {LONGEST_LINE >> 20} MiB, the most that a record may have")
