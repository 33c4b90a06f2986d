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


class Pace:
    """Lets sends through, so many in a window; shared by all workers of a run and safe for their threads.

    `rate` is the number of sends in 10 s for one connection; 0 lets everything through. A pause holds all of them.
    """

    def __init__(self, rate: float, monotonic: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = threading.Lock()
        self._sent: dict[str | None, deque[float]] = {}
        self._paused_until = 0.0
        self._share = 1.0
        self._share_since = 0.0

    def wait(self, account: str, until: float = float("inf")) -> bool:
        """Wait until this connection may send and count the send; False, at once, if that is later than `until`."""
        while (seconds := self._take(account)) > 0:
            if self._monotonic() + seconds > until:
                return False
            # At least a millisecond: less can be lost in rounding, and then the wait would never end.
            self._sleep(max(seconds, 0.001))
        return True

    def pause(self, seconds: float) -> None:
        """Let nobody send for so long, and only half as many afterwards, growing again with each clean window."""
        with self._lock:
            now = self._monotonic()
            self._paused_until = max(self._paused_until, now + seconds)
            self._share = max(_SLOWEST, self._share / 2)
            self._share_since = self._paused_until

    def _take(self, account: str) -> float:
        """Count a send and give 0, or give the seconds to wait before asking again."""
        with self._lock:
            now = self._monotonic()
            if now < self._paused_until:
                return self._paused_until - now
            if not self._rate:
                return 0
            self._recover(now)
            waits = [self._missing(key, limit, now) for key, limit in self._limits(account)]
            if max(waits) <= 0:
                for key, _ in self._limits(account):
                    self._sent[key].append(now)
            return max(waits)

    def _limits(self, account: str) -> tuple[tuple[str | None, int], ...]:
        one = max(1, int(self._rate * self._share))
        return (account, one), (None, one * _TOKEN_FACTOR)

    def _missing(self, key: str | None, limit: int, now: float) -> float:
        sent = self._sent.setdefault(key, deque())
        while sent and sent[0] <= now - WINDOW:
            sent.popleft()
        return 0 if len(sent) < limit else sent[len(sent) - limit] + WINDOW - now

    def _recover(self, now: float) -> None:
        while self._share < 1 and now - self._share_since >= WINDOW:
            self._share = min(1.0, self._share * _RECOVERY)
            self._share_since += WINDOW
