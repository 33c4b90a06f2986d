"""Read the state of earlier runs.

After a crash, the last line may be partial. All other errors in a file mean that the
file is damaged.
"""

import codecs
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from unified_cli.errors import StateError, StorageError
from unified_cli.json_text import typed_json
from unified_cli.storage import regular_file
from unified_cli.storage.append_file import AppendFile, MemoryFile

LONGEST_LINE = 1024 * 1024
_CHUNK = 256 * 1024
LARGEST_FILE = 64 * 1024 * 1024
T = TypeVar("T")
_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")


class StateLine(NamedTuple):
    """A line without its line end. `number` begins at 1, and `position` is the offset
    of the first byte.
    """

    number: int
    position: int
    text: bytes


def chunks(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Add line ends to lines of JSON, and yield the lines in large chunks."""
    chunk = bytearray()
    for line in lines:
        # A line break in a record is white space, because strings escape it.
        chunk += (
            line.replace(b"\n", b" ").replace(b"\r", b" ")
            if b"\n" in line or b"\r" in line
            else line
        ) + b"\n"
        if len(chunk) > _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


def whole(path: Path, remedy: str, *, largest: int = LARGEST_FILE) -> bytes | None:
    """Return the content of a state file, or None if it is missing.

    `remedy` is the hint if the file is unusable. Raises StateError if the file is not
    regular or has more than `largest` bytes, and StorageError if reading fails.
    """
    try:
        handle = regular_file.descriptor(path)
        with os.fdopen(handle, "rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError:
        return None
    except regular_file.NotRegularError:
        raise not_regular(path, remedy) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    if len(content) > largest:
        raise StateError(
            f"{path} is larger than {largest >> 20} MiB, so it is damaged", hint=remedy
        )
    return content


def lines(
    file: AppendFile | MemoryFile, remedy: str, *, longest: int = LONGEST_LINE, repair: bool = True
) -> Iterator[StateLine]:
    """Yield the lines of a file of JSON objects.

    A partial last line is removed or, without `repair`, skipped, because another
    process may be writing it. `longest` is the largest number of bytes in a line, and
    `remedy` is the hint if the file is damaged. Raises StateError if a line is too long
    or damaged, and OSError if reading fails.
    """
    position, torn = 0, False
    with file.reader() as content:
        number = 0
        while text := content.readline(longest + 1):
            number += 1
            torn = not text.endswith(b"\n")
            if torn and not (len(text) <= longest and _begins_an_object(text)):
                raise damage(file.path, number, remedy)
            if not torn:
                yield StateLine(number, position, text[:-1])
                position += len(text)
    if torn and repair:
        file.cut(position)


def decoded(text: bytes, kind: type[T]) -> T | None:
    """Decode JSON text as this type, or return None."""
    try:
        return typed_json.decode(text, kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # Invalid UTF-8 raises ValueError, and deep nesting RecursionError.
        return None


def damage(path: Path, number: int, remedy: str) -> StateError:
    """Return the error for a damaged line."""
    return StateError(f"{path} is damaged in line {number}", hint=remedy)


def not_regular(path: Path, remedy: str) -> StateError:
    """Return the error for a state file that is a link, folder, pipe or device."""
    return StateError(f"{path} is not a regular file", hint=remedy)


def _begins_an_object(text: bytes) -> bool:
    """Return whether the text may be the beginning of a JSON object on one line."""
    if not b'{"'.startswith(text[:2]) or _CONTROL.search(text):
        return False
    try:
        # The text may end within a character.
        codecs.getincrementaldecoder("utf-8")().decode(text)
    except UnicodeDecodeError:
        return False
    return True
