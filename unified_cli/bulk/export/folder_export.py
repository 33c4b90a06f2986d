"""Many lists of many connections to a destination, several at a time, with a manifest of what came of each."""

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace

from unified_cli.bulk.export.export_task import FailedList, TaskResult, TaskRunner
from unified_cli.bulk.export.export_terms import ExportTask, ExportTerms
from unified_cli.bulk.export.list_export import ListTarget
from unified_cli.bulk.export.manifest import Manifest, ManifestEntry, timestamp, without_lists
from unified_cli.catalogue import Service
from unified_cli.errors import AccessError, UnifiedError
from unified_cli.runtime import Runtime


@dataclass(slots=True)
class ExportSummary:
    """What came of an export: files written and found complete, the failures by file, connections `without_lists`.

    `ahead` says which lists have records that are stamped later than the service's clock.
    """

    written: int = 0
    unchanged: int = 0
    records: int = 0
    not_offered: int = 0
    partial: list[str] = field(default_factory=list)
    ahead: list[str] = field(default_factory=list)
    failed: dict[str, UnifiedError] = field(default_factory=dict)
    without_lists: dict[str, list[ManifestEntry]] = field(default_factory=dict)


class Export:
    """The export of all tasks, with its manifest."""

    def __init__(self, runtime: Runtime, service: Service, manifest: Manifest, terms: ExportTerms) -> None:
        self._runtime = runtime
        self._manifest = manifest
        self._destination = terms.destination
        self._readers = terms.readers
        self._progress = terms.progress
        self._runner = TaskRunner(runtime, service, manifest, terms)
        self._summary = ExportSummary()
        self._untidy: list[ListTarget] = []
        self._saved_at = float("-inf")

    def run(self, tasks: Sequence[ExportTask]) -> ExportSummary:
        """Do all tasks.

        A failure of one does not keep the others from being done; StorageError, of a full disk say, ends all.
        """
        self._manifest.ended = None
        self._save()
        try:
            connections = len({task.name for task in tasks})
            read = self._readers.read(tasks, self._runner.run, connections)
            with closing(self._runner), closing(read) as results:
                for result in results:
                    self._note(result)
            self._manifest.ended = timestamp(self._runtime.wall())
        except BaseException:
            # What failed first is told: where that was the disk, the manifest fails too.
            with suppress(UnifiedError):
                self._save()
            raise
        self._save()
        self._summary.without_lists = self._judged(tasks)
        self._summary.ahead = self._runner.ahead.lines()
        return self._summary

    def _judged(self, tasks: Sequence[ExportTask]) -> dict[str, list[ManifestEntry]]:
        """The connections that offer none of the lists; a shard has too few lists to judge by, unless it is by all."""
        found = without_lists(self._manifest.entries[task.file] for task in tasks)
        return found if not self._manifest.shard or len(found) == len({task.name for task in tasks}) else {}

    def _note(self, result: TaskResult) -> None:
        if isinstance(result, FailedList):
            self._note_failure(result.task, result.error)
            self._progress.add(parts=1, failed=1)
        else:
            if result.part is None:
                self._progress.skip(parts=1)
            elif not result.goes_on:
                self._progress.add(parts=1)
            self._note_success(result.entry, result.part)
            waited = self._runtime.monotonic() - self._saved_at
            if waited >= self._destination.save_seconds or len(self._untidy) >= self._destination.most_untold:
                self._save()

    def _note_failure(self, task: ExportTask, error: UnifiedError) -> None:
        if isinstance(error, AccessError) and error.stops_connection:
            self._runner.refuse(task.name, error)
        self._summary.failed[task.file] = error
        before = self._manifest.entries.get(task.file)
        if before is None or not before.complete:
            entry = ManifestEntry(
                task.file, task.name, "", "", task.operation.api, task.operation.resource, why=error.one_line
            )
            self._manifest.entries[task.file] = replace(before, why=error.one_line) if before else entry

    def _note_success(self, entry: ManifestEntry, part: ListTarget | None) -> None:
        summary = self._summary
        self._manifest.entries[entry.file] = entry
        if part is None:
            summary.unchanged += entry.offered
            summary.not_offered += not entry.offered
            return
        summary.written += 1
        summary.records += entry.records
        self._untidy.append(part)
        if not entry.complete:
            summary.partial.append(f"{entry.file}: {entry.why}")

    def _save(self) -> None:
        """Write the manifest, and only then remove what would tell the next run of files that it does not list."""
        self._destination.replace(self._manifest.name, self._manifest.text())
        while self._untidy:
            self._untidy.pop().tidy()
        self._saved_at = self._runtime.monotonic()
