"""Send the calls of a run, report each outcome, and print a summary."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli import signals
from unified_cli.errors import ClosedOutputError, IncompleteError, UnifiedError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.output import stdout
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, EntryState, JournalEntry, RunCall, RunKind
from unified_cli.writes.outcome import WriteAttempt
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.results import ReportedCall, RunResults
from unified_cli.writes.run import StoredRun
from unified_cli.writes.sender import FairWriters, Sender, SendWay, SentJob
from unified_cli.writes.stop_rules import ConnectionStops, StopRules
from unified_cli.writes.summary import RunSummary


class CallItem(NamedTuple):
    """The number of a call, and its connection."""

    number: int
    profile: str | None


@dataclass(frozen=True, slots=True)
class CallJob:
    """A call to send, and its journal entry."""

    call: RunCall
    request: Request
    sent: JournalEntry

    @property
    def profile(self) -> str | None:
        """The name of the connection."""
        return self.call.profile


def begin_run(
    runtime: Runtime, header: RunHeader, calls: Callable[[], Iterator[JournalEntry]]
) -> StoredRun:
    """Create a run with these calls. Print the id of the run or, if it cannot be
    resumed, the reason.
    """
    run, not_kept = StoredRun.begin(RunRegistry(runtime), header, calls)
    if not_kept is not None:
        runtime.stderr.line(f"this run cannot be resumed: {not_kept.message}")
    else:
        runtime.stderr.begin_run(run.id)
    return run


@dataclass(slots=True)
class RunSender:
    """Sends calls of a run, which the caller has checked."""

    runtime: Runtime
    run: StoredRun
    connections: RunConnections
    writers: FairWriters
    results: RunResults
    verb: str = ""
    """`resume`, `retry`, or empty for a new run."""
    _tried: set[int] = field(default_factory=set)
    _ended: int = 0
    _failed: int = 0
    _errors: dict[int, UnifiedError] = field(default_factory=dict)
    """One error for each exit code of the calls."""
    _writes: bool = False
    _unprinted: UnifiedError | stdout.ClosedError | None = None

    def send(self, items: Sequence[CallItem], rules: StopRules, *, failed: int = 0) -> None:
        """Send these calls until a rule stops them, and report each outcome.

        `failed` counts other calls that have already failed. Raises the error that
        summarises the run, if a call is not done.
        """
        stops = ConnectionStops(alone=not self.run.several)
        self._failed = failed
        if rules.stops(failed):
            stops.end()
        unprinted: UnifiedError | None = None
        if items:
            with progress(
                self.runtime, Work(self.run.kind.unit, total=len(items)), to_stdout=True
            ) as shown:
                self._send_all(items, rules, stops, shown)
            # Do not complete the output of an interrupted run, so that parsers reject
            # it.
            unprinted = None if stops.error else self.results.end()
        wall = self.runtime.wall()
        summary = RunSummary(self.run, self.connections, wall, self._errors, self.verb)
        if self.results.causes:
            summary.show(self.runtime)
        else:
            summary.show_doubt(self.runtime)
        if unprinted is not None and not summary.is_done:
            self.runtime.stderr.line(unprinted.message)
        summary.conclude(stops.error)
        if unprinted is not None:
            raise unprinted

    def _send_all(
        self, items: Sequence[CallItem], rules: StopRules, stops: ConnectionStops, shown: Progress
    ) -> None:
        try:
            for part in rules.parts(len(items)):
                self._stage([items[position] for position in part], rules, stops, shown)
                if stops.ended or rules.ends_stage(self._failed):
                    break
            if isinstance(self._unprinted, stdout.ClosedError):
                raise self._closed(self._unprinted, items)
            if self._unprinted is not None:
                raise self._unprinted
            for number in (item.number for item in items if item.number not in self._tried):
                planned = self.run.journal.call(number)
                if planned.call is not None:
                    self.results.put(ReportedCall(planned.call, planned.k))
        except KeyboardInterrupt as stop:
            self._note_interruption(stop, items)
            raise
        except UnifiedError as error:
            is_done = self._ended == len(items) and not self._failed
            error.next_command = (
                f"unified runs show {self.run.id}" if is_done and self.run.kept else self._resume
            )
            raise

    @property
    def _resume(self) -> str | None:
        return f"unified runs resume {self.run.id}" if self.run.kept else None

    def _stage(
        self, items: Sequence[CallItem], rules: StopRules, stops: ConnectionStops, shown: Progress
    ) -> None:
        way = SendWay[CallItem, CallJob](
            lambda item: item.profile, self._job, self._client, _attempt
        )
        for sent in Sender(self.writers, self.run.journal, way, stops).outcomes(items):
            self._ended += 1
            error = sent.attempt.error
            shown.add(1, failed=error is not None)
            if error is not None:
                self._failed += 1
                self._errors.setdefault(int(error.code), error)
                if rules.stops(self._failed):
                    stops.end()
            self._report(sent, stops)

    def _report(self, sent: SentJob[CallJob], stops: ConnectionStops) -> None:
        """Report a result. If the report fails, stop sending, but still record the
        outcomes of calls in flight.
        """
        self._writes = sent.job.request.writes
        if self._unprinted is None:
            try:
                self.results.put(ReportedCall(sent.job.call, sent.job.sent.k, sent.attempt))
                if not (self._writes or self._failed):
                    stdout.check_read(self.runtime)
            except (UnifiedError, stdout.ClosedError) as error:
                self._unprinted = error
                stops.end()

    def _job(self, item: CallItem) -> CallJob | None:
        journal, number = self.run.journal, item.number
        planned, before = journal.call(number), journal.sent(number)
        if planned.call is None:
            return None
        doubtful = journal.state(number) in IN_DOUBT
        at = before.t if before and doubtful else self.runtime.wall()
        request = self.connections.request(planned.call, self.run.body, planned.k)
        self._tried.add(number)
        entry = JournalEntry(EntryState.SENT, number, k=planned.k, t=at)
        return CallJob(planned.call, request._replace(in_doubt=doubtful), entry)

    def _closed(
        self, closed: stdout.ClosedError, items: Sequence[CallItem]
    ) -> UnifiedError | stdout.ClosedError:
        """Return the error for closed output. The error has a message if there are
        writes left to send.
        """
        if self._ended == len(items) or not self._writes:
            return closed
        onward = "" if self._resume else f"; to continue: {self._continuation(items)}"
        return ClosedOutputError(
            f"the reader closed the output; stopped after {self._done_of(items)}{onward}"
        )

    def _done_of(self, items: Sequence[CallItem]) -> str:
        return f"{self._ended} of {counted(len(items), self.run.kind.unit)}"

    def _client(self, profile: str | None) -> Client:
        settings = self.connections.settings(profile)
        name = profile if self.run.several else None
        return self.writers.clients.open_bulk(settings, name=name)

    def _note_interruption(self, stop: KeyboardInterrupt, items: Sequence[CallItem]) -> None:
        """Add the number of finished calls to the message of a signal. The number does
        not include calls in flight.
        """
        done = self.writers.so_far(self._done_of(items))
        signals.say_how_to_continue(stop, done, self._continuation(items))

    def _continuation(self, items: Sequence[CallItem]) -> str:
        if self._ended == len(items):
            return "nothing is left to do"
        if self._resume:
            return self._resume
        if self.run.kind is not RunKind.LINES:
            return signals.RUN_AGAIN
        if not self.run.ordered:
            return "send the lines that have no answer yet"
        call = self.run.journal.call(items[self._ended].number).call
        return f"send the input from line {call.line if call else 1} on"


def _attempt(client: Client, job: CallJob) -> WriteAttempt:
    number, request = job.sent.n, job.request
    result = outcome.attempt(client, request, number, None)
    if result.response and result.response.body is None and not request.writes:
        wrong = IncompleteError(f"{request.path} is {result.response.content_type}, not a record")
        return outcome.failed(number, wrong)
    return result


def items_of(run: StoredRun, numbers: Iterable[int]) -> Iterator[CallItem]:
    """Yield the items for the calls that have a request."""
    for number in numbers:
        call = run.journal.call(number).call
        if call is not None and call.is_request:
            yield CallItem(number, call.profile)
