"""Limit how many tasks of a token run at a time, and how fast they send."""

import math
from collections import deque
from collections.abc import Iterator, Mapping

# The number of tasks that run at a time if the token has no limit.
_MOST = 10


class TokenSlots:
    """Schedules the tasks of a token within its limit.

    If only a few tasks are too many to run at full speed, all run at once, because a
    second round for a few tasks would take longer.
    """

    def __init__(self, paces: Mapping[str, float], limit: float, window: float) -> None:
        """Set the rates of the tasks and their common limit.

        `paces` are the maximum rates of the tasks, and `limit` is their common limit,
        in requests per `window` seconds. 0 means no limit.
        """
        fastest, number = max(paces.values()), len(paces)
        at_once = max(1, int(limit // fastest)) if limit and fastest else min(number, _MOST)
        if limit and number > at_once:
            at_once = math.ceil(number / (number // at_once))
        share = limit / at_once
        self.paces = {
            name: min(pace or limit, share) if limit else pace for name, pace in paces.items()
        }
        # Allow for rounding: the shares of a limit may add up to slightly more.
        self._limit = limit * (1 + 1e-9)
        self._window = window
        self._waiting = deque(paces)
        self._taken: dict[str, tuple[float, float]] = {}

    def begin(self, now: float) -> Iterator[str]:
        """Yield the tasks that may begin now. Reserves their rates."""
        while self._waiting:
            reserved = [sends for until, sends in self._taken.values() if until > now]
            pace = self.paces[self._waiting[0]]
            running = sum(until == math.inf for until, _ in self._taken.values())
            if sum(reserved) + pace > self._limit if self._limit else running >= _MOST:
                return
            name = self._waiting.popleft()
            self._taken[name] = (math.inf, pace)
            yield name

    def end(self, name: str, now: float, sent: int) -> None:
        """End a task. Its requests in the last window still count until the window
        ends.
        """
        self._taken[name] = (now + self._window, min(self.paces[name], sent))
