"""Report the outcome of each write of a run, whether the run is new, resumed or
retried.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol

import msgspec

from unified_cli.catalogue import Operation, Service
from unified_cli.errors import IncompleteError, RecordProgramError, UnifiedError, UsageError
from unified_cli.http.page_body import unwrapped
from unified_cli.json_text.members import Record
from unified_cli.masking import NO_TEXT, MaskedText, masked, visible
from unified_cli.output import screen
from unified_cli.output.printer import Printer
from unified_cli.output.screen import Column, Look, Word
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr
from unified_cli.text_width import width
from unified_cli.writes.entry import OUTCOMES, EntryState, RunCall
from unified_cli.writes.outcome import WriteAttempt

_HEADS = (Column("profile", cut=True), "outcome", "status", Column("reason", cut=True))
_LOOKS = {
    "done": Look.GOOD,
    "failed": Look.BAD,
    "in-doubt": Look.DOUBT,
    "not-tried": Look.OPEN,
    "left-out": Look.OPEN,
}


class ReportedCall(NamedTuple):
    """A call of a run, and its idempotency key. `attempt` is None if the call was not
    sent.
    """

    call: RunCall
    key: str
    attempt: WriteAttempt | None = None


class RunResults(Protocol):
    """Reports the writes of a run. With `causes`, the summary groups them by cause."""

    causes: bool

    def put(self, reported: ReportedCall) -> None:
        """Report the outcome of a call."""

    def end(self) -> UnifiedError | None:
        """Complete the output. Returns an error if the output is not complete, which
        does not affect the writes.
        """


class OutcomeRecords:
    """Prints a record for each call.

    The record has the `outcome`, the `status`, the `result` or the `error`, and the
    `idempotency_key` of the call.
    """

    causes = True

    def __init__(
        self, printer: Printer, service: Service, operation_of: Callable[[str], Operation]
    ) -> None:
        """`operation_of` returns the operation of a command."""
        self._printer, self._service, self._operation_of = printer, service, operation_of

    def put(self, reported: ReportedCall) -> None:
        """Print the outcome of a call."""
        call, _, attempt = reported
        if attempt is None:
            self._put(reported, EntryState.NEW, [("status", b"null")])
            return
        if attempt.error is not None:
            facts = {
                name: value
                for name, value in attempt.error.facts().items()
                if name != "idempotency_key"
            }
            name, value = "error", msgspec.json.encode(facts)
        else:
            body = (attempt.response.body if attempt.response else None) or b"null"
            name, value = (
                "result",
                unwrapped(body, self._service, self._operation_of(call.operation)),
            )
        status = msgspec.json.encode(attempt.entry.status or None)
        self._put(reported, attempt.entry.s, [("status", status), (name, value)])

    def end(self) -> UnifiedError | None:
        """Complete the output."""
        return _end(self._printer)

    def _put(
        self, reported: ReportedCall, state: EntryState, members: list[tuple[str, bytes]]
    ) -> None:
        shown = [
            ("outcome", msgspec.json.encode(OUTCOMES[state])),
            *members,
            ("idempotency_key", msgspec.json.encode(reported.key or None)),
        ]
        text = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in shown)
        self._printer.page([Record(b"{%b}" % text)], one_line=False, profile=reported.call.profile)


class OutcomeTable:
    """Prints a row for each call to a terminal: its connection, outcome, status and
    reason.

    Long reasons are cut, because the summary prints complete reasons.
    """

    causes = True

    def __init__(self, runtime: Runtime, names: Iterable[str]) -> None:
        """`names` are the names of the connections."""
        outcomes = ["outcome", *OUTCOMES.values()]
        widest = [
            _widest(["profile", *names]),
            _widest(outcomes),
            _widest(["status"]),
            runtime.width,
        ]
        self._rows = screen.StreamedTable(runtime, _HEADS, widest)

    def put(self, reported: ReportedCall) -> None:
        """Print the outcome of a call."""
        call, _, attempt = reported
        state = attempt.entry.s if attempt else EntryState.NEW
        outcome = Word(masked(OUTCOMES[state].replace("-", " ")), _LOOKS[OUTCOMES[state]])
        status = masked(str(attempt.entry.status)) if attempt and attempt.entry.status else NO_TEXT
        reason = _short_reason(attempt.error) if attempt and attempt.error else NO_TEXT
        self._rows.show([masked(call.profile or ""), outcome, status, reason])

    def end(self) -> UnifiedError | None:
        """Do nothing: all rows are printed."""
        return None


def _widest(words: Iterable[str]) -> int:
    return max(width(visible(word)) for word in words)


def _short_reason(error: UnifiedError) -> MaskedText:
    message = error.reason.partition(": ")[2] if error.status else ""
    return masked(message) if message else error.message


class ServedRecords:
    """Prints the record in each response to stdout, and the errors of failed lines to
    stderr.

    With `several` connections, records and errors name their connection. With `reads`,
    the run continues if a jq program fails on a record.
    """

    causes = False

    def __init__(self, printer: Printer, stderr: Stderr, *, several: bool, reads: bool) -> None:
        self._printer, self._stderr, self._several = printer, stderr, several
        self._reads, self._unprinted = reads, 0

    def put(self, reported: ReportedCall) -> None:
        """Print the record in the response, or why the line failed."""
        call, _, attempt = reported
        if attempt is None:
            return
        if attempt.error is not None:
            key = attempt.error.idempotency_key
            self.print_reason(
                call.line,
                call.profile,
                f"{attempt.error.one_line}{f'; its key was {key}' if key else ''}",
            )
        elif attempt.response and attempt.response.body:
            profile = call.profile if self._several else None
            try:
                self._printer.page([Record(attempt.response.body)], one_line=False, profile=profile)
            except RecordProgramError as error:
                if not self._reads:
                    raise
                self._unprinted += 1
                self.print_reason(call.line, call.profile, error.one_line)

    def print_reason(self, line: int, profile: str | None, why: str) -> None:
        """Print why a line was not done."""
        where = f" ({profile})" if self._several and profile else ""
        self._stderr.line(f"line {line}{where}: {why}")

    def end(self) -> UnifiedError | None:
        """Complete the output."""
        ended = _end(self._printer)
        if self._unprinted and ended is None:
            ended = UsageError(f"--jq fails on {counted(self._unprinted, 'record')}")
        return ended


def _end(printer: Printer) -> UnifiedError | None:
    try:
        missing = printer.end()
    except UnifiedError as error:
        return error
    return IncompleteError("; ".join(missing)) if missing else None
