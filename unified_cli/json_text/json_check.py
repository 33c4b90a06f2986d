"""Check the syntax, depth and size of JSON text without decoding it."""

import codecs
import contextlib
import io
import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import NoReturn

from unified_cli.values import Json

_SPACE = re.compile(r"[ \t\n\r]*")
PIECE = 1024 * 1024
DEEPEST = 200
"""The deepest nesting of any JSON text that we read or write."""
_LONGEST_ESCAPE = 6
# JSON allows a lone surrogate, such as `\ud83d`, but msgspec refuses it. So we give
# msgspec a copy of the same length, with `\ufffd` instead of the lone surrogates. Then
# we use the positions that msgspec finds to cut its results out of the original text.
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")

_PAIR = re.compile(
    rb"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)",
    re.DOTALL,
)
# Count both kinds of brackets as one. Other code checks that they match.
_ONE_KIND = bytes.maketrans(b"[]", b"{}")
_ESCAPE = re.compile(rb'\\["\\]')
_EVERY_BYTE = bytes(range(256))
_ALL_BUT_OPENINGS = _EVERY_BYTE.translate(None, b"{[")
_ALL_BUT_BRACKETS = _EVERY_BYTE.translate(None, b'{}[]"')
_ALL_BUT_MARKS = _EVERY_BYTE.translate(None, b'{}[],"')
_ALL_BUT_COMMAS = _EVERY_BYTE.translate(None, b',"')
_WITHOUT_ITEMS = re.compile(rb"\{,*\}")


def without_halves(text: bytes) -> bytes:
    r"""Return the text with `\ufffd` instead of lone surrogates."""
    if not _SURROGATE.search(text):
        return text
    return _PAIR.sub(lambda match: rb"\ufffd" if len(match[0]) == 6 else match[0], text)


def without_surrogates(text: bytes) -> bytes:
    r"""Return the text with `\ufffd` instead of every surrogate, including pairs.

    Positions and structure stay the same, but strings may change: the function also
    replaces the letters `ud83d` after an escaped backslash. Returns the same object if
    the text has no surrogates.
    """
    if not _SURROGATE.search(text):
        return text
    if len(text) <= PIECE:
        return _SURROGATE.sub(rb"\\ufffd", text)
    written = io.BytesIO()
    for piece in pieces(text):
        written.write(_SURROGATE.sub(rb"\\ufffd", piece))
    return written.getvalue()


def pieces(text: bytes | memoryview) -> Iterator[bytes]:
    r"""Yield the text in pieces of about a mebibyte.

    No piece ends within an escape.
    """
    view = memoryview(text)
    at = 0
    while at < len(view):
        piece = bytes(view[at : at + PIECE])
        if at + PIECE < len(view):
            piece = piece[: _end_of_whole_escapes(piece)]
        yield piece
        at += len(piece)


def _end_of_whole_escapes(piece: bytes) -> int:
    slash = piece.rfind(b"\\", len(piece) - _LONGEST_ESCAPE + 1)
    if slash < 0:
        return len(piece)
    backslashes = slash + 1 - len(piece[: slash + 1].rstrip(b"\\"))
    return slash if backslashes % 2 else len(piece)


def flaw(text: bytes) -> str:
    """Return why the text is not exactly one JSON value, or "" if it is.

    The reason is a predicate, such as "is not JSON: …", to follow the name of the text.
    """
    return encoding_flaw(text) or depth_flaw(text) or syntax_flaw(text)


def depth_flaw(text: bytes) -> str:
    """Return a message if the text is nested too deeply, or "" if it is not."""
    return f"is nested deeper than {DEEPEST} levels" if deeper_than(text, DEEPEST) else ""


def encoding_flaw(text: bytes) -> str:
    """Return a message with the first byte that is not UTF-8, or "" if all bytes
    are.
    """
    if text.isascii():
        return ""
    # Decode in pieces, because one emoji makes Python use four bytes for each
    # character.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(text), PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(text[at : at + PIECE], final=at + PIECE >= len(text))
        except UnicodeDecodeError as error:
            return f"is not UTF-8 at byte {at - pending + error.start}"
    return ""


