"""Read records from NDJSON, a JSON array, Parquet or a list of ids.

`input_tables` reads CSV and TSV.
"""

import io
import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO, NamedTuple

from unified_cli.errors import UsageError
from unified_cli.exported import parquet_file
from unified_cli.json_text import json_check, members
from unified_cli.json_text.json_stream import JsonStream, TooLongError
from unified_cli.masking import excerpt
from unified_cli.output import formats
from unified_cli.storage import input_bounds
from unified_cli.storage.input_bounds import LONGEST_LINE

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_PIECE = 1024 * 1024
_CUT = "data was truncated"
_SEPARATOR = re.compile(rb"[,;\t|]")
_GAP = "two spaces in a row"
_OF_ROWS = {",": "a comma", '"': "a quote", "\t": "a tab", "  ": _GAP}
_SHOWN = 60


class InputLine(NamedTuple):
    """One record: JSON text, or an id if it is `bare`.

    `number` is the line of the record or its position in an array, beginning with 1.
    `wrong` says why the record is invalid, and is empty if it is valid.
    """

    number: int
    text: bytes
    wrong: str = ""
    bare: bool = False


def split(file: BinaryIO, name: str) -> Iterator[InputLine]:
    """Yield the numbers and texts of all lines, without surrounding spaces."""
    for number, raw in enumerate(input_bounds.lines(file, name), 1):
        text = raw.removeprefix(_BOM) if number == 1 else raw
        yield InputLine(number, text.strip(_BLANK))


# Not all parameters are used, but all readers must have the same parameters.
def _ndjson(file: BinaryIO, name: str, items: str) -> Iterator[InputLine]:  # noqa: ARG001
    for line in split(file, name):
        if line.text:
            yield line._replace(wrong=json_check.flaw(line.text))


def sound_ndjson(file: BinaryIO, name: str) -> Iterator[InputLine]:
    """Yield the lines of a file that is known to be valid."""
    return (line for line in split(file, name) if line.text)


def _ids(file: BinaryIO, name: str, items: str) -> Iterator[InputLine]:  # noqa: ARG001  as above
    for number, raw in enumerate(input_bounds.lines(file, name), 1):
        text = (raw.removeprefix(_BOM) if number == 1 else raw).rstrip(b"\r\n")
        if text.strip(_BLANK):
            yield InputLine(number, text, json_check.encoding_flaw(text), bare=True)


def _guessed_ids(file: BinaryIO, name: str, items: str) -> Iterator[InputLine]:
    """Yield ids from input whose format was guessed.

    A line that looks like a row of a table is reported as an invalid id.
    """
    for line in _ids(file, name, items):
        yield line if line.wrong else line._replace(wrong=_row_flaw(line.text.decode("utf-8")))


def _row_flaw(text: str) -> str:
    found = next((word for letter, word in _OF_ROWS.items() if letter in text), None)
    found = found or ("a space at its beginning or end" if text != text.strip() else None)
    reads = "-o ids prints ids instead of a table" if found == _GAP else "--format csv reads rows"
    return (
        f'is not an id: "{excerpt(text, _SHOWN)}" holds {found}'
        f" ({reads}, --format ids reads each line as an id)"
        if found
        else ""
    )


def names_id(line: bytes) -> bool:
    """Return whether a line is the header of a table with a column `id`."""
    return any(cell.strip(b'" ') == b"id" for cell in _SEPARATOR.split(line))


def _json_lines(file: BinaryIO, name: str, items: str) -> Iterator[InputLine]:
    number = 0
    try:
        for number, record in enumerate(_array_records(file, items), 1):
            text = record.encode()
            yield InputLine(number, text, json_check.depth_flaw(text))
    except TooLongError:
        raise input_bounds.too_long(f"{name}, record {number + 1}") from None
    except ValueError as error:
        cut = (
            f"the input ends within record {number + 1}, so write it again"
            if _CUT in str(error)
            else None
        )
        cut = (
            "leave out --format to recognise the format by the content"
            if str(error) == _NO_ARRAY
            else cut
        )
        raise UsageError(f"{name} {error}", hint=cut) from None


def _parquet_lines(file: BinaryIO, name: str, items: str) -> Iterator[InputLine]:  # noqa: ARG001
    parquet_file.check("an input that is Parquet")
    try:
        for number, record in enumerate(parquet_file.records(file), 1):
            yield InputLine(number, record, json_check.flaw(record))
    except (ValueError, OSError) as error:
        first = str(error).partition("\n")[0]
        raise UsageError(f"{name} is Parquet that cannot be read: {first}") from None


_NO_ARRAY = "is not an array of records"
GUESSED_IDS, PARQUET = "guessed ids", formats.PARQUET.name
READERS = {
    "ndjson": _ndjson,
    "json": _json_lines,
    "ids": _ids,
    GUESSED_IDS: _guessed_ids,
    PARQUET: _parquet_lines,
}


def _array_records(file: BinaryIO, items: str) -> Iterator[str]:
    """Yield the elements of an array, or of the member `items` of an object.

    An object without `items` is itself a record. Raises ValueError if the text is
    neither an array nor an object, and TooLongError if a record has more than
    `LONGEST_LINE` bytes.
    """
    pieces = _pieces(file)
    begins = next(pieces, b"")
    if begins.removeprefix(_BOM).lstrip(_BLANK)[:1] == b"{":
        begins = _object(begins + file.read(LONGEST_LINE - len(begins)), items)
    stream = JsonStream(chain(_pieces(io.BytesIO(begins)), pieces), LONGEST_LINE)
    yield from _page_records(stream, items) if stream.peek() == "{" else _elements(stream)
    if stream.peek():
        raise ValueError("is not JSON: there is text after the JSON value")


def is_array(begins: bytes, rest: BinaryIO) -> bool:
    """Return whether the text is one JSON array. `begins` is its beginning."""
    stream = JsonStream(chain([begins, b"\n"], _pieces(rest)), LONGEST_LINE)
    try:
        for _ in _elements(stream):
            pass
        return not stream.peek()
    except TooLongError:
        return True
    except ValueError:
        return False


def _object(text: bytes, items: str) -> bytes:
    """Return the records of a page, or a single record, as an array.

    Text that may be too long for one record is returned unchanged.
    """
    if len(text) >= LONGEST_LINE:
        return text
    text = text.removeprefix(_BOM).strip(_BLANK)
    if wrong := json_check.flaw(text):
        raise ValueError(wrong)
    found = (members.parts(text) or {}).get(items, b"")
    return found if found.startswith(b"[") else b"[%b]" % text


def _page_records(stream: JsonStream, items: str) -> Iterator[str]:
    stream.expect("{")
    found = stream.take("}")
    while not found:
        key = stream.value()
        stream.expect(":")
        if key.startswith('"') and members.string(key.encode()) == items and stream.peek() == "[":
            yield from _elements(stream)
        else:
            stream.value()
        found = stream.take("}")
        if not found:
            stream.expect(",")


def _elements(stream: JsonStream) -> Iterator[str]:
    if not stream.take("["):
        raise ValueError(_NO_ARRAY)
    ended = stream.take("]")
    while not ended:
        yield stream.value()
        ended = stream.take("]")
        if not ended:
            stream.expect(",")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.read, _PIECE), b"")
