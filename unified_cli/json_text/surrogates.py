r"""Half a surrogate pair in JSON text, such as `\ud83d`: JSON allows it and msgspec refuses it, so it is escaped."""

import io
import re
from collections.abc import Callable, Iterator
from itertools import count

from unified_cli.json_text.text_pieces import pieces

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")

# Every escape is matched, so that an escaped backslash before a `u` is not taken for the escape of a surrogate.
_ESCAPE = re.compile(rb"\\(u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL)

_PAIR = re.compile(
    rb"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL
)


def escape(text: bytes) -> tuple[bytes, bytes]:
    """The text with a mark in place of the backslash of every surrogate, and the mark, which is empty without any."""
    if not _SURROGATE.search(text):
        return text, b""
    mark = next(mark for mark in _marks() if mark not in text)

    def marked(match: re.Match[bytes]) -> bytes:
        return mark + match[1] if len(match[1]) > 1 else match[0]

    return _rewritten(text, lambda piece: _ESCAPE.sub(marked, piece)), mark


def _rewritten(text: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The text with a change made to it piece by piece."""
    written = io.BytesIO()
    for piece in pieces(text):
        written.write(change(piece))
    return written.getvalue()


def _marks() -> Iterator[bytes]:
    # One byte that JSON allows and hardly any text has, so that the marked text is no longer than the text.
    yield b"\x7f"
    # Its first character is in it only once, so that no text before it can complete another mark.
    yield from (b"<half %d>" % number for number in count())


def restore(text: bytes, mark: bytes) -> bytes:
    """The text with the backslashes in place of the mark."""
    return text.replace(mark, b"\\") if mark else text


def without(text: bytes) -> bytes:
    r"""The text with `\ufffd` in place of halves; whole pairs stay."""
    if not _SURROGATE.search(text):
        return text
    return _PAIR.sub(lambda match: rb"\ufffd" if len(match[0]) == 6 else match[0], text)


def replaced(text: bytes) -> bytes:
    r"""The text with `\ufffd` in place of every surrogate, pairs too: for finding out whether the rest is JSON."""
    return _rewritten(text, lambda piece: _SURROGATE.sub(rb"\\ufffd", piece))
