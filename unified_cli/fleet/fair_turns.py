"""The order of jobs of several connections in which none of them holds the workers that others could use."""

from collections import Counter, deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Generic, TypeVar

Job = TypeVar("Job")


class FairTurns(Generic[Job]):
    """Gives the next job of the connection that has the fewest under way; of each connection in the order of the jobs.

    Where several have as few, the jobs' own order decides. For one thread.
    """

    def __init__(self, jobs: Iterable[Job], profile_of: Callable[[Job], str | None]) -> None:
        self._profile_of = profile_of
        self._waiting: dict[str | None, deque[tuple[int, Job]]] = {}
        for place, job in enumerate(jobs):
            self._waiting.setdefault(profile_of(job), deque()).append((place, job))
        self._busy = Counter[str | None]()
        self._heap: list[tuple[int, int, str | None]] = []
        for profile in self._waiting:
            self._offer(profile)

    def take(self) -> Job | None:
        """The next job, which is under way from now on; None where there are no more."""
        while self._heap:
            busy, place, profile = heappop(self._heap)
            waiting = self._waiting[profile]
            # An offer that is out of date was followed by another one.
            if waiting and waiting[0][0] == place and busy == self._busy[profile]:
                self._busy[profile] += 1
                _, job = waiting.popleft()
                self._offer(profile)
                return job
        return None

    def ended(self, job: Job) -> None:
        """The job is not under way any more."""
        profile = self._profile_of(job)
        self._busy[profile] -= 1
        self._offer(profile)

    def _offer(self, profile: str | None) -> None:
        if waiting := self._waiting[profile]:
            heappush(self._heap, (self._busy[profile], waiting[0][0], profile))
