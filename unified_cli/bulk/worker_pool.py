"""Worker threads that take jobs and give what came of them, in the order they finish."""

import queue
import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar


class Closing(Protocol):
    """What a worker works with: made in its thread, used by nobody else, closed at the end."""

    def close(self) -> None:
        """Let go."""


Tool = TypeVar("Tool", bound=Closing)
Job = TypeVar("Job")
Result = TypeVar("Result")


class WorkerPool(Generic[Tool, Job, Result]):
    """At most `size` workers, each with a tool of its own; a worker is started when there is work for it.

    `give`, `take` and `stop` are for one thread. Workers are daemons: a signal ends the program without waiting.
    """

    def __init__(self, size: int, make: Callable[[], Tool], work: Callable[[Tool, Job], Result]) -> None:
        self._size = size
        self._make = make
        self._work = work
        self._threads: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[tuple[Job] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[tuple[Result] | BaseException] = queue.SimpleQueue()
        self.busy = 0
        """How many jobs were given and not yet taken back."""

    @property
    def free(self) -> int:
        """How many jobs can be given without one having to wait."""
        return self._size - self.busy

    def give(self, job: Job) -> None:
        """Have a job done."""
        self.busy += 1
        if self.busy > len(self._threads):
            thread = threading.Thread(target=self._run, daemon=True)
            self._threads.append(thread)
            thread.start()
        self._jobs.put((job,))

    def take(self, seconds: float | None = None) -> list[Result]:
        """What is finished; waits for the first, at most so many seconds. Raises what a worker raised."""
        found: list[Result] = []
        try:
            while self.busy:
                got = self._results.get(timeout=seconds) if not found else self._results.get_nowait()
                self.busy -= 1
                if isinstance(got, BaseException):
                    raise got
                found.append(got[0])
        except queue.Empty:
            pass
        return found

    def stop(self) -> None:
        """Let the workers go when they are done with what they have."""
        for _ in self._threads:
            self._jobs.put(None)

    def _run(self) -> None:
        tool: Tool | None = None
        try:
            while (job := self._jobs.get()) is not None:
                try:
                    tool = tool or self._make()
                    self._results.put((self._work(tool, job[0]),))
                except BaseException as error:  # noqa: BLE001  it is raised where the results are taken
                    self._results.put(error)
        finally:
            if tool is not None:
                tool.close()
