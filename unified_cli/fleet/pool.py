"""Worker threads that do jobs, and hand the results to the thread that asked for them.

Whatever is done several at a time goes through this: exports, imports, downloads, calls over several connections.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, Self, TypeVar

from unified_cli import os_limits, signals
from unified_cli.errors import StorageError
from unified_cli.fleet.paused import PausedJobs
from unified_cli.http.pagination import Pause

Job = TypeVar("Job")
Result = TypeVar("Result")

# In order, so many jobs may be begun for each worker: a slow one should not hold up those after it.
_AHEAD = 4


class _End(NamedTuple):
    """A job is over: well, or with this error."""

    error: BaseException | None = None


class _Task(Generic[Result]):
    """A job that was submitted, and the permits to go on after each of its results."""

    def __init__(self, steps: Generator[Result | Pause]) -> None:
        self.steps = steps
        self.pauses = False
        """It is in a pause, or goes on in the thread of the caller."""
        self.stays = False
        """It has no worker of its own: whichever takes it does it to its end, and it is in no pause meanwhile."""
        self.permits: SimpleQueue[None] = SimpleQueue()
        # For the first result: the second is made while the first is used.
        self.permits.put(None)
        self.held: deque[Result] = deque()
        """Results whose turn has not come."""
        self.is_over = False


def results_of(
    jobs: Iterable[Job],
    work: Callable[[Job], Generator[Result | Pause]],
    size: int,
    *,
    ordered: bool = False,
    look: Callable[[], None] = lambda: None,
) -> Generator[Result]:
    """Do each of the jobs in one of so many workers, and give the results as `WorkerPool.results` does.

    `look` is called before a result is waited for and now and then meanwhile, and may end that with an error.
    To be used with `contextlib.closing`: a generator that is closed early waits for nobody.
    """
    with WorkerPool(size, work, look) as pool:
        yield from pool.results(jobs, ordered=ordered)


class WorkerPool(Generic[Job, Result]):
    """At most `size` worker threads; `work` does a job and yields its results.

    All methods but `wake` are for one thread, the caller's, which uses one result after the other. A job is at most one
    result ahead of it. A worker is started when there is a job for it; StorageError is raised where not one can be.

    What comes after a pause is done in the caller's thread, as soon as it takes no wait: to hand over the interpreter
    takes longer than many a result.

    Leaving the `with` block early waits for nobody: each worker closes its job when the result it is making is there.
    Workers are daemons, so that the program can end before.
    """

    def __init__(
        self, size: int, work: Callable[[Job], Generator[Result | Pause]], look: Callable[[], None] = lambda: None
    ) -> None:
        self._size = size
        self._work = work
        self._look = look
        self._threads = 0
        self._submitted: SimpleQueue[_Task[Result] | None] = SimpleQueue()
        self._results: SimpleQueue[tuple[_Task[Result], Result | Pause | _End] | None] = SimpleQueue()
        self._unfinished: set[_Task[Result]] = set()
        self._paused: PausedJobs[_Task[Result]] | None = None
        self._ready: deque[_Task[Result]] = deque()
        """Those whose pause is over."""
        self._error: BaseException | None = None
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._stopped = True
        for _ in range(self._threads):
            self._submitted.put(None)
        while not self._results.empty():
            event = self._results.get()
            if event and isinstance(event[1], Pause):
                event[0].pauses = True
        for task in self._unfinished:
            if task.pauses:
                task.steps.close()
            else:
                task.permits.put(None)
        if self._paused is not None:
            self._paused.close()

    @property
    def busy(self) -> int:
        """How many jobs are not over yet."""
        return len(self._unfinished)

    @property
    def free(self) -> int:
        """How many jobs can be submitted without one having to wait for a worker."""
        return self._size - self.busy

    def allow_pauses(self) -> None:
        """Have jobs go on in this thread after a pause, and what is submitted begin here; within the `with` block.

        The first step of a job must not wait then. Raises StorageError where no further file can be open.
        """
        if self._paused is None:
            self._paused = PausedJobs()

    def submit(self, job: Job) -> None:
        """Have a job done; where there are pauses, `take` begins it."""
        if self._paused is None:
            self._begin(job)
            return
        task = _Task(self._work(job))
        task.stays = not self._has_worker()
        self._unfinished.add(task)
        if task.stays:
            self._submit(task)
        else:
            task.pauses = True
            self._ready.append(task)

    def take(self, seconds: float) -> list[Result]:
        """All results that are there; waits for the first, the end of a job, or `wake`, at most so many seconds.

        Raises what a job raised, after the results before.
        """
        self._raise_error()
        found = self._go_on()
        while self._paused:
            is_enough = bool(found) or not self._results.empty()
            goes_on = self._end_pauses(0 if is_enough else min(seconds, signals.LONGEST_WAIT))
            found += self._go_on()
            if is_enough or found or not goes_on:
                break
        with suppress(Empty):
            event = self._results.get(timeout=0 if found or self._paused else seconds)
            while True:
                found += self._accept(*event) if event else []
                event = self._results.get_nowait()
        if not found:
            self._raise_error()
        return found

    def wake(self) -> None:
        """Have `take` wait no longer; for any thread."""
        self._results.put(None)
        if self._paused:
            self._paused.wake()

    def results(self, jobs: Iterable[Job], *, ordered: bool = False) -> Iterator[Result]:
        """Do all these jobs, and give their results as they come, or `ordered` as the jobs are, without pauses.

        A job is taken from `jobs` when there is a worker for it. Raises what a job raised.
        """
        return self._in_order(iter(jobs)) if ordered else self._as_they_come(iter(jobs))

    def _as_they_come(self, jobs: Iterator[Job]) -> Iterator[Result]:
        self.allow_pauses()
        while True:
            for job in islice(jobs, self.free):
                if not self._has_worker():
                    # In a pause a job needs no worker, but it may need one after it: so each has its own.
                    self._size, jobs = self._threads, chain([job], jobs)
                    break
                self._begin(job)
            if not self.busy:
                return
            task, result = self._next()
            if isinstance(result, _End):
                self._finish(task, result)
                self._raise_error()
            else:
                yield result
                if task.pauses:
                    self._ready.append(task)
                else:
                    task.permits.put(None)

    def _in_order(self, jobs: Iterator[Job]) -> Iterator[Result]:
        begun: deque[_Task[Result]] = deque()
        while True:
            begun.extend(self._begin(job) for job in islice(jobs, min(self.free, _AHEAD * self._size - len(begun))))
            if not begun:
                return
            if begun[0].held:
                yield begun[0].held.popleft()
                begun[0].permits.put(None)
            elif begun[0].is_over:
                begun.popleft()
            else:
                task, result = self._next()
                if isinstance(result, _End):
                    self._finish(task, result)
                    self._raise_error()
                else:
                    task.held.append(result)

    def _next(self) -> tuple[_Task[Result], Result | _End]:
        while True:
            # Those of the workers first: jobs that go on here never come to an end while they are quick.
            if self._ready and self._results.empty():
                task = self._ready.popleft()
                result = next(task.steps, _End())
            elif event := self._from_workers():
                task, result = event
            else:
                continue
            if not isinstance(result, Pause):
                return task, result
            self._pause(task, result)

    def _from_workers(self) -> tuple[_Task[Result], Result | Pause | _End] | None:
        """What a worker has put; None, earlier or later, where pauses are over, or nothing was put for a while."""
        if self._results.empty():
            if self._end_pauses(0):
                return None
            self._look()
            if self._paused:
                self._end_pauses(signals.LONGEST_WAIT)
                return None
        with suppress(Empty):
            return self._results.get(timeout=signals.LONGEST_WAIT)
        return None

    def _go_on(self) -> list[Result]:
        """The results of those that can go on in this thread, up to their next pause."""
        found: list[Result] = []
        while self._ready:
            task = self._ready.popleft()
            try:
                for step in task.steps:
                    if isinstance(step, Pause):
                        self._pause(task, step)
                        break
                    found.append(step)
                else:
                    self._finish(task, _End())
            except Exception as error:  # noqa: BLE001  it is raised after the results before
                self._finish(task, _End(error))
        return found

    def _pause(self, task: _Task[Result], pause: Pause) -> None:
        if pause.connection is None or self._paused is None:
            self._submit(task)
            return
        task.pauses = True
        self._paused.add(task, pause)

    def _end_pauses(self, seconds: float) -> bool:
        """Have those go on whose pause is over; waits for one for at most so many seconds. Whether there is one."""
        ended = self._paused.ended(seconds) if self._paused else []
        for task, is_quick in ended:
            self._ready.append(task) if is_quick else self._submit(task)
        return bool(ended)

    def _begin(self, job: Job) -> _Task[Result]:
        self._has_worker()
        task = _Task(self._work(job))
        self._unfinished.add(task)
        self._submit(task)
        return task

    def _submit(self, task: _Task[Result]) -> None:
        """Have a worker go on with it."""
        task.pauses = False
        self._submitted.put(task)

    def _has_worker(self) -> bool:
        """Whether there is a worker for one more job, or can be: else those that there are do all, if more slowly."""
        if self._threads < min(self._size, self.busy + 1):
            try:
                os_limits.start_thread(self._run)
            except StorageError:
                if not self._threads:
                    raise
                return False
            self._threads += 1
        return True

    def _accept(self, task: _Task[Result], result: Result | Pause | _End) -> list[Result]:
        if isinstance(result, Pause):
            self._pause(task, result)
            return []
        if isinstance(result, _End):
            self._finish(task, result)
            return []
        task.permits.put(None)
        return [result]

    def _finish(self, task: _Task[Result], end: _End) -> None:
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
                if self._do(task):
                    # It goes on elsewhere.
                    continue
            except BaseException as raised:  # noqa: BLE001  it is raised in the caller's thread
                error = raised
            self._put(task, _End(error))

    def _do(self, task: _Task[Result]) -> bool:
        """Whether it has come to a pause; if not, it is over."""
        for step in task.steps:
            if not isinstance(step, Pause):
                self._put(task, step)
                task.permits.get()
                if self._stopped:
                    task.steps.close()
            elif self._paused is not None and step.connection is not None and not task.stays:
                self._put(task, step)
                return True
        return False

    def _put(self, task: _Task[Result], result: Result | Pause | _End) -> None:
        self._results.put((task, result))
        if self._paused:
            self._paused.wake()
