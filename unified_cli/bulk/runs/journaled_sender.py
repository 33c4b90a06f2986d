"""Send many writes with several workers: each is in the journal before it is sent, its outcome after."""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Generic, Protocol, TypeVar

from unified_cli.bulk.runs.journal_entry import JournalEntry
from unified_cli.bulk.runs.run_journal import Journal
from unified_cli.bulk.worker_pool import WorkerPool

_SYNC_EVERY = 1.0
# In order, so many jobs may be begun for each worker: a slow one should not hold up those after it.
_AHEAD = 4


class JournaledJob(Protocol):
    """Something to be sent, and the line that says so."""

    @property
    def sent(self) -> JournalEntry:
        """The line."""


class JournaledOutcome(Protocol):
    """What became of a job, as the journal is told."""

    @property
    def entry(self) -> JournalEntry:
        """The line."""


JobT = TypeVar("JobT", bound=JournaledJob)
OutcomeT = TypeVar("OutcomeT", bound=JournaledOutcome)


class JournaledSender(Generic[JobT, OutcomeT]):
    """Sends jobs; `attempt` sends one, in the thread of a worker, and gives what became of it."""

    def __init__(self, journal: Journal, workers: int, attempt: Callable[[JobT], OutcomeT]) -> None:
        self._journal = journal
        self._attempt = attempt
        self._workers = WorkerPool(workers, self._send)
        self._ahead = _AHEAD * workers

    def outcomes(self, jobs: Iterator[JobT], *, ordered: bool = False) -> Iterator[OutcomeT]:
        """What becomes of each job, as it comes or `ordered` as the jobs are.

        The next jobs are taken when there are workers for them; those of the same moment are put on the disk together.
        Raises StorageError of the journal.
        """
        turns: deque[int] = deque()
        held: dict[int, OutcomeT] = {}
        with self._workers:
            while True:
                if batch := [*islice(jobs, min(self._workers.free, self._ahead - len(turns)))]:
                    self._journal.add_sent([job.sent for job in batch])
                    for job in batch:
                        self._workers.submit(job)
                    turns.extend(job.sent.n for job in batch if ordered)
                if not self._workers.busy:
                    # Raises what a worker raised when the others were done.
                    self._workers.take(0)
                    break
                outcomes = self._take()
                if ordered:
                    held.update((outcome.entry.n, outcome) for outcome in outcomes)
                    while turns and turns[0] in held:
                        yield held.pop(turns.popleft())
                else:
                    yield from outcomes
            self._journal.sync()

    def _take(self) -> list[OutcomeT]:
        """What became of some jobs, which the journal is told, and the disk where nothing came for a while."""
        outcomes = self._workers.take(_SYNC_EVERY)
        if outcomes:
            self._journal.add(outcome.entry for outcome in outcomes)
        else:
            self._journal.sync()
        return outcomes

    def _send(self, job: JobT) -> Generator[OutcomeT]:
        yield self._attempt(job)
