"""Text that may be shown: free of secrets, and with nothing in it that could drive a terminal."""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from urllib.parse import quote

LONGEST = 2048
"""Characters of what a server said that are shown at most."""

_SHORTEST = 4
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb"
_MARKS = "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_MOST_MARKS = 4
# What may move the cursor, restyle, reorder or hide text on a terminal, and marks piled up so high that they cover the
# lines above; lone surrogates cannot be written at all.
_UNSAFE = (
    f"[\x00-\x1f\x7f-\x9f{_BIDI}{_INVISIBLE}\u2028\u2029\ud800-\udfff\U000e0000-\U000e007f]"
    f"|(?<={_MARKS}{{{_MOST_MARKS}}}){_MARKS}"
)


@cache
def unsafe() -> re.Pattern[str]:
    """The pattern of one character that a terminal must not get; compiled when first met, which is rarely."""
    return re.compile(_UNSAFE)


def visible(text: str) -> str:
    r"""The text with everything that could drive a terminal written as an escape, such as `\\x1b` or `\\u202e`."""
    return text if text.isascii() and text.isprintable() else unsafe().sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")


def cut(text: str, limit: int = LONGEST) -> str:
    """At most `limit` characters of what a server said, with a note where the rest is missing."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


class Secrets:
    """The values of this run that must not show, in every form that they could be met in."""

    def __init__(self) -> None:
        self._values: set[str] = set()
        self._pattern: re.Pattern[str] | None = None

    def hide(self, secret: str) -> None:
        """Mask this value from now on; fewer than four letters are no secret."""
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
            # Whatever the case: a host name that holds the secret is written in small letters.
            pattern = self._pattern = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)
        return pattern.sub("***", text)


def _forms(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    yield secret
    yield quote(raw, safe="")
    yield json.dumps(secret)[1:-1]
    # Base64 has three shapes, one for each offset the secret can have inside a longer text; the edges depend on it.
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + raw).decode().rstrip("=")
        inner = encoded[(offset * 8 + 5) // 6 : len(encoded) - (1 if (offset + len(raw)) % 3 else 0)]
        if len(inner) >= _SHORTEST:
            yield inner
