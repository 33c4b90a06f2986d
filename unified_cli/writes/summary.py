"""What became of a run, grouped by cause, and the command that comes next."""

import contextlib
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli.errors import ExitCode, IncompleteError, UnifiedError, UnknownError
from unified_cli.plural import all_of, counted
from unified_cli.runtime import Runtime
from unified_cli.writes import repeat_rule
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, OUTCOMES, EntryState
from unified_cli.writes.run import StoredRun

_MOST_NAMED = 5
_MOST_CAUSES = 10
_UNSEEN = "no answer was seen"


class Cause(NamedTuple):
    """An outcome, and what is behind it: the status of the answer, or the reason where there was none."""

    outcome: str
    status: int
    why: str


@dataclass(slots=True)
class _CausedCalls:
    """The calls with the same cause: how many, the first reason, the first names."""

    why: str
    count: int = 0
    names: list[str] = field(default_factory=list)


@dataclass(slots=True)
class RunErrors:
    """The errors of this process: how many calls failed, and the first error of each exit code."""

    count: int = 0
    first: dict[ExitCode, UnifiedError] = field(default_factory=dict)

    def add(self, error: UnifiedError) -> None:
        """Count an error."""
        self.count += 1
        self.first.setdefault(error.code, error)


class RunSummary:
    """The state of a whole run, from its journal."""

    def __init__(self, run: StoredRun, connections: RunConnections, wall: float) -> None:
        self._run = run
        self.total = 0
        self.counts = dict.fromkeys(("done", "failed", "in-doubt", "not-tried"), 0)
        self.resumable = 0
        self._groups: dict[Cause, _CausedCalls] = {}
        self._unit = "connection"
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
        if self.total and (call := journal.call(next(journal.numbers())).call) and call.line:
            self._unit = "line"

    def _add(self, number: int, state: EntryState) -> None:
        journal = self._run.journal
        last = journal.last(number)
        told = state not in (EntryState.NEW, EntryState.SENT)
        why = str(last.why) if told else _UNSEEN if state is EntryState.SENT else ""
        cause = Cause(OUTCOMES[state], last.status, "" if last.status else why)
        group = self._groups.setdefault(cause, _CausedCalls(why))
        group.count += 1
        if len(group.names) < _MOST_NAMED:
            call = journal.call(number).call
            group.names.append((call.profile if call else None) or "the environment")

    def show(self, runtime: Runtime) -> None:
        """Print how many are done, then a line for each cause of what is not."""
        runtime.stderr.note(f"done: {self.counts['done']} of {counted(self.total, self._unit)}")
        order = [*self.counts]
        groups = sorted(self._groups.items(), key=lambda one: (order.index(one[0].outcome), -one[1].count))
        for cause, group in groups[:_MOST_CAUSES]:
            more = f" and {group.count - len(group.names)} more" if group.count > len(group.names) else ""
            reason = f": {group.why}" if group.why else ""
            outcome = cause.outcome.replace("-", " ")
            runtime.stderr.line(f"{outcome}: {group.count} ({', '.join(group.names)}{more}){reason}")
        if len(groups) > _MOST_CAUSES:
            runtime.stderr.line(f"and {counted(len(groups) - _MOST_CAUSES, 'other cause')}")

    @property
    def is_done(self) -> bool:
        """Whether every call is done."""
        return self.counts["done"] == self.total

    def raise_error(self, errors: RunErrors) -> None:
        """Raise the error that sums up the run, if not all of it is done."""
        failed, doubtful, untried = (self.counts[name] for name in ("failed", "in-doubt", "not-tried"))
        if self.is_done:
            return
        total = counted(self.total, "connection")
        told = [f"{number} of {total} {word}" for number, word in _words(failed, doubtful, untried)]
        error: UnifiedError
        if (local := errors.first.get(ExitCode.STORAGE)) is not None:
            error = local.retold("; ".join(told))
        elif doubtful:
            error = UnknownError("; ".join(told))
        elif failed == self.total == errors.count and len(errors.first) == 1:
            error = next(iter(errors.first.values())).retold(f"{all_of(self.total, self._unit)} failed")
        else:
            error = IncompleteError("; ".join(told))
        error.next_command = self.next_command
        raise error

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
    return repeat_rule.may_repeat(request, wall - sent.t, settings.idempotency_window)


def _words(failed: int, doubtful: int, untried: int) -> list[tuple[int, str]]:
    found = ((failed, "failed"), (doubtful, "may or may not be done"), (untried, "not tried"))
    return [one for one in found if one[0]]
