"""Cursors: opaque, valid for one query and for some time."""

import binascii
import zlib

# Assumption: the service does not say how long a cursor is valid; a day is longer than an export should pause.
LIFETIME = 86_400.0


class CursorError(Exception):
    """The cursor cannot be used; the message says why."""


def seal(words: str, query: str, now: float) -> str:
    """A cursor that holds these words, valid for this query."""
    text = f"{words}|{int(now * 1000)}"
    sealed = f"{zlib.crc32(f'{text}|{query}'.encode()):08x}|{text}".encode()
    return binascii.b2a_base64(sealed, newline=False).decode().translate(_SAFE).rstrip("=")


def unseal(cursor: str, query: str, now: float, lifetime: float) -> str:
    """The words in a cursor. Raises CursorError if it is none, belongs to another query or is too old."""
    try:
        padded = cursor.translate(_BACK) + "=" * (-len(cursor) % 4)
        check, words, issued = binascii.a2b_base64(padded.encode("ascii")).decode().split("|")
        fits = check == f"{zlib.crc32(f'{words}|{issued}|{query}'.encode()):08x}"
    except ValueError:
        raise CursorError(f"{cursor[:40]!r} is not a cursor of this service") from None
    if not fits:
        raise CursorError("belongs to another query")
    if now - int(issued) / 1000 > lifetime:
        raise CursorError("has expired")
    return words


_SAFE = str.maketrans("+/", "-_")
_BACK = str.maketrans("-_", "+/")
