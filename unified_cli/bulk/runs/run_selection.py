"""`-p run:ID:failed`: the profiles of the connections whose calls of a run had an outcome."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from unified_cli.bulk.runs.journal_entry import OUTCOMES, RunCall
from unified_cli.bulk.runs.run_registry import RunRegistry
from unified_cli.bulk.runs.stored_run import StoredRun
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, StateError, UnifiedError, UsageError

_NOT = "!"
PREFIX = "run:"
_WORDS = ("failed", "in-doubt", "not-tried", "done")


class RunSelection(NamedTuple):
    """Replaces `run:ID:OUTCOME` by names of profiles.

    `profiles` are the names of all, `settings` gives those of one as the command resolves them.
    """

    registry: RunRegistry
    profiles: Sequence[str]
    settings: Callable[[str], Settings]

    def expanded(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """The values of `-p`, with the names of profiles in place of what they say of runs.

        Raises UsageError for a run that is not there, ConfigError where no call had this outcome, StateError where a
        profile leads to another connection than it did, or the run is damaged.
        """
        return tuple(one for pattern in patterns for one in self._expanded(pattern))

    def _expanded(self, pattern: str) -> Iterator[str]:
        sign = _NOT if pattern.startswith(_NOT) else ""
        selector = pattern.removeprefix(_NOT)
        if not selector.startswith(PREFIX):
            yield pattern
            return
        run, _, word = selector.removeprefix(PREFIX).partition(":")
        if word not in _WORDS:
            raise UsageError(f"-p {pattern} must be run:ID:OUTCOME", hint=f"the outcomes are {', '.join(_WORDS)}")
        with StoredRun.look(self.registry, run) as stored:
            calls = dict(_calls(stored, word))
        if not calls:
            raise ConfigError(f"no connection of run {run} is {word}")
        self._check(calls)
        # What is left out may have got another name since.
        for name in {**calls, **dict.fromkeys(self._others(calls))} if sign else calls:
            # As a glob, which may be one of several, and matches this name only.
            yield f"{sign}[{name[0]}]{name[1:]}"

    def _check(self, calls: Mapping[str, RunCall]) -> None:
        """Raise StateError for a profile that leads to another connection now."""
        for name, call in calls.items():
            settings = None
            # A profile that is gone, or leads nowhere, is told where it is used.
            with suppress(UnifiedError):
                settings = self.settings(name)
                settings.reachable()
            if settings and settings.address and settings.account_id and not is_of(call, settings):
                raise moved(call, settings)

    def _others(self, calls: Mapping[str, RunCall]) -> Iterator[str]:
        """The other profiles that lead to one of these connections."""
        accounts = {call.account for call in calls.values()}
        for name in self.profiles:
            with suppress(UnifiedError):
                settings = self.settings(name)
                if settings.account_id in accounts and any(is_of(call, settings) for call in calls.values()):
                    yield name


def is_of(call: RunCall, settings: Settings) -> bool:
    """Whether a call of a run was for the connection of these settings: origin and account."""
    origin, account = settings.identity
    return call.account == account and f"{call.base_url}/".startswith(f"{origin}/")


def moved(call: RunCall, settings: Settings) -> StateError:
    """The error for a profile that leads to another connection than that of the call."""
    who = f'profile "{call.profile}"' if call.profile else "the environment"
    return StateError(
        f"{who} leads to account {settings.account_id} at {settings.address} now, and the run was for account "
        f"{call.account} at {call.base_url}",
        hint="nothing was sent",
    )


def _calls(stored: StoredRun, word: str) -> Iterator[tuple[str, RunCall]]:
    journal = stored.journal
    for number in journal.numbers():
        if OUTCOMES[journal.state(number)] == word:
            call = journal.call(number).call
            if call is not None and call.profile:
                yield call.profile, call
