"""An exchange without a complete answer, as it was first understood: what a recording keeps of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import httpx

if TYPE_CHECKING:
    from unified_cli.http.transport.network_errors import NetworkFailure


class BrokenExchange(NamedTuple):
    """How an exchange failed; `stale` if the server had closed the idle connection before the request was sent."""

    failure: "NetworkFailure"
    stale: bool


Describe = Callable[[httpx.TransportError], BrokenExchange]
"""What an error of a transport means; called while the connection is still in the state in which it failed."""


class ReplayedError(httpx.TransportError):
    """The error of an exchange that is answered from a recording."""

    def __init__(self, broken: BrokenExchange) -> None:
        super().__init__(broken.failure.reason)
        self.broken = broken
