"""Whether a request may be sent again, after what time, and how often in a run."""

import threading
from collections.abc import Callable

from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.request import Request
from unified_cli.http.write_outcome import WriteOutcome, outcome_of

LONGEST_WAIT = 60.0
"""The longest time in seconds that a request is held back because the service asks for it."""

_CEILING = 20.0
_STATUSES = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530}


def may_repeat(request: Request, attempt: Attempt) -> bool:
    """Whether the same request may be sent again after this attempt without being carried out twice.

    Assumption: the service honours the idempotency key that every POST and PATCH carries. An outward operation (an
    email, a suspension) does not rely on it: it is sent again only where nothing was done, and the answer says when.
    """
    if attempt.outcome is Outcome.NOT_SENT:
        return True
    if attempt.outcome is Outcome.ANSWERED:
        if attempt.blocked or not (attempt.status in _STATUSES or (attempt.remote and attempt.status >= 500)):
            return False
        if not request.outward:
            return True
        asked = attempt.status == 429 or (attempt.status == 503 and attempt.retry_after is not None)
        return asked and outcome_of(request, [attempt]) is WriteOutcome.FAILED
    return attempt.outcome in {Outcome.LOST, Outcome.UNFINISHED, Outcome.DAMAGED} and not request.outward


def pause(number: int, attempt: Attempt, uniform: Callable[[float, float], float]) -> float:
    """Seconds to wait after attempt `number` (from 1): full jitter, and at least what the service asked for."""
    if attempt.retry_after is not None:
        return attempt.retry_after + uniform(0, 1)
    return uniform(0, min(_CEILING, 0.5 * 2 ** min(number - 1, 10)))


class Quota:
    """The number of repeats that a long run may make, so that it soon ends if the service is down; thread-safe."""

    def __init__(self, tokens: int = 500) -> None:
        self._tokens = self._most = tokens
        self.repeats = 0
        """How many were made."""
        self._lock = threading.Lock()

    def spend(self, outcome: Outcome) -> int:
        """How many repeats one more makes, 0 where too little is left; a lost answer costs more than an error."""
        cost = 10 if outcome is Outcome.LOST else 5
        with self._lock:
            if self._tokens < cost:
                return 0
            self._tokens -= cost
            self.repeats += 1
            return self.repeats

    def earn(self) -> None:
        """Add one for a success."""
        with self._lock:
            self._tokens = min(self._most, self._tokens + 1)
