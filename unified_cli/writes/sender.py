"""Send many writes with several workers: each is in the journal before it is sent, its outcome after."""

from collections import deque
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from unified_cli.fleet.pool import WorkerPool
from unified_cli.fleet.slots import WorkerSlots
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import JournalEntry
from unified_cli.writes.journal import Journal

_SYNC_EVERY = 1.0
# In order, so many jobs may be begun for each worker: a slow one should not hold up those after it.
_AHEAD = 4


class JournaledJob(Protocol):
    """Something to be sent, and the line that says so."""

    @property
    def sent(self) -> JournalEntry:
        """The line."""


JobT = TypeVar("JobT", bound=JournaledJob)


class SentJob(NamedTuple, Generic[JobT]):
    """A job, and what became of it."""

    job: JobT
    attempt: WriteAttempt


class JournaledSender(Generic[JobT]):
    """Sends jobs; `attempt` sends one, in the thread of a worker, and gives what became of it.

    `slots`, where there are any, are held by the workers that do not wait: no more jobs are begun than can go on.
    """

    def __init__(
        self,
        journal: Journal,
        workers: int,
        attempt: Callable[[JobT], WriteAttempt],
        slots: WorkerSlots | None = None,
    ) -> None:
        self._journal = journal
        self._attempt = attempt
        self._workers = WorkerPool(workers, self._send)
        self._ahead = _AHEAD * workers
        self._slots = slots

    def outcomes(self, jobs: Iterator[JobT], *, ordered: bool = False) -> Iterator[SentJob[JobT]]:
        """Each job with what became of it, as it comes or `ordered` as the jobs are.

        The next jobs are taken when there are workers for them; those of the same moment are put on the disk together.
        Raises StorageError of the journal.
        """
        turns: deque[int] = deque()
        held: dict[int, SentJob[JobT]] = {}
        with self._workers:
            while True:
                if batch := [*islice(jobs, min(self._room(), self._ahead - len(turns)))]:
                    self._journal.add_sent([job.sent for job in batch])
                    for job in batch:
                        self._workers.submit(job)
                    turns.extend(job.sent.n for job in batch if ordered)
                if not self._workers.busy:
                    # Raises what a worker raised when the others were done.
                    self._workers.take(0)
                    break
                ended = self._take()
                if ordered:
                    held.update((one.job.sent.n, one) for one in ended)
                    while turns and turns[0] in held:
                        yield held.pop(turns.popleft())
                else:
                    yield from ended
            self._journal.sync()

    def _room(self) -> int:
        free = self._workers.free
        return min(free, self._slots.room(self._workers.busy)) if self._slots else free

    def _take(self) -> list[SentJob[JobT]]:
        """Some jobs that ended: the journal is told of them, and put on the disk where none did for a while."""
        ended = self._workers.take(_SYNC_EVERY)
        if ended:
            self._journal.add(one.attempt.entry for one in ended)
        else:
            self._journal.sync()
        return ended

    def _send(self, job: JobT) -> Generator[SentJob[JobT]]:
        yield SentJob(job, self._attempt(job))