def syntax_flaw(text: bytes) -> str:
    """Return why UTF-8 text is not exactly one JSON value, or "" if it is."""
    if len(text) <= PIECE:
        with contextlib.suppress(ValueError, RecursionError):
            scan(text.decode("utf-8"))
            return ""
    # Do not use msgspec for small texts: importing it takes as long as parsing half a
    # mebibyte. For larger texts, it needs a tenth of the memory.
    try:
        reason = _msgspec_refusal(text)
        # msgspec refuses lone surrogates, which are valid JSON and occur in cut texts.
        if not reason or not _msgspec_refusal(without_surrogates(text)):
            return ""
    except RecursionError:
        return "is nested too deeply"
    return f"is not JSON: {reason}"


def _msgspec_refusal(text: bytes) -> str:
    import msgspec  # noqa: PLC0415  help is shown without it

    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return str(error).removeprefix("JSON is malformed: ")
    return ""


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


# By default Python accepts NaN and Infinity, and refuses numbers of more than 4,300
# digits.
_SCANNER = JSONDecoder(parse_float=str, parse_int=str, parse_constant=_refuse)


def scan(text: str) -> Json:
    """Decode JSON, with numbers as strings.

    Raises ValueError if the text is not JSON, and RecursionError if it is nested too
    deeply.
    """
    begin = _SPACE.match(text)
    value, end = _SCANNER.raw_decode(text, begin.end() if begin else 0)
    if not _SPACE.fullmatch(text, end):
        raise ValueError("there is text after the JSON value")
    return value


def end_of_value(text: str, at: int) -> int:
    """Return the end of the JSON value at `at`. Raises the same errors as `scan`."""
    return _SCANNER.raw_decode(text, at)[1]


def after_blanks(text: str, at: int) -> int:
    """Return the position after white space."""
    space = _SPACE.match(text, at)
    return space.end() if space else at


def deeper_than(text: bytes, levels: int) -> bool:
    """Return whether brackets are nested deeper than this, so that a parser could
    overflow the stack.

    The text need not be JSON. It is checked a mebibyte at a time, to save memory.
    """
    # Do not count the brackets of a large text first. Counting them takes as long as
    # the check, and rarely makes the check unnecessary.
    if len(text) <= PIECE and len(text.translate(None, _ALL_BUT_OPENINGS)) <= levels:
        return False
    left = b""
    for brackets in _outside_strings(text, _ALL_BUT_BRACKETS):
        whole = left + brackets
        left = b"{" * (whole.count(b"{") - whole.count(b"}"))
        # Close all open brackets. The depth is then the number of times that the
        # innermost pairs can be removed.
        if len(left) > levels or b"{}" in _unpaired(whole + b"}" * len(left), levels):
            return True
    return False


def is_longer(array: bytes | memoryview, items: int) -> bool:
    """Return whether a JSON array has more items than this, without decoding it."""
    left, commas = b"", 0
    for number, marks in enumerate(_outside_strings(array, _ALL_BUT_MARKS)):
        # Drop the first bracket, which opens the array, so that the commas of the array
        # are outside of all brackets.
        left += marks if number else marks[1:]
        while (fewer := _WITHOUT_ITEMS.sub(b"", left)) != left:
            left = fewer
        inner = left.lstrip(b",")
        commas += len(left) - len(inner)
        # These commas are within an item.
        left = inner.replace(b",", b"")
        if commas >= items:
            return True
    return False


def has_more_commas(text: bytes, number: int) -> bool:
    """Return whether a text has more commas than this outside strings."""
    return (
        text.count(b",") > number
        and sum(map(len, _outside_strings(text, _ALL_BUT_COMMAS))) > number
    )


def _outside_strings(text: bytes | memoryview, dropped: bytes) -> Iterator[bytes]:
    inside = 0
    for piece in pieces(text):
        whole = _ESCAPE.sub(b"", piece) if b"\\" in piece else piece
        # Remove two adjacent quotes. They are the rest of a string that had no other
        # kept characters.
        parts = whole.translate(_ONE_KIND, dropped).replace(b'""', b"").split(b'"')
        yield b"".join(parts[inside::2])
        inside ^= (len(parts) - 1) & 1


def _unpaired(brackets: bytes, levels: int) -> bytes:
    for _ in range(levels):
        fewer = brackets.replace(b"{}", b"")
        if len(fewer) == len(brackets):
            break
        brackets = fewer
    return brackets
