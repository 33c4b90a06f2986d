"""What stands outside the strings of a JSON text: enough to tell how deep it is and how much it holds."""

import re
from collections.abc import Iterator
from functools import lru_cache

from unified_cli.json_text.text_pieces import pieces

# Whether the brackets match is checked elsewhere, so that both kinds can count as one.
_ONE_KIND = bytes.maketrans(b"[]", b"{}")
_ESCAPE = re.compile(rb'\\["\\]')
_WITHOUT_ITEMS = re.compile(rb"\{,*\}")


def deeper_than(text: bytes, levels: int) -> bool:
    """Whether brackets are nested deeper than that; the text need not be JSON. Deep nesting overflows parsers.

    It looks at a mebibyte at a time, so that its memory stays small; across two of them it may allow twice as much.
    """
    left = b""
    for brackets in _outside(text, b"{}[]"):
        left = _unpaired(left + brackets, levels)
        if len(left) > levels or b"{}" in left:
            return True
    return False


def is_longer(array: bytes | memoryview, items: int) -> bool:
    """Whether a JSON array has more items than that, without taking memory for them."""
    left, commas = b"", 0
    for number, marks in enumerate(_outside(array, b"{}[],")):
        # Without the array's own bracket, commas between its items follow no open one.
        left += marks if number else marks[1:]
        while (fewer := _WITHOUT_ITEMS.sub(b"", left)) != left:
            left = fewer
        inner = left.lstrip(b",")
        commas += len(left) - len(inner)
        # Those that follow a bracket that is still open belong to an item.
        left = inner.replace(b",", b"")
        if commas >= items:
            return True
    return False


def has_more_commas(text: bytes, number: int) -> bool:
    """Whether a JSON text has more commas outside its strings, and so holds more values than that."""
    return text.count(b",") > number and sum(map(len, _outside(text, b","))) > number


def _outside(text: bytes | memoryview, kept: bytes) -> Iterator[bytes]:
    """The `kept` characters of each piece of the text that are outside of strings."""
    dropped, inside = _all_but(kept + b'"'), 0
    for piece in pieces(text):
        whole = _ESCAPE.sub(b"", piece) if b"\\" in piece else piece
        # A string without such characters is now two quotes side by side.
        parts = whole.translate(_ONE_KIND, dropped).replace(b'""', b"").split(b'"')
        yield b"".join(parts[inside::2])
        inside ^= (len(parts) - 1) & 1


@lru_cache
def _all_but(kept: bytes) -> bytes:
    return bytes(byte for byte in range(256) if byte not in kept)


def _unpaired(brackets: bytes, levels: int) -> bytes:
    """The brackets that are left when the innermost pairs are removed so many times."""
    for _ in range(levels):
        fewer = brackets.replace(b"{}", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    return brackets
