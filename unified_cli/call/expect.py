"""Run a read with `--expect` or `--until`: print the result, and exit with 14 if it is
not as expected.
"""

from collections.abc import Sequence
from contextlib import closing
from http import HTTPStatus

from unified_cli import signals
from unified_cli.call import (
    Mode,
    RequestOf,
    builder,
    capability_hint,
    dry_run,
    record_output,
    selected_reads,
)
from unified_cli.call.check_report import CheckReport
from unified_cli.call.selected_reads import SelectedRead, SelectedReads, WholeRead
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import CallOptions, ExpectOptions, ReadCheckOptions
from unified_cli.errors import IncompleteError, RefusedError, UnifiedError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.read import FairReaders
from unified_cli.masking import MaskedText, excerpt, masked, visible
from unified_cli.output import stdout
from unified_cli.output.jq_process import JqProcess
from unified_cli.output.jq_program import Expectation, JqProgram, Verdict
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_NOT_OFFERED = (HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
_EVERY = 5.0


class Condition:
    """A condition to wait for, its deadline, and the last value of each connection."""

    def __init__(self, runtime: Runtime, options: ReadCheckOptions, process: JqProcess) -> None:
        """Raises UsageError if a program cannot be compiled."""
        self._runtime = runtime
        self._until = Expectation(options.until or "", "--until", process)
        self._fail_if = (
            Expectation(options.fail_if, "--fail-if", process) if options.fail_if else None
        )
        self._every = options.every or _EVERY
        self._limit = options.longest_wait
        self.until = runtime.monotonic() + self._limit
        self._last: dict[str, MaskedText] = {}
        self._failed: dict[str, Verdict] = {}

    def is_met(self, whole: WholeRead, *, listing: bool) -> bool:
        """Return whether to stop reading the connection.

        Stops if the condition holds, if it can no longer hold, or if the read failed. A
        404 and an empty list mean "not yet".
        """
        name, error = whole.selected.name, whole.error
        if error is not None:
            not_yet = error.status == HTTPStatus.NOT_FOUND or (error.retryable and self._is_late)
            if not_yet:
                self._last[name] = error.reason
            return not not_yet
        if listing and not whole.records:
            self._last[name] = masked("the list is empty")
            return False
        document = whole.document(listing=listing)
        try:
            verdict = self._until.judge(document)
            fails = self._fail_if is not None and self._fail_if.judge(document).holds
        except IncompleteError as unread:
            whole.error = unread
            return True
        self._last[name] = verdict.message
        if self._fail_if and fails:
            message = masked(f"{self._fail_if.shown} is true; {verdict.message}")
            self._failed[name] = Verdict(
                self._fail_if.shown, holds=False, value=verdict.value, message=message
            )
            return True
        return verdict.holds

    def verdicts(self, name: str) -> list[Verdict]:
        """Return the verdict that ended the wait for a connection."""
        true = masked("true")
        return [
            self._failed.get(name)
            or Verdict(self._until.shown, holds=True, value=true, message=true)
        ]

    def timeout_verdict(self, name: str) -> Verdict:
        """Return the verdict on a connection whose wait timed out."""
        last = self._last[name]
        message = masked(f"not true after {self._limit:g} s: {last}")
        return Verdict(self._until.shown, holds=False, value=last, message=message)

    @property
    def last(self) -> MaskedText | None:
        """The last result for which the condition did not hold, or None."""
        return next(reversed(self._last.values()), None)

    def wait(self, pending: int) -> float | None:
        """Report the wait before the next read, in seconds.

        Returns None after the deadline.
        """
        if self._is_late:
            return None
        runtime = self._runtime
        left = self.until - runtime.monotonic()
        seconds, last = min(self._every, left), self.last
        many = f" ({counted(pending, 'connection')})" if pending > 1 else ""
        runtime.stderr.waiting(seconds, f"{last}{many}", self._limit - left + seconds)
        if runtime.stderr.verbosity:
            runtime.stderr.line(f"next read in {seconds:.1f} s, {left:.0f} s left: {last}{many}")
        return seconds

    @property
    def _is_late(self) -> bool:
        return self._runtime.monotonic() >= self.until


def run(
    runtime: Runtime,
    catalogue: Catalogue,
    operation: Operation,
    options: CallOptions,
    mode: Mode,
    request_of: RequestOf = builder.operation_request,
) -> None:
    """Read the selected connections, and check the expectations.

    If a condition is given, read until it holds. `request_of` builds the requests.
    Raises DifferentError if an expectation does not hold, and the errors of the reads.
    """
    waits, expects = part(options, ReadCheckOptions), part(options, ExpectOptions).expect
    with JqProcess(runtime, waits.longest_wait) as process:
        limited = process if waits.until else None
        # Check repeated expectations once.
        expectations = [Expectation(text, process=limited) for text in dict.fromkeys(expects)]
        condition = _condition(runtime, options, limited)
        selected = selected_reads.select(runtime, catalogue, operation, options, mode, request_of)
        if mode.shown:
            for read in selected.reads:
                dry_run.show(read.call, read.request)
            return
        selected.note_same()
        program = record_output.program(options, limited)
        _check(selected, CheckReport(selected, expectations), condition, program)


def _condition(
    runtime: Runtime, options: CallOptions, process: JqProcess | None
) -> Condition | None:
    waits = part(options, ReadCheckOptions)
    if process:
        return Condition(runtime, waits, process)
    for value, spelling in ((waits.fail_if, "--fail-if"), (waits.every, "--every")):
        if value:
            raise UsageError(f"{spelling} needs --until JQ")
    if not part(options, ExpectOptions).expect:
        raise UsageError("--junit needs --expect JQ")
    return None


def _check(
    selected: SelectedReads,
    report: CheckReport,
    condition: Condition | None,
    program: JqProgram | None,
) -> None:
    """Read, print and check. Raises DifferentError and the errors of the reads."""
    runtime = selected.common.runtime
    report.check_file()
    stdout.check(runtime)
    printer = _common_printer(selected, program)
    work = Work("read" if condition else "record")
    if selected.several:
        work = work._replace(part="connection", parts=len(selected.reads))
    # A single result is printed at the end, after the wait's progress line is removed.
    beside = selected.several or condition is None
    with (
        progress(runtime, work, to_stdout=beside) as shown,
        signals.with_progress(lambda: _progress_words(selected, shown, condition)),
        FairReaders(runtime, selected.common.catalogue, selected.workers) as readers,
    ):
        judge = _Judge(report, printer, program, readers.clients, shown)
        if condition:
            _wait(selected, readers, condition, judge)
        else:
            _read(selected, readers, judge)
    try:
        # A list that could not be read must not look empty.
        if printer and (selected.several or report.is_judged):
            report.missing += printer.end(report.next_cursor)
    finally:
        report.write_file()
    report.finish()


def _progress_words(selected: SelectedReads, shown: Progress, condition: Condition | None) -> str:
    last = f", last result: {condition.last}" if condition and condition.last else ""
    junit = part(selected.common.options, ExpectOptions).junit
    return f"{shown.so_far()}{last}{f'; {visible(junit)} is not written' if junit else ''}"


def _read(selected: SelectedReads, readers: FairReaders, judge: "_Judge") -> None:
    with closing(selected_reads.read_whole(selected, readers, selected.reads)) as found:
        for whole in found:
            judge.count(len(whole.records))
            judge.take(whole)


def _wait(
    selected: SelectedReads, readers: FairReaders, condition: Condition, judge: "_Judge"
) -> None:
    pending = selected.reads
    while pending:
        again = []
        with closing(
            selected_reads.read_whole(selected, readers, pending, condition.until)
        ) as found:
            for whole in found:
                if condition.is_met(whole, listing=selected.operation.lists):
                    judge.take(whole, condition.verdicts(whole.selected.name))
                else:
                    again.append(whole.selected)
        seconds = condition.wait(len(again)) if again else 0.0
        # Count the reads here, where the length of the wait is known.
        judge.count(len(pending))
        if seconds is None:
            for read in again:
                judge.give_up(read, condition.timeout_verdict(read.name))
            return
        if pending := again:
            selected.common.runtime.sleep(seconds)


def _common_printer(selected: SelectedReads, program: JqProgram | None) -> Printer | None:
    common, operation, reads, several = selected
    if several:
        return record_output.printer_for(
            common, operation, program, names=(read.name for read in reads)
        )
    return (
        Printer(common.runtime, record_output.style_for(common, operation), program)
        if operation.lists
        else None
    )


class _Judge:
    """Prints the result of each connection, and checks the expectations."""

    def __init__(
        self,
        report: CheckReport,
        printer: Printer | None,
        program: JqProgram | None,
        clients: Clients,
        shown: Progress,
    ) -> None:
        self._report, self._clients, self._shown = report, clients, shown
        self._printer, self._program = printer, program

    def count(self, units: int) -> None:
        self._shown.add(units)

    def take(self, whole: WholeRead, verdicts: Sequence[Verdict] = ()) -> None:
        """Print and check a connection's result, or report its error.

        `verdicts` has the result of the wait.
        """
        report, read = self._report, whole.selected
        self._shown.add(parts=1, failed=whole.error is not None)
        if whole.error is not None:
            if reason := self._reason_not_offered(read, whole.error):
                report.note_skipped(whole, whole.error, excerpt(reason))
            else:
                report.note_error(whole, whole.error)
        else:
            if not report.selected.several:
                self._shown.close()
            self._print(whole)
            try:
                report.judge(whole, verdicts)
            except IncompleteError as error:
                report.note_error(whole, error)

    def _print(self, whole: WholeRead) -> None:
        call, request = whole.selected.call, whole.selected.request
        if self._printer is not None:
            profile = whole.selected.name if self._report.selected.several else None
            self._printer.page(
                whole.records, one_line=whole.one_line, large=whole.large, profile=profile
            )
            return
        body = bytes(whole.records[0])
        if call.settings.output.as_served and not self._program and call.options.columns is None:
            stdout.write_json(call.runtime, body)
        else:
            record_output.write(call, request, body, self._program)

    def give_up(self, read: SelectedRead, verdict: Verdict) -> None:
        self._shown.add(parts=1, failed=1)
        self._report.note_timeout(read, verdict)

    def _reason_not_offered(self, read: SelectedRead, error: UnifiedError) -> str | None:
        operation = read.request.operation
        if not isinstance(error, RefusedError):
            return None
        if error.status in _NOT_OFFERED:
            return error.reason
        if error.status != HTTPStatus.NOT_FOUND or operation is None:
            return None
        return capability_hint.find_alternative(read.call, self._clients, operation)
