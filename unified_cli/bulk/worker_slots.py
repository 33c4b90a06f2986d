"""Work in many threads of which only so many work at a time: those that wait for a limit let others go on."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# A shorter wait is over before another has done anything.
_WORTH_IT = 0.1
_OPEN = 4
_MOST_OPEN = 64


class WorkerSlots:
    """So many slots; a thread holds one while it works, but not while it waits for a limit of the service."""

    def __init__(self, number: int, sleep: Callable[[float], None]) -> None:
        self.number = number
        self._sleep = sleep
        self._free = threading.Semaphore(number)

    @property
    def most_threads(self) -> int:
        """How many threads there may be: each of them keeps something in memory, and a connection open."""
        return max(self.number, min(_OPEN * self.number, _MOST_OPEN))

    def threads(self, connections: int) -> int:
        """How many threads are of use for work on so many connections, each of which has a limit of its own."""
        return max(self.number, min(connections, self.most_threads))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Work, as soon as there is a slot."""
        with self._free:
            yield

    def sleep(self, seconds: float) -> None:
        """Sleep so long, and until there is a slot again; for a thread that holds one, which others have meanwhile."""
        if seconds < _WORTH_IT:
            self._sleep(seconds)
            return
        self._free.release()
        try:
            self._sleep(seconds)
        finally:
            self._free.acquire()
