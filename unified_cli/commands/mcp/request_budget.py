"""How many requests an agent may cause in a minute, so that a loop of it does not use up the limits of a connection."""

import threading
from collections import deque
from collections.abc import Callable

from unified_cli.errors import RateLimitError

_MINUTE = 60.0


class RequestBudget:
    """At most so many requests in any minute, 0 for no bound; for all threads."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._sent: deque[float] = deque()

    def spend(self) -> None:
        """Count a request. Raises RateLimitError, at once, where there were too many."""
        if not self._most:
            return
        with self._lock:
            now = self._monotonic()
            while self._sent and self._sent[0] <= now - _MINUTE:
                self._sent.popleft()
            if len(self._sent) >= self._most:
                seconds = self._sent[0] + _MINUTE - now
                raise RateLimitError(
                    f"this server sent {self._most} requests in the last minute, the most it may",
                    hint=f"try again in {seconds:.0f} s, or read less",
                )
            self._sent.append(now)
