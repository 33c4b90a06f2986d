"""One attempt at a request: how far it got, and what it was answered."""

from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from unified_cli.http.pacing.rate_headers import RateFacts


class Outcome(Enum):
    """How far an attempt got."""

    NOT_SENT = auto()
    """Nothing reached the service, and another try may."""
    PERMANENT = auto()
    """Nothing reached the service, and no repeat would: a certificate, a proxy that refuses."""
    LOST = auto()
    """It was sent, and no complete answer arrived: it may have been carried out."""
    UNFINISHED = auto()
    """It was lost before the end of its body was sent, so that the service cannot have had the whole of it."""
    DAMAGED = auto()
    """It succeeded, but the answer is damaged."""
    UNUSABLE = auto()
    """It succeeded, but the answer is too large or a web page; that of a repeat would be too."""
    ANSWERED = auto()
    """It was answered with a status other than success."""
    SUCCEEDED = auto()
    """It was answered with a success."""


class Attempt(NamedTuple):
    """The result of one attempt; `retry_after` in seconds.

    `remote` for an error of the provider, `own` if the answer is the service's own error object; `facts` is what its
    headers say about the rate limit.
    """

    outcome: Outcome
    status: int = 0
    retry_after: float | None = None
    blocked: bool = False
    remote: bool = False
    own: bool = False
    facts: "RateFacts | None" = None
