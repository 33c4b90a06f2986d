"""Hold requests back until the limits of their connection and token let them through, for all workers of a run."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto

from unified_cli.http.attempt import Attempt
from unified_cli.http.pacing.rate_headers import RateFacts
from unified_cli.http.pacing.send_log import NEVER, Window
from unified_cli.http.pacing.token_pace import Permit, TokenPace

# Who waits for an answer of somebody else looks again after this time, in case it never comes.
_LOOK_AGAIN = 1.0
# Shorter waits are not worth a line.
_NOTABLE = 1.0


TellWait = Callable[[float, str], None]
"""Told the seconds of a wait, and its reason; one wait may follow upon another."""
Idle = Callable[[float], AbstractContextManager[object]]
"""Given the seconds of a wait, which may be infinite: the context in which a thread waits, and then goes on.

With 0 seconds, threads that wait to go on may do so first.
"""


class Patience(Enum):
    """How long a request waits for its turn."""

    NONE = auto()
    """Not at all after a 429, which is what is to be found out."""
    TIMEOUT = auto()
    """As long as its timeout allows."""
    ENDLESS = auto()
    """As long as the limit moves; it is not taken from the timeout. For bulk work."""


class RateLimit:
    """The pace of one token, shared by all workers of a run and safe for their threads.

    `rate` is the largest number of sends in 10 s for one connection, `token_rate` for the token; 0 leaves it to the
    service.
    """

    def __init__(
        self,
        rates: tuple[float, float],
        monotonic: Callable[[], float],
        sleep: Callable[[float], None],
        idle: Idle = nullcontext,
    ) -> None:
        self._pace = TokenPace(*rates)
        self._monotonic = monotonic
        self._sleep = sleep
        self._idle = idle
        self._changed = threading.Condition()
        self._waiting = 0
        self._refusals = 0

    def recall(self, account: str, window: Window) -> None:
        """Begin with what an earlier run learned about a connection."""
        with self._changed:
            self._pace.recall(account, window)

    def learned(self) -> dict[str, Window]:
        """What is to be kept for the next run, by account."""
        with self._changed:
            return self._pace.learned()

    def disproved(self) -> list[str]:
        """The accounts of which nothing is to be kept."""
        with self._changed:
            return self._pace.disproved()

    def recent(self) -> int:
        """How many sends count for the token's limit now."""
        with self._changed:
            return self._pace.recent(self._monotonic())

    def wait(self, account: str, until: float = NEVER, tell: TellWait | None = None) -> Permit | None:
        """Wait until this connection may send, and count the send; None, at once, if that is later than `until`.

        `tell` is given the seconds and the reason of a wait that can be noticed, before it begins.
        """
        if self._pace.is_shared:
            # Who sends as much as its connection may would leave nothing of the token's limit to the others, and they
            # would have the whole of their work before them when it is done.
            with self._idle(0):
                pass
        while True:
            with self._changed:
                now = self._monotonic()
                seconds = self._pace.delay(account, now)
                if seconds <= 0:
                    return self._pace.take(account, now)
                known = seconds < NEVER
                reason = self._pace.reason(account, now) if tell and known and seconds >= _NOTABLE else ""
            if now >= until or (known and now + seconds > until):
                return None
            if not known:
                self._wait_for_an_answer(account)
                continue
            if tell and reason:
                tell(seconds, reason)
            # At least a millisecond: less can be lost in rounding, and then the wait would never end.
            self.sleep(max(seconds, 0.001))

    def sleep(self, seconds: float) -> None:
        """Wait so long before the next request."""
        with self._idle(seconds):
            self._sleep(seconds)

    def _wait_for_an_answer(self, account: str) -> None:
        # Whoever gets the answer needs the lock, so nothing else is waited for with it.
        with self._idle(NEVER), self._changed:
            if self._pace.delay(account, self._monotonic()) == NEVER:
                self._waiting += 1
                self._changed.wait(_LOOK_AGAIN)
                self._waiting -= 1

    def accepted(self, permit: Permit, facts: RateFacts | None = None) -> None:
        """Note an answer that no limit refused, and what its headers say."""
        with self._changed:
            self._pace.accepted(permit, self._monotonic(), facts)
            self._wake()

    def lost(self, permit: Permit) -> None:
        """Note that no answer came."""
        with self._changed:
            self._pace.lost(permit)
            self._wake()

    def refused(self, permit: Permit, attempt: Attempt) -> int:
        """Note a 429. Gives how many times connections were held back until now, 0 if this one was already."""
        with self._changed:
            closed = self._pace.refused(permit, self._monotonic(), attempt)
            self._wake()
            if not closed:
                return 0
            self._refusals += 1
            return self._refusals

    def exhausted(self, account: str) -> bool:
        """Whether the limit stayed closed though it was waited as long as it should take."""
        with self._changed:
            return self._pace.exhausted(account)

    def delay(self, account: str) -> float:
        """Seconds until this connection may send; NEVER if another's answer has to come first."""
        with self._changed:
            return self._pace.delay(account, self._monotonic())

    def _wake(self) -> None:
        if self._waiting:
            self._changed.notify_all()
