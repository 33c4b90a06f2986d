"""Read JSON values one after the other from a stream."""

import codecs
from collections.abc import Iterator
from itertools import chain
from json import JSONDecodeError

from unified_cli.json_text import json_check

_PIECE = 1024 * 1024


class TooLongError(Exception):
    """A value is too long to hold in memory."""


class JsonStream:
    """Reads JSON from pieces of UTF-8.

    `longest` is the largest number of characters that a value may have. Methods raise
    TooLongError for longer values. For invalid text they raise ValueError with a reason
    to append to the name of the text.
    """

    def __init__(self, pieces: Iterator[bytes], longest: int) -> None:
        self._pieces = chain(pieces, [b""])
        self._longest = longest
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._text = ""
        self._at = 0
        self._passed = 0
        """The number of bytes before the buffered text."""
        self._read_so_far = 0
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not white space, or "" at the end."""
        while True:
            self._at = json_check.after_blanks(self._text, self._at)
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._read()

    def take(self, character: str) -> bool:
        """Skip this character if it is next, and return whether it was next."""
        result = self.peek() == character
        self._at += result
        return result

    def expect(self, character: str) -> None:
        """Skip the next character. Raises ValueError if it is not `character`."""
        if not self.take(character):
            raise self._flaw(f"expected {character!r}", self._at)

    def value(self) -> str:
        """Return the text of the next value."""
        self.peek()
        while True:
            try:
                end = json_check.end_of_value(self._text, self._at)
            except RecursionError:
                raise ValueError("is nested too deeply") from None
            except JSONDecodeError as error:
                if self._ended:
                    raise self._flaw(error.msg[:1].lower() + error.msg[1:], error.pos) from None
            except ValueError as error:
                raise self._flaw(str(error), self._at) from None
            else:
                # A number may continue in the next piece.
                if end < len(self._text) or self._ended:
                    text, self._at = self._text[self._at : end], end
                    return text
            self._read()

    def _read(self) -> None:
        """Double the buffered text.

        If every read had the same size, a long value would be scanned too often.
        """
        rest = self._text[self._at :]
        if len(rest) > self._longest:
            raise TooLongError
        self._passed += len(self._text[: self._at].encode())
        parts, wanted = [rest], max(_PIECE, min(len(rest), self._longest - len(rest)))
        while wanted > 0 and not self._ended:
            piece = next(self._pieces)
            self._ended = not piece
            parts.append(self._decoded(piece))
            wanted -= len(piece)
        self._text, self._at = "".join(parts), 0

    def _decoded(self, piece: bytes) -> str:
        pending = len(self._decoder.getstate()[0])
        try:
            text = self._decoder.decode(piece, final=self._ended)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"is not UTF-8 at byte {self._read_so_far - pending + error.start}"
            ) from None
        self._read_so_far += len(piece)
        return text

    def _flaw(self, reason: str, at: int) -> ValueError:
        return ValueError(
            f"is not JSON: {reason} (byte {self._passed + len(self._text[:at].encode())})"
        )
