"""Jobs that wait for answers, all of them in one thread."""

import select
import socket
import threading
import time
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

from unified_cli import os_limits
from unified_cli.http.client import LONGEST_PAUSE
from unified_cli.http.pagination import Pause

Job = TypeVar("Job")

_READ_SIZE = 4096


class _Waiting(NamedTuple, Generic[Job]):
    job: Job
    pause: Pause
    since: float


class PausedJobs(Generic[Job]):
    """Jobs in a pause; all methods but `wake` are for one thread."""

    def __init__(self) -> None:
        """Raises StorageError where no further file can be open."""
        try:
            self._woken, self._wakes = socket.socketpair()
        except OSError as error:
            if os_limits.is_no_descriptor(error):
                raise os_limits.no_descriptor() from None
            raise
        self._woken.setblocking(False)
        self._wakes.setblocking(False)
        # A thread that wakes must not come upon another file that has the number of this one.
        self._lock = threading.Lock()
        self._poll = select.poll()
        self._poll.register(self._woken, select.POLLIN)
        self._waiting: dict[int, _Waiting[Job]] = {}
        self._next_look = 0.0
        """When to look for what waits for too long."""

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, job: Job, pause: Pause) -> None:
        """A job has come to a pause, in which it waits for an answer."""
        assert pause.connection is not None  # noqa: S101  the other pauses wait for nothing
        number = pause.connection.fileno()
        self._waiting[number] = _Waiting(job, pause, time.monotonic())
        self._poll.register(number, select.POLLIN)

    def ended(self, seconds: float) -> list[tuple[Job, bool]]:
        """The jobs that are to go on, and whether they need not wait; waits for one for at most so many seconds."""
        found = []
        for number, events in self._poll.poll(min(seconds, LONGEST_PAUSE / 2) * 1000):
            if number == self._woken.fileno():
                self._woken.recv(_READ_SIZE)
                continue
            one = self._remove(number)
            # What is no good page, or not all of one, may take time; an error would be told to whoever looks first.
            found.append((one.job, not events & select.POLLERR and one.pause.is_over()))
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + LONGEST_PAUSE / 2
            late = [number for number, one in self._waiting.items() if now - one.since > LONGEST_PAUSE]
            found += [(self._remove(number).job, False) for number in late]
        return found

    def wake(self) -> None:
        """Have `ended` wait no longer; for any thread."""
        # Where there is no room, others have woken it. After the end there is nobody.
        with self._lock, suppress(OSError):
            self._wakes.send(b"\0")

    def close(self) -> None:
        """Wait for none of them any more."""
        with self._lock:
            self._woken.close()
            self._wakes.close()

    def _remove(self, number: int) -> _Waiting[Job]:
        self._poll.unregister(number)
        return self._waiting.pop(number)
