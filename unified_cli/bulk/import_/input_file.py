"""Records from a file: NDJSON line by line, one JSON array, CSV, or one id per line; each with its line number."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from unified_cli.errors import StorageError, UsageError
from unified_cli.json_text import json_check, members

FORMATS = ("ndjson", "json", "csv", "ids")
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_OTHERS = (";", "\t", "|")
_MEMBER = re.compile(rb'\{\s*"')


@dataclass(frozen=True, slots=True)
class InputLine:
    """One record as it was read: JSON text, or a `bare` id; `number` is its line, or its place in an array.

    `wrong` says why it cannot be used; the others may still be.
    """

    number: int
    text: bytes
    wrong: str = ""
    bare: bool = False


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file of records, looked through once: `count` records, the `last` with this number, of this size and content.

    `items` is the name under which a page of the service keeps its records.
    """

    path: Path
    format: str
    items: str
    count: int
    last: int
    size: int
    sha256: str

    def lines(self) -> Iterator[InputLine]:
        """The records, one after the other."""
        with _reading(self.path) as file:
            yield from _READERS[self.format](file, self.path, self.items)


def examine(path: Path, wanted: str | None, items: str, *, ids: bool) -> InputFile:
    """Look through a file before anything is done with it; `ids` says that lines may be bare ids.

    Raises UsageError for what is no input at all: empty, an array or CSV that is broken; StorageError.
    """
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is no regular file (for a pipe: give - as the file, and pipe into it)")
    digest = hashlib.sha256()
    with _reading(path) as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
        size = file.tell()
        chosen = wanted or _guess(file, path, ids=ids)
        file.seek(0)
        count = last = 0
        for line in _READERS[chosen](file, path, items):
            count, last = count + 1, line.number
    if not count:
        raise UsageError(f"{path} holds no records")
    return InputFile(path, chosen, items, count, last, size, digest.hexdigest())


def ids_or_records(content: bytes, name: str, items: str) -> Iterator[InputLine]:
    """The lines of what came through a pipe: records, or ids where the first line is no object."""
    file = io.BytesIO(content)
    chosen = _guess(file, Path(name), ids=True)
    file.seek(0)
    return _READERS[chosen](file, Path(name), items)


def _reading(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None


def _guess(file: BinaryIO, path: Path, *, ids: bool) -> str:
    """By name for CSV and JSON, else by how it begins."""
    if path.suffix.lower() in {".csv", ".json"}:
        return path.suffix[1:].lower()
    file.seek(0)
    first = next((line for line in _split(file) if line.text), None)
    begins = first.text[:1] if first else b""
    if begins not in b"[{" and ids:
        return "ids"
    if begins == b"[":
        file.seek(0)
        # An id may begin like an array; it hardly goes on like one.
        return "ids" if ids and json_check.syntax_flaw(file.read().removeprefix(_BOM)) else "json"
    return "ids" if ids and first and json_check.syntax_flaw(first.text) and not _MEMBER.match(first.text) else "ndjson"


def _split(file: BinaryIO) -> Iterator[InputLine]:
    """The lines without their ends and without blanks around them; blank ones are empty."""
    for number, raw in enumerate(file, 1):
        text = raw.removeprefix(_BOM) if number == 1 else raw
        yield InputLine(number, text.strip(_BLANK))


def _ndjson(file: BinaryIO, path: Path, items: str) -> Iterator[InputLine]:  # noqa: ARG001  all readers are called alike
    for line in _split(file):
        if line.text:
            yield _checked(line)


def _ids(file: BinaryIO, path: Path, items: str) -> Iterator[InputLine]:  # noqa: ARG001  as above
    for number, raw in enumerate(file, 1):
        text = (raw.removeprefix(_BOM) if number == 1 else raw).rstrip(b"\r\n")
        if text.strip(_BLANK):
            yield InputLine(number, text, json_check.encoding_flaw(text), bare=True)


def _json(file: BinaryIO, path: Path, items: str) -> Iterator[InputLine]:
    """An array's elements, or those of a page as the service serves it."""
    content = file.read().removeprefix(_BOM).strip(_BLANK)
    if wrong := json_check.flaw(content):
        raise UsageError(f"{path} {wrong}")
    try:
        if content.startswith(b"{"):
            content = (members.parts(content) or {}).get(items, b"[%b]" % content)
        records = members.items(content)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path} is no array of records: {error}") from None
    for number, record in enumerate(records, 1):
        yield InputLine(number, bytes(record).strip(_BLANK))


def _csv(file: BinaryIO, path: Path, items: str) -> Iterator[InputLine]:  # noqa: ARG001  as above
    """Rows as objects of text; an empty cell is a field that is not there."""
    csv.field_size_limit(1 << 30)
    text = io.TextIOWrapper(file, "utf-8-sig", newline="")
    rows = csv.reader(text, strict=True)
    try:
        heads = next(rows, [])
        _check_heads(heads, path)
        at = rows.line_num + 1
        for row in rows:
            if row and len(row) != len(heads):
                raise UsageError(f"{path}, line {at}: {len(row)} cells under {len(heads)} columns")
            if row:
                cells = {head: cell for head, cell in zip(heads, row, strict=True) if cell}
                yield InputLine(at, msgspec.json.encode(cells))
            at = rows.line_num + 1
        text.detach()
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 after line {rows.line_num}") from None
    except csv.Error as error:
        raise UsageError(f"{path}, line {rows.line_num}: {error}") from None


def _check_heads(heads: list[str], path: Path) -> None:
    if len(heads) == 1 and (other := next((one for one in _OTHERS if one in heads[0]), None)):
        # Spreadsheets of half the world write these; each row would become one field.
        raise UsageError(f"{path}, line 1: one column, with {other!r} in its name (cells are separated by commas)")
    for head in heads:
        if not head.strip():
            raise UsageError(f"{path}, line 1: a column has no name")
        if heads.count(head) > 1:
            raise UsageError(f"{path}, line 1: the column {head!r} is there {heads.count(head)} times")


def _checked(line: InputLine) -> InputLine:
    return InputLine(line.number, line.text, json_check.flaw(line.text))


_READERS = {"ndjson": _ndjson, "json": _json, "csv": _csv, "ids": _ids}
