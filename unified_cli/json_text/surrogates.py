r"""Half a surrogate pair in JSON text, such as `\ud83d`: JSON allows it and msgspec refuses it.

Where msgspec is to read such text it reads a copy of the same length, with `\ufffd` in the places of the halves. What
it finds is then cut out of the text itself, by its position.
"""

import io
import re

from unified_cli.json_text.text_pieces import PIECE, pieces

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")

_PAIR = re.compile(
    rb"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)", re.DOTALL
)


def without(text: bytes) -> bytes:
    r"""The text with `\ufffd` in place of halves; whole pairs stay."""
    if not _SURROGATE.search(text):
        return text
    return _PAIR.sub(lambda match: rb"\ufffd" if len(match[0]) == 6 else match[0], text)


def replaced(text: bytes) -> bytes:
    r"""The text with `\ufffd` in place of every surrogate, pairs too; the same object where it has none.

    It is JSON if the text is, and its parts stand in the same places. Strings in it are not those of the text: also of
    an escaped backslash before `ud83d` the letters are replaced.
    """
    if not _SURROGATE.search(text):
        return text
    if len(text) <= PIECE:
        return _SURROGATE.sub(rb"\\ufffd", text)
    written = io.BytesIO()
    for piece in pieces(text):
        written.write(_SURROGATE.sub(rb"\\ufffd", piece))
    return written.getvalue()
