"""Work for several connections in an order in which each gets its share all the time."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Job = TypeVar("Job")


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
