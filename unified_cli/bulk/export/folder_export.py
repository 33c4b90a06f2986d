"""Many lists of many connections into a folder, side by side, with a manifest of what came of each."""

import threading
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from unified_cli.bulk.client_pool import Pool
from unified_cli.bulk.export import list_export, selection
from unified_cli.bulk.export.manifest import Manifest, ManifestEntry, moment
from unified_cli.bulk.export.partial_file import PartialFile, sweep
from unified_cli.bulk.parallel_streams import Ended, Give, side_by_side
from unified_cli.catalogue import Operation, Service
from unified_cli.errors import AccessError, StateError, StorageError, UnifiedError
from unified_cli.http import pagination
from unified_cli.http.client import Client
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.runtime import Runtime
from unified_cli.storage import folders

_NOT_OFFERED = {404, 405, 501}
# The manifest is written anew for what ended in so many seconds.
_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Connection:
    """One connection of an export: the `request` for a list, and a way to `open` a client."""

    profile: str
    request: Callable[[Operation], Request]
    open: Callable[[], Client]


@dataclass(frozen=True, slots=True)
class ExportTask:
    """One list of one connection. `exact` says that it was named, so that its absence is a failure."""

    name: str
    operation: Operation
    file: str
    exact: bool


@dataclass(slots=True)
class ExportSummary:
    """What came of an export: files written and found complete, and the failures by file."""

    written: int = 0
    unchanged: int = 0
    records: int = 0
    not_offered: int = 0
    partial: list[str] = field(default_factory=list)
    failed: dict[str, UnifiedError] = field(default_factory=dict)


