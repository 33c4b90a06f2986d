"""Export one list of a connection: decide whether to skip, begin, resume or update
it.
"""

from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from unified_cli.commands.export.plan import ExportPlan, PlannedList
from unified_cli.errors import StateError, StorageError, UnifiedError
from unified_cli.exported import gone_ids, increments, list_export, list_history
from unified_cli.exported.checkpoint import REPLACE, REPLACE_ALL, UNFILTERED, ListIdentity
from unified_cli.exported.destination import Destination
from unified_cli.exported.increments import RecordsAhead
from unified_cli.exported.list_export import ListExportOptions, ListTarget, TakenOverError
from unified_cli.exported.list_history import ListHistory
from unified_cli.exported.manifest import Manifest, ManifestEntry, timestamp, without_lists
from unified_cli.hints import NOT_OFFERED
from unified_cli.http import pagination
from unified_cli.http.client import Client
from unified_cli.http.pagination import Page, Span
from unified_cli.http.request import Request
from unified_cli.output.progress import Progress


@dataclass(frozen=True, slots=True)
class FinishedList:
    """A finished file. Its list is finished, too, unless `goes_on` is true.

    Tidy up `part` after saving the manifest. `read_at` is the time of an earlier read
    if this run did not read the list.
    """

    entry: ManifestEntry
    part: ListTarget | None = None
    goes_on: bool = False
    read_at: str = ""


@dataclass(frozen=True, slots=True)
class FailedList:
    """A list that ended with this error."""

    planned: PlannedList
    error: UnifiedError


ListResult = FinishedList | FailedList
"""How a list ended."""


