"""Where a read goes on: one cursor for all connections, which an agent hands back unchanged."""

import base64
import binascii
import hashlib
from typing import Self

import msgspec

from unified_cli.errors import UsageError
from unified_cli.json_text import typed_json

_LONGEST = 16 * 1024


class ReadPosition(msgspec.Struct, array_like=True):
    """The `number` of a connection among those that were selected, and the cursor within its list.

    `made_for` stands for what was asked.
    """

    made_for: str
    number: int = 0
    cursor: str | None = None

    @classmethod
    def first(cls, *asked: object) -> Self:
        """The start of a read of what is asked."""
        return cls(hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).hexdigest()[:12])

    @property
    def text(self) -> str:
        """The cursor as an agent has it."""
        return base64.urlsafe_b64encode(msgspec.json.encode(self)).decode("ascii").rstrip("=")

    def at(self, text: str | None) -> "ReadPosition":
        """The position that a cursor names. Raises UsageError for one that is damaged, or of another read."""
        if text is None:
            return self
        try:
            padded = text[:_LONGEST] + "=" * (-len(text) % 4)
            found = typed_json.decode(base64.b64decode(padded, b"-_", validate=True), ReadPosition)
        except (binascii.Error, ValueError):
            raise UsageError("the cursor is damaged", hint='pass "next" of the last answer unchanged') from None
        if found.made_for != self.made_for or found.number < 0:
            hint = "repeat operation, profile, id and query as they were, or leave the cursor out"
            raise UsageError("the cursor belongs to another read", hint=hint)
        return found
