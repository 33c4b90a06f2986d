"""Replace a value of `-p` such as `run:ID:failed` with the profiles whose calls in the
run had this outcome.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.cli.flags import Options
from unified_cli.cli.options import overrides
from unified_cli.config import file
from unified_cli.config.file import RESERVED
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, StateError, UnifiedError, UsageError
from unified_cli.fleet import own_account
from unified_cli.runtime import Runtime
from unified_cli.writes import noted_calls
from unified_cli.writes.entry import OUTCOMES, RunCall
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun

_NOT = "!"
PREFIX = "run:"
_WORDS = ("failed", "in-doubt", "not-tried", "done")


def selected(
    runtime: Runtime, catalogue: Catalogue, options: Options, patterns: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the values of `-p`, with runs replaced by profile names.

    Raises UsageError if the run is unknown, ConfigError if no call had the outcome, and
    StateError if a profile now names another connection or the run is damaged.
    """
    config = file.read(runtime)
    # Copy the environment, because each access to a variable decodes it again.
    resolving = runtime._replace(environ={**runtime.environ})

    def settings(name: str) -> Settings:
        return own_account.resolved(
            overrides(options, name)._replace(output=None), resolving, config
        )

    selection = _RunSelection(RunRegistry(runtime), catalogue, [*config.profiles], settings)
    return tuple(name for pattern in patterns for name in selection.expanded(pattern))


class _RunSelection(NamedTuple):
    """Replaces `run:ID:OUTCOME` with profile names.

    `profiles` are all profile names, and `settings` returns the settings of a profile
    for the command.
    """

    registry: RunRegistry
    catalogue: Catalogue
    profiles: Sequence[str]
    settings: Callable[[str], Settings]

    def expanded(self, pattern: str) -> Iterator[str]:
        sign = _NOT if pattern.startswith(_NOT) else ""
        selector = pattern.removeprefix(_NOT)
        if not selector.startswith(PREFIX):
            yield pattern
            return
        run, _, word = selector.removeprefix(PREFIX).partition(":")
        if word not in _WORDS:
            raise UsageError(
                f"-p {pattern} must be run:ID:OUTCOME", hint=f"the outcomes are {', '.join(_WORDS)}"
            )
        with StoredRun.open_to_read(self.registry, run) as stored:
            calls = dict(self._calls(stored, word))
        if not calls:
            raise ConfigError(f"no connection of run {run} is {word}")
        self._check_same_connections(calls)
        if sign:
            # A negated pattern also excludes other profiles that name the same
            # connections.
            present = [name for name in calls if name in self.profiles or name == RESERVED]
            names = [*dict.fromkeys([*present, *self._leading_to(calls.values())])]
        else:
            names = [*dict.fromkeys(self._current_names(run, calls))]
        for name in names:
            # Write the name as a glob that matches only this name, because only globs
            # can be combined with other patterns.
            yield f"{sign}[{name[0]}]{name[1:]}"

    def _calls(self, stored: StoredRun, word: str) -> Iterator[tuple[str, RunCall]]:
        states = [state for state, outcome in OUTCOMES.items() if outcome == word]
        with noted_calls.opened(self.catalogue, stored, states) as calls:
            for call in calls:
                if call.call.is_request and call.call.profile:
                    yield call.call.profile, call.call

    def _check_same_connections(self, calls: Mapping[str, RunCall]) -> None:
        for name, call in calls.items():
            settings = None
            # Ignore an incomplete profile, which is reported when it is used.
            with suppress(UnifiedError):
                settings = self.settings(name)
                settings.reachable()
            if settings and settings.address and settings.account_id and not is_for(call, settings):
                raise moved_error(call, settings)

    def _current_names(self, run: str, calls: Mapping[str, RunCall]) -> Iterator[str]:
        """Yield the present names of the profiles of these calls.

        Raises ConfigError if a profile no longer exists.
        """
        for name, call in calls.items():
            if name in self.profiles or name == RESERVED:
                yield name
            elif now := next(self._leading_to([call]), None):
                yield now
            else:
                raise self._missing_profile_error(run, call)

    def _missing_profile_error(self, run: str, call: RunCall) -> ConfigError:
        add = (
            f"unified profile add {call.profile} base_url={call.base_url} account_id={call.account}"
        )
        return ConfigError(
            f'there is no profile "{call.profile}", which run {run} called', hint=add
        )

    def _leading_to(self, calls: Iterable[RunCall]) -> Iterator[str]:
        of_account: defaultdict[str, list[RunCall]] = defaultdict(list)
        for call in calls:
            of_account[call.account].append(call)
        for name in self.profiles:
            with suppress(UnifiedError):
                settings = self.settings(name)
                if any(
                    is_for(call, settings) for call in of_account.get(settings.account_id or "", ())
                ):
                    yield name


def is_for(call: RunCall, settings: Settings) -> bool:
    """Return whether a call was for this connection, by its origin and account."""
    origin, account = settings.identity
    return call.account == account and f"{call.base_url}/".startswith(f"{origin}/")


def moved_error(call: RunCall, settings: Settings) -> StateError:
    """Return the error for a profile that now names another connection than when the
    call was made.
    """
    who = f'profile "{call.profile}"' if call.profile else "the environment"
    return StateError(
        f"{who} now names account {settings.account_id} at {settings.address}, but the run was"
        f" for account {call.account} at {call.base_url}",
        hint="nothing was sent",
    )
