"""Make text safe to show: without secrets, and without control sequences for a terminal."""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

LONGEST = 2048
"""The most characters of a server's text that are shown."""

_SHORTEST = 4
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MOST_MARKS = 4
# Characters that may move the cursor, restyle, reorder or hide text on a terminal, and combining marks stacked so high
# that they cover the lines above; lone surrogates cannot be encoded.
_UNSAFE = (
    f"[\x00-\x1f\x7f-\x9f{_BIDI}{_INVISIBLE}\u2028\u2029\ud800-\udfff\U000e0000-\U000e007f]"
    f"|(?<={_MARKS}{{{_MOST_MARKS}}}){_MARKS}"
)


@cache
def unsafe() -> re.Pattern[str]:
    """The pattern of one character that must not reach a terminal; compiled at its first use, which is rare."""
    return re.compile(_UNSAFE)


def visible(text: str) -> str:
    r"""The text with every unsafe character written as an escape, such as `\\x1b` or `\\u202e`."""
    return text if text.isascii() and text.isprintable() else unsafe().sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def cut(text: str, limit: int = LONGEST) -> str:
    """At most `limit` characters of the text, with a note on how many are missing."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


class Secrets:
    """The secret values of this run, and the forms in which they could appear."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def hide(self, secret: str) -> None:
        """Mask this value from now on; fewer than four characters are not a secret."""
        if len(secret) >= _SHORTEST:
            self._values.add(secret)
            self._pattern = None

    def masked(self, text: str) -> str:
        """The text with every known secret replaced by `***`."""
        if not self._values:
            return text
        pattern = self._pattern
        if pattern is None:
            forms = sorted({form for secret in self._values for form in _forms(secret)}, key=len, reverse=True)
            # In any case: a host name that contains the secret is written in lower case.
            pattern = self._pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)
        return pattern.sub("***", text)


def _forms(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    yield secret
    yield quote(raw, safe="")
    yield json.dumps(secret)[1:-1]
    # Base64 encodes the secret in three ways, one for each offset within a longer text; the edges differ.
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw).decode().rstrip("=")
        inner = encoded[(offset * 8 + 5) // 6 : len(encoded) - (1 if (offset + len(raw)) % 3 else 0)]
        if len(inner) >= _SHORTEST:
            yield inner
