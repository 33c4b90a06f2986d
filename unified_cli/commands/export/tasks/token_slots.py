"""How many tasks of a token may run at the same time, so that together they keep to the token's limit."""

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class PacedTask(NamedTuple):
    """A task, and the `group` of those with the same token.

    `pace` is how many sends in a window the task may make, and `limit` how many the group; 0 is no bound.
    """

    name: str
    group: str
    pace: float
    limit: float


@dataclass(slots=True)
class _Group:
    """The tasks of a token. Each that runs holds its pace, and each that ended what it sent until that is past."""

    limit: float
    waiting: deque[str] = field(default_factory=deque)
    running: dict[str, float] = field(default_factory=dict)
    past: list[tuple[float, float]] = field(default_factory=list)

    def has_room(self, pace: float, now: float, most: int) -> bool:
        if not self.limit:
            return len(self.running) < most
        self.past = [(until, sent) for until, sent in self.past if until > now]
        taken = sum(self.running.values()) + sum(sent for _, sent in self.past)
        # Shares of a limit add up to it but for rounding.
        return taken + pace <= self.limit * (1 + 1e-9)


class TokenSlots:
    """Which tasks may begin.

    Some more tasks than fit at their full pace run all at once, each a little slower: a second round for a few of them
    would take longer than that.
    """

    def __init__(self, tasks: Iterable[PacedTask], window: float, most: int) -> None:
        """A send counts for `window` seconds; at most `most` tasks of a group without a limit run at a time."""
        self._window = window
        self._most = most
        self._groups: dict[str, _Group] = {}
        self._paces: dict[str, float] = {}
        self._group_of: dict[str, _Group] = {}
        members: dict[str, list[PacedTask]] = {}
        for task in tasks:
            members.setdefault(task.group, []).append(task)
        for name, found in members.items():
            limit = min((task.limit for task in found if task.limit), default=0.0)
            group = self._groups[name] = _Group(limit, deque(task.name for task in found))
            for task in found:
                self._group_of[task.name] = group
                self._paces[task.name] = _share(
                    task.pace, limit, min(len(found), most) if not task.pace else len(found)
                )

    def pace(self, name: str) -> float:
        """How many sends in a window the task may make; 0 is no bound."""
        return self._paces[name]

    def begin(self, now: float) -> Iterator[str]:
        """The tasks that may begin now, which then count as running."""
        for group in self._groups.values():
            while group.waiting and group.has_room(self._paces[group.waiting[0]], now, self._most):
                name = group.waiting.popleft()
                group.running[name] = self._paces[name]
                yield name

    def end(self, name: str, now: float, sent: float) -> None:
        """Note that a task came to its end, and how many sends it made in the last window."""
        group = self._group_of[name]
        pace = group.running.pop(name)
        group.past.append((now + self._window, min(pace, sent)))


def _share(pace: float, limit: float, tasks: int) -> float:
    """The pace of each of so many tasks that keep together to a limit."""
    if not limit:
        return pace
    at_once = max(1, int(limit // pace)) if pace else tasks
    if tasks > at_once:
        # As many rounds as are full, and the rest of the tasks spread over them.
        at_once = math.ceil(tasks / (tasks // at_once))
    return min(pace or limit, limit / at_once)
