"""The results of the tasks of an export on an engine: the workers' reports, and the
files at the destination.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from unified_cli.commands.export import connection_task as tasks, engine_messages, plan
from unified_cli.commands.export.connection_task import ConnectionTask
from unified_cli.commands.export.engine import TaskEnd, TaskNews
from unified_cli.commands.export.engine_messages import TaskNumbers, TaskOutcome
from unified_cli.commands.export.report import ExportSummary
from unified_cli.config import address
from unified_cli.errors import NetworkError, StateError, UnifiedError, UnsafeError
from unified_cli.exported import list_history
from unified_cli.exported.destination import Destination
from unified_cli.exported.manifest import Manifest, ManifestEntry
from unified_cli.fleet import pool
from unified_cli.masking import excerpt
from unified_cli.output.formats import Format
from unified_cli.output.progress import Progress

_LONGEST_LINE = 300
_THREADS = 8
# No record takes less: an empty object and the end of its line; in Parquet many equal
# ones take next to nothing.
_LEAST_BYTES = {".ndjson": 3.0, ".delta": 3.0, ".parquet": 0.001}


class EngineResults:
    """The summary of all tasks; a result that is not one of its task is a failure of
    that task.

    Only files that the driver finds at the destination count as done.
    """

    def __init__(
        self, tasks: Mapping[str, ConnectionTask], form: Format, destination: Destination
    ) -> None:
        self.summary = ExportSummary()
        self._tasks = tasks
        self._form = form
        self._destination = destination
        self._told = dict.fromkeys(tasks, TaskNumbers())
        self._found: dict[str, FoundLists] = {}

    def begin(self, name: str) -> None:
        """Record the files at the destination before the task is done.

        Raises StorageError.
        """
        task = self._tasks[name]
        origin = address.written(task.base_url, "a task").origin
        self._found[name] = FoundLists(
            self._destination, tasks.manifest_name(name), (origin, task.account), self._files(task)
        )

    def note(self, event: TaskNews | TaskEnd, shown: Progress) -> int | None:
        """Count the new records.

        Gives, at the end of a task, how many of its sends may count for the limits
        still.

        Raises StorageError where it cannot be seen what the task left.
        """
        task = self._tasks[event.task.name]
        if isinstance(event, TaskNews):
            numbers = engine_messages.read_numbers(event.data)
            if (
                numbers is not None
                and numbers.lists <= len(task.lists)
                and numbers.failed <= numbers.lists
            ):
                self._count(task.name, self._told[task.name].reached(numbers), shown)
            return None
        sent, found = self._end(task, event)
        self.summary.add(found)
        # Whatever it said before, it is this.
        before = self._told[task.name]
        numbers = TaskNumbers(found.records, before.pages, len(task.lists), len(found.failed))
        self._count(task.name, numbers, shown)
        return sent

    def _end(self, task: ConnectionTask, end: TaskEnd) -> tuple[int, ExportSummary]:
        """Return how many sends may count still, and what came of the task."""
        where = f"the worker {end.where}" if end.where else "a worker"
        outcome = self._outcome(end, where)
        if isinstance(outcome, TaskOutcome):
            failed = {name: failure.error() for name, failure in outcome.failed.items()}
            try:
                found = self._found[task.name].summary(task.name, failed, where)
            except StateError as error:
                outcome = error
            else:
                found.ahead += (
                    excerpt(line, _LONGEST_LINE) for line in outcome.ahead[: len(task.lists)]
                )
                return outcome.sent, found
        return 1 << 30, ExportSummary(failed=dict.fromkeys(self._files(task), outcome))

    def _outcome(self, end: TaskEnd, where: str) -> TaskOutcome | UnifiedError:
        if end.result is None:
            kind = UnsafeError if end.refused else NetworkError
            return kind(f"{where} did not do the task of {end.task.name}: {end.why}", hint=end.hint)
        report = engine_messages.read_report(end.result, end.task.payload)
        if report is not None and report.error:
            error = report.error.error()
            return error.reworded(
                f"{where} did not do the task of {end.task.name}: {error.message}"
            )
        outcome = report.outcome if report else None
        if outcome is None or not outcome.failed.keys() <= {
            *self._files(self._tasks[end.task.name])
        }:
            return UnsafeError(
                f"{where} answered the task of {end.task.name} with something else than a result;"
                " nothing of it was used",
                hint="is the worker yours?",
            )
        return outcome

    def _count(self, name: str, after: TaskNumbers, shown: Progress) -> None:
        new = after.since(self._told[name])
        self._told[name] = after
        shown.add(new.records, pages=new.pages, parts=new.lists, failed=new.failed)

    def _files(self, task: ConnectionTask) -> list[str]:
        return [plan.file_for(task.name, name, self._form) for name in task.lists]


class FoundLists:
    """The lists of a task, before it was done and after; `manifest` is the name of its
    manifest.

    A worker's report about them is ignored.
    """

    def __init__(
        self,
        destination: Destination,
        manifest: str,
        account: tuple[str, str],
        files: Iterable[str],
    ) -> None:
        """`account` is the origin and the account that the lists are of.

        Raises StorageError.
        """
        self._destination = destination
        self._manifest = manifest
        self._account = account
        self._files = [*files]
        try:
            self._before = self._entries()
        except StateError:
            # Anyone who does the task finds it, too, and says so.
            self._before = {}

    def summary(self, name: str, failed: Mapping[str, UnifiedError], where: str) -> ExportSummary:
        """Return what came of the task of this connection, of whose lists these failed.

        `where` is who did it.

        Raises StateError for a damaged manifest, StorageError.
        """
        entries = self._entries()
        found = ExportSummary(failed={**failed})
        expected = [
            entries.get(file) or ManifestEntry(file, name, "", "", "", "") for file in self._files
        ]
        for entry in expected:
            if not entry.offered and entry.file not in failed:
                found.not_offered += 1
        if not any(entry.offered for entry in expected):
            found.without_lists[name] = [
                replace(entry, why=excerpt(entry.why or "")) for entry in expected
            ]
        added = [
            entry for file, entry in entries.items() if file not in self._files and entry.complete
        ]
        new = [entry for entry in added if self._is_new(entry)]
        changed = {(entry.api, entry.resource) for entry in new}
        there = [entry for entry in expected if entry.offered and entry.file not in failed]
        for entry, error in self._judged([*there, *new], where):
            if error:
                found.failed[entry.file] = error
            elif not entry.complete or self._is_new(entry):
                _add(found, entry)
            elif (entry.api, entry.resource) not in changed:
                found.unchanged += 1
                found.old[entry.file] = excerpt(list_history.read_at(entry, entries))
        return found

    def _entries(self) -> dict[str, ManifestEntry]:
        text = self._destination.read(self._manifest)
        return Manifest.of(text, self._manifest, str(self._destination)).entries if text else {}

    def _is_new(self, entry: ManifestEntry) -> bool:
        before = self._before.get(entry.file)
        return before is None or _told_of(before) != _told_of(entry)

    def _judged(
        self, entries: Iterable[ManifestEntry], where: str
    ) -> Iterator[tuple[ManifestEntry, UnifiedError | None]]:
        """Yield each of the entries, and why it does not count, if it does not."""

        def judge(entry: ManifestEntry) -> Generator[tuple[ManifestEntry, UnifiedError | None]]:
            try:
                told = self._told(entry) and self._destination.holds(replace(entry, complete=True))
            except StateError as error:
                yield entry, error
                return
            missing = (
                f"{where} said that it has done {entry.file}, which is not complete at"
                f" {self._destination}"
            )
            yield entry, None if told else StateError(missing, hint="run the same command again")

        yield from sorted(
            pool.results_of(entries, judge, _THREADS), key=lambda judged: judged[0].file
        )

    def _told(self, entry: ManifestEntry) -> bool:
        """Return whether the manifest says, as far as it can be true, that the list
        came to its end.
        """
        least = _LEAST_BYTES.get(PurePosixPath(entry.file).suffix, 0.0)
        of_task = (entry.origin, entry.account_id) == self._account
        return (
            of_task and bool(entry.complete or entry.ended) and entry.records * least <= entry.bytes
        )


def _told_of(entry: ManifestEntry) -> ManifestEntry:
    """Return the entry without the notes about a list that did not change."""
    return replace(entry, look="", checked="")


def _add(found: ExportSummary, entry: ManifestEntry) -> None:
    found.written += 1
    found.records += entry.records
    if not entry.complete:
        found.partial.append(f"{entry.file}: {excerpt(entry.why or '')}")
