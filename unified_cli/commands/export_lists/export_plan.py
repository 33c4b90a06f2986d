"""What an export reads and where it goes, from the options or from a task, and how that is carried out."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from unified_cli.bulk.export import export_terms, folder_export, list_history, manifest, selection
from unified_cli.bulk.export.destinations.destination import Destination, InUseError
from unified_cli.bulk.export.export_terms import Connection, ExportTask, ExportTerms
from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.bulk.export.list_export import ListExportOptions
from unified_cli.bulk.export.manifest import Manifest
from unified_cli.call import builder
from unified_cli.catalogue import Operation
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.export_lists import export_connections, export_format, task_export
from unified_cli.commands.export_lists.connection_task import ConnectionTask
from unified_cli.commands.export_lists.export_options import ExportOptions
from unified_cli.errors import StateError, UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.pacing.token_pace import WINDOW
from unified_cli.http.pagination import Span
from unified_cli.output import printer
from unified_cli.output.progress import Progress
from unified_cli.output.transform import Transform
from unified_cli.runtime import Runtime

_LAG = 60.0
# A run that nobody wants any more may wait for its turn so long, and give a sign of life meanwhile.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The lists of an export, with the name of its manifest.

    With `pauses` nothing is sent as long as the requests of an earlier run may count for the service's limits.
    """

    options: ExportOptions
    manifest: str
    tasks: Sequence[ExportTask]
    readers: FairReaders
    connect: Callable[[str], Connection]
    pauses: bool = False


def of_options(context: CommandContext, options: ExportOptions) -> ExportPlan:
    """The plan of an export, or of a shard of it. Raises UsageError, ConfigError."""
    form = export_format.of(options)
    operations = selection.lists(context.catalogue, options.what)
    shard = selection.parse_shard(options.shard) if options.shard else None
    found = export_connections.selected(context, options)
    if shard:
        found = found.shared_by(shard[1])
    tasks = export_terms.tasks_for(found.names, operations, form, shard)
    name = f"manifest-{shard[0]}-of-{shard[1]}.json" if shard else manifest.NAME
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    connect = export_connections.opener(context, options, found, readers)
    return ExportPlan(options, name, tasks, readers, connect)


def of_task(context: CommandContext, task: ConnectionTask, given: ExportOptions) -> ExportPlan:
    """The plan of a task, with the options `given` beside it.

    Raises StateError where the task leads elsewhere here, or has no token; UsageError.
    """
    task.check_version()
    operations = task.operations(context.catalogue)
    options = task.command(given)
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    found = task_export.checked(context, task, options, readers)
    tasks = export_terms.tasks_for(found.names, operations, export_format.of(options), None)
    connect = export_connections.opener(context, options, found, readers)
    return ExportPlan(options, task_export.manifest_name(task.name), tasks, readers, connect, pauses=True)


def carry_out(
    context: CommandContext,
    plan: ExportPlan,
    destination: Destination,
    shown: Progress,
    stop: Callable[[], UnifiedError | None] = lambda: None,
) -> ExportSummary:
    """Read what is not complete, until `stop` gives an error.

    Raises StateError where another run is under way, StorageError.
    """
    runtime, options, name, connect = context.runtime, plan.options, plan.manifest, plan.connect
    form = export_format.of(options)
    span = Span(since=builder.since(runtime, options.since, options.query))
    with plan.readers, _held(destination, plan, runtime):
        if options.restart:
            list_history.forget(destination, name, {task.file for task in plan.tasks})
        text = destination.read(name)
        if text is None:
            kept = Manifest(name, manifest.timestamp(runtime.wall()), options.shard)
        else:
            kept = Manifest.of(text, name, str(destination))
            _check_format(kept, plan, str(destination))
            if plan.pauses and not kept.ended_before(runtime.wall(), WINDOW):
                connect = task_export.after_pause(connect, runtime)
        terms = ExportTerms(
            destination,
            connect,
            lambda operation: replace(_list_options(context, options, operation, form), span=span),
            readers=plan.readers,
            allow_partial=options.allow_partial,
            progress=shown,
            stop=stop,
        )
        return folder_export.Export(runtime, context.catalogue.service, kept, terms).run(plan.tasks)


def _check_format(kept: Manifest, plan: ExportPlan, folder: str) -> None:
    """Raise StateError where the folder holds lists in other formats alone: they would be there twice."""
    held = {PurePosixPath(file).suffix for file in kept.entries}
    wanted = {PurePosixPath(task.file).suffix for task in plan.tasks}
    if held and not held & wanted:
        form = export_format.of(plan.options)
        there = ", ".join(sorted(suffix.removeprefix(".") for suffix in held))
        raise StateError(f"{folder} holds an export in another format: {there}, not {form}", hint="--to another folder")


@contextmanager
def _held(destination: Destination, plan: ExportPlan, runtime: Runtime) -> Iterator[None]:
    """Keep other runs out. A task may be run again before its first run has noticed that nobody wants it any more."""
    until = runtime.monotonic() + (_PATIENCE if plan.pauses else 0)
    with ExitStack() as held:
        while True:
            try:
                held.enter_context(destination.hold(plan.manifest))
                break
            except InUseError:
                if runtime.monotonic() >= until:
                    raise
                runtime.sleep(1)
        yield


def _list_options(
    context: CommandContext, options: ExportOptions, operation: Operation, form: str
) -> ListExportOptions:
    parquet = form == "parquet"
    style = printer.style_for(context.runtime, context.catalogue.service, "ndjson" if parquet else form, screen=False)
    known = [field.name for field in operation.facts.fields]
    lag = _LAG if options.lag is None else options.lag
    return ListExportOptions(
        Span(),
        style._replace(known=known, safe_cells=options.csv_safe, bom=options.bom),
        Transform(),
        restart=options.restart,
        dedupe=options.dedupe is not None,
        parquet=parquet,
        lag=lag if options.incremental else None,
    )
