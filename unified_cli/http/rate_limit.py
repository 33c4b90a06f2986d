"""Stay under the service's limits: one sliding window for each connection and one for the token."""

import threading
from collections import deque
from collections.abc import Callable

# The service publishes 50 sends per 10 s and connection, and ten times that per token. A window a little longer than
# theirs leaves room for the time a request is on its way.
WINDOW = 10.25
_TOKEN_FACTOR = 10
_RECOVERY = 1.1
_SLOWEST = 0.1


class RateLimit:
    """Lets sends through, so many in a window; shared by all workers of a run and safe for their threads.

    `rate` is the number of sends in 10 s for one connection; 0 lets everything through. A pause holds one connection,
    whose provider asked for it, or all of them.
    """

    def __init__(self, rate: float, monotonic: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = threading.Lock()
        self._sent: dict[str | None, deque[float]] = {}
        self._slowed: dict[str | None, _Slowed] = {}

    def wait(self, account: str, until: float = float("inf")) -> bool:
        """Wait until this connection may send and count the send; False, at once, if that is later than `until`."""
        while (seconds := self._take(account)) > 0:
            if self._monotonic() + seconds > until:
                return False
            # At least a millisecond: less can be lost in rounding, and then the wait would never end.
            self._sleep(max(seconds, 0.001))
        return True

    def pause(self, seconds: float, account: str | None = None) -> None:
        """Let this connection, or nobody, send for so long, and only half as often afterwards.

        What is half grows again with each clean window.
        """
        with self._lock:
            slowed = self._slowed.setdefault(account, _Slowed())
            slowed.until = slowed.since = max(slowed.until, self._monotonic() + seconds)
            slowed.share = max(_SLOWEST, slowed.share / 2)

    def _take(self, account: str) -> float:
        """Count a send and give 0, or give the seconds to wait before asking again."""
        with self._lock:
            now = self._monotonic()
            held = max((self._slowed[key].until for key in (account, None) if key in self._slowed), default=now)
            if now < held:
                return held - now
            if not self._rate:
                return 0
            limits = self._limits(account, now)
            waits = [self._missing(key, limit, now) for key, limit in limits]
            if max(waits) <= 0:
                for key, _ in limits:
                    self._sent[key].append(now)
            return max(waits)

    def _limits(self, account: str, now: float) -> tuple[tuple[str | None, int], ...]:
        all_of_them = self._share(None, now)
        one = max(1, int(self._rate * all_of_them * self._share(account, now)))
        return (account, one), (None, max(1, int(self._rate * all_of_them)) * _TOKEN_FACTOR)

    def _share(self, key: str | None, now: float) -> float:
        slowed = self._slowed.get(key)
        if slowed is None:
            return 1.0
        while slowed.share < 1 and now - slowed.since >= WINDOW:
            slowed.share = min(1.0, slowed.share * _RECOVERY)
            slowed.since += WINDOW
        return slowed.share

    def _missing(self, key: str | None, limit: int, now: float) -> float:
        sent = self._sent.setdefault(key, deque())
        while sent and sent[0] <= now - WINDOW:
            sent.popleft()
        return 0 if len(sent) < limit else sent[len(sent) - limit] + WINDOW - now


class _Slowed:
    """What is left of the rate after a pause: nothing before `until`, then a share that grows since `since`."""

    def __init__(self) -> None:
        self.until = self.since = 0.0
        self.share = 1.0
