"""Find the state of a run of any kind."""

import contextlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from unified_cli.catalogue import Catalogue
from unified_cli.errors import ConfigError, StateError, StorageError, UnifiedError
from unified_cli.exported import export_state
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import NAME, Manifest
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject
from unified_cli.writes import apply_journal, import_journal, next_step, run_doubts
from unified_cli.writes.entry import EntryState, RunKind
from unified_cli.writes.journal import Journal
from unified_cli.writes.next_step import WorkLeft
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_doubts import RunDoubts
from unified_cli.writes.state_words import (
    DONE,
    FAILED,
    IN_DOUBT,
    INTERRUPTED,
    RUNNING,
    UNREADABLE,
)

COUNTED = ("done", "failed", "in-doubt", "not-tried")
"""The outcomes that have a count in the list of runs."""


class KnownRun(NamedTuple):
    """The known facts about a run. `reason` says why the run cannot be read or cannot
    continue.

    A run is `foreign` if another user may have written it. It is `closed` if this user
    is not allowed to read it, or if the disk failed.
    """

    id: str
    state: str
    header: RunHeader | None = None
    counts: Counter[str] | None = None
    doubts: RunDoubts | None = None
    """The calls in doubt, or None if they were not read."""
    passing: bool = True
    """Whether any failed call may succeed if it is repeated unchanged."""
    reason: str = ""
    foreign: bool = False
    closed: bool = False

    @property
    def command(self) -> str:
        """The words after the program's name."""
        return self.header.command if self.header else ""

    @property
    def began_at(self) -> float:
        """When the run began, in seconds since 1970."""
        return self.header.at if self.header else 0.0

    @property
    def can_continue(self) -> bool:
        """Whether this program can continue the run."""
        return self.header is not None and self.header.continues and not self.reason

    @property
    def next_command(self) -> str | None:
        """The command to suggest next. It is None if nothing is left to do, or if the
        run is running.
        """
        return self.next_after("")

    @property
    def repeats(self) -> bool:
        """Whether a resume repeats any call in doubt."""
        return self.doubts is not None and self.doubts.repeated > 0

    def show_doubts(self, runtime: Runtime) -> None:
        """Print what to do about the calls in doubt.

        Prints nothing if the calls in doubt were not read.
        """
        if self.doubts is not None:
            failed = self.counts is not None and self.counts["failed"]
            self.doubts.show(runtime, closes=self.state == IN_DOUBT and not failed)

    def next_after(self, verb: str) -> str | None:
        """Return the next command after `unified runs VERB` for this run."""
        if self.state == RUNNING:
            return None
        corrected = () if self.passing or self.header is None else self.header.corrected
        # Even if a run cannot be read, there may be lines to correct, which are in
        # another file.
        if self.reason and not (corrected and self.state == FAILED):
            return next_step.remove(self.id)
        if self.header is None or not self.header.continues:
            return None
        counts = self.counts or Counter[str]()
        left = WorkLeft(
            self.id,
            counts["not-tried"] or self.state == INTERRUPTED,
            counts["failed"] or self.state == FAILED,
            counts["in-doubt"] or self.state == IN_DOUBT,
            self.repeats,
            self.doubts.check_command if self.doubts else None,
            corrected,
        )
        return next_step.next_step(left, verb)

    def row(self) -> JsonObject:
        """Return the run as JSON. Scripts depend on the names."""
        at = datetime.fromtimestamp(self.began_at, UTC).isoformat(timespec="seconds")
        return {
            "id": self.id,
            "started": at if self.header else None,
            "command": self.command,
            "state": self.state,
            **{
                name.replace("-", "_"): None if self.counts is None else self.counts[name]
                for name in COUNTED
            },
            "path": (self.header and self.header.path) or None,
            "reason": self.reason or None,
            "next": self.next_command,
        }


def load(
    runtime: Runtime, registry: RunRegistry, run: str, catalogue: Catalogue | None = None
) -> KnownRun:
    """Return the known facts about a run.

    With `catalogue`, also reads the calls in doubt if only such calls are left. Raises
    UsageError if there is no run with this id.
    """
    path = registry.path(run)
    header: RunHeader | None = None
    try:
        with StoredRun.open_to_read(registry, run) as stored:
            header = stored.header
            result = _of_header(runtime, stored)
            result.row()
    except ConfigError as error:
        return KnownRun(run, UNREADABLE, reason=error.message, foreign=True)
    except StorageError as error:
        return KnownRun(run, UNREADABLE, header, reason=error.message, closed=True)
    except StateError as error:
        result = KnownRun(run, UNREADABLE, header, reason=error.message)
    except (OverflowError, ValueError, OSError):
        return KnownRun(run, UNREADABLE, reason=f"{path} is damaged")
    if registry.is_running(run):
        return result._replace(state=RUNNING)
    if catalogue is None or result.state != IN_DOUBT:
        return result
    return _with_doubts(runtime, registry, catalogue, result)


