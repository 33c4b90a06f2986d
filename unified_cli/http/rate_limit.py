"""The rate limits and the retry quota that all workers of a run share."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto
from typing import NamedTuple

from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.rate import NEVER, WINDOW, Pace, RateFacts, Turn, Window

# A thread that waits for another thread's response checks again after this time.
_LOOK_AGAIN = 1.0
# Shorter waits are not worth a line.
_NOTABLE = 1.0


TellWait = Callable[[float, str, float], None]
"""Called before a wait, with its seconds, its reason, and the seconds that the run will
then have waited in total.
"""
Idle = Callable[[float], AbstractContextManager[object]]
"""Returns a context manager for a wait of this many seconds, possibly infinite.

With 0 seconds, other waiting threads go first.
"""
# Assumption: if this many connections are refused far below their own limits, and no
# request that was sent later is accepted, they have reached the limit of their token.
_SEVERAL = 2
# With Retry-After, a connection may have reached only its own limit, so require more
# connections before blaming the token.
_SEVERAL_ASKED = 6


class Permit(NamedTuple):
    """The permission to send a request, from the connection and the token."""

    account: str
    connection: Turn
    token: Turn

    @property
    def at(self) -> float:
        """When the permission was given."""
        return self.connection.at


def _bound(rate: float) -> Window | None:
    if 0 < rate < 1:
        return Window(1, WINDOW / rate)
    return Window(rate, WINDOW) if rate else None


class Patience(Enum):
    """How long a request may wait for permission."""

    TIMEOUT = auto()
    """Until its timeout."""
    ENDLESS = auto()
    """Without a timeout, as long as the limit lets requests through. For bulk work."""


class RateLimit:
    """The rate limits of a token and its connections; thread-safe.

    `rates` are the most requests in 10 s, for a connection and for the token. 0 means
    no limit.
    """

    def __init__(
        self,
        rates: tuple[float, float],
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
        idle: Idle = nullcontext,
    ) -> None:
        rate, token_rate = rates
        self._bound = _bound(rate)
        self._token = Pace(_bound(token_rate), flying=NEVER)
        self._connections: dict[str, Pace] = {}
        self._monotonic = monotonic
        self._sleep = sleep
        self._idle = idle
        # If no thread waits, use the lock directly: a condition takes two more calls.
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._unlikely: dict[str, float] = {}
        """The accounts refused far below their own limits, and when."""
        self._several: float = _SEVERAL
        self._refusals = 0
        self._held, self._held_until = 0.0, monotonic()

    def recall(self, account: str, window: Window) -> None:
        """Start with the rate that an earlier run learned.

        Does nothing if the connection is already in use.
        """
        with self._lock:
            self._connections.setdefault(account, Pace(self._bound, recalled=window))

    def learned(self) -> dict[str, Window]:
        """Return the learned rate of each connection, for the next run."""
        with self._lock:
            return {
                account: window
                for account, pace in self._connections.items()
                if (window := pace.learned)
            }

    def disproved(self) -> list[str]:
        """Return the connections whose cached rate was wrong."""
        with self._lock:
            return [account for account, pace in self._connections.items() if pace.disproved]

    def recent(self) -> int:
        """Return how many recent requests count towards the token's limit."""
        with self._lock:
            return self._token.sends_after(self._monotonic() - WINDOW)

    def delay(self, account: str) -> float:
        """Return the delay until this connection may send, in seconds.

        NEVER means not before a response to another request.
        """
        with self._lock:
            now = self._monotonic()
            return max(self._pace_of(account).delay(now), self._token.delay(now))

    def wait(
        self, account: str, until: float = NEVER, tell: TellWait | None = None
    ) -> Permit | None:
        """Wait until this connection may send, and count the request.

        Returns None at once if the wait would exceed `until`. Calls `tell` before a
        noticeable wait.
        """
        if len(self._connections) > 1:
            # Let other threads go first. Otherwise a connection at its own limit would
            # use up the token's limit before the others start.
            with self._idle(0):
                pass
        while True:
            with self._lock:
                now, pace = self._monotonic(), self._pace_of(account)
                seconds = max(pace.delay(now), self._token.delay(now))
                if seconds <= 0:
                    return Permit(account, pace.take(now), self._token.take(now))
                known = seconds < NEVER
                reason = ""
                if tell and known and seconds >= _NOTABLE:
                    reason = (
                        pace.reason(now)
                        or self._token.reason(now)
                        or "several requests are in flight"
                    )
            if now >= until or (known and now + seconds > until):
                return None
            if not known:
                self._wait_for_response(account)
                continue
            total = self._count_wait(now, seconds)
            if tell and reason:
                tell(seconds, reason, total)
            # Wait at least a millisecond, because a shorter wait can be rounded to
            # nothing and never end.
            self.sleep(max(seconds, 0.001))

    def _count_wait(self, now: float, seconds: float) -> float:
        with self._lock:
            until = now + seconds
            self._held += max(0.0, until - max(now, self._held_until))
            self._held_until = max(until, self._held_until)
            return self._held

    def sleep(self, seconds: float) -> None:
        """Wait this many seconds in the idle context."""
        with self._idle(seconds):
            self._sleep(seconds)

    def _wait_for_response(self, account: str) -> None:
        # Release the lock while waiting, because the thread that gets the response
        # needs it.
        with self._idle(NEVER), self._changed:
            if self.delay(account) == NEVER:
                self._changed.wait(_LOOK_AGAIN)

    def accepted(self, permit: Permit, facts: RateFacts | None = None) -> None:
        """Count a response without a refusal, and use its headers."""
        with self._lock:
            now = self._monotonic()
            self._pace_of(permit.account).accepted(permit.connection, now, facts)
            self._token.accepted(permit.token, now)
            if self._unlikely:
                # The token has not reached its limit if a request that was sent later
                # is accepted.
                self._unlikely = {
                    account: at for account, at in self._unlikely.items() if at >= permit.at
                }
            self._changed.notify_all()

    def lost(self, permit: Permit) -> None:
        """Count a request without a response."""
        with self._lock:
            self._pace_of(permit.account).lost(permit.connection)
            self._token.lost(permit.token)
            self._changed.notify_all()

    def refused(self, permit: Permit, attempt: Attempt) -> int:
        """Count a 429, and return how often a limit has closed, including this time.

        Returns 0 if the limit was already closed. If several requests in flight are
        refused, only the first refusal closes the limit.
        """
        with self._lock:
            closed = self._close(permit, self._monotonic(), attempt)
            self._changed.notify_all()
            self._refusals += closed
            return self._refusals if closed else 0

    def _close(self, permit: Permit, now: float, attempt: Attempt) -> bool:
        connection = self._pace_of(permit.account)
        # The service documents a flag for a 429 of a provider, and headers only for the
        # limits of providers. Either means that the connection's own limit was reached.
        if attempt.remote or attempt.facts or not connection.unlikely(now):
            self._unlikely.pop(permit.account, None)
        elif self._is_of_token(permit.account, now, asked=attempt.retry_after is not None):
            connection.lost(permit.connection)
            return self._token.refused(permit.token, now, attempt.retry_after)
        self._token.lost(permit.token)
        return connection.refused(permit.connection, now, attempt.retry_after, attempt.facts)

    def _is_of_token(self, account: str, now: float, *, asked: bool) -> bool:
        if asked and not self._pace_of(account).learned:
            return False
        if self._token.collapsed:
            # Assumption: each connection has its own limit after all. Keep this until
            # the run ends.
            self._token.forget()
            self._unlikely.clear()
            self._several = NEVER
        self._unlikely[account] = now
        least = _SEVERAL_ASKED if asked else 1 if self._token.learned else self._several
        if len(self._unlikely) < least:
            return False
        for refused in self._unlikely:
            self._pace_of(refused).forgive()
        return True

    def exhausted(self, account: str) -> bool:
        """Return whether this connection's limit has been closed for too long."""
        with self._lock:
            return self._pace_of(account).exhausted or self._token.exhausted

    def _pace_of(self, account: str) -> Pace:
        pace = self._connections.get(account)
        if pace is None:
            pace = self._connections[account] = Pace(self._bound)
        return pace


class Quota:
    """The retries that a long run has left; thread-safe.

    If the service is down, the run ends when they are used up.
    """

    def __init__(self, tokens: int = 500) -> None:
        self._tokens = self._most = tokens
        self.repeats = 0
        """The number of retries made."""
        self._lock = threading.Lock()

    def spend(self, outcome: Outcome) -> int:
        """Use up a retry, and return its number.

        It is 0 if the quota is used up. A lost response costs more than an error.
        """
        cost = 10 if outcome is Outcome.LOST else 5
        with self._lock:
            if self._tokens < cost:
                return 0
            self._tokens -= cost
            self.repeats += 1
            return self.repeats

    def earn(self) -> None:
        """Give back a part of a retry after a success."""
        with self._lock:
            self._tokens = min(self._most, self._tokens + 1)
