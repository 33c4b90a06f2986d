"""Report the results of a checked read, as messages, as JUnit, and as the error of the
run.
"""

from collections.abc import Sequence
from pathlib import Path

from unified_cli.call import more_records
from unified_cli.call.selected_reads import SelectedRead, SelectedReads, WholeRead
from unified_cli.cli.flags import part
from unified_cli.cli.options import ExpectOptions, PageOptions
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude, failure_lines
from unified_cli.masking import MaskedText
from unified_cli.output import junit
from unified_cli.output.jq_program import Expectation, Verdict
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.plural import counted
from unified_cli.storage import output_file


class CheckReport:
    """Collects the results of the connections, in order."""

    def __init__(self, selected: SelectedReads, expectations: Sequence[Expectation]) -> None:
        self.selected = selected
        self.missing: list[str] = []
        """Sentences about missing parts of the results."""
        self.next_cursor: str | None = None
        self.is_judged = False
        """Whether any connection was read."""
        self._expectations = expectations
        self._classname = f"{selected.operation.api}.{selected.operation.resource}"
        self._suites: list[JUnitSuite] = []
        self._errors: dict[str, UnifiedError] = {}
        self._skipped: dict[str, UnifiedError] = {}
        self._wrong: list[str] = []
        self._held = 0
        self._monotonic = selected.common.runtime.monotonic
        self._began = self._monotonic()

    @property
    def _junit(self) -> Path | None:
        name = part(self.selected.common.options, ExpectOptions).junit
        return Path(name) if name is not None else None

    def check_file(self) -> None:
        """Raise StorageError if the file of `--junit` is not writable.

        Call it before anything is sent.
        """
        if self._junit is not None:
            output_file.check(self._junit, force=True)

    def judge(self, whole: WholeRead, verdicts: Sequence[Verdict]) -> None:
        """Check the expectations for a connection.

        After a wait, `verdicts` has its results. Raises IncompleteError if jq cannot
        represent the document.
        """
        name, missing = whole.selected.name, ""
        accepts = part(self.selected.common.options, PageOptions).allow_partial
        if whole.partial and not accepts:
            missing = (
                f"the provider left something out of page {', '.join(map(str, whole.partial))}"
            )
            self.missing.append(self._named(name, missing))
        document = whole.document(listing=self.selected.operation.lists)
        cases = [
            self._case(name, verdict, self._monotonic() - self._began, missing)
            for verdict in verdicts
        ]
        # The first verdict has the time of the read, like a fixture's in pytest.
        seconds = 0.0 if verdicts else whole.seconds
        for expectation in self._expectations:
            began = self._monotonic()
            verdict = expectation.judge(document)
            cases.append(self._case(name, verdict, seconds + self._monotonic() - began, missing))
            seconds = 0.0
        self._add_suite(name, cases)
        self.next_cursor, self.is_judged = whole.next_cursor, True
        if whole.next_cursor is not None:
            self._note_cut(whole)

    def _note_cut(self, whole: WholeRead) -> None:
        cut = f"cut on request after {counted(len(whole.records), 'record')}"
        onward = more_records.continuation(whole.next_cursor)
        note = self._named(
            whole.selected.name, f"{cut}; only these records were checked; to continue: {onward}"
        )
        self.selected.common.runtime.stderr.note(note)

    def note_timeout(self, read: SelectedRead, verdict: Verdict) -> None:
        """Add a connection whose wait timed out."""
        case = self._case(read.name, verdict, self._monotonic() - self._began)
        self._add_suite(read.name, [case])

    def note_error(self, whole: WholeRead, error: UnifiedError) -> None:
        """Add a connection that could not be read."""
        self._errors[whole.selected.name] = error
        self._without_verdict(whole, JUnitCase("", "", "error", error.message, error.one_line))

    def note_skipped(self, whole: WholeRead, error: UnifiedError, reason: MaskedText) -> None:
        """Add a connection that does not offer the list."""
        self._skipped[whole.selected.name] = error
        self._without_verdict(whole, JUnitCase("", "", "skipped", reason, error.one_line))

    def write_file(self) -> None:
        """Write the file of `--junit`. Raises StorageError."""
        if self._junit is not None:
            output_file.write(self._junit, junit.document(self._suites), force=True)

    def finish(self) -> None:
        """Print the failures, and raise the error that summarises them, if any.

        Raises the error of a single connection, and IncompleteError if some of several
        connections were not read.
        """
        failed = {**self._skipped, **self._errors}
        if not self.selected.several and failed:
            raise next(iter(failed.values()))
        self._print_failures()
        # If an operation is not offered, the check fails only if no connection offers
        # it.
        counts = failed if len(failed) == len(self.selected.reads) else self._errors
        conclude(
            Ending(
                "connection",
                len(self.selected.reads),
                counts,
                missing=self.missing,
                different=self._failure_lines(),
            )
        )

    def _case(self, name: str, verdict: Verdict, seconds: float, missing: str = "") -> JUnitCase:
        """Return the test case of a verdict.

        The case is an error if the document is incomplete: `missing` says what it
        lacks.
        """
        case = JUnitCase(self._classname, verdict.expectation, seconds=seconds)
        if not verdict.holds:
            self._wrong.append(self._named(name, verdict.message))
            return case._replace(outcome="failure", message=verdict.message, value=verdict.value)
        self._held += 1
        return case._replace(outcome="error", message=missing) if missing else case

    def _without_verdict(self, whole: WholeRead, case: JUnitCase) -> None:
        names = [expectation.expression for expectation in self._expectations] or [
            self.selected.operation.command
        ]
        first, *others = (
            case._replace(classname=self._classname, name=name, seconds=0.0) for name in names
        )
        self._add_suite(whole.selected.name, [first._replace(seconds=whole.seconds), *others])

    def _add_suite(self, name: str, cases: Sequence[JUnitCase]) -> None:
        self._suites.append(junit.suite(name, cases, several=self.selected.several))

    def _print_failures(self) -> None:
        """Print a line for each connection that was not judged and, if there are
        several failures, for each failure.
        """
        stderr = self.selected.common.runtime.stderr
        for line in failure_lines(self._errors):
            stderr.line(line)
        for line in failure_lines(self._skipped, skipped=True):
            stderr.line(line)
        for line in self._wrong if len(self._wrong) > 1 else ():
            stderr.line(line)

    def _failure_lines(self) -> list[str]:
        if len(self._wrong) < 2:
            return self._wrong
        total = counted(self._held + len(self._wrong), "expectation")
        return [f"{len(self._wrong)} of {total} do not hold, first {self._wrong[0]}"]

    def _named(self, name: str, message: str) -> str:
        return f"{name}: {message}" if self.selected.several else message
