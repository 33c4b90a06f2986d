"""Make text safe to show: without secrets, and without control sequences for a
terminal.

All secrets of the process are shared: errors mask their text when they are created
(`errors.py`), without a runtime.
"""

import base64
import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import takewhile
from operator import eq
from typing import NewType

MaskedText = NewType("MaskedText", str)
"""Text about a run, without secrets, for manifests, journals, reports, tables and file
names.

Only `masked`, `cut` and `excerpt` return such text.
"""

COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""Escape sequences that switch colours of a terminal."""

NO_TEXT = MaskedText("")
LONGEST = 2048
"""The most characters of a server's text to show."""

_MASK = "***"
_SHORTEST = 4
_TELLING = 8
"""The number of first characters of a secret that are masked even without the others,
because the service may have cut the secret off.
"""

_LOWER = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MOST_MARKS = 4
# Characters that may move the cursor, or restyle, reorder or hide text on a terminal;
# stacks of combining marks that cover other lines; and lone surrogates, which cannot be
# encoded.
_UNSAFE = (
    f"[\x00-\x1f\x7f-\x9f{_BIDI}{_INVISIBLE}\u2028\u2029\ud800-\udfff\U000e0000-\U000e007f]"
    f"|(?<={_MARKS}{{{_MOST_MARKS}}}){_MARKS}"
)


@cache
def unsafe() -> re.Pattern[str]:
    """Return the pattern of characters that must not reach a terminal.

    It is compiled when first used, because few texts need it.
    """
    return re.compile(_UNSAFE)


# The first UTF-8 bytes of the characters above.
_MARKS_BEGIN = (
    b"\xcc",
    b"\xcd",
    b"\xd2",
    b"\xe1\xaa",
    b"\xe1\xab",
    b"\xe1\xb7",
    b"\xe2\x83",
    b"\xef\xb8",
)


def is_harmless(text: str) -> bool:
    """Return whether the text is certainly safe.

    A quick check, which may return False for safe text.
    """
    if not text.isprintable():
        return False
    if text.isascii():
        return True
    encoded = text.encode("utf-8")
    return not any(begin in encoded for begin in _MARKS_BEGIN)


def visible(text: str, *, but: str = "") -> str:
    r"""Return the text with unsafe characters as escapes, such as `\\x1b`.

    The characters in `but` stay.
    """
    if is_harmless(text.translate(dict.fromkeys(map(ord, but)))):
        return text
    return unsafe().sub(lambda match: match[0] if match[0] in but else _escape(match[0]), text)


def visible_styled(text: str, *, but: str = "") -> str:
    """Return our own text like `visible`, but keep its colours.

    Untrusted parts must already be escaped.
    """
    parts = COLOUR.split(text)
    parts[::2] = [visible(part, but=but) for part in parts[::2]]
    return "".join(parts)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


_FORMS: dict[str, str] = {}
"""The encoded forms of each secret, in lower case, and the first characters of each
form.

A form is found in upper or lower case, because host names are in lower case. It is also
found in any mixture of plain characters and escapes of URLs, JSON and HTML.
"""


def lower(text: str) -> str:
    """Return the text with its ASCII letters in lower case.

    The positions of all characters stay the same.
    """
    return text.translate(_LOWER)


def hide(secret: str) -> None:
    """Mask this value from now on.

    A value with fewer than four characters is ignored.
    """
    if len(secret) >= _SHORTEST:
        forms = {}
        for written, telling in _written(secret):
            form = lower(written)
            forms[form] = form[:telling]
        # Add all forms in one step, because other threads may be masking.
        _FORMS.update(forms)


Find = Callable[[str], Iterable[tuple[int, int]]]
"""Finds where more secrets begin and end in a text without escapes, in lower case."""


