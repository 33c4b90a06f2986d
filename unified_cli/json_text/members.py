"""The members of a record as JSON text, without decoding them, so that no digit changes."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Protocol, overload

import msgspec

from unified_cli.json_text import surrogates
from unified_cli.json_text.json_codec import dump

Record = msgspec.Raw
"""A record as it was served, not decoded."""

Parts = Mapping[str, bytes]
"""The members of a record, each as JSON text."""


def parts(record: Record | bytes) -> Parts | None:
    """The members of a record, each as JSON text; None where it is no object. Of a key given twice the last one."""
    text = bytes(record)
    if not text.startswith(b"{"):
        return None
    try:
        return {key: bytes(value) for key, value in _MEMBERS.decode(text).items()}
    except msgspec.DecodeError:
        text, mark = surrogates.escape(text)
        found = _MEMBERS.decode(text)
        return {_name(key, mark): surrogates.restore(bytes(value), mark) for key, value in found.items()}


_MEMBERS = msgspec.json.Decoder(dict[str, Record])


def member(record: bytes, name: str) -> bytes | None:
    """One member of a record as JSON text, None where there is none; the others are not decoded."""
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


def _name(key: str, mark: bytes) -> str:
    if mark.decode() not in key:
        return key
    decoded: str = json.loads(surrogates.restore(dump(key).encode(), mark))
    return decoded


def join(members: Parts) -> bytes:
    """The JSON object with these members."""
    return b"{" + b",".join(dump(name).encode() + b":" + value for name, value in members.items()) + b"}"


class MarkedRecords(Sequence[Record]):
    """Records in which a mark stands for halves of surrogate pairs; each is restored when it is taken."""

    def __init__(self, records: Sequence[Record], mark: bytes) -> None:
        self._records = records
        self._mark = mark

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> "MarkedRecords": ...
    def __getitem__(self, index: int | slice) -> "Record | MarkedRecords":
        if isinstance(index, slice):
            return MarkedRecords(self._records[index], self._mark)
        return Record(surrogates.restore(bytes(self._records[index]), self._mark))


def items(array: bytes) -> Sequence[Record]:
    """The records in a JSON array. Raises msgspec.DecodeError for what is no array."""
    text, mark = surrogates.escape(array)
    found = msgspec.json.decode(text, type=list[Record])
    return MarkedRecords(found, mark) if mark else found


def text(value: bytes | None) -> str:
    """A value in a cell: text as it is, nothing for null, objects and arrays as compact JSON, digits as served."""
    if value is None or value == b"null":
        return ""
    if value.startswith(b'"'):
        return string(value)
    return one_line(value).decode("utf-8") if value[:1] in b"{[" else value.decode("ascii")


def string(value: bytes) -> str:
    """The text of a JSON string, halves of surrogate pairs included."""
    if b"\\" not in value:
        return value[1:-1].decode("utf-8")
    decoded: str = json.loads(value)
    return decoded


def one_line(value: bytes) -> bytes:
    """JSON text without blanks and line breaks between its parts."""
    try:
        return msgspec.json.format(value, indent=-1)
    except msgspec.DecodeError:
        value, mark = surrogates.escape(value)
        return surrogates.restore(msgspec.json.format(value, indent=-1), mark)
