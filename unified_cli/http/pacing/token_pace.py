"""The pace of all connections of one token: each has a limit of its own, and the token has one for all of them."""

from collections import deque
from typing import NamedTuple

from unified_cli.http.attempt import Attempt
from unified_cli.http.pacing.pace import Pace, Turn
from unified_cli.http.pacing.rate_headers import RateFacts
from unified_cli.http.pacing.send_log import NEVER, Window

# The service publishes 50 sends per 10 s and connection, and ten times that per token. A window a little longer than
# theirs leaves room for the time a request is on its way.
WINDOW = 10.25
"""Seconds after which a send does not count any more."""
# Assumption: where the service does not say whose limit it was, it was the connection's. Only where several are refused
# at once that have sent far less than they may, it was that of the token.
_TOGETHER = 1.0
_SEVERAL = 3


class Permit(NamedTuple):
    """A request that was let through: its turn at the connection and at the token."""

    account: str
    connection: Turn
    token: Turn

    @property
    def at(self) -> float:
        """When it was let through."""
        return self.connection.at


class TokenPace:
    """When the next request of a connection may be sent; without clock, threads or waiting.

    `rate` is the largest number of sends in 10 s for one connection, `token_rate` for the token; 0 is no bound.
    """

    def __init__(self, rate: float, token_rate: float) -> None:
        self._bound = _bound(rate)
        self._token = Pace(_bound(token_rate), flying=NEVER)
        self._connections: dict[str, Pace] = {}
        self._refusals: deque[tuple[float, str]] = deque(maxlen=100)

    def recall(self, account: str, window: Window) -> None:
        """Begin with what an earlier run learned about a connection, unless this run has begun with it already."""
        self._connections.setdefault(account, Pace(self._bound, recalled=window))

    def learned(self) -> dict[str, Window]:
        """The windows of the connections that were learned."""
        return {account: window for account, pace in self._connections.items() if (window := pace.learned)}

    def disproved(self) -> list[str]:
        """The connections whose window, as it was known, is none."""
        return [account for account, pace in self._connections.items() if pace.trust.doubted]

    def recent(self, now: float) -> int:
        """How many sends count for the token's limit now."""
        return self._token.sends_after(now - WINDOW)

    @property
    def is_shared(self) -> bool:
        """Whether several connections send with the token."""
        return len(self._connections) > 1

    def delay(self, account: str, now: float) -> float:
        """Seconds until this connection may send; 0 is now, NEVER is not before another request was answered."""
        return max(self._of(account).delay(now), self._token.delay(now))

    def take(self, account: str, now: float) -> Permit:
        """Count a request that is sent now, after `delay` was 0."""
        return Permit(account, self._of(account).take(now), self._token.take(now))

    def accepted(self, permit: Permit, now: float, facts: RateFacts | None = None) -> None:
        """No limit refused the request."""
        self._of(permit.account).accepted(permit.connection, now, facts)
        self._token.accepted(permit.token, now)

    def lost(self, permit: Permit) -> None:
        """There was no answer."""
        self._of(permit.account).lost(permit.connection)
        self._token.lost(permit.token)

    def refused(self, permit: Permit, now: float, attempt: Attempt) -> bool:
        """A 429 was the answer.

        True if it closed a limit that was open: of several that were in flight together only the first one does.
        """
        connection = self._of(permit.account)
        # A provider limits its own connection.
        if not attempt.remote and connection.unlikely(now):
            self._refusals.append((now, permit.account))
            together = {account for at, account in self._refusals if at > now - _TOGETHER}
            if len(together) >= _SEVERAL:
                for account in together:
                    self._of(account).forgive()
                connection.lost(permit.connection)
                return self._token.refused(permit.token, now, attempt.retry_after)
        self._token.lost(permit.token)
        return connection.refused(permit.connection, now, attempt.retry_after, attempt.facts)

    def exhausted(self, account: str) -> bool:
        """Whether the limit that holds this connection did not open when it should have."""
        return self._of(account).exhausted or self._token.exhausted

    def reason(self, account: str, now: float) -> str:
        """Why this connection waits, in words."""
        return self._of(account).reason(now) or self._token.reason(now) or "several are on their way"

    def _of(self, account: str) -> Pace:
        pace = self._connections.get(account)
        if pace is None:
            pace = self._connections[account] = Pace(self._bound)
        return pace


def _bound(rate: float) -> Window | None:
    if 0 < rate < 1:
        return Window(1, WINDOW / rate)
    return Window(rate, WINDOW) if rate else None