class ListRunner:
    """Reads the lists of a plan in worker threads.

    The manifest has the files of earlier runs. `shown` counts the pages. When `stop`
    returns an error, each list ends with it after its current page. Nothing is sent
    before `not_before`.
    """

    def __init__(
        self,
        plan: ExportPlan,
        destination: Destination,
        manifest: Manifest,
        shown: Progress,
        *,
        stop: Callable[[], UnifiedError | None],
        not_before: float,
    ) -> None:
        self._plan = plan
        self._runtime = plan.context.runtime
        self._destination = destination
        self._entries = manifest.entries
        self._without_lists = without_lists(manifest.entries.values())
        self._shown = shown
        self._stop = stop
        self._not_before = not_before
        self._refused: dict[str, UnifiedError] = {}
        self._closed = False
        self.ahead = RecordsAhead()
        """Counts the records that were changed in the future."""
        self.read_whole = defaultdict[str, list[str]](list)
        """For each reason, the lists that must be read completely again."""

    def close(self) -> None:
        """End each running list after its current page."""
        self._closed = True

    def refuse(self, connection: str, error: UnifiedError) -> None:
        """Stop reading this connection. Its other lists fail with this error."""
        self._refused.setdefault(connection, error)

    def run(self, planned: PlannedList) -> Generator[ListResult]:
        """Read the list, and yield its results.

        Raises StorageError if the destination cannot be read or written, and
        TakenOverError if another run has taken over from this run.
        """
        try:
            name = f"{planned.label}/{planned.operation.api}/{planned.operation.resource}"
            with self._shown.under_way(name), closing(self._run(planned)) as results:
                for result in results:
                    if not isinstance(result, Page):
                        yield result
                        continue
                    # Count pages in this thread. Waking the caller's thread would take
                    # a tenth of the time of a page.
                    self._shown.add(len(result.records), pages=1)
                    if self._closed:
                        return
        except (StorageError, TakenOverError):
            raise
        except UnifiedError as error:
            yield FailedList(planned, error)

    def _step_to_replace(self, identity: ListIdentity, before: ManifestEntry) -> str:
        """Return the option that replaces a list that has other options."""
        options = self._plan.options
        # --restart refuses another filter, because records would be lost.
        if (options.query or options.since) and identity.has_other_filter(before.options):
            return UNFILTERED
        return REPLACE_ALL if options.incremental else REPLACE

    def _run(self, planned: PlannedList) -> Generator[Page | ListResult]:
        if error := self._refused.get(planned.connection) or self._stop():
            yield FailedList(planned, error)
            return
        request = self._plan.request(planned)
        options = self._plan.list_options(planned)
        identity = options.identity(request, replay=self._runtime.replays, **options.since)
        before = self._entries.get(planned.file)
        if options.table and before and before.table:
            part = options.table._replace(restart=before.table.restart)
            options = replace(options, table=part)
        if before and not options.restart:
            if before.fingerprint not in {"", identity.digest}:
                other = identity.differing_options(before.options)
                raise StateError(
                    f"{planned.file} was exported with {other}",
                    hint=self._step_to_replace(identity, before),
                )
            if self._is_done(before):
                list_history.sweep(self._destination, before, self._entries)
                if not before.offered:
                    yield FinishedList(before)
                elif not options.incremental:
                    list_history.check_end(self._destination, before, self._entries)
                    yield FinishedList(before, read_at=list_history.read_at(before, self._entries))
                else:
                    history = ListHistory.from_first(self._destination, before, self._entries)
                    yield from self._write_changes(planned, request, history, options)
                return
        # Our own file, which is in the manifest, may be replaced.
        options = replace(options, force=options.force or options.restart or before is not None)
        written = self._write(planned, request, self._entry(planned, request, identity), options)
        yield from self._up_to_date(
            planned, request, written, ListHistory(self._destination, []), options
        )

    def _up_to_date(
        self,
        planned: PlannedList,
        request: Request,
        written: Generator[Page | ListResult],
        history: ListHistory,
        options: ListExportOptions,
    ) -> Generator[Page | ListResult]:
        """Write a list, and yield the results.

        If an earlier run had completed the list before it was killed, also yield the
        changes since.
        """
        read = not options.incremental
        for result in written:
            read = read or isinstance(result, Page)
            if not read and isinstance(result, FinishedList) and result.entry.complete:
                if options.table and result.part:
                    # Reading the changes uses the same temporary files.
                    result.part.tidy()
                yield replace(result, goes_on=True)
                yield from self._write_changes(
                    planned, request, history.then(result.entry), options
                )
            else:
                yield result

    def _write_changes(
        self,
        planned: PlannedList,
        request: Request,
        history: ListHistory,
        options: ListExportOptions,
    ) -> Generator[Page | ListResult]:
        first, now = history.entries[0], datetime.fromtimestamp(self._runtime.wall(), UTC)
        increment = increments.after(history.marks, options.lag or 0, now)
        if increment.why and history.has_records:
            self.read_whole[increment.why].append(planned.file)
        if options.table:
            options = replace(options, table=options.table._replace(before=first.table), force=True)
            if increment.since is None:
                # A full read replaces the rows in the table.
                identity = options.identity(request, replay=self._runtime.replays, **options.since)
                written = self._write(
                    planned, request, self._entry(planned, request, identity), options
                )
                yield from self._up_to_date(planned, request, written, history, options)
                return
        identity = options.identity(request, replay=self._runtime.replays, since=increment.begin)
        added = planned if options.table else replace(planned, file=history.next_file)
        entry = replace(self._entry(added, request, identity), since=increment.begin)
        options = replace(options, force=True, increment=increment)
        written = self._write(added, request, entry, options)
        if options.table:
            written = _as_state(written, first)
        for result in self._up_to_date(planned, request, written, history, options):
            unchanged = (
                isinstance(result, FinishedList) and result.part and not result.part.state.records
            )
            yield FinishedList(replace(first, checked=self._now())) if unchanged else result

    def _write(
        self,
        planned: PlannedList,
        request: Request,
        entry: ManifestEntry,
        options: ListExportOptions,
    ) -> Generator[Page | ListResult]:
        part = self._destination.target(
            planned.file, ListIdentity(entry.fingerprint, entry.options), options
        )
        if options.increment:
            request = request._replace(query=[*request.query, *options.increment.query])
        try:
            pages = partial(self._pages, planned, request, options)
            yield from list_export.run(part, pages, options, self._runtime.wall)
        except UnifiedError as error:
            part.close()
            if error.status not in NOT_OFFERED or part.state.pages or planned.exact:
                raise
            yield FinishedList(replace(entry, offered=False, why=error.one_line, ended=self._now()))
            return
        except BaseException:
            part.close()
            raise
        missing = list_export.missing_parts(part, options)
        entry = entry.finished(part.state, missing, allow=self._plan.options.allow_partial)
        if entry.since is None and not missing:
            entry.gone = gone_ids.tell(self._destination, entry)
        yield FinishedList(entry, part)

    def _pages(
        self, planned: PlannedList, request: Request, options: ListExportOptions, span: Span
    ) -> Generator[Page]:
        name = f"{planned.connection}/{planned.operation.api}/{planned.operation.resource}"
        service = self._plan.context.catalogue.service
        # Do not read ahead, because other lists are read while this list writes a page.
        with self._plan.readers.lend(
            planned.connection, partial(self._client, planned.connection)
        ) as client:
            for page in pagination.pages(client.send, request, service, span):
                if options.incremental:
                    clock = increments.clock(page.date, self._runtime.wall())
                    self.ahead.note(name, page.records, clock)
                yield page
                if error := self._stop():
                    raise error

    def _client(self, connection: str) -> Client:
        if (seconds := self._not_before - self._runtime.monotonic()) > 0:
            self._runtime.sleep(seconds)
        return self._plan.client(connection)

    def _is_done(self, entry: ManifestEntry) -> bool:
        """Return whether the list is done. Raises StateError if the list was
        changed.
        """
        if not entry.offered:
            # If a connection offered no lists at all, its account or its permissions
            # may have been wrong, so try again.
            return entry.profile not in self._without_lists
        return self._destination.holds(entry)

    def _entry(
        self, planned: PlannedList, request: Request, identity: ListIdentity
    ) -> ManifestEntry:
        operation, origin = planned.operation, request.address.origin
        return ManifestEntry(
            planned.file,
            planned.label,
            request.account,
            origin,
            operation.api,
            operation.resource,
            fingerprint=identity.digest,
            options={**identity.options},
            started=self._now(),
        )

    def _now(self) -> str:
        return timestamp(self._runtime.wall())


def _as_state(
    written: Generator[Page | ListResult], first: ManifestEntry
) -> Generator[Page | ListResult]:
    """Yield the results, with entries that describe the whole list for an increment of
    a table.
    """
    for result in written:
        if isinstance(result, FinishedList) and result.entry.table:
            entry = replace(
                result.entry,
                fingerprint=first.fingerprint,
                options=first.options,
                since=None,
                earlier=first.mark or first.earlier,
            )
            if not (entry.mark and entry.mark.newest):
                # If no record had a time, keep the mark of the earlier read.
                entry = replace(entry, mark=first.mark, earlier=first.earlier)
            yield replace(result, entry=entry)
        else:
            yield result
