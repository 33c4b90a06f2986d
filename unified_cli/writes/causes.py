"""The calls of a run grouped by what became of them and why."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli.masking import NO_TEXT, MaskedText, masked
from unified_cli.writes.entry import OUTCOMES, EntryState
from unified_cli.writes.run import StoredRun

UNSEEN = "no answer was seen"
_ORDER = [*dict.fromkeys(OUTCOMES.values())]


class Cause(NamedTuple):
    """An outcome, and what is behind it: the status of the answer, or the reason where there was none."""

    outcome: str
    status: int
    why: str


@dataclass(slots=True)
class CausedCalls:
    """The calls with the same cause: how many, the first reason and how many have its words, the first names."""

    why: MaskedText
    words: str
    count: int = 0
    alike: int = 0
    names: list[str] = field(default_factory=list)

    @property
    def reason(self) -> MaskedText:
        """The first reason, and how many say so where others have other words; empty where there is none."""
        if not self.why or self.alike == self.count:
            return self.why
        return masked(f"{self.why} (so say {self.alike} of {self.count})")

    @property
    def named(self) -> str:
        """The names, and how many more calls there are."""
        more = f" and {self.count - len(self.names)} more" if self.count > len(self.names) else ""
        return ", ".join(self.names) + more


class Causes:
    """Groups calls, of each of which at most so many are named."""

    def __init__(self, run: StoredRun, most_named: int) -> None:
        self._run, self._most_named = run, most_named
        self._groups: dict[Cause, CausedCalls] = {}

    def add(self, number: int, state: EntryState) -> None:
        """Add a call in this state to its group."""
        last = self._run.journal.last(number)
        told = state not in (EntryState.NEW, EntryState.SENT)
        why = last.why if told else masked(UNSEEN) if state is EntryState.SENT else NO_TEXT
        cause = Cause(OUTCOMES[state], last.status, "" if last.status else why)
        words = self._without_ids(number, why)
        group = self._groups.setdefault(cause, CausedCalls(why, words))
        group.count += 1
        group.alike += words == group.words
        if len(group.names) < self._most_named:
            group.names.append(self._name(number))

    def _without_ids(self, number: int, why: str) -> str:
        """The reason without what names its record and its connection."""
        call = self._run.journal.call(number).call
        for word in filter(None, (call.id, call.account, call.profile) if call else ()):
            why = why.replace(word, "")
        return why

    def _name(self, number: int) -> str:
        call = self._run.journal.call(number).call
        name = (call.profile if call else None) or "the environment"
        if call is None or not call.line:
            return name
        return f"line {call.line} ({name})" if self._run.several else f"line {call.line}"

    def groups(self) -> Sequence[tuple[Cause, CausedCalls]]:
        """The groups: what is done first, the largest first of each outcome."""
        return sorted(self._groups.items(), key=lambda one: (_ORDER.index(one[0].outcome), -one[1].count))
