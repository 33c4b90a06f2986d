"""An answer's body: decoded within bounds, and whole, or damage."""

import codecs
import io
import re
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from json import JSONDecoder
from typing import NoReturn

LARGEST = 64 * 1024 * 1024
DEEPEST = 200
_PIECE = 1024 * 1024
_LARGEST_ENVELOPE = 2 * 1024 * 1024

_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b'{}[]"')
_ESCAPE = re.compile(rb'\\["\\]')
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_CHARSET = re.compile(r'charset="?([\w-]+)', re.IGNORECASE)
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
    decoded = io.BytesIO()
    for part in decoding(chunks, coding):
        decoded.write(part)
        if decoded.tell() > largest:
            raise TooLargeError
    return decoded.getvalue()


def decoding(chunks: Iterable[bytes], coding: str) -> Iterable[bytes]:
    """The body piece by piece, decoded; no piece that was squeezed is larger than a mebibyte."""
    names = [name.strip().lower() for name in coding.split(",") if name.strip() not in {"", "identity"}]
    if not names:
        yield from chunks
        return
    if names not in (["gzip"], ["x-gzip"]):
        raise DamageError(f"the answer is coded as {coding[:100]!r}, which nobody asked for")
    inflate = zlib.decompressobj(wbits=31)
    begun = False
    try:
        for chunk in filter(None, chunks):
            begun = True
            if inflate.eof:
                raise DamageError("the answer goes on after the end of its gzip data")
            rest = chunk
            while rest:
                yield inflate.decompress(rest, _PIECE)
                rest = inflate.unconsumed_tail
    except zlib.error:
        raise DamageError("the answer says it is gzip, and is not") from None
    if begun and (not inflate.eof or inflate.unused_data):
        raise DamageError("the answer's gzip data is cut short or goes on after its end")


def text(body: bytes, content_type: str | None) -> bytes:
    """The same text without a byte order mark; DamageError where it is not UTF-8."""
    charset = _CHARSET.search(content_type) if content_type and ";" in content_type else None
    if charset and charset[1].lower() not in {"utf-8", "utf8", "us-ascii", "ascii"}:
        raise DamageError(f"the answer is written in {charset[1]}, and JSON is UTF-8")
    body = body.removeprefix(b"\xef\xbb\xbf")
    _check_utf8(body)
    return body


def check(body: bytes) -> None:
    """Raise DamageError where the text is not one JSON value.

    Digits, order and duplicate keys are nobody's business here: the bytes are passed on as they are.
    """
    check_depth(body)
    if wrong := flaw(body):
        raise DamageError(f"the answer is not JSON: {wrong}")


def _check_utf8(body: bytes) -> None:
    if body.isascii():
        return
    # Piece by piece: one emoji makes Python keep four bytes for each character of the whole text.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(body), _PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(body[at : at + _PIECE], final=at + _PIECE >= len(body))
        except UnicodeDecodeError as error:
            raise DamageError(f"the answer is not UTF-8 at byte {at - pending + error.start}") from None


def check_depth(body: bytes) -> None:
    """Raise DamageError where brackets stand deeper than anybody nests data, which is how parsers are brought down.

    It looks at a mebibyte at a time, so that its memory stays small; across two of them it may allow twice as much.
    """
    left, inside, at = b"", 0, 0
    while at < len(body):
        end = _end_of_piece(body, at)
        piece = body[at:end]
        piece = _ESCAPE.sub(b"", piece) if b"\\" in piece else piece
        # Of a string without brackets its two quotes are left, and no string begins between them.
        parts = piece.translate(None, _NOT_BRACKETS).replace(b'""', b"").split(b'"')
        left = _unpaired(left + b"".join(parts[inside::2]))
        if len(left) > DEEPEST or b"{}" in left or b"[]" in left:
            raise DamageError(f"the answer is nested deeper than {DEEPEST} levels")
        inside ^= (len(parts) - 1) & 1
        at = end


def _end_of_piece(body: bytes, at: int) -> int:
    """Where the piece from `at` on ends: never between a backslash and what it escapes."""
    end = min(at + _PIECE, len(body))
    backslashes = len(body[at:end]) - len(body[at:end].rstrip(b"\\"))
    return min(end + backslashes % 2, len(body))


def _unpaired(brackets: bytes) -> bytes:
    """The brackets that are left when pairs are taken out from within, as often as anybody nests data."""
    for _ in range(DEEPEST):
        fewer = brackets.replace(b"{}", b"").replace(b"[]", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    return brackets


def flaw(text: bytes) -> str | None:
    """Why UTF-8 text is not one JSON value; None where it is one."""
    if len(text) <= _PIECE and _is_json(text):
        return None
    # Its import takes as long as the standard library takes for half a mebibyte, and what is larger it reads in a tenth
    # of the memory.
    import msgspec  # noqa: PLC0415

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


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


# Python's own reader takes NaN and the infinities for JSON, and would count the digits of a number.
_STRICT = JSONDecoder(parse_int=float, parse_constant=_no_number)


def _is_json(text: bytes) -> bool:
    try:
        _STRICT.decode(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def error_envelope(body: bytes, items: str) -> Mapping[str, object] | None:
    """The service's error object where the body is one: a `statusCode` from 400, a text `error`, no id, no records."""
    if b'"statusCode"' not in body or len(body) > _LARGEST_ENVELOPE:
        return None
    import msgspec  # noqa: PLC0415  most answers are none

    try:
        check_depth(body)
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, DamageError):
        return None
    if not isinstance(found, dict) or "id" in found or items in found:
        return None
    status = found.get("statusCode")
    number = isinstance(status, (int, float)) and not isinstance(status, bool) and status >= 400
    return found if number and isinstance(found.get("error"), str) else None


def status_of(envelope: Mapping[str, object]) -> int:
    """The HTTP status that an error object of the service means; 500 for a number that is none."""
    status = envelope["statusCode"]
    return int(status) if isinstance(status, (int, float)) and 400 <= status < 600 else 500
