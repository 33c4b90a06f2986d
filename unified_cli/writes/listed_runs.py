"""List all runs, and choose a run for a command without an id."""

from collections.abc import Callable, Sequence
from pathlib import Path

from unified_cli import os_limits
from unified_cli.catalogue import Catalogue
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.plural import named
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.writes import run_state, stdin_copy
from unified_cli.writes.entry import RunKind
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run_state import KnownRun
from unified_cli.writes.state_words import DONE, RUNNING, UNREADABLE

_MOST_NAMED = 10
LAST = "last"
"""The word for the newest run that a command can work on, used instead of an id."""


def list_runs(runtime: Runtime, catalogue: Catalogue | None = None) -> list[KnownRun]:
    """Return the runs, newest first and unreadable ones last.

    With `catalogue`, also reads calls in doubt, as `run_state.load` does. Prints a
    warning about each run that cannot be trusted or opened. Raises ConfigError and
    StorageError if the folder of the runs cannot be used.
    """
    registry = RunRegistry(runtime)
    for journal in stdin_copy.unlisted_journals(runtime):
        # This does not find journals that version 0.1 wrote beside other files.
        registry.list_old("import … -", str(journal), journal.stat().st_mtime)
    found = []
    for run in registry.ids():
        try:
            known = run_state.load(runtime, registry, run, catalogue)
        except UsageError:
            # Another process has removed the run.
            continue
        if known.foreign or known.closed:
            runtime.stderr.line(f"warning: run {run} is ignored: {known.reason}")
        found.append(known)
    return sorted(found, key=lambda run: (run.began_at, run.id), reverse=True)


def export_words(runtime: Runtime, place: str) -> Sequence[str]:
    """Return the words of the command of the newest export to a destination.

    Returns nothing if no such run is listed. Tasks and the exports of other users are
    not listed.
    """
    try:
        path = place if object_store.parse_url(place) else str(os_limits.absolute(Path(place)))
        found = list_runs(runtime)
    except UnifiedError:
        # Ignore errors, because the words are only for the hint of another error.
        return ()
    words = (
        run.header.words
        for run in found
        if run.header and run.header.kind is RunKind.EXPORT and run.header.path == path
    )
    newest = next(words, ())
    return ["unified", *newest] if newest else ()


def choose_run(
    runtime: Runtime, verb: str, *tests: Callable[[KnownRun], bool], found: list[KnownRun]
) -> str:
    """Return the id of the newest run that the command can work on.

    Prints a note that names the run and the other open runs. Raises UsageError if there
    is no such run.
    """
    chosen = next((run for test in tests for run in found if test(run)), None)
    if chosen is None:
        raise _no_run_error(verb, found)
    left = [run for run in found if is_open(run) and run is not chosen]
    runtime.stderr.note(
        f"the newest run to {verb} is {chosen.id} ({chosen.state}): {chosen.command}"
    )
    if left:
        others = named([f"{run.id} ({run.state})" for run in left], _MOST_NAMED)
        runtime.stderr.note(f"also open: {others}")
    return chosen.id


def is_open(run: KnownRun) -> bool:
    """Return whether a run has calls that are not done."""
    return run.state not in (DONE, RUNNING, UNREADABLE)


def is_nothing_left(runtime: Runtime, verb: str, found: list[KnownRun]) -> bool:
    """Return whether every run is done. In this case, also print a note."""
    if any(run.state != DONE for run in found):
        return False
    why = "every run is done" if found else "there are no runs"
    runtime.stderr.note(f"nothing to {verb}: {why}")
    return True


def _no_run_error(verb: str, found: list[KnownRun]) -> UsageError:
    others = [run for run in found if run.state != DONE]
    if not others:
        return UsageError("there are no runs", hint="unified runs list")
    states = [
        f"{run.id} is {run.state}" + (f" ({run.reason})" if run.reason else "") for run in others
    ]
    return UsageError(
        f"there is no run to {verb}: {named(states, _MOST_NAMED)}",
        hint=next((run.next_command for run in others if run.next_command), None)
        or "unified runs list",
    )
