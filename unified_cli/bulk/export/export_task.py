"""One list of one connection to the destination of an export: what a worker does."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace

from unified_cli.bulk.export import increments, list_export, list_history
from unified_cli.bulk.export.checkpoint import ListIdentity
from unified_cli.bulk.export.export_terms import Connection, ExportTask, ExportTerms
from unified_cli.bulk.export.list_export import ListExportOptions, ListTarget, TakenOverError
from unified_cli.bulk.export.list_history import ListHistory
from unified_cli.bulk.export.manifest import Manifest, ManifestEntry, timestamp, without_lists
from unified_cli.bulk.export.records_ahead import RecordsAhead
from unified_cli.catalogue import Service
from unified_cli.errors import StateError, StorageError, UnifiedError
from unified_cli.http import pagination
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.json_text import change_time
from unified_cli.runtime import Runtime

_NOT_OFFERED = {404, 405, 501}


@dataclass(frozen=True, slots=True)
class FinishedList:
    """A list is done, and the task unless it `goes_on`; `part` is to be tidied up when the manifest is on the disk."""

    entry: ManifestEntry
    part: ListTarget | None = None
    goes_on: bool = False


@dataclass(frozen=True, slots=True)
class FailedList:
    """A task ended with this error."""

    task: ExportTask
    error: UnifiedError


TaskResult = FinishedList | FailedList
"""How a task ended."""


class TaskRunner:
    """Does tasks in worker threads; the manifest knows what earlier runs left at the destination."""

    def __init__(self, runtime: Runtime, service: Service, manifest: Manifest, terms: ExportTerms) -> None:
        self._runtime = runtime
        self._service = service
        self._destination = terms.destination
        self._entries = manifest.entries
        self._without_lists = without_lists(manifest.entries.values())
        self._terms = terms
        self._refused: dict[str, UnifiedError] = {}
        self._closed = False
        self.ahead = RecordsAhead()
        """What was read and is stamped later than the service's clock."""

    def close(self) -> None:
        """Have each task that is under way end after its page."""
        self._closed = True

    def refuse(self, name: str, error: UnifiedError) -> None:
        """Send nothing more to this connection: its other lists fail with the same error."""
        self._refused.setdefault(name, error)

    def run(self, task: ExportTask) -> Generator[TaskResult]:
        """Do the task, and give how it ended; each page is counted when it is written.

        Raises StorageError, and TakenOverError where another run does the same.
        """
        try:
            with closing(self._run(task)) as results:
                for result in results:
                    if not isinstance(result, Page):
                        yield result
                        continue
                    # Not in the caller's thread: to wake it for each page costs as much as a tenth of the page.
                    self._terms.progress.add(len(result.records), pages=1)
                    if self._closed:
                        return
        except (StorageError, TakenOverError):
            raise
        except UnifiedError as error:
            yield FailedList(task, error)

    def _run(self, task: ExportTask) -> Generator[Page | TaskResult]:
        if error := self._refused.get(task.name) or self._terms.stop():
            yield FailedList(task, error)
            return
        connection = self._terms.connect(task.name)
        request = connection.request(task.operation)
        options = self._terms.options(task.operation)
        identity = ListIdentity.of(
            request,
            format=options.format,
            csv_safe=options.style.safe_cells,
            bom=options.style.bom,
            replay=self._runtime.replays,
            **options.since,
        )
        before = self._entries.get(task.file)
        if before and not options.restart:
            if before.fingerprint not in {"", identity.digest}:
                other = identity.other(before.options)
                raise StateError(f"{task.file} was exported with {other}", hint="--restart replaces it")
            if self._is_done(before):
                list_history.sweep(self._destination, before, self._entries)
                if options.lag is None or not before.offered:
                    yield FinishedList(before)
                else:
                    history = ListHistory.of(self._destination, before, self._entries)
                    yield from self._add(task, connection, history, replace(options, profile=task.name))
                return
        # A file that the manifest lists is ours to replace.
        force = options.force or options.restart or before is not None
        options = replace(options, force=force, profile=task.name)
        written = self._write(task, connection, _entry(task, request, identity, self._now()), options)
        yield from self._up_to_date(task, connection, written, ListHistory(self._destination, []), options)

    def _up_to_date(
        self,
        task: ExportTask,
        connection: Connection,
        written: Generator[Page | TaskResult],
        history: ListHistory,
        options: ListExportOptions,
    ) -> Generator[Page | TaskResult]:
        """What is written after this history, and what changed since a killed run had written it all."""
        read = options.lag is None
        for result in written:
            read = read or isinstance(result, Page)
            if not read and isinstance(result, FinishedList) and result.entry.complete:
                yield replace(result, goes_on=True)
                yield from self._add(task, connection, history.then(result.entry), options)
            else:
                yield result

    def _add(
        self, task: ExportTask, connection: Connection, history: ListHistory, options: ListExportOptions
    ) -> Generator[Page | TaskResult]:
        """Write what changed since the files of the list that are complete."""
        first = history.entries[0]
        increment = history.next_increment(options.lag or 0)
        if increment.since is None and history.has_records:
            self._runtime.stderr.note(
                f"{task.file}: no record has {change_time.FIELD}, so the list is read whole again"
            )
        since = change_time.timestamp(increment.since) if increment.since else ""
        request = connection.request(task.operation)
        replay = self._runtime.replays
        identity = ListIdentity.of(
            request, format=options.format, csv_safe=False, bom=False, replay=replay, since=since
        )
        added = replace(task, file=history.next_file)
        entry = replace(_entry(added, request, identity, self._now()), since=since)
        options = replace(options, force=True, increment=increment)
        written = self._write(added, connection, entry, options)
        for result in self._up_to_date(task, connection, written, history, options):
            unchanged = isinstance(result, FinishedList) and result.part and not result.part.state.records
            yield FinishedList(first) if unchanged else result

    def _write(
        self, task: ExportTask, connection: Connection, entry: ManifestEntry, options: ListExportOptions
    ) -> Generator[Page | TaskResult]:
        name = f"{task.name}/{task.operation.api}/{task.operation.resource}"
        part = self._destination.target(task.file, ListIdentity(entry.fingerprint, entry.options), options)

        def read(span: Span) -> Generator[Page]:
            # Without reading ahead: while a page of this list is written, other lists are read.
            with self._terms.readers.lend(task.name, connection.open) as client:
                request = connection.request(task.operation)
                if options.increment:
                    request = request._replace(query=[*request.query, *options.increment.query])
                for page in pagination.pages(client.send, request, self._service, span):
                    if options.lag is not None:
                        self.ahead.note(name, page.records, increments.clock(page.date, self._runtime.wall))
                    yield page
                    if error := self._terms.stop():
                        raise error

        try:
            yield from list_export.run(part, read, options, self._runtime.wall)
        except UnifiedError as error:
            part.close()
            if error.status not in _NOT_OFFERED or part.state.pages or task.exact:
                raise
            yield FinishedList(replace(entry, offered=False, why=error.one_line, ended=self._now()))
            return
        except BaseException:
            part.close()
            raise
        missing = list_export.shortcomings(part, options)
        yield FinishedList(entry.finished(part.state, missing, allow=self._terms.allow_partial), part)

    def _is_done(self, entry: ManifestEntry) -> bool:
        """Whether nothing is left to do. Raises StateError for a list that somebody changed."""
        if not entry.offered:
            # A connection without any list may have had a wrong account or no permission, so it is asked again.
            return entry.profile not in self._without_lists
        return self._destination.holds(entry)

    def _now(self) -> str:
        return timestamp(self._runtime.wall())


def _entry(task: ExportTask, request: Request, identity: ListIdentity, started: str) -> ManifestEntry:
    account, origin, operation = request.account, request.address.origin, task.operation
    entry = ManifestEntry(task.file, task.name, account, origin, operation.api, operation.resource)
    return replace(entry, fingerprint=identity.digest, options={**identity.options}, started=started)
