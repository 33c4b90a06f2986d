"""Send the calls of a run, print what became of each, and say at the end what is left."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from unified_cli import signals
from unified_cli.call import Call
from unified_cli.call.write_results import WriteResults
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.idle_clients import ClientPool
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.output import stdout
from unified_cli.output.progress import Progress, progress
from unified_cli.output.progress_line import Work
from unified_cli.plural import counted
from unified_cli.writes import attempt as write_attempt
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, EntryState, JournalEntry, RunCall
from unified_cli.writes.run import StoredRun
from unified_cli.writes.sender import JournaledSender, SentJob
from unified_cli.writes.stop_rules import StopRules
from unified_cli.writes.summary import RunErrors, RunSummary


@dataclass(frozen=True, slots=True)
class _CallJob:
    """A call that is to be sent, and the line that says so."""

    call: RunCall
    request: Request
    sent: JournalEntry


def announce(call: Call, run: StoredRun, not_kept: StorageError | None) -> None:
    """Tell the id of a run that begins, or why it has none."""
    stderr = call.runtime.stderr
    if not_kept is not None:
        stderr.line(f"this run cannot be resumed: {not_kept.message}")
        return
    stderr.begin_run(run.id)


def send(call: Call, run: StoredRun, connections: RunConnections, numbers: Sequence[int], rules: StopRules) -> None:
    """Send these calls of a run, which were checked, and print the results; `call` is common to all connections.

    Raises the error that sums up the whole run, if not all of it is done.
    """
    runtime = call.runtime
    errors = RunErrors()
    unprinted: UnifiedError | None = None
    if numbers:
        results = WriteResults(call, connections)
        work = Work("connection", total=len(numbers))
        with progress(runtime, work, to_stdout=True) as shown, Clients(runtime, call.catalogue) as clients:
            _RunSending(call, run, connections, (clients, results, shown)).all(numbers, rules, errors)
        unprinted = results.end()
    summary = RunSummary(run, connections, runtime.wall())
    summary.show(runtime)
    if unprinted is not None and not summary.is_done:
        runtime.stderr.line(unprinted.message)
    summary.raise_error(errors)
    if unprinted is not None:
        raise unprinted


class _RunSending:
    """Sends calls with several workers."""

    def __init__(
        self,
        call: Call,
        run: StoredRun,
        connections: RunConnections,
        uses: tuple[Clients, WriteResults, Progress],
    ) -> None:
        self._call = call
        self._run = run
        self._connections = connections
        self._clients, self._results, self._shown = uses
        self._idle = ClientPool(call.options.workers)
        self._tried = 0
        self._ended = 0
        self._stopped = False
        self._unprinted: UnifiedError | stdout.ClosedError | None = None

    def all(self, numbers: Sequence[int], rules: StopRules, errors: RunErrors) -> None:
        """Send all, as far as the rules go, and print each result."""
        try:
            with closing(self._idle):
                for part in rules.parts(len(numbers)):
                    self._stage([numbers[position] for position in part], rules, errors)
                    if self._stopped or rules.ends_stage(errors.count):
                        break
            if self._unprinted is not None:
                raise self._unprinted
            for number in numbers[self._tried :]:
                entry = self._run.journal.call(number)
                if entry.call is not None:
                    self._results.put_untried(entry.call, entry.k)
        except KeyboardInterrupt as stop:
            done = f"{self._ended} of {counted(len(numbers), 'connection')}"
            signals.say_how_to_continue(stop, done, self._resume or signals.RUN_AGAIN)
            raise
        except UnifiedError as error:
            is_done = self._ended == len(numbers) and not errors.count
            error.next_command = f"unified runs show {self._run.id}" if is_done and self._run.kept else self._resume
            raise

    @property
    def _resume(self) -> str | None:
        return f"unified runs resume {self._run.id}" if self._run.kept else None

    def _stage(self, numbers: Sequence[int], rules: StopRules, errors: RunErrors) -> None:
        sender = JournaledSender(self._run.journal, self._call.options.workers, self._attempt)
        for sent in sender.outcomes(self._jobs(numbers)):
            self._ended += 1
            error = sent.attempt.error
            self._shown.add(1, failed=error is not None)
            if error is not None:
                errors.add(error)
                self._stopped = self._stopped or rules.stops(errors.count)
            self._print(sent)

    def _print(self, sent: SentJob[_CallJob]) -> None:
        """Print a result. Where that fails nothing more is sent, and what is under way is still written down."""
        if self._unprinted is None:
            try:
                self._results.put(sent.job.call, sent.job.sent.k, sent.attempt)
            except (UnifiedError, stdout.ClosedError) as error:
                self._unprinted, self._stopped = error, True

    def _jobs(self, numbers: Sequence[int]) -> Iterator[_CallJob]:
        journal = self._run.journal
        for number in numbers:
            if self._stopped:
                return
            planned, before = journal.call(number), journal.sent(number)
            if planned.call is None:
                continue
            doubtful = journal.state(number) in IN_DOUBT
            at = before.t if before and doubtful else self._call.runtime.wall()
            request = self._connections.request(planned.call, self._run.body, planned.k)
            self._tried += 1
            entry = JournalEntry(EntryState.SENT, number, k=planned.k, t=at)
            yield _CallJob(planned.call, request._replace(in_doubt=doubtful), entry)

    def _attempt(self, job: _CallJob) -> WriteAttempt:
        number = job.sent.n
        try:
            profile = job.call.profile
            settings = self._connections.settings(profile)
            make = partial(self._clients.open, settings, name=profile, patience=Patience.ENDLESS)
            with self._idle.lend(make, profile or "") as client:
                return write_attempt.attempt(client, job.request, number, None)
        except UnifiedError as error:
            # No client could be made, such as for want of a token.
            return write_attempt.failed(number, error)
