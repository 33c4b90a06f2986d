"""Run an export, print its tasks, or verify it."""

from pathlib import Path

from unified_cli import signals
from unified_cli.bulk.export.destinations import destination as destinations, places
from unified_cli.bulk.export.destinations.destination import Destination
from unified_cli.bulk.export.destinations.local_folder import LocalFolder
from unified_cli.bulk.export.manifest import REMEDY
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.export_lists import export_plan, export_summary, task_export
from unified_cli.commands.export_lists.export_options import ExportOptions
from unified_cli.commands.export_lists.export_plan import ExportPlan
from unified_cli.errors import IncompleteError, StateError, StorageError, UsageError
from unified_cli.output.progress import progress
from unified_cli.output.progress_line import Work
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes.registry import RunRegistry


def run(context: CommandContext, options: ExportOptions) -> None:
    """Export, or verify an export. Raises the error that says what is missing or differs."""
    runtime = context.runtime
    runtime.stderr.quiet = runtime.stderr.quiet or options.quiet
    if options.verify is not None:
        if options.to is not None:
            raise UsageError("--verify checks an export and writes none (leave --to out)")
        _verify(runtime, places.destination(runtime, options.verify, make=False))
    elif options.task is not None:
        task = task_export.read(runtime, options.task)
        _export(context, export_plan.of_task(context, task, options))
    elif not options.to:
        raise UsageError("export needs a folder (--to DIR)")
    elif options.tasks:
        task_export.show(context, options)
    elif options.engine:
        from unified_cli.commands.export_lists import engine_export  # noqa: PLC0415  most exports need none of it

        engine_export.run(context, options, options.engine)
    else:
        _export(context, export_plan.of_options(context, options))


def _verify(runtime: Runtime, destination: Destination) -> None:
    verdict = destinations.verify(destination)
    for line in (*verdict.differences, *verdict.missing):
        runtime.stderr.line(line)
    if verdict.differences:
        raise StateError(
            f"{destination} does not match its manifest: {counted(len(verdict.differences), 'difference')}", hint=REMEDY
        )
    if verdict.missing:
        raise IncompleteError(
            f"{destination} is incomplete: {counted(len(verdict.missing), 'file')} missing (run the export again)"
        )
    runtime.stderr.note(f"{destination}: the manifest matches {counted(verdict.compared, 'file')}")


def _export(context: CommandContext, plan: ExportPlan) -> None:
    runtime = context.runtime
    destination = places.destination(runtime, plan.options.to or "", make=True)
    if not plan.options.task:
        _register(runtime, plan.options, destination)
    with progress(runtime, Work(part="list", parts=len(plan.tasks))) as shown:
        try:
            summary = export_plan.carry_out(context, plan, destination, shown)
        except KeyboardInterrupt as stop:
            signals.say_how_to_continue(stop, shown.so_far(), signals.RUN_AGAIN)
            raise
    export_summary.report(runtime, str(destination), len(plan.tasks), summary)


def _absolute(folder: str) -> str:
    try:
        return str(Path(folder).absolute())
    except FileNotFoundError:
        raise StorageError(
            f"{folder} is below the working directory, which is gone", hint="cd to another one"
        ) from None


def _register(runtime: Runtime, options: ExportOptions, destination: Destination) -> None:
    """List the export among the runs."""
    place = str(destination)
    where = _absolute(place) if isinstance(destination, LocalFolder) else place
    RunRegistry(runtime.folder("data"), runtime.wall).point(f"export {' '.join(options.what)} --to {place}", where)
