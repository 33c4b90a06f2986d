"""Split a page into its records, and check that it is JSON. Extract a record from its
envelope.
"""

import enum
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import msgspec

from unified_cli.catalogue import Operation, Service
from unified_cli.http import decoding
from unified_cli.json_text import json_check, members
from unified_cli.json_text.members import Record, parts, records_at, string

_NOTHING = Record(b"null")
_FEW = 8 * 1024
# JSON may escape the letters of a key, but this is rare.
_ESCAPED_LETTER = re.compile(rb"\\u00[5-7]")


class PageBody(NamedTuple):
    """The records of a page, and its cursor as JSON text. `repeated` is a duplicate
    among the keys that we read.
    """

    records: Sequence[Record]
    cursor: bytes
    partial: bool = False
    repeated: str | None = None


class _Parts(Protocol):
    items: Any
    cursor: Record
    partial: Record


def split(body: bytes, service: Service) -> PageBody | None:
    """Return the parts of a page, or None for another body.

    Raises TooLargeError.
    """
    try:
        return decode(body, service)
    except (msgspec.DecodeError, RecursionError):
        return None


def decode(body: bytes, service: Service) -> PageBody:
    """Decode an object with records, or an array.

    Raises TooLargeError if the body is too large, and msgspec's errors if it is not a
    page.
    """
    try:
        return _decode(body, service)
    except msgspec.DecodeError:
        readable = json_check.without_surrogates(body)
        if readable is body:
            raise
    return _as_served(body, readable, _decode(readable, service), service)


def _as_served(body: bytes, readable: bytes, page: PageBody, service: Service) -> PageBody:
    """Return the page with the text of the original body.

    `readable` is the body with its lone surrogates replaced.
    """
    if page.repeated:
        return page
    if body.lstrip().startswith(b"["):
        return page._replace(records=records_at(body, body.index(b"["), page.records))
    length = len(_decoder(service, Record).decode(readable).items)
    known = {_quoted(service)[0]: length}
    found = {string(key): (start, end) for key, start, end in members.member_bounds(body, known)}
    start, end = found.get(service.cursor, (0, 0))
    cursor = body[start:end] or page.cursor
    return page._replace(
        records=records_at(body, found[service.items][0], page.records), cursor=cursor
    )


def _decode(text: bytes, service: Service) -> PageBody:
    # Each record except the last needs a comma, so a short text, or one with few
    # commas, has few records.
    many = len(text) > decoding.MOST_RECORDS and text.count(b",") >= decoding.MOST_RECORDS
    if text.lstrip().startswith(b"["):
        if many:
            msgspec.json.decode(text, type=Record)
            decoding.check_array(text)
        page = PageBody(msgspec.json.decode(text, type=list[Record]), b"null")
    else:
        if many:
            decoding.check_array(_decoder(service, Record).decode(text).items)
        parts = _decoder(service, list[Record]).decode(text)
        rest = _without_records(text, parts.items, service) or text
        repeated = _repeated_key(text, service) if _may_repeat_key(rest, service) else None
        page = PageBody(parts.items, bytes(parts.cursor), bytes(parts.partial) == b"true", repeated)
    _check_depths(page.records)
    if len(text) > decoding.MOST_VALUES:
        decoding.check_records(page.records)
    return page


def _check_depths(records: Sequence[Record]) -> None:
    # Count the brackets of several records together: this is fast, and rarely finds too
    # many.
    for some in members.slices(records, _FEW):
        if json_check.deeper_than(b"".join(some), json_check.DEEPEST):
            raise decoding.TooLargeError(
                f"a record is nested deeper than {json_check.DEEPEST} levels"
            )


def _without_records(text: bytes, records: list[Record], service: Service) -> bytes:
    """Return the object without its records, or "".

    Returns "" if there is other text between the records. This is ten times as fast as
    a search through the whole text.
    """
    start = text.find(b"[", text.find(_quoted(service)[0])) + 1
    last = bytes(records[-1]) if records else b""
    end = text.rfind(last) + len(last)
    # If this part is as long as the records and their commas, it contains nothing else.
    return (
        text[:start] + text[end:]
        if end - start == sum(map(len, records)) + len(records) - 1
        else b""
    )


def _may_repeat_key(text: bytes, service: Service) -> bool:
    items, cursor = _quoted(service)
    if text.find(items) != text.rfind(items) or text.find(cursor) != text.rfind(cursor):
        return True
    return b"\\" in text and _ESCAPED_LETTER.search(text) is not None


def _repeated_key(text: bytes, service: Service) -> str | None:
    # Records may have the same keys, so only count the keys of the outermost object.
    found: list[str] = []

    class _Key(enum.Enum):
        ANY = ""

        @classmethod
        def _missing_(cls, value: object) -> "_Key":
            if value in {service.items, service.cursor}:
                found.append(str(value))
            return cls.ANY

    msgspec.json.decode(text, type=dict[_Key, Record])
    return next((name for name in found if found.count(name) > 1), None)


@lru_cache
def _quoted(service: Service) -> tuple[bytes, bytes]:
    return (f'"{service.items}"'.encode(), f'"{service.cursor}"'.encode())


@lru_cache
def _decoder(service: Service, items: Any) -> "msgspec.json.Decoder[_Parts]":
    fields: list[tuple[str, Any, Any]] = [
        ("items", items, msgspec.NODEFAULT),
        ("cursor", Record, _NOTHING),
        ("partial", Record, _NOTHING),
    ]
    names = {"items": service.items, "cursor": service.cursor, "partial": service.partial}
    return msgspec.json.Decoder(msgspec.defstruct("Served", fields, rename=names))


def unwrapped(body: bytes, service: Service, operation: Operation | None) -> bytes:
    """Return the record or array in a wrapped response that is not a page.

    Only the responses of actions and unknown operations are wrapped.
    """
    body = body.strip()
    members = parts(body) if operation is None or operation.kind == "action" else None
    inner = (members or {}).get(service.items, body)
    return inner if inner[:1] in b"[{" else body
