"""What a run tells of each write, whether it goes through at once, is resumed or retried."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import msgspec

from unified_cli.catalogue import Operation, Service
from unified_cli.errors import IncompleteError, UnifiedError
from unified_cli.http.answer.page_body import unwrapped
from unified_cli.json_text.members import Record
from unified_cli.output.printer import Printer
from unified_cli.stderr import Stderr
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import OUTCOMES, EntryState, RunCall


class ToldCall(NamedTuple):
    """A call of a run with its key, and what became of it; None where it was not tried."""

    call: RunCall
    key: str
    attempt: WriteAttempt | None = None


class RunResults(Protocol):
    """Tells what became of the writes of a run; `causes` says that the summary at the end groups them by cause."""

    causes: bool

    def put(self, told: ToldCall) -> None:
        """Tell what became of a call."""

    def end(self) -> UnifiedError | None:
        """Complete the output; gives what is wrong with it, which changes nothing of what was done."""


class OutcomeRecords:
    """Prints a record for each call: its `outcome`, its `status`, then the `result` or the `error`, and the key."""

    causes = True

    def __init__(self, printer: Printer, service: Service, operation_of: Callable[[str], Operation]) -> None:
        """`operation_of` gives the operation of a command."""
        self._printer, self._service, self._operation_of = printer, service, operation_of

    def put(self, told: ToldCall) -> None:
        """Print what became of a call."""
        call, _, attempt = told
        if attempt is None:
            self._put(told, EntryState.NEW, [("status", b"null")])
            return
        if attempt.error is not None:
            facts = {name: value for name, value in attempt.error.facts().items() if name != "idempotency_key"}
            name, value = "error", msgspec.json.encode(facts)
        else:
            body = (attempt.answer.body if attempt.answer else None) or b"null"
            name, value = "result", unwrapped(body, self._service, self._operation_of(call.operation))
        status = msgspec.json.encode(attempt.entry.status or None)
        self._put(told, attempt.entry.s, [("status", status), (name, value)])

    def end(self) -> UnifiedError | None:
        """Complete the output."""
        return _ended(self._printer)

    def _put(self, told: ToldCall, state: EntryState, members: list[tuple[str, bytes]]) -> None:
        shown = [
            ("outcome", msgspec.json.encode(OUTCOMES[state])),
            *members,
            ("idempotency_key", msgspec.json.encode(told.key or None)),
        ]
        text = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in shown)
        self._printer.page([Record(b"{%b}" % text)], one_line=False, profile=told.call.profile)


class ServedRecords:
    """Prints the served record of each line that was done, and why the others were not on stderr.

    With `several` connections each record and each line names its own.
    """

    causes = False

    def __init__(self, printer: Printer, stderr: Stderr, *, several: bool) -> None:
        self._printer, self._stderr, self._several = printer, stderr, several

    def put(self, told: ToldCall) -> None:
        """Print the record of a line that was done, or why it was not; the last line counts what was not tried."""
        call, _, attempt = told
        if attempt is None:
            return
        if attempt.error is not None:
            key = attempt.error.idempotency_key
            self.tell(call.line, call.profile, f"{attempt.error.one_line}{f'; its key was {key}' if key else ''}")
        elif attempt.answer and attempt.answer.body:
            profile = call.profile if self._several else None
            self._printer.page([Record(attempt.answer.body)], one_line=False, profile=profile)

    def tell(self, line: int, profile: str | None, why: str) -> None:
        """Say why a line was not done."""
        where = f" ({profile})" if self._several and profile else ""
        self._stderr.line(f"line {line}{where}: {why}")

    def end(self) -> UnifiedError | None:
        """Complete the output."""
        return _ended(self._printer)


def _ended(printer: Printer) -> UnifiedError | None:
    try:
        missing = printer.end()
    except UnifiedError as error:
        return error
    return IncompleteError("; ".join(missing)) if missing else None
