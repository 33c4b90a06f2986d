"""Work in many threads of which only so many work at a time: those that wait for a limit let others go on."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from unified_cli import os_limits

# A shorter wait is over before another has done anything.
_WORTH_IT = 0.1
_THREADS, _MOST_THREADS = 4, 64
# By default a token lets ten connections send as fast as each of them may.
_LEAST_THREADS = 12
# So many files and network connections a thread may have open, and the rest of the program.
_FILES, _OTHER_FILES = 5, 40


class WorkerSlots:
    """So many slots; a thread holds one while it works, but not while it waits for its turn to send."""

    def __init__(self, number: int) -> None:
        self.number = number
        self._free = threading.Semaphore(number)
        self._waiting: set[int] = set()
        """The threads that gave up their slot. Each adds and removes its own number, which is one step."""

    def room(self, begun: int) -> int:
        """How many more jobs can be begun now that so many are."""
        return max(0, self.number + len(self._waiting) - begun)

    @property
    def most_threads(self) -> int:
        """How many threads there may be: each of them keeps something in memory, and files open."""
        room = (os_limits.open_files() - _OTHER_FILES) // _FILES
        return max(self.number, min(max(_LEAST_THREADS, _THREADS * self.number), _MOST_THREADS, room))

    def threads(self, connections: int) -> int:
        """How many threads are of use for work on so many connections, each of which has a limit of its own."""
        return max(self.number, min(connections, self.most_threads))

    @contextmanager
    def held(self) -> Iterator[None]:
        """Work, as soon as there is a slot."""
        with self._free:
            yield

    @contextmanager
    def given_up(self, seconds: float) -> Iterator[None]:
        """Let others have the slot of this thread while it waits so long; then wait until there is one again."""
        if seconds < _WORTH_IT:
            yield
            return
        own = threading.get_ident()
        self._waiting.add(own)
        self._free.release()
        try:
            yield
        finally:
            self._free.acquire()
            self._waiting.discard(own)
