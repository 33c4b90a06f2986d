"""Summarise a run: count its calls, group them by cause, and name the next command."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.http.attempt import Doubt
from unified_cli.masking import NO_TEXT, MaskedText, masked
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import next_step, noted_calls
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, OUTCOMES, EntryState, RunKind
from unified_cli.writes.next_step import WorkLeft
from unified_cli.writes.outcome import restored
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_doubts import RunDoubts

_MOST_NAMED = 5
"""How many lines to name for each cause. Connections are always named."""
_MOST_CAUSES = 10
_ORDER = [*dict.fromkeys(OUTCOMES.values())]


class Cause(NamedTuple):
    """An outcome and its cause.

    The cause is the status of the response or, without a response, the reason in words.
    The words do not contain the ids of the call.
    """

    outcome: str
    status: int
    why: str


@dataclass(slots=True)
class CausedCalls:
    """The calls with the same cause.

    `count` is the number of calls. `why` is the reason of the first call, and `alike`
    the number of calls with this reason. `names` are the first names of calls.
    """

    why: MaskedText
    words: str
    count: int = 0
    alike: int = 0
    names: list[str] = field(default_factory=list)

    @property
    def reason(self) -> MaskedText:
        """The reason of the first call, and the number of calls with other reasons. It
        is "" if there is no reason.
        """
        if not self.why or self.alike == self.count:
            return self.why
        others = self.count - self.alike
        return masked(f"{self.why} (and {others} with other reasons, see unified runs show)")

    @property
    def named(self) -> str:
        """The names of the first calls, and the number of the other calls."""
        more = f" and {self.count - len(self.names)} more" if self.count > len(self.names) else ""
        return ", ".join(self.names) + more


class Causes:
    """Groups calls by cause. Each group names at most `most_named` calls."""

    def __init__(self, run: StoredRun, most_named: int) -> None:
        self._run, self._most_named = run, most_named
        self._groups: dict[Cause, CausedCalls] = {}

    def add(self, number: int, state: EntryState) -> None:
        """Add a call to the group of its cause."""
        last = self._run.journal.last(number)
        why = NO_TEXT if state is EntryState.NEW else last.reason
        why_in_doubt = Doubt.UNSEEN.value if state is EntryState.SENT else last.doubt or why
        words = self._without_ids(number, why)
        words_in_doubt = self._without_ids(number, why_in_doubt)
        cause = Cause(OUTCOMES[state], last.status, "" if last.status else words_in_doubt)
        group = self._groups.setdefault(cause, CausedCalls(why, words))
        group.count += 1
        group.alike += words == group.words
        if len(group.names) < self._most_named:
            group.names.append(self._name(number))

    def _without_ids(self, number: int, why: str) -> str:
        call = self._run.journal.call(number).call
        for word in filter(None, (call.id, call.account, call.profile) if call else ()):
            why = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", "", why)
        return why

    def _name(self, number: int) -> str:
        call = self._run.journal.call(number).call
        name = (call.profile if call else None) or "the environment"
        if call is None or not call.line:
            return name
        return f"line {call.line} ({name})" if self._run.several else f"line {call.line}"

    def groups(self) -> Sequence[tuple[Cause, CausedCalls]]:
        """Return the groups. Groups that are done come first, and larger groups come
        before smaller groups with the same outcome.
        """
        return sorted(
            self._groups.items(), key=lambda item: (_ORDER.index(item[0].outcome), -item[1].count)
        )


class RunSummary:
    """The state of a whole run, from its journal."""

    def __init__(
        self,
        run: StoredRun,
        connections: RunConnections,
        wall: float,
        errors: Mapping[int, UnifiedError],
        verb: str = "",
    ) -> None:
        """Count the calls of the run.

        `errors` has one error for each exit code that occurred in this process. `verb`
        is `resume` or `retry` if one of these commands continued the run.
        """
        self._run, self._connections, self._verb = run, connections, verb
        self._doubts = RunDoubts(run.listed_header, connections, wall, run.body)
        self.total = 0
        self.counts = dict.fromkeys(("done", "failed", "in-doubt", "not-tried"), 0)
        self._causes = Causes(run, run.header.calls if run.kind is RunKind.FAN_OUT else _MOST_NAMED)
        self._errors = errors
        self._kind = run.kind
        self._failed: dict[str, UnifiedError] = {}
        self._failed_by = Counter[str]()
        journal = run.journal
        for number in journal.numbers():
            self.total += 1
            state = journal.state(number)
            self.counts[OUTCOMES[state]] += 1
            if state in IN_DOUBT:
                self._doubts.add(noted_calls.of_run(run, number))
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
        """Print the number of calls that are done, and why the other calls are not
        done.
        """
        runtime.stderr.note(
            f"done: {self.counts['done']} of {counted(self.total, self._kind.unit)}"
        )
        groups = self.causes
        # Every connection must be named, so print all causes.
        most = len(groups) if self._kind is RunKind.FAN_OUT else _MOST_CAUSES
        for cause, group in groups[:most]:
            reason = f": {group.reason}" if group.reason else ""
            outcome = cause.outcome.replace("-", " ")
            runtime.stderr.line(f"{outcome}: {group.count} ({group.named}){reason}")
        if len(groups) > most:
            runtime.stderr.line(f"and {counted(len(groups) - most, 'other cause')}")
        self.show_doubt(runtime)

    def show_doubt(self, runtime: Runtime) -> None:
        """Print which calls in doubt a resume repeats, why it does not repeat the other
        calls, and how to repeat these.
        """
        left = self.counts["failed"] or self.counts["not-tried"]
        self._doubts.show(runtime, closes=not left)

    @property
    def causes(self) -> Sequence[tuple[Cause, CausedCalls]]:
        """The calls that are not done, by cause."""
        return self._causes.groups()

    @property
    def is_done(self) -> bool:
        """Whether every call is done."""
        return self.counts["done"] == self.total

    def conclude(self, stopped: UnifiedError | None) -> None:
        """Raise the error that summarises the run, if a call is not done.

        `stopped` is the error that ended the run early, if any.
        """
        failed, doubtful, untried = (
            self.counts[name] for name in ("failed", "in-doubt", "not-tried")
        )
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
        """The command to suggest next, or None. It differs from the command that just
        ended.
        """
        if not self._run.kept:
            return None
        untried, failed, doubtful = (
            self.counts[name] for name in ("not-tried", "failed", "in-doubt")
        )
        repeats, check = bool(self._doubts.repeated), self._doubts.check_command
        left = WorkLeft(self._run.id, untried, failed, doubtful, repeats, check)
        return next_step.next_step(left, self._verb)