def masked(text: str, find: Find | None = None) -> MaskedText:
    """Return the text with `***` for every known secret.

    Also masks the start of a secret if at least eight characters are in the text, and
    the secrets that `find` finds.
    """
    # Copy the forms, because other threads may add forms.
    forms = _FORMS.copy()
    if not (forms or find):
        return MaskedText(text)
    plain, places = _without_escapes(lower(text))
    if not (find or any(map(plain.__contains__, forms.values()))):
        return MaskedText(text)
    known = [span for form, start in forms.items() for span in _matches(form, start, plain)]
    spans = sorted([*known, *(find(plain) if find else ())])
    result, done = "", 0
    for begin, end in spans:
        if begin >= done:
            result += text[places[done] : places[begin]] + _MASK
        done = max(done, end)
    return MaskedText(result + text[places[done] :])


def cut(text: MaskedText, limit: int = LONGEST) -> MaskedText:
    """Return at most `limit` characters of the text.

    The cut text ends with the number of missing characters.
    """
    return (
        text
        if len(text) <= limit
        else MaskedText(f"{text[:limit]}… ({len(text) - limit} more characters)")
    )


def excerpt(text: str, limit: int = LONGEST) -> MaskedText:
    """Return the start of an untrusted text, masked and escaped, and then cut to
    `limit`.
    """
    return cut(MaskedText(visible(masked(text))), limit)


def _written(secret: str) -> Iterator[tuple[str, int]]:
    """Yield the encoded forms of the secret.

    The forms are the secret itself, the secret reversed, and its UTF-8 bytes as
    Latin-1, hexadecimal, base64 and base32. Each form comes with the number of first
    characters that are masked even without the others.
    """
    raw = secret.encode("utf-8", "surrogateescape")
    for form in (secret, raw.decode("latin-1"), secret[::-1]):
        yield form, _TELLING
    yield raw.hex(), 2 * _TELLING
    for inner in _within(raw, base64.b64encode, bits=6):
        yield inner, _TELLING
        yield inner.replace("+", "-").replace("/", "_"), _TELLING
    for inner in _within(raw, base64.b32encode, bits=5):
        yield inner, 2 * _TELLING


def _within(raw: bytes, encode: Callable[[bytes], bytes], *, bits: int) -> Iterator[str]:
    """Yield the encoded bytes for each offset that they may have in longer data.

    Characters at the edges are left out, because they depend on neighbouring bytes.
    """
    for offset in range(math.lcm(8, bits) // 8):
        encoded = encode(b"\0" * offset + raw).decode()
        inner = encoded[-(-offset * 8 // bits) : (offset + len(raw)) * 8 // bits]
        if len(inner) >= _SHORTEST:
            yield inner


def _matches(form: str, start: str, plain: str) -> Iterator[tuple[int, int]]:
    at = plain.find(start)
    while at >= 0:
        end = at + sum(takewhile(bool, map(eq, form, plain[at : at + len(form)])))
        yield at, end
        at = plain.find(start, end)


def _without_escapes(text: str) -> tuple[str, Sequence[int]]:
    """Return the decoded text, and the position of each of its characters in the
    original.

    Each escaped byte of a URL becomes one character.
    """
    if "%" not in text and "\\" not in text and "&" not in text:
        return text, range(len(text) + 1)
    plain, at = "", 0
    places: list[int] = []
    for escape in _escapes().finditer(text):
        plain += text[at : escape.start()] + _unescape(escape)
        places += range(at, escape.start() + 1)
        at = escape.end()
    return plain + text[at:], [*places, *range(at, len(text) + 1)]


@cache
def _escapes() -> re.Pattern[str]:
    hexadecimal = r"%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});"
    return re.compile(rf'{hexadecimal}|&#([0-9]{{1,7}});|\\(["\\/])')


def _unescape(escape: re.Match[str]) -> str:
    *hexadecimal, decimal, itself = escape.groups()
    if itself:
        return str(itself)
    code = int(decimal) if decimal else int(next(filter(None, hexadecimal)), 16)
    return chr(code).translate(_LOWER) if code <= sys.maxunicode else "?"
