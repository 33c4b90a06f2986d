"""`--until` and `--fail-if`: whether a repeated read is as it is waited for, and the pause before the next."""

from http import HTTPStatus

from unified_cli.call.selected_reads import WholeRead
from unified_cli.cli.options import ReadOptions
from unified_cli.masking import MaskedText, masked
from unified_cli.output.jq_program import Expectation, JqProcess, Verdict
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_EVERY = 5.0


class Condition:
    """What is waited for, until a time on the monotonic clock, and what each connection gave last."""

    def __init__(self, runtime: Runtime, options: ReadOptions, process: JqProcess) -> None:
        """Raises UsageError where a program cannot be compiled."""
        self._runtime = runtime
        self._until = Expectation(options.until or "", "--until", process)
        self._fail_if = Expectation(options.fail_if, "--fail-if", process) if options.fail_if else None
        self._every = options.every or _EVERY
        self._limit = options.longest_wait
        self.until = runtime.monotonic() + self._limit
        self._last: dict[str, MaskedText] = {}
        self._failed: dict[str, Verdict] = {}

    def is_met(self, whole: WholeRead, *, listing: bool) -> bool:
        """Whether the connection need not be read again: the condition holds, never will, or the read failed.

        A 404 and an empty list mean "not yet".
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
        verdict = self._until.judge(document)
        self._last[name] = verdict.message
        if self._fail_if and self._fail_if.judge(document).holds:
            message = masked(f"{self._fail_if.shown} is true; {verdict.message}")
            self._failed[name] = Verdict(self._fail_if.shown, holds=False, value=verdict.value, message=message)
            return True
        return verdict.holds

    def verdicts(self, name: str) -> list[Verdict]:
        """How the wait for a connection ended that need not be read again."""
        true = masked("true")
        return [self._failed.get(name) or Verdict(self._until.shown, holds=True, value=true, message=true)]

    def late(self, name: str) -> Verdict:
        """The verdict on a connection for which the time is over."""
        last = self._last[name]
        message = masked(f"not true after {self._limit:g} s: {last}")
        return Verdict(self._until.shown, holds=False, value=last, message=message)

    def wait(self, pending: int) -> float | None:
        """Say that the next read is waited for, and for how long; None where the time is over."""
        if self._is_late:
            return None
        runtime = self._runtime
        left = self.until - runtime.monotonic()
        seconds, last = min(self._every, left), next(reversed(self._last.values()))
        many = f" ({counted(pending, 'connection')})" if pending > 1 else ""
        runtime.stderr.waiting(seconds, f"{last}{many}")
        if runtime.stderr.verbosity:
            runtime.stderr.line(f"next read in {seconds:.1f} s, {left:.0f} s left: {last}{many}")
        return seconds

    @property
    def _is_late(self) -> bool:
        return self._runtime.monotonic() >= self.until
