"""Read many connections concurrently. A thread that waits for a rate limit lends its
slot to another.
"""

import threading
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Self, TypeVar

from unified_cli import signals
from unified_cli.catalogue import Catalogue, Service
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet import pool
from unified_cli.fleet.clients import ClientPool, Clients
from unified_cli.fleet.fair_turns import WorkerSlots
from unified_cli.fleet.tokens import Tokens
from unified_cli.http.client import Client
from unified_cli.http.pagination import ListReader, Page, Span
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime

Job = TypeVar("Job")
Name = TypeVar("Name")
Result = TypeVar("Result")


class FairReaders:
    """The clients and workers of a command that reads many connections.

    A context manager that closes the clients. `workers` is the largest number of
    connections to read at a time; if it is None, this depends on the number of
    connections. With `in_turn`, a connection that waits for a rate limit keeps its
    slot, so that the others wait, too. Idle clients are kept: one for each of the
    `connections`, or for each thread if there are more threads.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        workers: int | None,
        *,
        in_turn: bool = False,
        connections: int = 0,
        tokens: Tokens | None = None,
    ) -> None:
        self.slots = WorkerSlots(workers)
        self._in_turn = in_turn
        # With `in_turn`, lists wait for each other. If a later list took the slot of an
        # earlier one, both would wait forever.
        self.clients = Clients(
            runtime, catalogue, nullcontext if in_turn else self._lend_slot, tokens
        )
        self._check = runtime.check
        self._idle = ClientPool(max(connections, self.slots.most_threads))

    def __enter__(self) -> Self:
        self.clients.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._idle.close()
        self.clients.__exit__(*exception)

    def lend(self, name: str, make: Callable[[], Client]) -> AbstractContextManager[Client]:
        """Lend a client for a job of the connection `name`. Creates a new one if all
        are busy.
        """
        return self._idle.lend(make, name)

    def client(self, settings: Settings, name: str | None = None) -> AbstractContextManager[Client]:
        """Return a client for one job.

        It waits for rate limits without a timeout. `name` prefixes messages.
        """
        return closing(self.clients.open_bulk(settings, name=name))

    def turn(self) -> AbstractContextManager[None]:
        """Wait for a slot in this thread, for work outside `read`."""
        return self.slots.slot()

    def read(
        self,
        jobs: Iterable[Job],
        work: Callable[[Job], Generator[Result]],
        connections: int | None = None,
        poll: Callable[[], None] = lambda: None,
    ) -> Generator[Result]:
        """Do each job in a worker, and yield the results.

        Each job belongs to a different connection, unless `connections` says how many
        there are. `poll` is called before and during each wait for a result, and may
        end it by raising an error.
        """

        def run(job: Job) -> Generator[Result]:
            with self.slots.slot():
                yield from work(job)

        if connections is None:
            jobs = [*jobs]
            connections = len(jobs)
        self.slots.expect(connections)
        threads = self.slots.threads(connections)
        size = self.slots.number if self._in_turn else threads
        yield from pool.results_of(jobs, run, size, ordered=self._in_turn, poll=poll)

    def ask(
        self,
        connections: Mapping[str, Settings],
        question: Callable[[str, Settings, Client], Result],
    ) -> Generator[tuple[str, Result | UnifiedError]]:
        """Call `question` for each connection, and yield its results or errors as they
        arrive.
        """

        def ask(name: str) -> Generator[tuple[str, Result | UnifiedError]]:
            try:
                with self.client(connections[name], name) as client:
                    yield name, question(name, connections[name], client)
            except UnifiedError as error:
                yield name, error

        yield from self.read([*connections], ask)

    def tokens(self, connections: Mapping[Name, Settings]) -> dict[Name, str | UnifiedError]:
        """Read each connection's token, and return it or its error.

        Different commands that print tokens run in parallel.
        """

        def read_token(name: Name) -> Generator[tuple[Name, str | UnifiedError]]:
            try:
                yield name, self.clients.token(connections[name])
            except UnifiedError as error:
                yield name, error

        found = dict(self.read([*connections], read_token))
        return {name: found[name] for name in connections}

    def check_tokens(self, connections: Iterable[Settings]) -> None:
        """Raise ConfigError for the first connection without a token."""
        for found in self.tokens(dict(enumerate(connections))).values():
            if isinstance(found, UnifiedError):
                raise found

    def in_order(
        self,
        jobs: Sequence[Job],
        work: Callable[[Job], Generator[Result]],
        size: Callable[[Result], int],
        most: int,
    ) -> Generator[Result]:
        """Yield the results in the order of the jobs, which run in parallel.

        At most `most` bytes of later results are kept in memory; `size` returns the
        bytes of a result.
        """
        buffer = _HeldBytes(range(len(jobs)), most)

        def run(number: int) -> Generator[tuple[int, Result | None]]:
            for result in work(jobs[number]):
                yield number, result
                buffer.add(number, size(result), self._waiting)
            yield number, None

        pending: dict[int, list[Result]] = {number: [] for number in range(len(jobs))}
        ended: set[int] = set()
        with closing(buffer), closing(self.read(range(len(jobs)), run)) as results:
            for number, result in results:
                if result is None:
                    ended.add(number)
                elif number == next(iter(pending)):
                    yield result
                else:
                    pending[number].append(result)
                while pending and (first := next(iter(pending))) in ended:
                    buffer.release(first)
                    del pending[first]
                    # Continue with the results that were read ahead for the next job.
                    following = next(iter(pending), None)
                    if following is not None:
                        ahead, pending[following] = pending[following], []
                        yield from ahead

    def _lend_slot(self, seconds: float) -> AbstractContextManager[None]:
        # Check for signals while the caller waits for the response.
        self._check()
        return self.slots.lend(seconds)

    def _waiting(self) -> AbstractContextManager[None]:
        return self.slots.lend(signals.LONGEST_WAIT)


class _HeldBytes:
    """Bounds the bytes that jobs read ahead.

    The first job may always continue. The others wait while `most` bytes or more are
    held.
    """

    def __init__(self, jobs: Iterable[int], most: int) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._held = dict.fromkeys(jobs, 0)
        self._over = False

    def add(self, job: int, size: int, waiting: Callable[[], AbstractContextManager[None]]) -> None:
        """Count a job's bytes, and wait until it may continue.

        It waits in the context `waiting`.
        """
        with self._changed:
            if self._is_first(job):
                return
            self._held[job] += size
            if self._may_continue(job):
                return
        with waiting(), self._changed:
            while not self._may_continue(job):
                self._changed.wait(signals.LONGEST_WAIT)

    def release(self, job: int) -> None:
        """End a job, and release the bytes read ahead for the next one."""
        with self._changed:
            self._held.pop(job, None)
            if self._held:
                self._held[next(iter(self._held))] = 0
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._over = True
            self._changed.notify_all()

    def _is_first(self, job: int) -> bool:
        return job == next(iter(self._held), job)

    def _may_continue(self, job: int) -> bool:
        return self._over or self._is_first(job) or sum(self._held.values()) < self._most


def pages(
    client: Client,
    request: Request,
    service: Service,
    span: Span,
    poll: Callable[[], None] | None = None,
) -> Generator[Page]:
    """Yield a list's pages, and read one page ahead. Use with `contextlib.closing`.

    `poll` is called before and during each wait for a page, and may end it by raising
    an error. The client is closed at the end, without waiting for a request in flight.
    Raises the errors of `ListReader.read`, after the earlier pages.
    """
    reader = ListReader(client.send, request, service, span)
    try:
        # Pop the page from a list, because a variable would keep it in memory.
        first_page = [reader.read()]
    except BaseException:
        client.close()
        raise
    if reader.done:
        # No worker uses the client any more.
        client.close()
        yield first_page.pop()
        return

    def all_pages(reader: ListReader) -> Generator[Page]:
        with closing(client):
            yield first_page.pop()
            while not reader.done:
                yield reader.read()

    yield from pool.results_of([reader], all_pages, 1, poll=poll or (lambda: None))
