"""A file of records, looked through before anything is done with it; its format is found out."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import json_check, record_label
from unified_cli.json_text.members import parts
from unified_cli.storage import input_bounds, regular_file
from unified_cli.storage.unchanged_file import UnchangedFile
from unified_cli.writes import input_formats
from unified_cli.writes.input_formats import GUESSED_IDS, READERS, InputLine

_MEMBER = re.compile(rb'\{\s*"')


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of records, looked through once: `count` records, the `last` with this number.

    `labelled` is the number of the first that names its connection, 0 if none does;
    `sound` says that none is wrong. `items` is the name under which a page of the
    service keeps its records. It is read from the file that was opened, whatever
    becomes of its name.
    """

    file: UnchangedFile
    format: str
    items: str
    count: int
    last: int
    labelled: int
    sound: bool

    @property
    def path(self) -> Path:
        """The name of the file."""
        return self.file.path

    def lines(self) -> Iterator[InputLine]:
        """The records, one after the other. Raises StateError where the file has changed."""
        # It is the same file, so lines that were found right are right.
        are_right = self.sound and self.format == "ndjson"
        read = input_formats.sound_ndjson if are_right else READERS[self.format]
        with self.file.reader() as content:
            yield from read(content, str(self.path), self.items)

    def close(self) -> None:
        """Close the file."""
        self.file.close()


def examine(
    path: Path, wanted: str | None, items: str, *, ids: bool, shown: Path | None = None
) -> InputFile:
    """Look through a file before anything is done with it; `ids` says that lines may be bare ids.

    `shown` is its name for messages, if that is another one. Raises UsageError for what
    is no input at all: empty, too large, an array or CSV that is broken; StorageError.
    """
    try:
        file = UnchangedFile(path)
        file.path = shown or path
    except regular_file.NotRegularError:
        hint = "for a pipe: give - as the file, and pipe into it"
        raise UsageError(f"{path} is no regular file", hint=hint) from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    try:
        return _examined(file, wanted, items, ids=ids)
    except BaseException:
        file.close()
        raise


def _examined(file: UnchangedFile, wanted: str | None, items: str, *, ids: bool) -> InputFile:
    with file.reader() as content:
        chosen = wanted or _guess(content, file.path, items, ids=ids)
    with file.reader() as content:
        found = _counted(READERS[chosen](content, str(file.path), items), str(file.path))
    return InputFile(file, chosen, items, *found)


def _counted(lines: Iterator[InputLine], name: str) -> tuple[int, int, int, bool]:
    """The number of the lines, of the last, and of the first that names its connection;
    and whether none is wrong.

    Raises UsageError for none, and for too many.
    """
    count = last = labelled = 0
    sound = True
    for line in lines:
        count, last, sound = count + 1, line.number, sound and not line.wrong
        if not (labelled or line.wrong or line.bare) and record_label.carries(line.text):
            labelled = line.number
        if last > input_bounds.MOST_RECORDS:
            raise UsageError(
                f"{name} has more than {input_bounds.MOST_RECORDS:,} lines or records",
                hint="split it",
            )
    if not count:
        raise UsageError(f"{name} holds no records")
    return count, last, labelled, sound


def ids_or_records(
    content: bytes, name: str, items: str, wanted: str | None
) -> Iterator[InputLine]:
    """The lines of what came through a pipe: records, or ids; without a `wanted` format
    by how it begins.
    """
    chosen = wanted or _guess(io.BytesIO(content), Path(name), items, ids=True)
    return READERS[chosen](io.BytesIO(content), name, items)


def _guess(file: BinaryIO, path: Path, items: str, *, ids: bool) -> str:
    """By name for CSV and JSON, else by how it begins: where there may be ids, a table
    by its column `id`.
    """
    if path.suffix.lower() in {".csv", ".json"}:
        return path.suffix[1:].lower()
    first = next((line for line in input_formats.split(file, str(path)) if line.text), None)
    begins = first.text[:1] if first else b""
    if begins not in b"[{" and ids:
        return "csv" if first and input_formats.names_id(first.text) else GUESSED_IDS
    if begins == b"[":
        # An id may begin like an array; it hardly goes on like one.
        return (
            GUESSED_IDS
            if first and ids and not input_formats.is_array(first.text, file)
            else "json"
        )
    return _guess_object(first.text, items) if first and ids else "ndjson"


def _guess_object(line: bytes, items: str) -> str:
    """The format of what begins with a line that begins with a brace, where there may be ids."""
    if json_check.encoding_flaw(line):
        # As JSON lines the others can be used.
        return "ndjson"
    if json_check.syntax_flaw(line):
        # A document on several lines, if it goes on as an object does.
        return "json" if _MEMBER.match(line) else GUESSED_IDS
    members = parts(line) or {}
    return "json" if "id" not in members and members.get(items, b"").startswith(b"[") else "ndjson"
