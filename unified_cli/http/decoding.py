"""Decode the body of a response within limits, and check that it is complete."""

import io
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from unified_cli.json_text import json_check, members
from unified_cli.json_text.json_check import DEEPEST, deeper_than, has_more_commas, is_longer
from unified_cli.json_text.members import Record
from unified_cli.values import JsonObject

_PIECE = 1024 * 1024
_LARGEST_ENVELOPE = 2 * 1024 * 1024

_CHARSET = re.compile(r'charset="?([\w-]+)', re.IGNORECASE)
_JSON_TYPE = re.compile(r"(application|text)/([\w.+-]+\+)?json\b", re.IGNORECASE)
LARGEST_BODY = 64 * 1024 * 1024
"""The most bytes of a decompressed JSON body."""
MOST_RECORDS = 500_000
"""The most records in a page."""
LARGEST_RECORD = 8 * 1024 * 1024
"""The most bytes of a record in a list."""
MOST_VALUES = 200_000
"""The most values in a record, at any depth. A decoded value may need a hundred times
its bytes in memory.
"""

_LESS = "(use a smaller --page-size)"
_AS_SERVED = "(-o raw prints one page as served)"


class TooLargeError(Exception):
    """The response is too large for memory. The message names the limit."""


def body_error(largest: int) -> TooLargeError:
    """Return the error for a body over `largest` bytes."""
    message = f"the answer is larger than {largest >> 20} MiB"
    return TooLargeError(f"{message} {_LESS}" if largest == LARGEST_BODY else message)


def check_array(array: bytes | Record) -> None:
    """Raise TooLargeError if an array has too many records."""
    if is_longer(memoryview(array), MOST_RECORDS):
        raise TooLargeError(f"the page has more than {MOST_RECORDS} records {_LESS}")


def check_records(records: Sequence[Record | bytes]) -> None:
    """Raise TooLargeError if a record has too many bytes or values."""
    for record in records:
        size = len(record)
        if size > LARGEST_RECORD:
            raise TooLargeError(f"a record is larger than {LARGEST_RECORD >> 20} MiB {_AS_SERVED}")
        if size > MOST_VALUES and has_more_commas(bytes(record), MOST_VALUES):
            raise _too_many_values()


def check_document(body: bytes) -> None:
    """Raise TooLargeError if a document or an array of records in it is too large."""
    if len(body) <= LARGEST_RECORD and not has_more_commas(body, MOST_VALUES):
        return

    text = body.strip()
    if text.startswith(b"{") and is_longer(text, MOST_VALUES):
        raise _too_many_values()
    for value in (members.parts(text) or {"": text}).values():
        if value.startswith(b"["):
            check_array(value)
            check_records(members.items(value))
        else:
            check_records([value])


def _too_many_values() -> TooLargeError:
    return TooLargeError(f"a record has more than {MOST_VALUES} values {_AS_SERVED}")


class DamageError(Exception):
    """The body contradicts its headers. A retry may succeed."""


@lru_cache(maxsize=16)
def is_json(content_type: str | None) -> bool:
    """Return whether the Content-Type says JSON."""
    return content_type is not None and _JSON_TYPE.match(content_type) is not None


def read(chunks: Iterable[bytes], coding: str, *, largest: int = LARGEST_BODY) -> bytes:
    """Return the decoded body; `coding` is the Content-Encoding.

    At most one coding is removed. Raises DamageError if the coding is unknown or the
    body is damaged, and TooLargeError if it has more than `largest` bytes.
    """
    decoded = io.BytesIO()
    for part in decoding(chunks, coding):
        if decoded.tell():
            decoded.write(part)
        else:
            # Share the bytes of the first part, which is usually the whole body.
            decoded = io.BytesIO(part)
            decoded.seek(0, io.SEEK_END)
        if decoded.tell() > largest:
            raise body_error(largest)
    return decoded.getvalue()


def codings(header: str) -> list[str]:
    """Return the codings in a Content-Encoding, without `identity` and `none`."""
    names = [name.strip().lower() for name in header.split(",")]
    return [name for name in names if name not in {"", "identity", "none"}]


