"""One exchange while it happens: what was sent, what came back, and how its body ended."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import httpx

from unified_cli.http.answer import bounds, decoding

if TYPE_CHECKING:
    from unified_cli.http.transport.broken_exchange import BrokenExchange

LARGEST_DOWNLOAD = 1024 * 1024
"""Bytes of a body that is no JSON document, of which a recording keeps no more."""


class BodyEnd(StrEnum):
    """How much of a body a recording holds."""

    COMPLETE = "complete"
    UNREAD = "unread"
    """It was closed before its end, because what came was enough."""
    BROKEN = "broken"
    """The connection was lost in the middle of it."""
    DAMAGED = "damaged"
    """Its content coding is damaged."""
    CUT = "cut"
    """There was more of it than is kept."""
    OMITTED = "omitted"
    """It may hold credentials that cannot be found in it."""


@dataclass(slots=True)
class Exchange:
    """A request and its answer; `started` in seconds since 1970, the other times in seconds of a clock for spans."""

    request: httpx.Request
    started: float
    began: float
    answered: float = 0.0
    response: httpx.Response | None = None
    body: bytearray = field(default_factory=bytearray)
    end: BodyEnd = BodyEnd.UNREAD
    broken: "BrokenExchange | None" = None
    received: int = 0

    @property
    def is_document(self) -> bool:
        """Whether the answer is JSON, and no file."""
        if self.response is None:
            return False
        named = self.response.headers.get("content-disposition", "").lower().lstrip().startswith("attachment")
        return decoding.is_json(self.response.headers.get("content-type")) and not named

    @property
    def largest(self) -> int:
        """The most bytes of the body that are kept."""
        return bounds.LARGEST_BODY if self.is_document else LARGEST_DOWNLOAD

    def receive(self, chunk: bytes) -> None:
        """Keep a piece of the body, as it was transferred."""
        self.received += len(chunk)
        self.body += chunk[: max(0, self.largest - len(self.body))]

    def decoded(self) -> tuple[bytes, BodyEnd, str]:
        """The body without its content coding, how it ended, and what is wrong with the coding."""
        assert self.response is not None  # noqa: S101  only what was answered has a body
        coding = self.response.headers.get("content-encoding", "")
        found, end, reason = bytearray(), self.end, ""
        try:
            for part in decoding.decoding([bytes(self.body)], coding):
                found += part
                if len(found) > self.largest:
                    break
        except decoding.DamageError as error:
            # What was not read to its end only looks damaged.
            if end is BodyEnd.COMPLETE and self.received == len(self.body):
                end, reason = BodyEnd.DAMAGED, str(error)
        if self.received > len(self.body) or len(found) > self.largest:
            end = BodyEnd.CUT
        return bytes(found[: self.largest]), end, reason
