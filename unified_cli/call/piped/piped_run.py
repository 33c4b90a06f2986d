"""Send the requests of piped lines with several workers, and print the answers."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext
from typing import NamedTuple

import msgspec

from unified_cli import signals
from unified_cli.call import Call
from unified_cli.call.piped.piped_jobs import PipedJob, Targets
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.fair_turns import FairTurns
from unified_cli.fleet.idle_clients import ClientPool
from unified_cli.fleet.pool import WorkerPool
from unified_cli.fleet.slots import WorkerSlots
from unified_cli.http.client import Client
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.masking import masked
from unified_cli.output import stdout
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Progress
from unified_cli.plural import counted, named
from unified_cli.writes import attempt as write_attempt
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import EntryState, JournalEntry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.sender import JournaledSender, SentJob

# So many connections to the network are kept open, for as many connections to products.
_MOST_OPEN = 64


class _NumberedJob(NamedTuple):
    """A job with a request, and the line that says that it is sent."""

    job: PipedJob
    request: Request
    sent: JournalEntry


class PipedRun:
    """Sends jobs with several workers and prints the answers: of one connection in the order of the jobs.

    With a `run` they are writes, which stand in its journal.
    """

    def __init__(
        self,
        call: Call,
        targets: Targets,
        uses: tuple[Clients, Printer, Progress],
        run: StoredRun | None,
        slots: WorkerSlots | None,
    ) -> None:
        """`slots` are given up by the threads that wait for a limit; without them, all stand still then."""
        self._runtime = call.runtime
        self._targets = targets
        self._run = run
        self._ordered = None in targets or call.options.ordered
        clients, self._printer, self._shown = uses
        self._slots = slots
        self._workers = call.options.workers if slots is None else slots.threads(len(targets))
        self._open = clients.open
        self._clients = ClientPool(max(self._workers, min(len(targets), _MOST_OPEN)))
        self._tried = 0
        self._told = 0
        self._failed = Counter[str | None]()
        self._unknown = 0
        self._stopped: dict[str | None, UnifiedError] = {}
        self._unprinted: UnifiedError | stdout.ClosedError | None = None

    def all(self, jobs: Sequence[PipedJob]) -> None:
        """Send them all, print the answers, and raise the error that sums up the run."""
        # In order all are of one connection, as it were.
        turns = FairTurns(jobs, lambda job: None if self._ordered else job.profile)
        for job in jobs:
            if job.request is None:
                self._tried += 1
                self._count(job, unknown=False, failed=True)
                self._tell(job, job.wrong)
        try:
            with closing(self._clients):
                for (job, _, _), attempt in self._results(turns):
                    turns.ended(job)
                    error = attempt.error
                    self._count(job, unknown=isinstance(error, UnknownError), failed=error is not None)
                    self._print(job, attempt)
            self._raise_error(len(jobs))
        except KeyboardInterrupt as stop:
            self._note_interruption(stop, jobs)
            raise
        except UnifiedError as error:
            error.next_command = self._next
            raise

    def _results(self, turns: FairTurns[PipedJob]) -> Iterator[SentJob[_NumberedJob]]:
        requests = self._until_stopped(turns)
        if self._run is not None:
            sender = JournaledSender(self._run.journal, self._workers, self._send, self._slots)
            yield from sender.outcomes(requests, ordered=self._ordered)
            return
        with WorkerPool(self._workers, self._read) as pool:
            yield from pool.results(requests, ordered=self._ordered)

    def _until_stopped(self, turns: FairTurns[PipedJob]) -> Iterator[_NumberedJob]:
        while self._unprinted is None and (job := turns.take()):
            if job.request is None or job.profile in self._stopped:
                turns.ended(job)
                continue
            self._tried += 1
            entry = JournalEntry(EntryState.SENT, job.number, k=job.request.key or "", t=self._runtime.wall())
            yield _NumberedJob(job, job.request, entry)

    def _read(self, job: _NumberedJob) -> Generator[SentJob[_NumberedJob]]:
        attempt = self._send(job)
        if attempt.answer and attempt.answer.body is None:
            wrong = IncompleteError(f"{job.request.path} is {attempt.answer.content_type}, not a record")
            attempt = write_attempt.failed(job.sent.n, wrong)
        yield SentJob(job, attempt)

    def _send(self, job: _NumberedJob) -> WriteAttempt:
        profile = job.job.profile
        slot = self._slots.held() if self._slots else nullcontext()
        with slot, self._clients.lend(lambda: self._client(profile), profile or "") as client:
            attempt = write_attempt.attempt(client, job.request, job.sent.n, None)
        if attempt.error and attempt.error.stops_connection:
            # At once, although earlier results may still be pending.
            self._stopped.setdefault(profile, attempt.error)
        return attempt

    def _client(self, profile: str | None) -> Client:
        return self._open(self._targets[profile], name=profile, patience=Patience.ENDLESS)

    def _count(self, job: PipedJob, *, unknown: bool, failed: bool) -> None:
        self._told += 1
        self._shown.add(1, failed=failed)
        self._failed[job.profile] += failed
        self._unknown += unknown

    def _print(self, job: PipedJob, attempt: WriteAttempt) -> None:
        """Print an answer. Where that fails no more is sent, and of writes what is under way is still written down."""
        try:
            if self._unprinted is None:
                self._put(job, attempt)
        except (UnifiedError, stdout.ClosedError) as error:
            self._unprinted = error
            if self._run is None:
                raise

    def _put(self, job: PipedJob, attempt: WriteAttempt) -> None:
        if (error := attempt.error) is not None:
            key = f"; its key was {error.idempotency_key}" if error.idempotency_key else ""
            self._tell(job, f"{error.one_line}{key}")
        elif attempt.answer and attempt.answer.body:
            self._printer.page([msgspec.Raw(attempt.answer.body)], one_line=False, profile=job.profile)

    def _tell(self, job: PipedJob, what: str) -> None:
        where = f" ({job.profile})" if job.profile else ""
        self._runtime.stderr.line(f"line {job.line}{where}: {what}")

    def _note_interruption(self, stop: KeyboardInterrupt, jobs: Sequence[PipedJob]) -> None:
        """Add to the signal how many lines are done; those after them were sent, or not, without an answer so far."""
        under_way = self._tried - self._told
        done = f"{self._told} of {counted(len(jobs), 'line')}" + (
            f", {under_way} more {'was' if under_way == 1 else 'were'} sent" if under_way else ""
        )
        if self._told == len(jobs):
            onward = "nothing is left"
        elif self._run is not None and self._run.kept:
            onward = f"unified runs resume {self._run.id}"
        elif self._ordered:
            onward = f"the input from line {jobs[self._told].line} on"
        else:
            onward = "the lines without an answer so far"
        signals.say_how_to_continue(stop, done, onward)

    @property
    def _next(self) -> str | None:
        """The command that continues the run."""
        if self._run is None or not self._run.kept:
            return None
        states = self._run.journal.outcomes()
        if states["not-tried"] or states["in-doubt"]:
            return f"unified runs resume {self._run.id}"
        return f"unified runs retry {self._run.id}" if states["failed"] else None

    def _raise_error(self, count: int) -> None:
        if self._unprinted is not None:
            raise self._unprinted
        missing = [] if self._stopped else self._printer.end()
        if self._unknown:
            raise UnknownError(f"{self._unknown} of {count} may or may not have been done")
        if None in self._stopped:
            stopped = self._stopped[None]
            stopped.message = masked(
                f"stopped with {count - self._tried} of {counted(count, 'line')} not tried: {stopped.message}"
            )
            raise stopped
        if failed := self._failed.total():
            missing.append(f"failed: {failed} of {count}{self._by_connection()}")
        if count > self._tried:
            missing.append(f"not tried: {count - self._tried}, as {', '.join(map(str, self._stopped))} failed")
        if missing:
            raise IncompleteError("; ".join(missing))

    def _by_connection(self) -> str:
        """How many failed of each connection, where there are several."""
        found = [f"{name} {number}" for name, number in self._failed.most_common() if name and number]
        return f" ({named(found)})" if found else ""
