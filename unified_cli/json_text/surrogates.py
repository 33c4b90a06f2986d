r"""Half a surrogate pair in JSON text, such as `\ud83d`: JSON allows it and msgspec refuses it, so it is escaped."""

import re

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
    # Its first character is in it only once, so that no text before it can complete another mark.
    mark, number = b"<half>", 1
    while mark in text:
        mark, number = b"<half %d>" % number, number + 1
    return _ESCAPE.sub(lambda match: mark + match[1] if len(match[1]) > 1 else match[0], text), mark


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
    return _SURROGATE.sub(rb"\\ufffd", text)
