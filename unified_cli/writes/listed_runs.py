"""The list of runs; imports, exports and applied plans are in it too, whose state is
kept elsewhere.
"""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from unified_cli.errors import ConfigError, StateError, StorageError, UsageError
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import NAME, Manifest
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject
from unified_cli.writes import apply_journal, import_journal, stdin_copy
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun

COUNTED = ("done", "failed", "in-doubt", "not-tried")
"""The outcomes that are counted."""
LAST = "last"
"""In place of an id: the newest run that is not done."""


def newest(runtime: Runtime) -> list[JsonObject]:
    """The runs as JSON, the newest first; the names are a contract.

    One that cannot be obeyed or read is named on stderr. Raises ConfigError,
    StorageError for the folder of them all.
    """
    registry = RunRegistry(runtime)
    for journal in stdin_copy.unfinished(runtime):
        # Version 0.1 listed no imports; those of files it left beside them, where nobody can look.
        registry.point("import … -", str(journal), at=journal.stat().st_mtime)
    found = [one for run in registry.ids() if (one := _facts(runtime, registry, run)) is not None]
    return [
        facts for _, facts in sorted(found, key=lambda one: (one[0], one[1]["id"]), reverse=True)
    ]


def last(runtime: Runtime, *, also_done: bool = False) -> str:
    """The id of the newest run that is not done, which is told; `also_done` takes the
    newest where all are.

    Raises UsageError where there is none, ConfigError and StorageError as `newest` does.
    """
    found = newest(runtime)
    chosen = [one for one in found if _is_left(one)] or (found if also_done else [])
    if not chosen:
        raise UsageError(
            "every run is done" if found else "there are no runs", hint="unified runs list"
        )
    first = chosen[0]
    runtime.stderr.note(
        f"the newest run{'' if _is_left(first) else ', done,'} is {first['id']}: {first['command']}"
    )
    return str(first["id"])


def _is_left(run: JsonObject) -> bool:
    """Whether something of a run is not done. What an import or a plan left counts too,
    lest an older run is taken.
    """
    return run["state"] == "open" or any(
        run[name.replace("-", "_")] for name in COUNTED if name != "done"
    )


def _facts(runtime: Runtime, registry: RunRegistry, run: str) -> tuple[float, JsonObject] | None:
    """When a run began, in seconds since 1970, and what is known of it; None where it
    was removed meanwhile.
    """
    state = "damaged"
    try:
        with StoredRun.look(registry, run) as stored:
            counts, known = _state_of(runtime, stored)
            return stored.header.at, _row(run, known, stored.header, counts)
    except UsageError:
        return None
    except (ConfigError, StorageError) as error:
        # The others are listed all the same.
        runtime.stderr.line(f"warning: run {run} is left alone: {error.message}")
        state = "unsafe" if isinstance(error, ConfigError) else "unreadable"
    except (StateError, OverflowError, ValueError, OSError):
        pass
    return 0.0, _row(run, state)


def _row(
    run: str, state: str, header: RunHeader | None = None, counts: Counter[str] | None = None
) -> JsonObject:
    return {
        "id": run,
        "started": datetime.fromtimestamp(header.at, UTC).isoformat(timespec="seconds")
        if header
        else None,
        "command": header.command if header else "",
        "state": state,
        **{name.replace("-", "_"): None if counts is None else counts[name] for name in COUNTED},
        "path": (header and header.path) or None,
    }


def _state_of(runtime: Runtime, stored: StoredRun) -> tuple[Counter[str] | None, str]:
    """The outcomes of a run's calls, an import's records or a plan's calls, None for an
    export; and a word for it.

    Raises StateError and StorageError for what cannot be read.
    """
    header, path = stored.header, Path(stored.header.path)
    if not header.path:
        return _counted(stored.journal.outcomes())
    if header.command.startswith("import "):
        return (import_journal.counts(path), "import") if path.is_file() else (None, "gone")
    if header.command.startswith("apply "):
        return _counted(apply_journal.counts(path)) if path.is_file() else (None, "gone")
    if not path.is_absolute():
        # An object store is not asked.
        return None, "export"
    text = LocalFolder(runtime, path).read(NAME)
    if text is None:
        return None, "gone"
    manifest = Manifest.of(text, NAME, header.path)
    # One that is under way, or was cut off, has no end; what it names may be complete all the same.
    return None, "done" if manifest.complete and manifest.ended else "open"


def _counted(counts: Counter[str]) -> tuple[Counter[str], str]:
    return counts, "done" if counts["done"] == counts.total() else "open"


def refuse(header: RunHeader) -> None:
    """Raise UsageError for a run that the same command as before continues."""
    if header.path:
        kind = header.command.partition(" ")[0]
        raise UsageError(
            f"run {header.run} is an {kind}, which keeps its state in {header.path}",
            hint="run the same command again to continue it",
        )
