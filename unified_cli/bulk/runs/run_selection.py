"""`-p run:ID:failed`: the profiles whose calls of a run had an outcome."""

from collections.abc import Iterator, Sequence

from unified_cli.bulk.runs.journal_entry import OUTCOMES
from unified_cli.bulk.runs.run_registry import RunRegistry
from unified_cli.bulk.runs.stored_run import StoredRun
from unified_cli.errors import ConfigError, UsageError
from unified_cli.runtime import Runtime

_NOT = "!"
PREFIX = "run:"
_WORDS = ("failed", "in-doubt", "not-tried", "done")


def expanded(runtime: Runtime, patterns: Sequence[str]) -> tuple[str, ...]:
    """The values of `-p`, with the names of profiles in place of `run:ID:OUTCOME`.

    Raises UsageError for a run that is not there, ConfigError where no call had this outcome, StateError.
    """
    return tuple(one for pattern in patterns for one in _expanded(runtime, pattern))


def _expanded(runtime: Runtime, pattern: str) -> Iterator[str]:
    sign = _NOT if pattern.startswith(_NOT) else ""
    selector = pattern.removeprefix(_NOT)
    if not selector.startswith(PREFIX):
        yield pattern
        return
    run, _, word = selector.removeprefix(PREFIX).partition(":")
    if word not in _WORDS:
        raise UsageError(f"-p {pattern} must be run:ID:OUTCOME", hint=f"the outcomes are {', '.join(_WORDS)}")
    with StoredRun.look(RunRegistry(runtime.folder("data"), runtime.wall), run) as stored:
        names = dict.fromkeys(_names(stored, word))
    if not names:
        raise ConfigError(f"no connection of run {run} is {word}")
    for name in names:
        # As a glob, which may be one of several, and matches this name only.
        yield f"{sign}[{name[0]}]{name[1:]}"


def _names(stored: StoredRun, word: str) -> Iterator[str]:
    journal = stored.journal
    for number in journal.numbers():
        if OUTCOMES[journal.state(number)] == word:
            call = journal.call(number).call
            if call is not None and call.profile:
                yield call.profile
