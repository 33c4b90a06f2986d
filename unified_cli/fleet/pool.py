"""Run jobs in worker threads, and return the results to the calling thread.

Exports, imports, downloads and calls to several connections all use this module.
"""

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, Self, TypeVar

from unified_cli import os_limits, signals
from unified_cli.errors import StorageError

Job = TypeVar("Job")
Result = TypeVar("Result")

# How many jobs to start ahead for each worker if results must be in order. With fewer,
# a slow job would leave the other workers idle.
_AHEAD = 4


class _End(NamedTuple):
    """The end of a job: success, or this error."""

    error: BaseException | None = None


class _Task(Generic[Job, Result]):
    """A submitted job, and its results so far."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.room = threading.Semaphore(1)
        """Room for one result, so that the worker can produce the next."""
        self.held: deque[Result] = deque()
        """Results that wait for earlier jobs."""
        self.is_over = False


def results_of(
    jobs: Iterable[Job],
    work: Callable[[Job], Generator[Result]],
    size: int,
    *,
    ordered: bool = False,
    poll: Callable[[], None] = lambda: None,
) -> Generator[Result]:
    """Yield the results of jobs from `size` workers, as `WorkerPool.results` does.

    `poll` is called before and during each wait for a result, and may end it by raising
    an error. Use with `contextlib.closing`, which does not wait for the workers.
    """
    with WorkerPool(size, work, poll) as pool:
        yield from pool.results(jobs, ordered=ordered)


class WorkerPool(Generic[Job, Result]):
    """At most `size` worker threads; `work` does a job and yields its results.

    Only `wake` is thread-safe. A job is at most one result ahead of the caller. Workers
    start as needed; StorageError is raised if not even one can start.

    Leaving the `with` block early does not wait for the workers: each closes its job
    after its current result. Workers are daemons, so the program can exit before that.
    """

    def __init__(
        self,
        size: int,
        work: Callable[[Job], Generator[Result]],
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        self._size = size
        self._work = work
        self._poll = poll
        self._threads = 0
        self._submitted: SimpleQueue[_Task[Job, Result] | None] = SimpleQueue()
        self._results: SimpleQueue[tuple[_Task[Job, Result], Result | _End] | None] = SimpleQueue()
        self._unfinished: set[_Task[Job, Result]] = set()
        self._error: BaseException | None = None
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stopped = True
        for _ in range(self._threads):
            self._submitted.put(None)
        for task in self._unfinished:
            task.room.release()

    @property
    def busy(self) -> int:
        """The number of unfinished jobs."""
        return len(self._unfinished)

    @property
    def free(self) -> int:
        """The number of jobs that can start now."""
        return self._size - self.busy

    def submit(self, job: Job) -> _Task[Job, Result]:
        """Give a job to a worker, and start one if all are busy."""
        if self._threads < min(self._size, self.busy + 1):
            try:
                os_limits.start_thread(self._run)
                self._threads += 1
            except StorageError:
                # If there are threads already, they do all jobs, but more slowly.
                if not self._threads:
                    raise
        task = _Task[Job, Result](job)
        self._unfinished.add(task)
        self._submitted.put(task)
        return task

    def take(self, seconds: float) -> list[Result]:
        """Return all results that are ready.

        Wait for a result, the end of a job, or `wake`, at most this many seconds.
        Raises the error of a job after all earlier results were returned.
        """
        self._raise_error()
        result: list[Result] = []
        with suppress(Empty):
            event = self._results.get(timeout=seconds)
            while True:
                result += self._accept(*event) if event else []
                event = self._results.get_nowait()
        if not result:
            self._raise_error()
        return result

    def wake(self) -> None:
        """Wake `take`. Thread-safe."""
        self._results.put(None)

    def results(self, jobs: Iterable[Job], *, ordered: bool = False) -> Iterator[Result]:
        """Do all jobs, and yield their results.

        They are yielded as they are ready or, if `ordered`, in the order of the jobs. A
        job is taken from `jobs` when a worker is free. Raises the error of a job.
        """
        return self._in_order(iter(jobs)) if ordered else self._as_they_come(iter(jobs))

    def _as_they_come(self, jobs: Iterator[Job]) -> Iterator[Result]:
        while True:
            for job in islice(jobs, self.free):
                self.submit(job)
            if not self.busy:
                return
            task, result = self._next()
            if not isinstance(result, _End):
                yield result
                task.room.release()

    def _in_order(self, jobs: Iterator[Job]) -> Iterator[Result]:
        started: deque[_Task[Job, Result]] = deque()
        while True:
            started.extend(
                self.submit(job)
                for job in islice(jobs, min(self.free, _AHEAD * self._size - len(started)))
            )
            if not started:
                return
            if started[0].held:
                yield started[0].held.popleft()
                started[0].room.release()
            elif started[0].is_over:
                started.popleft()
            else:
                task, result = self._next()
                if not isinstance(result, _End):
                    task.held.append(result)

    def _next(self) -> tuple[_Task[Job, Result], Result | _End]:
        while True:
            if self._results.empty():
                self._poll()
            with suppress(Empty):
                if event := self._results.get(timeout=signals.LONGEST_WAIT):
                    task, result = event
                    if isinstance(result, _End):
                        self._finish(task, result)
                        self._raise_error()
                    return task, result

    def _accept(self, task: _Task[Job, Result], result: Result | _End) -> list[Result]:
        if isinstance(result, _End):
            self._finish(task, result)
            return []
        task.room.release()
        return [result]

    def _finish(self, task: _Task[Job, Result], end: _End) -> None:
        self._unfinished.remove(task)
        task.is_over = True
        self._error = self._error or end.error

    def _raise_error(self) -> None:
        if self._error:
            raise self._error

    def _run(self) -> None:
        while (task := self._submitted.get()) and not self._stopped:
            error: BaseException | None = None
            try:
                self._do(task)
            except BaseException as raised:  # noqa: BLE001  it is raised in the caller's thread
                error = raised
            self._results.put((task, _End(error)))

    def _do(self, task: _Task[Job, Result]) -> None:
        steps = self._work(task.job)
        for result in steps:
            self._results.put((task, result))
            task.room.acquire()
            if self._stopped:
                steps.close()
