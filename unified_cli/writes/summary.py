"""What became of a run, counted and grouped by cause, and the command that comes next."""

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence

from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes.causes import Cause, CausedCalls, Causes
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, OUTCOMES, EntryState, RunKind
from unified_cli.writes.outcome import may_resend, restored
from unified_cli.writes.run import StoredRun

_MOST_NAMED = 5
_MOST_CAUSES = 10


class RunSummary:
    """The state of a whole run, from its journal."""

    def __init__(
        self, run: StoredRun, connections: RunConnections, wall: float, errors: Mapping[int, UnifiedError]
    ) -> None:
        """`errors` has an error of this process for each exit code that a call ended with."""
        self._run = run
        self.total = 0
        self.counts = dict.fromkeys(("done", "failed", "in-doubt", "not-tried"), 0)
        self.resumable = 0
        self._causes = Causes(run, _MOST_NAMED)
        self._errors = errors
        self._kind = run.kind
        self._failed: dict[str, UnifiedError] = {}
        self._failed_by = Counter[str]()
        journal = run.journal
        for number in journal.numbers():
            self.total += 1
            state = journal.state(number)
            self.counts[OUTCOMES[state]] += 1
            if state is EntryState.NEW:
                self.resumable += 1
            elif state in IN_DOUBT:
                # A profile may be gone, or lead elsewhere, of a call that was none of those sent now.
                with contextlib.suppress(UnifiedError):
                    self.resumable += may_resume(run, connections, number, wall)
            if state is not EntryState.OK:
                self._add(number, state)

    def _add(self, number: int, state: EntryState) -> None:
        self._causes.add(number, state)
        if state in NOT_DONE:
            journal = self._run.journal
            last, call = journal.last(number), journal.call(number).call
            if self._kind is RunKind.FAN_OUT:
                name = (call.profile if call else None) or "the environment"
                self._failed[name] = self._errors.get(last.code) or restored(last)
            elif self._run.several and call and call.profile:
                self._failed_by[call.profile] += 1

    def show(self, runtime: Runtime) -> None:
        """Print how many are done, then a line for each cause of what is not."""
        runtime.stderr.note(f"done: {self.counts['done']} of {counted(self.total, self._kind.unit)}")
        groups = self.causes
        for cause, group in groups[:_MOST_CAUSES]:
            reason = f": {group.reason}" if group.reason else ""
            outcome = cause.outcome.replace("-", " ")
            runtime.stderr.line(f"{outcome}: {group.count} ({group.named}){reason}")
        if len(groups) > _MOST_CAUSES:
            runtime.stderr.line(f"and {counted(len(groups) - _MOST_CAUSES, 'other cause')}")

    @property
    def causes(self) -> Sequence[tuple[Cause, CausedCalls]]:
        """The calls that are not done, by cause."""
        return self._causes.groups()

    @property
    def is_done(self) -> bool:
        """Whether every call is done."""
        return self.counts["done"] == self.total

    def conclude(self, stopped: UnifiedError | None) -> None:
        """Raise the error that sums up the run, if not all of it is done; `stopped` is what ended it early."""
        failed, doubtful, untried = (self.counts[name] for name in ("failed", "in-doubt", "not-tried"))
        ending = Ending(
            self._kind.unit,
            self.total,
            self._failed,
            in_doubt=doubtful,
            not_tried=untried,
            stopped=stopped if untried else None,
            unnamed=failed - len(self._failed),
            failed_by=self._failed_by,
        )
        try:
            conclude(ending)
        except UnifiedError as error:
            error.next_command = self.next_command
            raise

    @property
    def next_command(self) -> str | None:
        """The command that comes next; None where there is none."""
        if not self._run.kept:
            return None
        if self.resumable:
            return f"unified runs resume {self._run.id}"
        return f"unified runs {'retry' if self.counts['failed'] else 'show'} {self._run.id}"


def may_resume(run: StoredRun, connections: RunConnections, number: int, wall: float) -> bool:
    """Whether a call in doubt may be sent again."""
    sent, entry = run.journal.sent(number), run.journal.call(number)
    if sent is None or entry.call is None:
        return False
    settings = connections.settings(entry.call.profile)
    request = connections.request(entry.call, run.body, entry.k)
    return may_resend(request, wall - sent.t, settings.idempotency_window)
