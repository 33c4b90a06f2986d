"""Run an export on this machine: read many lists concurrently, and write a manifest."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path

from unified_cli import os_limits
from unified_cli.cli import command_words
from unified_cli.commands.export import own_manifest, report
from unified_cli.commands.export.connection_task import manifest_name
from unified_cli.commands.export.delta_folder import TableFolder
from unified_cli.commands.export.one_list import FailedList, FinishedList, ListResult, ListRunner
from unified_cli.commands.export.plan import ExportPlan, PlannedList, file_for
from unified_cli.commands.export.report import ExportSummary
from unified_cli.commands.export.store_folder import StoreFolder, objects
from unified_cli.errors import AccessError, StateError, StorageError, UnifiedError
from unified_cli.exported import export_state, gone_ids
from unified_cli.exported.destination import Destination, FilePlace
from unified_cli.exported.list_export import ListTarget, TakenOverError
from unified_cli.exported.local_folder import LocalFolder
from unified_cli.exported.manifest import (
    TIMESTAMPS,
    Manifest,
    ManifestEntry,
    timestamp,
    without_lists,
)
from unified_cli.http.rate import WINDOW
from unified_cli.masking import visible
from unified_cli.output import formats
from unified_cli.output.formats import Format
from unified_cli.output.progress import Progress, Work, progress
from unified_cli.runtime import Runtime
from unified_cli.storage import names, object_store
from unified_cli.writes import state_words
from unified_cli.writes.entry import RunKind
from unified_cli.writes.registry import ListedWork, RunHeader, RunRegistry


def destination_of(runtime: Runtime, text: str, form: Format, *, make: bool) -> Destination:
    """Return the destination that `--to` names, for lists in this format.

    The destination for Delta tables can also read lists in other formats. Raises the
    same errors as `store_folder.objects`.
    """
    files: FilePlace
    if object_store.parse_url(text) is None:
        files = LocalFolder(runtime, Path(text))
    else:
        files = StoreFolder(runtime, objects(runtime, text, make=make))
    return TableFolder(runtime, text, files) if form is formats.DELTA else files


def export(plan: ExportPlan) -> None:
    """Run the plan, and report the result. Raises the error that summarises it."""
    runtime = plan.context.runtime
    destination = destination_of(runtime, plan.options.to or "", plan.form, make=True)
    place = str(destination)
    where = place if object_store.parse_url(place) else str(os_limits.absolute(Path(place)))
    with (
        ExitStack() as listed,
        progress(runtime, Work(part="list", parts=len(plan.lists))) as shown,
    ):
        work: ListedWork | None = None
        is_begun = False

        def start() -> None:
            nonlocal work, is_begun
            if not plan.options.task:
                work = listed.enter_context(_in_list_of_runs(plan, place, where))
            is_begun = True

        def done() -> int | None:
            return shown.counted.parts if is_begun else None

        with report.ending(plan.options, len(plan.lists), done):
            summary = carry_out(plan, destination, shown, start=start)
        if work is not None:
            work.end(state_words.FAILED if summary.failed else state_words.DONE)
    try:
        report.report(runtime, place, len(plan.lists), summary, plan.options)
    except UnifiedError as error:
        # Do not suggest a retry if a list was changed: the retry would be refused, too.
        stays = any(isinstance(failure, StateError) for failure in summary.failed.values())
        if summary.failed and not stays and work is not None and work.run:
            error.next_command = f"unified runs retry {work.run}"
        raise


def check_names(destination: Destination, manifest: str, connections: Iterable[str]) -> None:
    """Raise StorageError if two names of connections or files are the same on the disk.

    Object stores distinguish all names.
    """
    url = object_store.parse_url(str(destination))
    if url and not url.is_folder:
        return
    folder = Path(url.prefix if url else str(destination))
    names_there, known = list[str](), set[str]()
    with suppress(OSError):
        # Ignore a missing folder, which is created later, and an unreadable one, which
        # has been reported.
        names_there = [path.name for path in folder.iterdir()]
    if manifest in names_there:
        with suppress(StateError):
            # Ignore a damaged manifest, which the export reports.
            if stored := export_state.manifest_at(destination, manifest):
                known = {entry.profile for entry in stored.entries.values()}
    wanted = {
        name: connection
        for connection in [*known, *connections]
        for name in (
            file_for(connection, "", formats.NDJSON).partition("/")[0],
            manifest_name(connection),
        )
    }
    if pair := names.find_same(folder, wanted, [manifest, *names_there]):
        first, second = (wanted.get(name, name) for name in pair)
        raise StorageError(
            f'"{visible(first)}" and "{second}" would share files: the disk of {folder} does not'
            " distinguish these names",
            hint="export one of them to another folder",
        )


def _in_list_of_runs(
    plan: ExportPlan, place: str, where: str
) -> AbstractContextManager[ListedWork]:
    runtime, options = plan.context.runtime, plan.options
    header = RunHeader(
        "",
        f"export {' '.join(options.what)} --to {place}",
        runtime.wall(),
        path=where,
        kind=RunKind.EXPORT,
        words=tuple(command_words.words_of(["export"], options)),
    )
    return RunRegistry(runtime).listed(header)


def carry_out(
    plan: ExportPlan,
    destination: Destination,
    shown: Progress,
    stop: Callable[[], UnifiedError | None] = lambda: None,
    start: Callable[[], None] = lambda: None,
) -> ExportSummary:
    """Read the lists that are not complete, until `stop` returns an error.

    `start` is called when the destination is locked. Raises StateError if another run
    is active, and StorageError if the destination fails.
    """
    runtime, not_before = plan.context.runtime, float("-inf")
    plan = own_manifest.with_known_folders(destination, plan)
    check_names(destination, plan.manifest, dict.fromkeys(planned.label for planned in plan.lists))
    with plan.readers, own_manifest.reserve(destination, plan) as (own, waits):
        start()
        if waits:
            # The task may have run on another machine until a moment ago, so its
            # requests still count.
            not_before = runtime.monotonic() + WINDOW
        own_manifest.take_over(destination, plan, own)
        plan = replace(plan, timestamps=own.parquet == TIMESTAMPS)
        runner = ListRunner(plan, destination, own, shown, stop=stop, not_before=not_before)
        return _Export(plan, destination, own, shown, runner).run()


class _Export:
    """Exports all lists, and updates the manifest."""

    def __init__(
        self,
        plan: ExportPlan,
        destination: Destination,
        kept: Manifest,
        shown: Progress,
        runner: ListRunner,
    ) -> None:
        self._plan = plan
        self._runtime = plan.context.runtime
        self._destination = destination
        self._manifest = kept
        self._shown = shown
        self._runner = runner
        self._connections = {planned.connection for planned in plan.lists}
        self._summary = ExportSummary()
        self._untidy: list[ListTarget] = []
        self._saved_at = float("-inf")
        self._seen: set[str] | None = None

    def run(self) -> ExportSummary:
        """Read all lists.

        If a list fails, the others are still read. Only StorageError, for example from
        a full disk, ends the run.
        """
        self._save()
        try:
            readers, number = self._plan.readers, len(self._connections)
            read: Generator[FinishedList | FailedList] = readers.read(
                self._plan.lists, self._runner.run, number
            )
            with closing(self._runner), closing(read) as results:
                for result in results:
                    self._note(result)
            self._manifest.ended = timestamp(self._runtime.wall())
            self._save()
            self._remove_replaced()
        except TakenOverError:
            raise
        except BaseException:
            # Report the first failure. If the disk has failed, writing the manifest
            # fails, too.
            with suppress(UnifiedError):
                self._save()
            raise
        self._summary.without_lists = self._judged()
        self._summary.ahead = self._runner.ahead.lines()
        self._summary.read_whole = dict(self._runner.read_whole)
        if self._seen is not None:
            self._summary.unseen = [name for name in self._plan.columns if name not in self._seen]
        return self._summary

    def _remove_replaced(self) -> None:
        """Remove lists in other formats that a restart has replaced. After a kill, the
        next run removes them.
        """
        if not self._manifest.replaced:
            return
        files = export_state.removable(self._destination, self._manifest)
        place = self._destination
        if isinstance(place, LocalFolder | StoreFolder):
            place = TableFolder(self._runtime, str(place), place)
        for file in files:
            place.clear(file)
            if not self._plan.form.increments:
                gone_ids.forget(place, file)
        self._manifest.replaced = {*self._manifest.replaced} - {*files}
        self._save()

    def _judged(self) -> dict[str, list[ManifestEntry]]:
        """Return the connections that offer none of the lists.

        A shard has too few lists of each connection, so it returns all connections or
        none.
        """
        found = without_lists(self._manifest.entries[planned.file] for planned in self._plan.lists)
        return found if not self._manifest.shard or len(found) == len(self._connections) else {}

    def _note(self, result: ListResult) -> None:
        if isinstance(result, FailedList):
            self._note_failure(result.planned, result.error)
            self._shown.add(parts=1, failed=1)
        else:
            if result.part is None:
                self._shown.skip(parts=1)
            elif not result.goes_on:
                self._shown.add(parts=1)
            if result.read_at:
                self._summary.old[result.entry.file] = result.read_at
            self._note_success(result.entry, result.part)
            waited = self._runtime.monotonic() - self._saved_at
            if (
                waited >= self._destination.save_seconds
                or len(self._untidy) >= self._destination.most_unreported
            ):
                self._save()

    def _note_failure(self, planned: PlannedList, error: UnifiedError) -> None:
        if isinstance(error, AccessError) and error.stops_connection:
            self._runner.refuse(planned.connection, error)
        self._summary.failed[planned.file] = error
        before = self._manifest.entries.get(planned.file)
        if before is None or not before.complete:
            operation = planned.operation
            entry = before or ManifestEntry(
                planned.file, planned.label, "", "", operation.api, operation.resource
            )
            self._manifest.entries[planned.file] = replace(entry, why=error.one_line)

    def _note_success(self, entry: ManifestEntry, part: ListTarget | None) -> None:
        summary = self._summary
        self._manifest.put(entry)
        if part is None:
            summary.unchanged += entry.offered
            summary.not_offered += not entry.offered
            return
        summary.written += 1
        if entry.gone:
            summary.gone[entry.file] = entry.gone
        summary.records += entry.table.changed if entry.table else entry.records
        if entry.file != entry.list_file and not entry.table:
            summary.changes.append(entry.file)
        self._untidy.append(part)
        if entry.records:
            self._seen = (self._seen or set()) | (
                {*self._plan.columns} - {*part.state.memory.get("unseen", ())}
            )
        if not entry.complete:
            summary.partial[entry.file] = entry.why or ""

    def _save(self) -> None:
        """Write the manifest, then remove temporary files.

        Until a file is in the manifest, the next run needs its temporary files.
        """
        self._destination.replace(self._manifest.name, self._manifest.text())
        while self._untidy:
            self._untidy.pop().tidy()
        self._saved_at = self._runtime.monotonic()