def of_this_process(runtime: Runtime, catalogue: Catalogue) -> KnownRun | None:
    """Return the known facts about the import or the apply that just ended in this
    process, with its calls in doubt.

    Returns None if it is not in the list of runs.
    """
    if not (run := runtime.stderr.run):
        return None
    registry = RunRegistry(runtime)
    found = load(runtime, registry, run)
    doubtful = found.counts is not None and found.counts["in-doubt"]
    return _with_doubts(runtime, registry, catalogue, found) if doubtful else found


def _with_doubts(
    runtime: Runtime, registry: RunRegistry, catalogue: Catalogue, found: KnownRun
) -> KnownRun:
    # Ignore errors, because the input of an import or a plan may have been removed.
    with (
        contextlib.suppress(UnifiedError),
        StoredRun.open_to_read(registry, found.id) as stored,
    ):
        return found._replace(doubts=run_doubts.read(runtime, catalogue, stored))
    return found


def _of_header(runtime: Runtime, stored: StoredRun) -> KnownRun:
    """Return the known facts about a run whose header can be read.

    Raises StateError and StorageError if the other lines cannot be read.
    """
    header = stored.header
    if not header.path:
        counts = stored.journal.outcomes()
        return KnownRun(header.run, state_of(counts), header, counts)
    if stored.kind is RunKind.EXPORT:
        return _of_export(runtime, header)
    with contextlib.ExitStack() as stack:
        journals = [
            stack.enter_context(contextlib.closing(journal)) for journal in open_journals(header)
        ]
        counts = sum((journal.outcomes() for journal in journals), Counter[str]())
        counts["not-tried"] += max(0, _total_writes(header) - counts.total())
        passing = any(journal.counts()[EntryState.FAILED] for journal in journals)
    state = state_of(counts)
    if state == DONE and not header.calls and _is_cut_off(header):
        state = INTERRUPTED
    gone = [path for path in header.inputs if state != DONE and not Path(path).exists()]
    reason = f"{gone[0]} is missing; the run can continue when it is there again" if gone else ""
    return KnownRun(header.run, state, header, counts, passing=passing, reason=reason)


def state_of(counts: Counter[str]) -> str:
    """Return the state of a run from the number of its calls with each outcome. Do not
    call it for a run that is running.
    """
    states = {"not-tried": INTERRUPTED, "in-doubt": IN_DOUBT, "failed": FAILED}
    return next((state for name, state in states.items() if counts[name]), DONE)


def open_journals(header: RunHeader) -> Iterator[Journal]:
    """Yield the open journals of an import, or of the plans that were applied, for
    reading.

    Raises StateError if a journal is missing or damaged, and StorageError if reading
    fails.
    """
    for text in (header.path, *header.paths):
        path = Path(text)
        if not path.is_file():
            raise StateError(f"{path} is gone")
        if header.command.startswith("import "):
            yield import_journal.open_to_read(path)[0]
        else:
            yield apply_journal.open_to_read(path)[0]


def _total_writes(header: RunHeader) -> int:
    if header.command.startswith("apply ") and not header.calls:
        return sum(_calls(Path(text)) for text in (header.path, *header.paths))
    return header.calls


def _calls(path: Path) -> int:
    journal, header = apply_journal.open_to_read(path)
    journal.close()
    return header.calls


def _is_cut_off(header: RunHeader) -> bool:
    if not header.command.startswith("import "):
        return False
    source = Path(header.path.removesuffix(import_journal.SUFFIX))
    return not [*source.parent.glob(f"{source.name}.unified-*.ndjson")]


def _of_export(runtime: Runtime, header: RunHeader) -> KnownRun:
    if manifest := manifest_of(runtime, header):
        # If the manifest has no end, the export was interrupted, although its lists may
        # be complete.
        lists = Counter(
            "not-tried" if entry.is_unread else "done" if entry.complete else "failed"
            for entry in export_state.all_lists([manifest]).values()
            if entry.offered
        )
        state = state_of(lists) if manifest.ended else INTERRUPTED
        return KnownRun(header.run, state, header, lists)
    if header.ended or header.words:
        # Do not read an object store. A shard and a task have other manifests.
        return KnownRun(header.run, header.ended or INTERRUPTED, header)
    return KnownRun(header.run, UNREADABLE, header, reason=f"{header.path} was not read")


def manifest_of(runtime: Runtime, header: RunHeader) -> Manifest | None:
    """Return the manifest of an export into a folder.

    Returns None if the export is into an object store, or if the manifest is missing.
    Raises StateError if the folder is missing, and StorageError if reading fails.
    """
    path = Path(header.path)
    if not path.is_absolute():
        return None
    if not path.is_dir():
        raise StateError(f"{path} is gone")
    text = LocalFolder(runtime, path).read(NAME)
    return None if text is None else Manifest.from_text(text, NAME, header.path)
