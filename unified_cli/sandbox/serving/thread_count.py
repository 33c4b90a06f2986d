"""How many threads serve the requests: few for one client, more as soon as all are at work."""

import threading
from collections.abc import Callable
from typing import Self

FIRST = 2
# Enough for a client with 64 workers against answers that are slow on purpose.
_MOST = 64


class ThreadCount:
    """Doubles the threads where a request takes the last one; `start` makes it so many.

    All 64 from the start would take turns, and each would find the processor's caches filled by the others.
    """

    def __init__(self, start: Callable[[int], object]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._count, self._busy = FIRST, 0

    def __enter__(self) -> Self:
        """Count a request that begins."""
        with self._lock:
            self._busy += 1
            if self._busy == self._count < _MOST:
                self._count *= 2
                self._start(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        """Count a request that ends."""
        with self._lock:
            self._busy -= 1

    def close(self) -> None:
        """Start no more threads."""
        with self._lock:
            self._count = _MOST
