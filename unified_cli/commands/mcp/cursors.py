"""The signed cursor of a read, for all its connections, which an agent hands back unchanged; `read_tool` makes it."""

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from unified_cli.errors import UsageError
from unified_cli.json_text import typed_json

_LONGEST = 16 * 1024
_SIGNATURE_SIZE = 16


class ReadPosition(NamedTuple):
    """The `number` of the first connection, among those that were selected, of which nothing was asked yet.

    `begun` are those before it that are not done, each with the cursor within its list; those whose turn is first stand
    first.
    """

    number: int = 0
    begun: tuple[tuple[int, str | None], ...] = ()


class ReadCursors:
    """Makes the cursors of one server, and reads them; a restarted server knows none of them.

    A cursor is signed together with what was asked: the connections, the route and the query. So one that was made up
    or changed, or that another read got, names no position here.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def text(self, position: ReadPosition, asked: Sequence[object]) -> str:
        """The cursor as an agent has it."""
        payload = msgspec.json.encode(position)
        return base64.urlsafe_b64encode(self._signature(payload, asked) + payload).decode("ascii").rstrip("=")

    def position(self, text: str | None, asked: Sequence[object]) -> ReadPosition:
        """The position that a cursor names, the first without one. Raises UsageError for one of anything else."""
        if text is None:
            return ReadPosition()
        try:
            padded = text[:_LONGEST] + "=" * (-len(text) % 4)
            found = base64.b64decode(padded, b"-_", validate=True)
        except (binascii.Error, ValueError):
            found = b""
        signature, payload = found[:_SIGNATURE_SIZE], found[_SIGNATURE_SIZE:]
        if not hmac.compare_digest(signature, self._signature(payload, asked)):
            hint = 'pass "next" of the last answer unchanged, with the same operation, profile, id and query'
            raise UsageError("the cursor is not one that this server gave for this read", hint=f"{hint}; or begin anew")
        return typed_json.decode(payload, ReadPosition)

    def _signature(self, payload: bytes, asked: Sequence[object]) -> bytes:
        made_for = hashlib.sha256(repr(asked).encode("utf-8", "surrogatepass")).digest()
        return hmac.digest(self._key, made_for + payload, "sha256")[:_SIGNATURE_SIZE]
