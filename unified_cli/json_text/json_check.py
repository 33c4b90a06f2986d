"""Checks whether text is JSON, for answers, input files and arguments alike."""

import codecs
import re
from json import JSONDecoder
from typing import NoReturn

from unified_cli.json_text import surrogates
from unified_cli.json_text.text_pieces import PIECE
from unified_cli.json_text.values import Json

_SPACE = re.compile(r"[ \t\n\r]*")


def flaw(text: bytes) -> str:
    """Why the text is not one JSON value, to follow its name: `is not JSON: …`; empty where it is one."""
    return encoding_flaw(text) or syntax_flaw(text)


def encoding_flaw(text: bytes) -> str:
    """Where the text is not UTF-8; empty where it is."""
    if text.isascii():
        return ""
    # Piece by piece: one emoji makes Python keep four bytes for each character of the whole text.
    decoder = codecs.getincrementaldecoder("utf-8")()
    for at in range(0, len(text), PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(text[at : at + PIECE], final=at + PIECE >= len(text))
        except UnicodeDecodeError as error:
            return f"is not UTF-8 at byte {at - pending + error.start}"
    return ""


def syntax_flaw(text: bytes) -> str:
    """Why UTF-8 text is not one JSON value; empty where it is one."""
    if len(text) <= PIECE and _scans(text):
        return ""
    # The import of msgspec takes as long as the standard library takes for half a mebibyte, and msgspec reads what is
    # larger in a tenth of the memory.
    try:
        reason = _refusal(text)
        # msgspec refuses half a surrogate pair, which is valid JSON and occurs where a text was cut.
        if not reason or not _refusal(surrogates.replaced(text)):
            return ""
    except RecursionError:
        return "is nested too deeply"
    return f"is not JSON: {reason}"


def _refusal(text: bytes) -> str:
    """Why msgspec refuses the text; empty where it accepts it."""
    import msgspec  # noqa: PLC0415  small texts do without it

    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return str(error).removeprefix("JSON is malformed: ")
    return ""


def _scans(text: bytes) -> bool:
    try:
        scan(text.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


# By default Python accepts NaN and Infinity, and refuses numbers of more than 4,300 digits.
_SCANNER = JSONDecoder(parse_float=str, parse_int=str, parse_constant=_refuse)


def scan(text: str) -> Json:
    """The value of a JSON text, its numbers as text.

    Raises ValueError where the text is not JSON, RecursionError where it is nested deeper than Python can read.
    """
    value, end = _SCANNER.raw_decode(text, after_blanks(text, 0))
    if after_blanks(text, end) != len(text):
        raise ValueError("there is text after the JSON value")
    return value


def end_of_value(text: str, at: int) -> int:
    """Where the JSON value that begins at `at` ends. Raises as `scan` does."""
    return _SCANNER.raw_decode(text, at)[1]


def after_blanks(text: str, at: int) -> int:
    """The position of the next character that is not blank in JSON."""
    space = _SPACE.match(text, at)
    return space.end() if space else at
