"""An answer's body: decoded within bounds, and whole, or damage."""

import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress

import msgspec

LARGEST = 64 * 1024 * 1024
DEEPEST = 200

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b'{}[]"')
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_JSON_TYPE = re.compile(r"(application|text)/([\w.+-]+\+)?json\b", re.IGNORECASE)


class DamageError(Exception):
    """The body is not what it says it is; worth another try."""


class TooLargeError(Exception):
    """The body goes on beyond what may be held in memory."""


def is_json(content_type: str | None) -> bool:
    """Whether the Content-Type says JSON."""
    return content_type is not None and _JSON_TYPE.match(content_type) is not None


def read(chunks: Iterable[bytes], coding: str, *, largest: int = LARGEST) -> bytes:
    """The decoded body; `coding` is the Content-Encoding.

    One coding at most is undone, and never further than `largest` bytes. Raises DamageError for an unknown or broken
    coding, TooLargeError beyond the bound.
    """
    decoded = bytearray()
    for part in decoding(chunks, coding, largest):
        decoded += part
        if len(decoded) > largest:
            raise TooLargeError
    return bytes(decoded)


def decoding(chunks: Iterable[bytes], coding: str, largest: int = LARGEST) -> Iterable[bytes]:
    """The decoded chunks of a body, none of them larger than `largest` and a byte."""
    names = [name.strip().lower() for name in coding.split(",") if name.strip() not in {"", "identity"}]
    if not names:
        yield from chunks
        return
    if names not in (["gzip"], ["x-gzip"]):
        raise DamageError(f"the answer is coded as {coding[:100]!r}, which nobody asked for")
    inflate = zlib.decompressobj(wbits=31)
    try:
        for chunk in chunks:
            if inflate.eof:
                raise DamageError("the answer goes on after the end of its gzip data")
            yield inflate.decompress(chunk, largest + 1)
            if inflate.unconsumed_tail:
                raise TooLargeError
    except zlib.error:
        raise DamageError("the answer says it is gzip, and is not") from None
    if not inflate.eof or inflate.unused_data:
        raise DamageError("the answer's gzip data is cut short or goes on after its end")


def check(body: bytes, content_type: str | None) -> bytes:
    """The same JSON document without a byte order mark; DamageError where it is not one JSON value in UTF-8.

    Digits, order and duplicate keys are nobody's business here: the bytes are passed on as they are.
    """
    charset = re.search(r'charset="?([\w-]+)', content_type or "", re.IGNORECASE)
    if charset and charset[1].lower() not in {"utf-8", "utf8", "us-ascii", "ascii"}:
        raise DamageError(f"the answer is written in {charset[1]}, and JSON is UTF-8")
    body = body.removeprefix(b"\xef\xbb\xbf")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DamageError(f"the answer is not UTF-8 at byte {error.start}") from None
    check_depth(body)
    if wrong := flaw(body):
        raise DamageError(f"the answer is not JSON: {wrong}")
    return body


def check_depth(body: bytes) -> None:
    """Raise DamageError where brackets stand deeper than anybody nests data, which is how parsers are brought down."""
    if body.count(b"{") + body.count(b"[") <= DEEPEST:
        return
    text = _ESCAPE.sub(b"", body) if b"\\" in body else body
    outside = b"".join(text.translate(None, _NOT_BRACKETS).split(b'"')[::2])
    for _ in range(DEEPEST):
        if not outside:
            return
        outside = outside.replace(b"{}", b"").replace(b"[]", b"")
    if outside:
        raise DamageError(f"the answer is nested deeper than {DEEPEST} levels")


def flaw(text: bytes) -> str | None:
    """Why UTF-8 text is not one JSON value; None where it is one."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        # Half a surrogate pair is valid JSON and occurs where somebody cut a string between its halves; msgspec
        # refuses it.
        with suppress(msgspec.DecodeError):
            msgspec.json.decode(_SURROGATE.sub(rb"\\ufffd", text), type=msgspec.Raw)
            return None
        return str(error).removeprefix("JSON is malformed: ")
    return None


def error_envelope(body: bytes, items: str) -> Mapping[str, object] | None:
    """The service's error object where the body is one: a `statusCode` from 400, a text `error`, no id, no records."""
    if b'"statusCode"' not in body:
        return None
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(found, dict) or "id" in found or items in found:
        return None
    status = found.get("statusCode")
    number = isinstance(status, (int, float)) and not isinstance(status, bool) and status >= 400
    return found if number and isinstance(found.get("error"), str) else None