def decoding(chunks: Iterable[bytes], coding: str) -> Iterable[bytes]:
    """Return the decoded body in pieces of at most a mebibyte.

    Raises DamageError if the coding is unknown or the body is damaged.
    """
    names = codings(coding)
    if not names:
        return chunks
    if names in (["gzip"], ["x-gzip"]):
        return _inflated(chunks)
    raise DamageError(
        f"the answer has the Content-Encoding {coding[:100]!r}, which was not requested"
    )


def _inflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    inflate = zlib.decompressobj(wbits=31)
    begun = False
    try:
        for chunk in filter(None, chunks):
            begun = True
            if inflate.eof:
                raise DamageError("the answer continues after the end of its gzip data")
            rest = chunk
            while rest:
                yield inflate.decompress(rest, _PIECE)
                rest = inflate.unconsumed_tail
    except zlib.error:
        raise DamageError("the answer is not valid gzip, though its headers say so") from None
    if begun and (not inflate.eof or inflate.unused_data):
        raise DamageError("the answer's gzip data is cut short or continues after its end")


def text(body: bytes, content_type: str | None) -> bytes:
    """Return the text without a byte order mark. Raises DamageError if it is not
    UTF-8.
    """
    charset = _CHARSET.search(content_type) if content_type and ";" in content_type else None
    if charset and charset[1].lower() not in {"utf-8", "utf8", "us-ascii", "ascii"}:
        raise DamageError(f"the answer is in {charset[1]}, but JSON must be in UTF-8")
    body = body.removeprefix(b"\xef\xbb\xbf")
    if wrong := json_check.encoding_flaw(body):
        raise DamageError(f"the answer {wrong}")
    return body


def check(body: bytes, items: Collection[str] = ()) -> None:
    """Raise DamageError if the body is not one JSON value. Raises TooLargeError if it
    is nested too deeply. The body must be UTF-8.

    `items` are the names that a page may use for its records; with them, only the depth
    of each record is limited. Numbers, order and duplicate keys are not checked,
    because the bytes are passed on unchanged.
    """
    if deeper_than(body, DEEPEST) and (
        deeper_than(body, DEEPEST + 2 * bool(items)) or _are_deeper(body.strip(), items)
    ):
        raise TooLargeError(f"the answer is nested deeper than {DEEPEST} levels")
    if wrong := json_check.syntax_flaw(body):
        raise DamageError(f"the answer {wrong}")


def _are_deeper(text: bytes, names: Collection[str]) -> bool:
    """Return whether a record or another member is nested too deeply.

    Also returns True if the object is not a page.
    """
    try:
        found = {"": text} if text.startswith(b"[") else members.parts(text) or {}
        if not text.startswith(b"[") and found.keys().isdisjoint(names):
            return True
        for name, value in found.items():
            of_records = value.startswith(b"[") and name in ("", *names)
            inner = members.items(value) if of_records else [value]
            if any(deeper_than(bytes(item), DEEPEST) for item in inner):
                return True
    except msgspec.DecodeError:
        # The check below reports the problem.
        pass
    return False


def error_envelope(body: bytes, items: str) -> JsonObject | None:
    """Return the body if it is the service's error object, otherwise None.

    An error object has a `statusCode` of 400 or more, a string `error`, no id and no
    records.
    """
    if b'"statusCode"' not in body:
        return None
    found = json_object(body)
    if found is None or "id" in found or items in found:
        return None
    status = found.get("statusCode")
    number = isinstance(status, (int, float)) and not isinstance(status, bool) and status >= 400
    return found if number and isinstance(found.get("error"), str) else None


def json_object(body: bytes) -> JsonObject | None:
    """Return the object in an error's body, or None.

    Returns None if the body is not an object, too large or too deep. Invalid UTF-8 is
    replaced, because the response is an error anyway.
    """
    if len(body) > _LARGEST_ENVELOPE or deeper_than(body, DEEPEST):
        return None

    try:
        found = msgspec.json.decode(body.decode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def status_of(envelope: JsonObject) -> int:
    """Return the HTTP status in an error object, or 500 if it is invalid."""
    status = envelope["statusCode"]
    return int(status) if isinstance(status, (int, float)) and 400 <= status < 600 else 500
