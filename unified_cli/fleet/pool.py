"""Worker threads that do jobs, and hand the results to the thread that asked for them.

Whatever is done several at a time goes through this: exports, imports, downloads, calls over several connections.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Generic, NamedTuple, Self, TypeVar

from unified_cli import os_limits, signals
from unified_cli.catalogue import Service
from unified_cli.errors import StorageError
from unified_cli.http.client import Client
from unified_cli.http.pagination import ListReader, Page, Span
from unified_cli.http.request import Request

Job = TypeVar("Job")
Result = TypeVar("Result")

# In order, so many jobs may be begun for each worker: a slow one should not hold up those after it.
_AHEAD = 4
# Seconds for which a page is waited for without a worker.
_QUICK = 0.05


class _End(NamedTuple):
    """A job is over: well, or with this error."""

    error: BaseException | None = None


class _Task(Generic[Job, Result]):
    """A job that was submitted, and the permits to go on after each of its results."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.permits: SimpleQueue[None] = SimpleQueue()
        # For the first result: the second is made while the first is used.
        self.permits.put(None)
        self.held: deque[Result] = deque()
        """Results whose turn has not come."""
        self.is_over = False


def results_of(
    jobs: Iterable[Job],
    work: Callable[[Job], Generator[Result]],
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

    Leaving the `with` block early waits for nobody: each worker closes its job when the result it is making is there.
    Workers are daemons, so that the program can end before.
    """

    def __init__(
        self, size: int, work: Callable[[Job], Generator[Result]], look: Callable[[], None] = lambda: None
    ) -> None:
        self._size = size
        self._work = work
        self._look = look
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
        for task in self._unfinished:
            task.permits.put(None)
        for _ in range(self._threads):
            self._submitted.put(None)

    @property
    def busy(self) -> int:
        """How many jobs are not over yet."""
        return len(self._unfinished)

    @property
    def free(self) -> int:
        """How many jobs can be submitted without one having to wait for a worker."""
        return self._size - self.busy

    def submit(self, job: Job) -> None:
        """Have a job done."""
        self._begin(job)

    def take(self, seconds: float) -> list[Result]:
        """All results that are there; waits for the first, the end of a job, or `wake`, at most so many seconds.

        Raises what a job raised, after the results before.
        """
        self._raise_error()
        found: list[Result] = []
        with suppress(Empty):
            event = self._results.get(timeout=seconds)
            while True:
                found += self._accept(*event) if event else []
                event = self._results.get_nowait()
        if not found:
            self._raise_error()
        return found

    def wake(self) -> None:
        """Have `take` wait no longer; for any thread."""
        self._results.put(None)

    def results(self, jobs: Iterable[Job], *, ordered: bool = False) -> Iterator[Result]:
        """Do all these jobs, and give their results as they come, or `ordered` as the jobs are.

        A job is taken from `jobs` when there is a worker for it. Raises what a job raised.
        """
        return self._in_order(iter(jobs)) if ordered else self._as_they_come(iter(jobs))

    def _as_they_come(self, jobs: Iterator[Job]) -> Iterator[Result]:
        while True:
            for job in islice(jobs, self.free):
                self._begin(job)
            if not self.busy:
                return
            task, result = self._next()
            if isinstance(result, _End):
                self._finish(task, result)
                self._raise_error()
            else:
                yield result
                task.permits.put(None)

    def _in_order(self, jobs: Iterator[Job]) -> Iterator[Result]:
        begun: deque[_Task[Job, Result]] = deque()
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

    def _next(self) -> tuple[_Task[Job, Result], Result | _End]:
        event = None
        while not event:
            if self._results.empty():
                self._look()
            with suppress(Empty):
                event = self._results.get(timeout=signals.LONGEST_WAIT)
        return event

    def _begin(self, job: Job) -> _Task[Job, Result]:
        task: _Task[Job, Result] = _Task(job)
        self._unfinished.add(task)
        if self._threads < min(self._size, self.busy):
            self._start_worker()
        self._submitted.put(task)
        return task

    def _start_worker(self) -> None:
        try:
            os_limits.start_thread(self._run)
        except StorageError:
            # The workers that there are do all jobs, if more slowly.
            if not self._threads:
                raise
        else:
            self._threads += 1

    def _accept(self, task: _Task[Job, Result], result: Result | _End) -> list[Result]:
        if isinstance(result, _End):
            self._finish(task, result)
            return []
        task.permits.put(None)
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
        with closing(self._work(task.job)) as results:
            for result in results:
                self._results.put((task, result))
                task.permits.get()
                if self._stopped:
                    return


def pages(
    client: Client, request: Request, service: Service, span: Span, look: Callable[[], None] | None = None
) -> Generator[Page]:
    """The pages of a list, each read while the one before it is used; to be used with `contextlib.closing`.

    Small pages are asked for before the one before them is used, and read afterwards, in this thread: that takes no
    hand-over. From the first one on that is waited for, a worker reads them: this thread must notice signals.

    `look` is called before a page is waited for and now and then meanwhile, and may end that with an error; then the
    worker reads all pages but the first. The client is closed at the end. Where the generator is closed while a request
    is under way, nothing waits for it: the worker closes the client after that request. Raises what `ListReader.read`
    raises, after the pages read before.
    """
    reader = ListReader(client.send, request, service, span)
    try:
        # Taken out when it is used, so that no page is kept while others are read.
        held = [reader.read()]
        while look is None and (arrival := reader.ask(client.send_ahead)):
            yield held.pop()
            if not arrival(_QUICK):
                break
            held.append(reader.read())
    except BaseException:
        client.close()
        raise
    if reader.done:
        # Nothing is left for a worker.
        client.close()
        yield held.pop()
        return

    def all_pages(reader: ListReader) -> Generator[Page]:
        with closing(client):
            while held:
                yield held.pop()
            while not reader.done:
                yield reader.read()

    yield from results_of([reader], all_pages, 1, look=look or (lambda: None))
