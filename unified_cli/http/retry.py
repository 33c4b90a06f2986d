"""Whether a request may be sent again, and after how long: pure functions and one quota."""

import re
import threading
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from typing import NamedTuple

from unified_cli.http.request import Request

LONGEST_WAIT = 60.0
_CEILING = 20.0
_STATUSES = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530}
# What a gateway says when it lost the way to the service, or the patience to wait for it, after passing the request on.
_LOST_BEHIND = {502, 504, 520, 524}
# What tells that the service looked at this very request and did not do it.
_SETTLED = {400, 404, 405, 410, 411, 413, 414, 415, 422}
_NUMBER = re.compile(r"\d{1,9}(\.\d+)?", re.ASCII)


class Outcome(Enum):
    """How far an attempt got."""

    NOT_SENT = auto()
    """Nothing reached the service, and another try may."""
    PERMANENT = auto()
    """Nothing reached the service, and no repeat would: a certificate, a proxy that refuses."""
    LOST = auto()
    """It was sent, and no whole answer came: it may have been done."""
    DAMAGED = auto()
    """It succeeded, and the answer cannot be read."""
    OVERSIZED = auto()
    """It succeeded, and the answer is too large to be held; another would be as large."""
    ANSWERED = auto()
    """It was answered with a status that is no success."""


class Attempt(NamedTuple):
    """What came of one attempt; `retry_after` in seconds.

    `remote` for an error that the provider made, `own` where the service's own error object says so.
    """

    outcome: Outcome
    status: int = 0
    retry_after: float | None = None
    blocked: bool = False
    remote: bool = False
    own: bool = False


def may_repeat(request: Request, attempt: Attempt) -> bool:
    """Whether the same request may go out again after this attempt without doing its work twice.

    Assumption: the service honours the idempotency key that every POST and PATCH carries; what is felt outside (an
    email, a suspension) is not entrusted to it.
    """
    if attempt.outcome is Outcome.NOT_SENT:
        return True
    if attempt.outcome is Outcome.ANSWERED:
        if attempt.blocked or not (attempt.status in _STATUSES or (attempt.remote and attempt.status >= 500)):
            return False
        return (
            not request.outward or attempt.status == 429 or (attempt.status == 503 and attempt.retry_after is not None)
        )
    return attempt.outcome in {Outcome.LOST, Outcome.DAMAGED} and not request.outward


def leaves_doubt(request: Request, attempt: Attempt) -> bool:
    """Whether the request may have been done, and nobody can tell."""
    if attempt.outcome is Outcome.ANSWERED:
        return request.writes and attempt.status in _LOST_BEHIND and not attempt.own
    return request.writes and attempt.outcome in {Outcome.LOST, Outcome.DAMAGED, Outcome.OVERSIZED}


def settles(attempt: Attempt) -> bool:
    """Whether this attempt's failure tells that earlier ones, of which no answer came, were not done either.

    Assumption: to a key it has seen the service answers as it did the first time.
    """
    return attempt.outcome is Outcome.ANSWERED and attempt.status in _SETTLED


def pause(number: int, attempt: Attempt, uniform: Callable[[float, float], float]) -> float:
    """Seconds to wait after attempt `number` (from 1): full jitter, and never less than the service asked for."""
    if attempt.retry_after is not None:
        return attempt.retry_after + uniform(0, 1)
    return uniform(0, min(_CEILING, 0.5 * 2 ** min(number - 1, 10)))


def retry_after(values: list[str], date: str | None) -> float | None:
    """The seconds that a Retry-After asks for; None where it is absent or makes no sense.

    A date is measured against the answer's own Date, because this machine's clock may be wrong.
    """
    if len(values) != 1:
        return None
    value = values[0].strip()
    if _NUMBER.fullmatch(value):
        return float(value) or None
    try:
        then = parsedate_to_datetime(value)
        now = parsedate_to_datetime(date or "")
        return max(0.0, (then - now).total_seconds()) or None
    except (ValueError, TypeError, OverflowError):
        return None


class Quota:
    """How many repeats a long run may spend, so that a dead service is given up early; safe for many threads."""

    def __init__(self, tokens: int = 500) -> None:
        self._tokens = self._most = tokens
        self._lock = threading.Lock()

    def spend(self, outcome: Outcome) -> bool:
        """Whether there is enough left for one more repeat; a lost answer costs more than a clear one."""
        cost = 10 if outcome is Outcome.LOST else 5
        with self._lock:
            if self._tokens < cost:
                return False
            self._tokens -= cost
            return True

    def earn(self) -> None:
        """Give one back for a success."""
        with self._lock:
            self._tokens = min(self._most, self._tokens + 1)
