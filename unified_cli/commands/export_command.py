"""`unified export`: many lists of many connections into a folder, resumable and verifiable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from unified_cli.catalogue import Operation
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import EXPORT, Argument, Flag, by_name
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import OperationOptions, overrides
from unified_cli.cli.shared_options import (
    AllowPartial,
    ConnectionOptions,
    CsvSafe,
    Dedupe,
    MessageOptions,
    NetworkOptions,
    PageSize,
    Query,
    Restart,
)
from unified_cli.config import file, profiles, resolution
from unified_cli.errors import IncompleteError, StateError, UnifiedError, UsageError
from unified_cli.runtime import Runtime

_MOST_TOLD = 3
ExportFormat = Literal["ndjson", "csv", "tsv", "json"]


@dataclass(frozen=True, kw_only=True)
class ExportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """What to export, from which connections, where to, and in which form."""

    what: Annotated[
        tuple[str, ...], Argument("API or API/RESOURCE; * stands for anything", takes=("api/resource",))
    ] = ()
    query: Query = ()
    to: Annotated[
        str | None, Flag(("--to",), EXPORT, "the folder to write to; run again, it goes on", "DIR", takes="folder")
    ] = None
    shard: Annotated[str | None, Flag(("--shard",), EXPORT, "only share K of N of the files", "K/N")] = None
    verify: Annotated[
        str | None, Flag(("--verify",), EXPORT, "check a folder against its manifest", "DIR", takes="folder")
    ] = None
    page_size: PageSize = None
    allow_partial: AllowPartial = False
    restart: Restart = False
    dedupe: Dedupe = None
    output: Annotated[ExportFormat | None, by_name(OperationOptions)["output"]] = None
    csv_safe: CsvSafe = False


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "export",
            ExportOptions,
            lambda options: _run(context, context.complete(options)),
            lambda: HelpPage(
                "[API[/RESOURCE] …] --to DIR [options]",
                [
                    "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
                    "Run it again and it goes on where it stopped, or does nothing.",
                ],
                [(EXAMPLE, "unified -p sandbox export ticketing 'ats/job*' --to dump")],
            ),
        )
    )


def _run(context: CommandContext, options: ExportOptions) -> None:
    runtime = context.runtime
    runtime.stderr.quiet = runtime.stderr.quiet or options.quiet
    if options.verify:
        _verify(runtime, Path(options.verify))
    elif options.to:
        _export(context, options, Path(options.to))
    else:
        raise UsageError("export needs a folder: --to DIR")


def _verify(runtime: Runtime, folder: Path) -> None:
    from unified_cli.bulk.export import manifest  # noqa: PLC0415  help needs none of it

    verdict = manifest.verify(folder)
    for line in (*verdict.differences, *verdict.missing):
        runtime.stderr.line(line)
    if verdict.differences:
        raise StateError(f"{folder} is not what was exported ({len(verdict.differences)} differences)")
    if verdict.missing:
        raise IncompleteError(f"{folder} is not complete (run the export again; {len(verdict.missing)} are missing)")
    runtime.stderr.note(f"{folder}: {verdict.compared} files are what was exported")


def _export(context: CommandContext, options: ExportOptions, folder: Path) -> None:
    from unified_cli.bulk.export import export_task, folder_export, selection  # noqa: PLC0415  help needs none of it
    from unified_cli.bulk.export.manifest import Manifest  # noqa: PLC0415  as above
    from unified_cli.output.progress import progress  # noqa: PLC0415  as above
    from unified_cli.storage import folders, output_file  # noqa: PLC0415  as above
    from unified_cli.storage.file_lock import HeldLock  # noqa: PLC0415  as above

    runtime, catalogue = context.runtime, context.catalogue
    form = _format(options)
    operations = selection.lists(catalogue, options.what)
    shard = selection.share(options.shard) if options.shard else None
    names, connect = _connections(context, options)
    tasks = export_task.tasks_for(names, operations, form, shard)
    name = f"manifest-{shard[0]}-of-{shard[1]}.json" if shard else "manifest.json"
    lock = HeldLock(folder / f"{name}.lock")
    output_file.check_folder(folder)
    folders.make_private(folder)
    lock.take(f"the export to {folder}")
    try:
        if options.restart:
            (folder / name).unlink(missing_ok=True)
        kept = Manifest.open(folder / name, options.shard, runtime.wall())
        terms = export_task.ExportTerms(
            connect,
            lambda operation: _list_options(context, options, operation, form),
            workers=options.workers,
            allow_partial=options.allow_partial,
        )
        export = folder_export.Export(runtime, catalogue.service, kept, terms)
        with progress(runtime, to_file=True) as told:
            summary = export.run(tasks, told.page)
    finally:
        lock.release()
    _tell(runtime, folder, len(tasks), summary)


def _format(options: ExportOptions) -> str:
    form = options.output or "ndjson"
    # Right after the program's name any format can be asked for.
    if form not in get_args(ExportFormat):
        raise UsageError(f"-o {form} is not for an export (there are {', '.join(get_args(ExportFormat))})")
    if options.dedupe and form != "ndjson":
        raise UsageError("--dedupe goes by id, and needs -o ndjson")
    return form


def _connections(context: CommandContext, options: ExportOptions) -> tuple[Sequence[str], Any]:
    from unified_cli.bulk.export.export_task import Connection  # noqa: PLC0415  help needs none of it
    from unified_cli.call import Call, builder, fan_out  # noqa: PLC0415  as above
    from unified_cli.cli.connect import Clients  # noqa: PLC0415  as above

    runtime, catalogue, patterns = context.runtime, context.catalogue, options.profile
    config = file.read(runtime)
    clients = Clients(runtime, catalogue)
    flags = overrides(options)._replace(output=None)
    if patterns:
        names = profiles.select(config, patterns)
        fan_out.shared(runtime, config, options)
        if options.account_id and profiles.is_several(patterns):
            raise UsageError("-a names one connection, and -p several; leave one of them out")
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
            lambda: clients.open(resolved, name=name if len(names) > 1 else None),
        )

    return names, connect


def _list_options(context: CommandContext, options: ExportOptions, operation: Operation, form: str) -> Any:
    from unified_cli.bulk.export.list_export import ListExportOptions  # noqa: PLC0415  help needs none of it
    from unified_cli.http.pagination import Span  # noqa: PLC0415  as above
    from unified_cli.output import printer  # noqa: PLC0415  as above
    from unified_cli.output.transform import Transform  # noqa: PLC0415  as above

    style = printer.style_for(context.runtime, context.catalogue.service, form, screen=False)
    known = [field.name for field in operation.facts.fields]
    return ListExportOptions(
        Span(),
        style._replace(known=known, safe_cells=options.csv_safe),
        Transform(),
        restart=options.restart,
        dedupe=options.dedupe is not None,
    )


def _tell(runtime: Runtime, folder: Path, total: int, summary: Any) -> None:
    """Say what came of it, and raise the error that it amounts to."""
    for line in _failures(summary.failed):
        runtime.stderr.line(line)
    for said in summary.partial:
        runtime.stderr.line(said)
    absent = f", {summary.not_offered} not offered" if summary.not_offered else ""
    runtime.stderr.note(
        f"wrote {summary.written} files with {summary.records} records to {folder}, "
        f"{summary.unchanged} were complete already{absent}"
    )
    failed: dict[str, UnifiedError] = summary.failed
    states = [error for error in failed.values() if isinstance(error, StateError)]
    if states:
        raise states[0]
    kinds = {error.code for error in failed.values()}
    if failed and len(failed) == total and len(kinds) == 1:
        first = next(iter(failed.values()))
        raise type(first)(f"all {total} lists failed", origin=first.origin, status=first.status)
    if failed or summary.partial:
        raise IncompleteError(f"{len(failed) + len(summary.partial)} of {total} files are not complete")


def _failures(failed: Mapping[str, UnifiedError]) -> list[str]:
    """A line for each failure; where much of a connection failed alike, one for all of it."""
    alike: dict[tuple[str, int, int | None], list[str]] = {}
    for name, error in failed.items():
        alike.setdefault((name.partition("/")[0], error.code, error.status), []).append(name)
    lines = []
    for (connection, _, _), names in alike.items():
        first = failed[names[0]].message
        if len(names) > _MOST_TOLD:
            lines.append(f"{connection}: {len(names)} lists failed, the first one so: {first}")
        else:
            lines += [f"{name}: {failed[name].message}" for name in names]
    return lines
