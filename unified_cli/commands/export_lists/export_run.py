"""Run an export: choose lists and connections, lock the folder, and read the lists that are not complete."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import get_args

from unified_cli import signals
from unified_cli.bulk.export import (
    export_task,
    folder_export,
    increments,
    list_history,
    manifest,
    manifest_check,
    parquet_file,
    selection,
)
from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.destinations.local_folder import LocalFolder
from unified_cli.bulk.export.export_task import Connection
from unified_cli.bulk.export.list_export import ListExportOptions
from unified_cli.bulk.export.manifest import Manifest
from unified_cli.call import Call, builder, fan_out
from unified_cli.catalogue import Operation
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.connect import Clients
from unified_cli.cli.options import OperationOptions, overrides
from unified_cli.commands.export_lists import export_summary
from unified_cli.commands.export_lists.export_options import ExportFormat, ExportOptions
from unified_cli.config import file, profiles, resolution
from unified_cli.errors import IncompleteError, StateError, UsageError
from unified_cli.http.pagination import Span
from unified_cli.http.rate_limit import Patience
from unified_cli.output import printer
from unified_cli.output.progress import progress
from unified_cli.output.progress_line import Work
from unified_cli.output.transform import Transform
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_LAG = 60.0


def run(context: CommandContext, options: ExportOptions) -> None:
    """Export, or verify an export. Raises the error that says what is missing or differs."""
    runtime = context.runtime
    runtime.stderr.quiet = runtime.stderr.quiet or options.quiet
    if options.verify:
        _verify(runtime, LocalFolder(runtime, Path(options.verify)))
    elif options.to:
        _export(context, options, LocalFolder(runtime, Path(options.to)))
    else:
        raise UsageError("export needs a folder (--to DIR)")


def _verify(runtime: Runtime, destination: Destination) -> None:
    verdict = manifest_check.verify(destination)
    for line in (*verdict.differences, *verdict.missing):
        runtime.stderr.line(line)
    if verdict.differences:
        raise StateError(
            f"{destination} does not match its manifest ({counted(len(verdict.differences), 'difference')})"
        )
    if verdict.missing:
        raise IncompleteError(
            f"{destination} is incomplete: {counted(len(verdict.missing), 'file')} missing (run the export again)"
        )
    runtime.stderr.note(f"{destination}: the manifest matches {counted(verdict.compared, 'file')}")


def _export(context: CommandContext, options: ExportOptions, destination: Destination) -> None:
    runtime, catalogue = context.runtime, context.catalogue
    form = _format(options)
    builder.pairs(options.query)
    operations = selection.lists(catalogue, options.what)
    shard = selection.parse_shard(options.shard) if options.shard else None
    clients = Clients(runtime, catalogue)
    names, connect = _connections(context, options, clients)
    tasks = export_task.tasks_for(names, operations, form, shard)
    name = f"manifest-{shard[0]}-of-{shard[1]}.json" if shard else manifest.NAME
    with destination.hold(name):
        if options.restart:
            list_history.forget(destination, name, {task.file for task in tasks})
        text = destination.read(name)
        kept = (
            Manifest(name, manifest.timestamp(runtime.wall()), options.shard)
            if text is None
            else Manifest.of(text, name, str(destination))
        )
        terms = export_task.ExportTerms(
            destination,
            connect,
            lambda operation: _list_options(context, options, operation, form),
            workers=options.workers,
            allow_partial=options.allow_partial,
        )
        export = folder_export.Export(runtime, catalogue.service, kept, terms)
        with clients, progress(runtime, Work(part="list", parts=len(tasks))) as shown:
            try:
                summary = export.run(tasks, shown)
            except KeyboardInterrupt as stop:
                signals.say_how_to_continue(stop, shown.so_far(), signals.RUN_AGAIN)
                raise
    export_summary.report(runtime, str(destination), len(tasks), summary)


def _format(options: ExportOptions) -> str:
    form = options.output or "ndjson"
    # Right after the program's name any format is accepted.
    if form not in get_args(ExportFormat):
        raise UsageError(f"export does not support -o {form} (choose from {', '.join(get_args(ExportFormat))})")
    if options.dedupe and form not in {"ndjson", "parquet"}:
        raise UsageError("--dedupe id needs -o ndjson or parquet")
    builder.check_bom(form, bom=options.bom)
    if options.lag is not None and not options.incremental:
        raise UsageError("--lag needs --incremental")
    if options.incremental:
        _check_increments(options, form)
    if form == "parquet":
        parquet_file.check()
    return form


def _check_increments(options: ExportOptions, form: str) -> None:
    """Raise UsageError for what an incremental export cannot do."""
    if form not in {"ndjson", "parquet"}:
        raise UsageError("--incremental needs --format ndjson or parquet")
    if options.restart:
        raise UsageError("--restart reads everything anew and --incremental what changed (leave one of them out)")
    if any(name.startswith(f"{increments.FIELD}[") for name, _ in builder.pairs(options.query)):
        raise UsageError(f"--incremental asks by {increments.FIELD} itself (leave out -q {increments.FIELD}…)")


def _connections(
    context: CommandContext, options: ExportOptions, clients: Clients
) -> tuple[Sequence[str], Callable[[str], Connection]]:
    runtime, catalogue, patterns = context.runtime, context.catalogue, options.profile
    config = file.read(runtime)
    flags = overrides(options)._replace(output=None)
    if patterns:
        names = profiles.select(config, patterns)
        # A format of files is none of output.
        fan_out.shared(runtime, config, options.replaced(output=None))
        if options.account_id and profiles.is_several(patterns):
            raise UsageError("-a names one connection and -p several (leave one of them out)")
    else:
        only = resolution.resolve(flags, runtime, config)
        names = [only.profile or only.reachable()[1]]

    @cache
    def connect(name: str) -> Connection:
        resolved = resolution.resolve(flags._replace(profile=name if patterns else None), runtime, config)
        clients.token(resolved)
        call = Call(runtime, catalogue, resolved, OperationOptions(query=options.query))
        return Connection(
            name,
            lambda operation: builder.operation_request(call, operation),
            lambda: clients.open(resolved, name=name if len(names) > 1 else None, patience=Patience.ENDLESS),
        )

    return names, connect


def _list_options(
    context: CommandContext, options: ExportOptions, operation: Operation, form: str
) -> ListExportOptions:
    parquet = form == "parquet"
    style = printer.style_for(context.runtime, context.catalogue.service, "ndjson" if parquet else form, screen=False)
    known = [field.name for field in operation.facts.fields]
    return ListExportOptions(
        Span(),
        style._replace(known=known, safe_cells=options.csv_safe, bom=options.bom),
        Transform(),
        restart=options.restart,
        dedupe=options.dedupe is not None,
        parquet=parquet,
        lag=(_LAG if options.lag is None else options.lag) if options.incremental else None,
    )
