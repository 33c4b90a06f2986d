"""The order of jobs of several connections in which none of them holds the workers that others could use."""

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from typing import Generic, TypeVar

Job = TypeVar("Job")


class FairTurns(Generic[Job]):
    """Gives the next job of the connection that has the fewest under way; of each connection in the order of the jobs.

    Where several have as few, the jobs' own order decides. Jobs are taken from `jobs` ahead of their turn until those
    that wait weigh `ahead`, or none waits. For one thread.
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
        """How many jobs wait."""
        self._busy = Counter[str | None]()
        self._heap: list[tuple[int, int, str | None]] = []

    def take(self) -> Job | None:
        """The next job, which is under way from now on; None where there are no more."""
        self._fill()
        while self._heap:
            busy, place, profile = heappop(self._heap)
            waiting = self._waiting[profile]
            # An offer that is out of date was followed by another one.
            if waiting and waiting[0][0] == place and busy == self._busy[profile]:
                self._busy[profile] += 1
                _, job = waiting.popleft()
                self._number -= 1
                self._held -= self._weight(job)
                self._offer(profile)
                return job
        return None

    def ended(self, profile: str | None) -> None:
        """A job of that connection is not under way any more."""
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
    """The jobs, those of each profile distributed evenly and in their order.

    Input is often sorted by connection, and then each would be held up by its own limit, one after the other.
    """
    found = [(profile_of(job), job) for job in jobs]
    counts = Counter(profile for profile, _ in found)
    seen = Counter[str | None]()
    places = []
    for profile, job in found:
        seen[profile] += 1
        places.append((seen[profile] / counts[profile], job))
    return [job for _, job in sorted(places, key=lambda pair: pair[0])]
