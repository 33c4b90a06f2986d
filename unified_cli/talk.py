"""The only writer of stderr: whatever goes there is safe for a terminal and free of secrets."""

import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import BinaryIO
from urllib.parse import quote

_LIMIT = 2048
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


def cut(text: str, limit: int = _LIMIT) -> str:
    """At most `limit` characters of what a server said, with a note where the rest is missing."""
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text) - limit} more characters)"


class Talk:
    """Says things on stderr: each call is one line, masked, made visible and written at once.

    `stream` is None where stderr is closed: then nothing is said. `verbosity` counts the `-v`s.
    """

    def __init__(self, stream: BinaryIO | None, *, encoding: str = "utf-8") -> None:
        self._stream = stream
        self._encoding = encoding
        self._passing = False
        self._secrets: set[str] = set()
        self._masks: re.Pattern[str] | None = None
        self.quiet = False
        self.machine = False
        """Errors are told as JSON objects."""
        self.verbosity = 0

    def hide(self, secret: str) -> None:
        """Mask this value from now on, in every form it could be met in; fewer than four letters are no secret."""
        if len(secret) < _SHORTEST:
            return
        self._secrets.add(secret)
        self._masks = None

    def named(self, name: str) -> "Talk":
        """The same, with a name at the start of each line: who speaks when many do."""
        return _Named(self, name)

    def masked(self, text: str) -> str:
        """The text with every known secret replaced by `***`."""
        if not self._secrets:
            return text
        masks = self._masks
        if masks is None:
            forms = sorted({form for secret in self._secrets for form in _forms(secret)}, key=len, reverse=True)
            # Whatever the case: a host name that holds the secret is written in small letters.
            masks = self._masks = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE)
        return masks.sub("***", text)

    def excerpt(self, text: str, limit: int = _LIMIT) -> str:
        """At most `limit` characters of what somebody else said, masked and made visible before it is cut."""
        return cut(visible(self.masked(text)), limit)

    def note(self, text: str) -> None:
        """Tell how things go; `--quiet` silences it."""
        if not self.quiet:
            self.line(text)

    def line(self, text: str) -> None:
        """Say one line, whatever the verbosity."""
        self.block([text])

    def status(self, text: str) -> None:
        """Show a line in passing: on a terminal the next thing said takes its place, and an empty text removes it."""
        if not self.quiet and (text or self._passing):
            self._write(visible(self.masked(text)))
            self._passing = bool(text)

    def prompt(self, text: str) -> None:
        """Ask something; the answer is typed on the same line."""
        self._write(visible(self.masked(text)))

    def block(self, lines: list[str]) -> None:
        """Say several lines that belong together in one write."""
        self._write("".join(f"{visible(self.masked(line))}\n" for line in lines))

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        try:
            erased = "\r\x1b[K" if self._passing else ""
            self._passing = False
            self._stream.write(f"{erased}{text}".encode(self._encoding, "backslashreplace"))
            self._stream.flush()
        except (OSError, ValueError):
            # Nobody listens any more; the exit code still tells how it ended.
            self._stream = None


class _Named(Talk):
    """Speaks through another, which keeps the secrets and the stream."""

    def __init__(self, talk: Talk, name: str) -> None:
        super().__init__(None)
        self._through = talk
        self._name = name
        self.quiet, self.machine, self.verbosity = talk.quiet, talk.machine, talk.verbosity

    def hide(self, secret: str) -> None:
        self._through.hide(secret)

    def masked(self, text: str) -> str:
        return self._through.masked(text)

    def block(self, lines: list[str]) -> None:
        self._through.block([f"{self._name}: {line}" for line in lines])


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
