"""Share worker threads fairly between connections."""

import math
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from heapq import heappop, heappush
from typing import Generic, TypeVar

from unified_cli import os_limits

# A shorter wait is not worth giving up the slot.
_WORTH_IT = 0.1
_THREADS, _MOST_THREADS = 4, 64
# Enough for ten connections at full speed, as many as a token's default limit allows.
_LEAST_THREADS = 12
# Open files of each thread, including sockets, and of the rest of the process.
_FILES, _OTHER_FILES = 5, 40
_SLOTS = 8
_MANY, _SLOTS_FOR_MANY = 16, 32
"""With more than `_MANY` connections, there are `_SLOTS_FOR_MANY` slots.

For a hundred connections, a run took 1.13 times as long as their rate limits require
with 32 slots, and 1.36 times as long with 8 slots.
"""


def _open_file_room() -> int:
    return (os_limits.open_files() - _OTHER_FILES) // _FILES


class WorkerSlots:
    """Slots for working threads. A thread gives up its slot while it waits for a rate
    limit.

    If `number` is None, the number of slots depends on the number of connections.
    """

    def __init__(self, number: int | None) -> None:
        self.number = number or _SLOTS
        self._may_grow = number is None
        self.on_room: Callable[[], None] = lambda: None
        """Called in a thread that gave up its slot, when another job can start."""
        self._lock = threading.Lock()
        self._free = self.number
        self._queue: deque[threading.Event] = deque()
        """The threads that wait for a slot, in order. Each event is set when its thread
        gets a slot.
        """
        self._waiting: set[int] = set()
        """The ids of threads that gave up their slot. Each thread only adds and removes
        its own id, which is atomic.
        """

    def expect(self, connections: int) -> None:
        """Add slots for many connections, unless the number of slots is fixed."""
        if not self._may_grow or connections <= _MANY:
            return
        self._may_grow = False
        before, self.number = self.number, max(self.number, min(_SLOTS_FOR_MANY, _open_file_room()))
        for _ in range(self.number - before):
            self._release()

    def room(self, begun: int) -> int:
        """Return how many more jobs can start."""
        return max(0, self.number + len(self._waiting) - begun)

    @property
    def most_threads(self) -> int:
        """The most threads that may run, because each needs memory and open files."""
        number = _SLOTS_FOR_MANY if self._may_grow else self.number
        return max(
            self.number,
            min(max(_LEAST_THREADS, _THREADS * number), _MOST_THREADS, _open_file_room()),
        )

    def threads(self, connections: int) -> int:
        """Return how many threads these connections need.

        Each connection has its own limit.
        """
        return max(self.number, min(connections, self.most_threads))

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a free slot, and hold it during the block."""
        self._take()
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def lend(self, seconds: float) -> Iterator[None]:
        """Give up this thread's slot during the block, then wait for a free one.

        With 0 seconds, threads that already wait for a slot go first.
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
        """Take a slot after the threads that are already waiting."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            own = threading.Event()
            self._queue.append(own)
        own.wait()

    def _release(self) -> None:
        # Hand the slot to the thread that has waited longest. With a semaphore, the
        # same thread would often get it again.
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


Job = TypeVar("Job")


class FairTurns(Generic[Job]):
    """Returns the next job of the connection with the fewest running jobs.

    Jobs of one connection keep their order. If connections have equally many jobs, the
    earlier job is first. Jobs are read ahead from `jobs` up to a total weight of
    `ahead`. Not thread-safe.
    """

    def __init__(
        self,
        jobs: Iterable[Job],
        profile_of: Callable[[Job], str | None],
        *,
        ahead: float = math.inf,
        weight: Callable[[Job], int] = lambda _: 1,
    ) -> None:
        self._jobs = enumerate(jobs)
        self._profile_of = profile_of
        self._ahead, self._weight = ahead, weight
        self._held = 0
        self._waiting: dict[str | None, deque[tuple[int, Job]]] = {}
        self._number = 0
        """The number of waiting jobs."""
        self._busy = Counter[str | None]()
        self._heap: list[tuple[int, int, str | None]] = []

    def take(self) -> Job | None:
        """Return the next job, or None if none are left.

        The job counts as running.
        """
        self._fill()
        while self._heap:
            busy, place, profile = heappop(self._heap)
            waiting = self._waiting[profile]
            # Skip an entry that was replaced by a later entry of its connection.
            if waiting and waiting[0][0] == place and busy == self._busy[profile]:
                self._busy[profile] += 1
                _, job = waiting.popleft()
                self._number -= 1
                self._held -= self._weight(job)
                self._offer(profile)
                return job
        return None

    def ended(self, profile: str | None) -> None:
        """Count a job of the connection as ended."""
        self._busy[profile] -= 1
        self._offer(profile)

    def _fill(self) -> None:
        while (not self._number or self._held < self._ahead) and (found := next(self._jobs, None)):
            job = found[1]
            profile = self._profile_of(job)
            waiting = self._waiting.setdefault(profile, deque())
            waiting.append(found)
            self._number += 1
            self._held += self._weight(job)
            if len(waiting) == 1:
                self._offer(profile)

    def _offer(self, profile: str | None) -> None:
        if waiting := self._waiting.get(profile):
            heappush(self._heap, (self._busy[profile], waiting[0][0], profile))


def spread(jobs: Iterable[Job], profile_of: Callable[[Job], str | None]) -> list[Job]:
    """Return the jobs with the jobs of each profile spread evenly, in their order.

    Input is often sorted by connection. In its order, all workers would wait for the
    rate limit of the same connection.
    """
    found = [(profile_of(job), job) for job in jobs]
    counts = Counter(profile for profile, _ in found)
    seen = Counter[str | None]()
    places = []
    for profile, job in found:
        seen[profile] += 1
        places.append((seen[profile] / counts[profile], job))
    return [job for _, job in sorted(places, key=lambda pair: pair[0])]
