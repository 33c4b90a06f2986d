"""When requests were sent, and when the next one fits into a window of time."""

from collections import deque
from typing import NamedTuple

NEVER = float("inf")


class Window(NamedTuple):
    """So many sends in so many seconds."""

    sends: float
    seconds: float

    @property
    def rate(self) -> float:
        """The sends per second."""
        return self.sends / self.seconds

    def __str__(self) -> str:
        return f"{self.most} requests in {self.seconds:.3g} s"

    @property
    def most(self) -> int:
        """The sends as a whole number, at least one."""
        return max(1, int(self.sends))


class SendLog:
    """The times of the latest sends, in order."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def add(self, at: float) -> None:
        """Note a send. It may be earlier than the last one, because answers arrive in another order than requests."""
        later = []
        while self._times and self._times[-1] > at:
            later.append(self._times.pop())
        self._times.append(at)
        self._times.extend(reversed(later))

    def free(self, window: Window, now: float, flying: int = 0) -> float:
        """When one more send fits into the window beside those that are still in flight; NEVER while those fill it."""
        left = window.most - flying
        if left <= 0:
            return NEVER
        return now if len(self._times) < left else self._times[-left] + window.seconds

    def count(self, since: float) -> int:
        """The sends after that time."""
        return sum(1 for at in self._times if at > since)

    def latest(self, number: int) -> float:
        """The time of the first of the latest sends, so many of them or as many as are remembered."""
        return self._times[-min(number, len(self._times))]

    def forget(self, before: float) -> None:
        """Drop the sends before that time."""
        while self._times and self._times[0] < before:
            self._times.popleft()
