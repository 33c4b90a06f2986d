"""Measure, cut and wrap text for a terminal."""

import re
from collections.abc import Iterator
from functools import cache

# Lines can be broken between these characters, because their scripts have no spaces.
# Marks and closing signs stay with the preceding character.
_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_KEPT_WITH = (
    "\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015"
    "\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\u30fb\u30fc"
)
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f"


@cache
def _piece() -> re.Pattern[str]:
    # Compiled on first use: it takes some milliseconds, and few commands break lines.
    return re.compile(f"( *)((?:[{_UNSPACED}]|[^ {_UNSPACED}]+)[{_MARKS}{_KEPT_WITH}]*)")


def width(text: str) -> int:
    """Return how many terminal columns the text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import (  # noqa: PLC0415  help on a pipe is plain ASCII and does without rich
        cell_len,
    )

    return cell_len(text)


def _chopped(text: str, size: int) -> list[str]:
    from rich.cells import chop_cells  # noqa: PLC0415  as above

    return chop_cells(text, size) or [text]


def cut(text: str, size: int, sign: str) -> str:
    """Return the text cut to this many columns.

    A shortened text ends with `sign`.
    """
    if width(text) <= size:
        return text
    room = size - width(sign)
    return (_chopped(text, room)[0] if room > 0 else "") + sign


def pad(text: str, size: int) -> str:
    """Return the text padded with spaces to that width."""
    return text + " " * (size - width(text))


def longest_piece(text: str) -> int:
    """Return the width of the longest unbroken part."""
    return max((width(piece) for _, piece in _piece().findall(text)), default=0)


def wrapped(text: str, size: int, *, indent: str = "", fold: bool = False) -> list[str]:
    """Return the text broken into lines of that width.

    Lines are broken between words, and all lines after the first are indented. A word
    that is longer than a line, such as a URL, has a line of its own or, with `fold`,
    continues on the next line.
    """
    if width(text) <= size:
        return [text]
    lines, used = list[str](), 0
    for blanks, word in _unbroken_parts(text, size - len(indent) if fold else None):
        needed = width(word)
        if lines and used + len(blanks) + needed <= size:
            lines[-1] += blanks + word
            used += len(blanks) + needed
        else:
            start = indent if lines else blanks
            lines.append(start + word)
            used = len(start) + needed
    return lines or [text]


def _unbroken_parts(text: str, longest: int | None) -> Iterator[tuple[str, str]]:
    for found in _piece().finditer(text):
        blanks, word = found.groups()
        if longest and width(word) > longest:
            for part in _chopped(word, longest):
                yield blanks, part
                blanks = ""
        else:
            yield blanks, word
