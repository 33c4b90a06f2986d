"""Work in many threads of which only so many work at a time: those that wait for a limit let others go on."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
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
        self.on_room: Callable[[], None] = lambda: None
        """Called in the thread that gives up its slot for a while, for there is room for one more job."""
        self._lock = threading.Lock()
        self._free = number
        self._queue: deque[threading.Event] = deque()
        """The threads that want a slot, each with what tells it that it has one."""
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
        self._take()
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def given_up(self, seconds: float) -> Iterator[None]:
        """Let others have the slot of this thread while it waits so long; then wait until there is one again.

        With 0 seconds, those that want one go first.
        """
        if not seconds:
            self._let_others_go_first()
        if seconds < _WORTH_IT:
            yield
            return
        own = threading.get_ident()
        self._waiting.add(own)
        self._release()
        self.on_room()
        try:
            yield
        finally:
            self._take()
            self._waiting.discard(own)

    def _take(self) -> None:
        """Take a slot, after all who wanted one before."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            own = threading.Event()
            self._queue.append(own)
        own.wait()

    def _release(self) -> None:
        # It goes from hand to hand: a semaphore would give it to whoever comes by first, often the same thread.
        with self._lock:
            if self._queue:
                self._queue.popleft().set()
            else:
                self._free += 1

    def _let_others_go_first(self) -> None:
        with self._lock:
            if not self._queue:
                return
            own = threading.Event()
            self._queue.append(own)
            self._queue.popleft().set()
        own.wait()
