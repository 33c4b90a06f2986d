"""Read many connections in fair turns: a fixed number work at a time, and a thread that
waits for a limit lends its slot.
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
    """The clients and the workers of a command that reads many connections; a context,
    which closes the clients.

    `workers` bounds how many work at a time; None leaves it to the number of
    connections. With `in_turn`, a connection that waits for a limit keeps its slot, so
    that the others wait, too. Idle clients are kept for `connections` connections, or
    for the most possible threads if these are more.
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
        # In order, a list waits for its turn. If it took the slot of the list whose
        # turn it is, both would stop.
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
        """Return a client for a job of the connection `name`.

        It is kept for the next job. A new one is made if all are busy.
        """
        return self._idle.lend(make, name)

    def client(self, settings: Settings, name: str | None = None) -> AbstractContextManager[Client]:
        """Return a client for one job.

        It waits as long as the limits of the service ask for. `name` prefixes messages.
        """
        return closing(self.clients.open_bulk(settings, name=name))

    def turn(self) -> AbstractContextManager[None]:
        """Wait for a turn in this thread.

        For work outside the workers of `read`.
        """
        return self.slots.slot()

    def read(
        self,
        jobs: Iterable[Job],
        work: Callable[[Job], Generator[Result]],
        connections: int | None = None,
        poll: Callable[[], None] = lambda: None,
    ) -> Generator[Result]:
        """Do each job in a worker, and yield the results.

        They come as they are ready, or in order.

        Each job belongs to a different connection, unless `connections` says how many
        there are. `poll` is called before and regularly during each wait for a result;
        if it raises an error, the wait ends.
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
        """Ask a question of each connection with one of these names. Yields the
        answers, or the error of a connection, as they come.
        """

        def one(name: str) -> Generator[tuple[str, Result | UnifiedError]]:
            try:
                with self.client(connections[name], name) as client:
                    yield name, question(name, connections[name], client)
            except UnifiedError as error:
                yield name, error

        yield from self.read([*connections], one)

    def tokens(self, connections: Mapping[Name, Settings]) -> dict[Name, str | UnifiedError]:
        """Return each connection's token, or its error.

        All tokens are read before anything is sent. Different commands that print
        tokens run in parallel.
        """

        def one(name: Name) -> Generator[tuple[Name, str | UnifiedError]]:
            try:
                yield name, self.clients.token(connections[name])
            except UnifiedError as error:
                yield name, error

        found = dict(self.read([*connections], one))
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
        """Yield the results in the order of the jobs, while jobs run in parallel.

        Results read ahead of their turn are kept in memory, at most `most` bytes;
        `size` returns the bytes of a result.
        """
        held = _HeldBytes(range(len(jobs)), most)

        def run(number: int) -> Generator[tuple[int, Result | None]]:
            for result in work(jobs[number]):
                yield number, result
                held.add(number, size(result), self._waiting)
            yield number, None

        kept: dict[int, list[Result]] = {number: [] for number in range(len(jobs))}
        ended: set[int] = set()
        with closing(held), closing(self.read(range(len(jobs)), run)) as results:
            for number, result in results:
                if result is None:
                    ended.add(number)
                elif number == next(iter(kept)):
                    yield result
                else:
                    kept[number].append(result)
                while kept and (first := next(iter(kept))) in ended:
                    held.release(first)
                    del kept[first]
                    # The turn passes to the next job, with the results that it has read
                    # so far.
                    following = next(iter(kept), None)
                    if following is not None:
                        ahead, kept[following] = kept[following], []
                        yield from ahead

    def _lend_slot(self, seconds: float) -> AbstractContextManager[None]:
        # Checked while a caller waits for the answer.
        self._check()
        return self.slots.lend(seconds)

    def _waiting(self) -> AbstractContextManager[None]:
        return self.slots.lend(signals.LONGEST_WAIT)


class _HeldBytes:
    """Bounds the bytes that are read ahead of their turn.

    The job whose turn it is may always continue; the others wait while `most` bytes or
    more are held.
    """

    def __init__(self, jobs: Iterable[int], most: int) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._held = dict.fromkeys(jobs, 0)
        self._over = False

    def add(self, job: int, size: int, waiting: Callable[[], AbstractContextManager[None]]) -> None:
        """Count what a job has read. Wait in the context `waiting` until the job may
        read on.
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
        """End the turn of a job.

        The results that the next one has read ahead are used now.
        """
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
    """Yield a list's pages, and read one ahead.

    Each page is read while the caller uses the previous one.

    To be used with `contextlib.closing`.

    `poll` is called before and regularly during each wait for a page; if it raises an
    error, the wait ends. The client is closed at the end. If a request is still under
    way, the worker closes the client after it, and the caller does not wait. Raises
    what `ListReader.read` raises, after the pages read before.
    """
    reader = ListReader(client.send, request, service, span)
    try:
        # Emptied on use, so that no page is kept while others are read.
        held = [reader.read()]
    except BaseException:
        client.close()
        raise
    if reader.done:
        # No worker has anything left to do.
        client.close()
        yield held.pop()
        return

    def all_pages(reader: ListReader) -> Generator[Page]:
        with closing(client):
            yield held.pop()
            while not reader.done:
                yield reader.read()

    yield from pool.results_of([reader], all_pages, 1, poll=poll or (lambda: None))
