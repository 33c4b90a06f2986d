"""Send many writes, and alternate between the connections.

The journal records each write before it is sent, and later its outcome.
"""

import math
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from unified_cli.catalogue import Catalogue
from unified_cli.errors import UnifiedError
from unified_cli.fleet.fair_turns import FairTurns
from unified_cli.fleet.pool import WorkerPool
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome
from unified_cli.writes.entry import JournalEntry
from unified_cli.writes.journal import Journal
from unified_cli.writes.outcome import WriteAttempt
from unified_cli.writes.stop_rules import ConnectionStops

_SYNC_EVERY = 1.0
# How many jobs of an ordered run to start for each worker. With only one job per
# worker, workers would be idle while a slow job delays the reports.
_AHEAD = 4
# How many clients to keep open.
_MOST_OPEN = 64


class JournaledJob(Protocol):
    """A write to send, and its journal entry."""

    @property
    def profile(self) -> str | None:
        """The name of the connection, if there are several."""

    @property
    def sent(self) -> JournalEntry:
        """The journal entry to write before the write is sent."""


ItemT = TypeVar("ItemT")
JobT = TypeVar("JobT", bound=JournaledJob)


_Place = tuple[str | None, int]
"""The connection of a job, and its number in the connection's journal."""


def _place(job: JournaledJob) -> _Place:
    return job.profile, job.sent.n


class SentJob(NamedTuple, Generic[JobT]):
    """A job and its outcome."""

    job: JobT
    attempt: WriteAttempt


class FairWriters(FairReaders):
    """The clients and workers for many writes. As a context manager, closes the clients
    at the end.

    `workers` is the largest number of requests at the same time. With several
    connections, a worker that waits for a rate limit does not block the others. An
    `ordered` run sends and reports the jobs in order.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        workers: int | None,
        *,
        connections: int,
        ordered: bool = False,
    ) -> None:
        # A single worker sends the writes one after the other.
        several = connections > 1 and workers != 1 and not ordered
        super().__init__(
            runtime,
            catalogue,
            workers,
            in_turn=not several,
            connections=min(connections, _MOST_OPEN),
        )
        self.slots.expect(connections)
        self.threads = self.slots.threads(connections) if several else self.slots.number
        self.ordered = ordered
        self.under_way = 0
        """The number of writes in flight."""

    def so_far(self, done: str) -> str:
        """Return the progress in words: the text `done`, and the number of writes in
        flight.
        """
        if not self.under_way:
            return done
        return f"{done}, {self.under_way} more {'was' if self.under_way == 1 else 'were'} sent"


class SendWay(NamedTuple, Generic[ItemT, JobT]):
    """The functions that send items.

    `plan` creates the job for an item just before it is sent, or returns None if there
    is nothing to send. Worker threads call `open_client` and `attempt`, which may
    block. Items are read in advance until the sum of their `weight` is `ahead`.
    """

    profile_of: Callable[[ItemT], str | None]
    plan: Callable[[ItemT], JobT | None]
    open_client: Callable[[str | None], Client]
    attempt: Callable[[Client, JobT], WriteAttempt]
    ahead: float = math.inf
    weight: Callable[[ItemT], int] = lambda _: 1


class Sender(Generic[ItemT, JobT]):
    """Sends items until `stops` says that all connections have stopped.

    All connections share one journal, or each connection has its own journal.
    """

    def __init__(
        self,
        writers: FairWriters,
        journal: Journal | Mapping[str | None, Journal],
        way: SendWay[ItemT, JobT],
        stops: ConnectionStops,
    ) -> None:
        self._writers, self._journals, self._way, self._stops = writers, journal, way, stops
        self._workers = WorkerPool(writers.threads, self._send)
        writers.slots.on_room = self._workers.wake

    def outcomes(self, items: Iterable[ItemT]) -> Iterator[SentJob[JobT]]:
        """Send the items, and yield each job with its outcome.

        Jobs are yielded when they are complete or, in an ordered run, in order. Jobs
        that start at the same time are synced to disk together. Raises the StorageError
        of the journal.
        """
        turns: FairTurns[ItemT] = FairTurns(
            items, self._turn_of, ahead=self._way.ahead, weight=self._way.weight
        )
        jobs, ordered = self._jobs(turns), self._writers.ordered
        places: deque[_Place] = deque()
        finished: dict[_Place, SentJob[JobT]] = {}
        with self._workers:
            while True:
                if batch := [
                    *islice(jobs, min(self._room(), _AHEAD * self._writers.threads - len(places)))
                ]:
                    self._record_as_sent(batch)
                    for job in batch:
                        self._workers.submit(job)
                    self._writers.under_way += len(batch)
                    places.extend(map(_place, batch if ordered else ()))
                if not self._workers.busy:
                    # All workers have finished. If a worker failed, raise its error.
                    self._workers.take(0)
                    break
                for one in self._record_finished():
                    turns.ended(None if ordered else one.job.profile)
                    finished[_place(one.job)] = one
                while finished and (not ordered or places[0] in finished):
                    self._writers.under_way -= 1
                    yield finished.pop(places.popleft() if ordered else next(iter(finished)))
            self._sync()

    def _journal_of(self, profile: str | None) -> Journal:
        found = self._journals
        return found if isinstance(found, Journal) else found[profile]

    def _record_as_sent(self, batch: Sequence[JobT]) -> None:
        entries: defaultdict[Journal, list[JournalEntry]] = defaultdict(list)
        for job in batch:
            entries[self._journal_of(job.profile)].append(job.sent)
        for journal, entries_of in entries.items():
            journal.add_sent(entries_of)

    def _sync(self) -> None:
        found = self._journals
        for journal in [found] if isinstance(found, Journal) else found.values():
            journal.sync()

    def _turn_of(self, item: ItemT) -> str | None:
        # An ordered run treats all items as one connection.
        return None if self._writers.ordered else self._way.profile_of(item)

    def _jobs(self, turns: FairTurns[ItemT]) -> Iterator[JobT]:
        while not self._stops.ended and (item := turns.take()) is not None:
            stopped = self._stops.stopped.get(self._way.profile_of(item))
            job = self._way.plan(item) if stopped is None else None
            if job is None:
                turns.ended(self._turn_of(item))
            else:
                yield job

    def _room(self) -> int:
        return min(self._workers.free, self._writers.slots.room(self._workers.busy))

    def _record_finished(self) -> list[SentJob[JobT]]:
        ended = self._workers.take(_SYNC_EVERY)
        for job in ended:
            self._journal_of(job.job.profile).add([job.attempt.entry])
        if not ended:
            self._sync()
        return ended

    def _client(self, profile: str | None) -> AbstractContextManager[Client]:
        return self._writers.lend(profile or "", lambda: self._way.open_client(profile))

    def _send(self, job: JobT) -> Generator[SentJob[JobT]]:
        try:
            # Wait until this worker may send a request.
            with self._writers.turn(), self._client(job.profile) as client:
                found = self._way.attempt(client, job)
        except UnifiedError as error:
            # The client could not be opened, for example because the token is missing.
            found = outcome.failed(job.sent.n, error)
        # Stop at once, even if earlier results are still pending.
        self._stops.note(job.profile, found.error)
        yield SentJob(job, found)
