"""Split a record into its members as JSON text.

Values are not decoded, so that numbers keep their digits.

This also works for text that msgspec rejects.
"""

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol, overload

import msgspec

from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump

STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
"""The pattern of a JSON string.

It is possessive, so that a long string needs no memory for backtracking.
"""

_BLANKS = rb"[ \t\n\r]*+"
_KEY = re.compile(rb"[ \t\n\r,]*+(" + STRING + rb")" + _BLANKS + rb":" + _BLANKS, re.DOTALL)
_BETWEEN_ITEMS = re.compile(rb"[ \t\n\r,]*+")
_SCALAR = re.compile(STRING + rb"|[^ \t\n\r,\]}]++", re.DOTALL)
_NO_BRACKET = rb'[^"\[\]{}]*+(?:' + STRING + rb'[^"\[\]{}]*+)*+'
# Match an object or array as a whole if no other object or array is nested in it. Most
# have no nested objects or arrays.
_BRACKET = re.compile(
    _NO_BRACKET + rb"(?:[\[{]" + _NO_BRACKET + rb"[\]}]|([\[{])|([\]}]))", re.DOTALL
)
_OPENING, _CLOSING = 1, 2


def member_bounds(
    text: bytes, lengths: Mapping[bytes, int] = MappingProxyType({})
) -> Iterator[tuple[bytes, int, int]]:
    """Yield each key and the bounds of its value.

    The keys are as written, in order, and may repeat. If `lengths` has the length of a
    value, the value is skipped without a scan.
    """
    at = text.index(b"{") + 1
    while found := _KEY.match(text, at):
        key, start = found[1], found.end()
        at = start + lengths[key] if key in lengths else _end(text, start)
        yield key, start, at


def item_bounds(text: bytes, start: int, lengths: Iterable[int]) -> "array[int]":
    """Return the starts and ends of an array's items.

    The array begins at `start`, and the items have these lengths.
    """
    bounds, at = array("q"), start + 1
    for length in lengths:
        found = _BETWEEN_ITEMS.match(text, at)
        assert found is not None  # noqa: S101  the pattern matches an empty string
        at = found.end() + length
        bounds.append(found.end())
        bounds.append(at)
    return bounds


def _end(text: bytes, start: int) -> int:
    if text[start] not in b"[{":
        found = _SCALAR.match(text, start)
        assert found is not None  # noqa: S101  the text is JSON
        return found.end()
    depth, at = 0, start
    while found := _BRACKET.match(text, at):
        at = found.end()
        depth += (found.lastindex == _OPENING) - (found.lastindex == _CLOSING)
        if depth == 0:
            return at
    raise ValueError("a bracket has no end")


Record = msgspec.Raw
"""A record as served, not decoded."""

Parts = Mapping[str, bytes]
"""The members of a record, each as JSON text."""
SLICE = 1024 * 1024
"""How many bytes of records to process at once."""


def parts(record: Record | bytes) -> Parts | None:
    """Return a record's members as JSON text.

    Returns None if it is not an object. For a repeated key, the last value is returned.
    """
    text = bytes(record)
    if not text.startswith(b"{"):
        return None
    try:
        return {key: bytes(value) for key, value in _MEMBERS.decode(text).items()}
    except msgspec.DecodeError:
        if not _has_half_surrogate(text):
            raise
    return {string(key): text[start:end] for key, start, end in member_bounds(text)}


def keys(text: bytes) -> list[str]:
    """Return an object's keys in order, including duplicates. The object must be valid
    JSON.
    """
    return [string(key) for key, _, _ in member_bounds(text)]


def _has_half_surrogate(text: bytes) -> bool:
    readable = json_check.without_surrogates(text)
    msgspec.json.decode(readable, type=Record)
    return readable is not text


_MEMBERS = msgspec.json.Decoder(dict[str, Record])


def member(record: bytes, name: str) -> bytes | None:
    """Return a member as JSON text, or None if the record does not have it."""
    if not record.startswith(b"{"):
        return None
    try:
        return bytes(_one_member(name).decode(record).value) or None
    except msgspec.DecodeError:
        return (parts(record) or {}).get(name)


class _OneMember(Protocol):
    value: msgspec.Raw


@lru_cache
def _one_member(name: str) -> "msgspec.json.Decoder[_OneMember]":
    fields = [("value", msgspec.Raw, msgspec.Raw())]
    return msgspec.json.Decoder(msgspec.defstruct("OneMember", fields, rename={"value": name}))


def join(members: Parts) -> bytes:
    """Return the JSON object with these members."""
    return (
        b"{"
        + b",".join(dump(name).encode() + b":" + value for name, value in members.items())
        + b"}"
    )


class PlacedRecords(Sequence[Record]):
    """A sequence of records that keeps only their positions in a text. A record is cut
    out of the text when it is used.
    """

    def __init__(self, text: bytes, places: "array[int]") -> None:
        self._text = text
        self._places = places

    def __len__(self) -> int:
        return len(self._places) // 2

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "PlacedRecords": ...
    def __getitem__(self, index: int | slice) -> "Record | PlacedRecords":
        if isinstance(index, slice):
            wanted = range(len(self))[index]
            return PlacedRecords(
                self._text, array("q", (place for at in wanted for place in self._place(at)))
            )
        start, end = self._place(range(len(self))[index])
        return Record(self._text[start:end])

    def _place(self, at: int) -> tuple[int, int]:
        return self._places[2 * at], self._places[2 * at + 1]


def items(text: bytes) -> Sequence[Record]:
    """Return the records in a JSON array. Raises msgspec.DecodeError if it is not an
    array.
    """
    try:
        return _ITEMS.decode(text)
    except msgspec.DecodeError:
        if (readable := json_check.without_surrogates(text)) is text:
            raise
    return records_at(text, text.index(b"["), _ITEMS.decode(readable))


_ITEMS = msgspec.json.Decoder(list[Record])


def records_at(text: bytes, start: int, records: Sequence[Record]) -> PlacedRecords:
    """Return the records of the array at `start`.

    `records` are these records, decoded from a copy of the text. Only their lengths are
    used, which are the same in both texts.
    """
    return PlacedRecords(text, item_bounds(text, start, map(len, records)))


def text(value: bytes | None) -> str:
    """Return a JSON value as plain text.

    A string is unchanged, null is "", and objects and arrays are compact JSON.
    """
    if value is None or value == b"null":
        return ""
    if value.startswith(b'"'):
        return string(value)
    return one_line(value).decode("utf-8") if value[:1] in b"{[" else value.decode("ascii")


def string(value: bytes) -> str:
    """Decode a JSON string, including lone surrogates."""
    if b"\\" not in value:
        return value[1:-1].decode("utf-8")
    decoded: str = json.loads(value)
    return decoded


def one_line(value: bytes) -> bytes:
    """Return JSON text without white space between its parts."""
    try:
        return msgspec.json.format(value, indent=-1)
    except msgspec.DecodeError:
        if not _has_half_surrogate(value):
            raise
    return _STRING_OR_BLANKS.sub(rb"\1", value)


_STRING_OR_BLANKS = re.compile(rb"(" + STRING + rb")|[ \t\n\r]++", re.DOTALL)


def slices(records: Sequence[Record], size: int = SLICE) -> Iterator[Sequence[Record]]:
    """Yield the records in slices of about this many bytes."""
    part: list[Record] = []
    part_size = 0
    for record in records:
        part.append(record)
        part_size += len(record)
        if part_size >= size:
            yield part
            part, part_size = [], 0
    if part:
        yield part