class Export:
    """The export of all tasks into one folder. `connect` gives a connection by name, or raises why there is none."""

    def __init__(
        self,
        runtime: Runtime,
        service: Service,
        folder: Path,
        manifest: Manifest,
        connect: Callable[[str], Connection],
        options: Callable[[Operation], list_export.ListExportOptions],
        *,
        workers: int,
        allow_partial: bool,
    ) -> None:
        self._runtime = runtime
        self._service = service
        self._folder = folder
        self._manifest = manifest
        self._connect = connect
        self._options = options
        self._workers = workers
        self._allow_partial = allow_partial
        self._pool = Pool(workers)
        self._lock = threading.Lock()
        self._book = threading.Lock()
        self._dead: dict[str, UnifiedError] = {}
        self._untidy: list[PartialFile] = []
        self._saved_at = float("-inf")

    def run(self, tasks: Sequence[ExportTask], on_page: Callable[[int], None]) -> ExportSummary:
        """Do all tasks, telling `on_page` how many records each page has.

        A failure of one does not keep the others from being done, but a full disk does.
        """
        summary = ExportSummary()
        self._manifest.ended = None
        self._manifest.save()

        def use(place: int, found: Page | _FinishedList | Ended) -> None:
            with self._book:
                if isinstance(found, Page):
                    on_page(len(found.records))
                elif isinstance(found, Ended):
                    self._failed(tasks[place], found.error, summary)
                else:
                    self._done(found, summary)

        try:
            side_by_side([partial(self._task, task) for task in tasks], self._workers, use)
            self._manifest.ended = moment(self._runtime.wall())
        finally:
            # What is being noted when a signal comes is noted to its end, however long the disk takes.
            with self._book:
                self._save()
            self._pool.close()
        return summary

    def _task(self, task: ExportTask, give: Give["Page | _FinishedList"]) -> None:
        connection, request = self._reach(task)
        options = self._options(task.operation)
        mark = list_export.fingerprint(request, format=options.style.format, csv_safe=options.style.safe_cells)
        entry = _entry(task, request, mark, moment(self._runtime.wall()))
        before = self._manifest.entries.get(task.file)
        if before and not options.restart:
            if before.fingerprint not in {"", mark}:
                raise StateError(f"{task.file} was exported with other options (--restart replaces it)")
            if self._is_done(before):
                sweep(self._folder / task.file)
                give(_FinishedList(before))
                return
        path = self._folder / task.file
        folders.make_private(path.parent)
        # A file that the manifest lists is ours to replace.
        options = replace(options, force=options.force or options.restart or before is not None)
        part = PartialFile(
            path,
            mark,
            monotonic=self._runtime.monotonic,
            wall=self._runtime.wall,
            instead="--restart replaces it",
        )

        def read(span: Span) -> Generator[Page]:
            # Without reading ahead: while a page of this list is written, other lists are read.
            with self._pool.lend(task.name, connection.open) as client:
                yield from pagination.pages(client.send, request, self._service, span)

        try:
            list_export.run(part, read, options, give)
        except UnifiedError as error:
            part.close()
            if error.status not in _NOT_OFFERED or part.state.pages or task.exact:
                raise
            give(_FinishedList(replace(entry, offered=False, why=error.message, ended=moment(self._runtime.wall()))))
            return
        missing = list_export.shortcomings(part, options)
        give(_FinishedList(_finished(entry, part, missing, allow=self._allow_partial), part))

    def _reach(self, task: ExportTask) -> tuple[Connection, Request]:
        with self._lock:
            if error := self._dead.get(task.name):
                raise type(error)(error.message, origin=error.origin, status=error.status)
        connection = self._connect(task.name)
        return connection, connection.request(task.operation)

    def _is_done(self, entry: ManifestEntry) -> bool:
        """Whether nothing is left to do. Raises StateError for a file that somebody changed."""
        if not entry.offered:
            return True
        path = self._folder / entry.file
        if not entry.complete or not path.exists():
            return False
        if path.stat().st_size != entry.bytes:
            raise StateError(f"{path} is not the file that was exported (--restart replaces it)")
        return True

    def _failed(self, task: ExportTask, error: UnifiedError | None, summary: ExportSummary) -> None:
        if error is None:
            return
        if isinstance(error, StorageError):
            raise error
        if isinstance(error, AccessError) and error.stops_connection:
            # The whole connection is closed to us; asking it for the rest would tell the same 87 times.
            with self._lock:
                self._dead.setdefault(task.name, error)
        summary.failed[task.file] = error
        before = self._manifest.entries.get(task.file)
        if before is None or not before.complete:
            entry = ManifestEntry(
                task.file, task.name, "", "", task.operation.api, task.operation.resource, why=error.message
            )
            self._manifest.entries[task.file] = replace(before, why=error.message) if before else entry

    def _done(self, done: "_FinishedList", summary: ExportSummary) -> None:
        entry = done.entry
        self._manifest.entries[entry.file] = entry
        if done.part is None:
            summary.unchanged += entry.offered
            summary.not_offered += not entry.offered
        else:
            summary.written += 1
            summary.records += entry.records
            self._untidy.append(done.part)
            if not entry.complete:
                summary.partial.append(f"{entry.file}: {entry.why}")
        if self._runtime.monotonic() - self._saved_at >= _SECONDS:
            self._save()

    def _save(self) -> None:
        """Write the manifest, and only then let go of what would tell the next run of files that it does not list."""
        self._manifest.save()
        for part in self._untidy:
            part.tidy()
        self._untidy.clear()
        self._saved_at = self._runtime.monotonic()


@dataclass(frozen=True, slots=True)
class _FinishedList:
    """A task is done; `part` is what is to be tidied up when the manifest is safe."""

    entry: ManifestEntry
    part: PartialFile | None = None


def _entry(task: ExportTask, request: Request, mark: str, started: str) -> ManifestEntry:
    operation = task.operation
    return ManifestEntry(
        task.file,
        task.name,
        request.account,
        request.address.origin,
        operation.api,
        operation.resource,
        fingerprint=mark,
        started=started,
    )


def _finished(entry: ManifestEntry, part: PartialFile, missing: list[str], *, allow: bool) -> ManifestEntry:
    state = part.state
    return replace(
        entry,
        records=state.records,
        pages=state.pages,
        bytes=state.bytes,
        sha256=state.sha256,
        started=state.started,
        ended=state.updated,
        complete=allow or not missing,
        why="; ".join(missing) or None,
    )


def tasks_for(
    names: Sequence[str], operations: dict[Operation, bool], form: str, shard: tuple[int, int] | None
) -> list[ExportTask]:
    """The tasks of an export, or of this shard of it, in an order in which neighbours are of different connections."""
    return [
        ExportTask(name, operation, selection.file_for(name, operation, form), operations[operation])
        for name, operation in selection.woven(names, operations)
        if selection.is_mine(name, operation, shard)
    ]
