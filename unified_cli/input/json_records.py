"""The records of one JSON text, an array or a page, of which only one is held at a time."""

import io
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import BinaryIO

from unified_cli.json_text import json_check, members
from unified_cli.json_text.json_stream import JsonStream, TooLongError
from unified_cli.storage.input_bounds import LONGEST_LINE

_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_PIECE = 1024 * 1024


def records(file: BinaryIO, items: str) -> Iterator[str]:
    """The elements of an array, or of the member `items` of an object; an object without it is the only record.

    Raises ValueError with the reason where the text is neither, TooLongError for a record of more than `LONGEST_LINE`.
    """
    pieces = _pieces(file)
    begins = next(pieces, b"")
    if begins.removeprefix(_BOM).lstrip(_BLANK)[:1] == b"{":
        begins = _object(begins + file.read(LONGEST_LINE - len(begins)), items)
    stream = JsonStream(chain(_pieces(io.BytesIO(begins)), pieces), LONGEST_LINE)
    yield from _members(stream, items) if stream.peek() == "{" else _elements(stream)
    if stream.peek():
        raise ValueError("is not JSON: there is text after the JSON value")


def is_array(begins: bytes, rest: BinaryIO) -> bool:
    """Whether a text that begins so is one JSON array."""
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
    """The array of a page's records, or of the one record; the text itself where it may be longer than a record."""
    if len(text) >= LONGEST_LINE:
        return text
    text = text.removeprefix(_BOM).strip(_BLANK)
    if wrong := json_check.flaw(text):
        raise ValueError(wrong)
    found = (members.parts(text) or {}).get(items, b"")
    return found if found.startswith(b"[") else b"[%b]" % text


def _members(stream: JsonStream, items: str) -> Iterator[str]:
    """The records of a page that is too large to be held."""
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
        raise ValueError("is no array of records")
    ended = stream.take("]")
    while not ended:
        yield stream.value()
        ended = stream.take("]")
        if not ended:
            stream.expect(",")


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    return iter(partial(file.read, _PIECE), b"")
