"""`unified runs list`: the runs, the newest first, and how far each is."""

from collections.abc import Mapping
from datetime import UTC, datetime

from unified_cli.bulk.import_ import stdin_copy
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.runs import pointed_work
from unified_cli.commands.runs.options import ListRunsOptions
from unified_cli.errors import ConfigError, StateError, StorageError, UsageError
from unified_cli.json_text.values import JsonObject
from unified_cli.runtime import Runtime
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun

VERSION = 1
_HEADS = ("id", "started", "command", "done", "failed", "in doubt", "not tried", "state")
_COUNTED = ("done", "failed", "in-doubt", "not-tried")


def run(context: CommandContext, options: ListRunsOptions) -> None:
    """List the runs."""
    runtime = context.runtime
    found = newest(runtime)
    if not found:
        runtime.stderr.note("no runs")
    rows = [
        (
            one["id"],
            one["started"] or "",
            one["command"],
            *("" if one[name.replace("-", "_")] is None else str(one[name.replace("-", "_")]) for name in _COUNTED),
            one["state"],
        )
        for one in found
    ]
    show(runtime, options.output, _HEADS, rows, {"version": VERSION, "runs": found})


def newest(runtime: Runtime) -> list[JsonObject]:
    """The runs as JSON, the newest first; the names are a contract.

    One that cannot be obeyed or read is named on stderr. Raises ConfigError, StorageError for the folder of them all.
    """
    registry = RunRegistry(runtime.folder("data"), runtime.wall)
    for journal in stdin_copy.unfinished(runtime):
        # Version 0.1 listed no imports; those of files it left beside them, where nobody can look.
        registry.point("import … -", str(journal), at=journal.stat().st_mtime)
    found = [one for run in registry.ids() if (one := _facts(runtime, registry, run)) is not None]
    return [facts for _, facts in sorted(found, key=lambda one: (one[0], one[1]["id"]), reverse=True)]


def _facts(runtime: Runtime, registry: RunRegistry, run: str) -> tuple[float, JsonObject] | None:
    """When a run began, in seconds since 1970, and what is known of it; None where it was removed meanwhile."""
    state = "damaged"
    try:
        with StoredRun.look(registry, run) as stored:
            return _found(runtime, run, stored)
    except UsageError:
        return None
    except (ConfigError, StorageError) as error:
        # The others are listed all the same.
        runtime.stderr.line(f"warning: run {run} is left alone: {error.message}")
        state = "unsafe" if isinstance(error, ConfigError) else "unreadable"
    except (StateError, OverflowError, ValueError, OSError):
        pass
    return 0.0, {**_row(run, None, "", state), **_numbers(None), "path": None}


def _found(runtime: Runtime, run: str, stored: StoredRun) -> tuple[float, JsonObject]:
    header = stored.header
    if header.path:
        counts, state = pointed_work.state_of(runtime, header)
    else:
        counts = stored.journal.outcomes()
        state = "done" if counts["done"] == counts.total() else "open"
    started = datetime.fromtimestamp(header.at, UTC).isoformat(timespec="seconds")
    row = _row(run, started, header.command, state)
    return header.at, {**row, **_numbers(counts), "path": header.path or None}


def _row(run: str, started: str | None, command: str, state: str) -> JsonObject:
    return {"id": run, "started": started, "command": command, "state": state}


def _numbers(counts: Mapping[str, int] | None) -> JsonObject:
    return {name.replace("-", "_"): None if counts is None else counts.get(name, 0) for name in _COUNTED}
