"""`unified export`: many lists of many connections into a folder, resumable and verifiable."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import CONNECTION, FLAGS, NETWORK, TALK, Flag, arguments
from unified_cli.config import file, profiles, settings
from unified_cli.errors import IncompleteError, StateError, UnifiedError, UsageError
from unified_cli.runtime import Runtime

Given = Mapping[str, Any]
_MOST_TOLD = 3
_FORMATS = ("ndjson", "csv", "tsv", "json")
_OWN = (
    Flag("to", ("--to",), str, "Export", "the folder to write to; run again, it goes on", "DIR", takes="folder"),
    Flag("shard", ("--shard",), str, "Export", "only this share of the files: the K-th of N", "K/N"),
    Flag("verify", ("--verify",), str, "Export", "check a folder against its manifest", "DIR", takes="folder"),
)
_FLAGS = [
    *(flag for flag in FLAGS.values() if flag.group == CONNECTION),
    FLAGS["query"],
    *_OWN,
    *(FLAGS[name] for name in ("page_size", "allow_partial", "restart", "dedupe", "output", "csv_safe")),
    *(flag for flag in FLAGS.values() if flag.group in {NETWORK, TALK}),
]


def command(context: CommandContext) -> Any:
    """The command."""
    runtime, catalogue, complete = context.runtime, context.catalogue, context.complete
    return tree.leaf(
        "export",
        lambda given: _run(runtime, catalogue, complete(given)),
        [arguments("what", "API or API/RESOURCE; * stands for anything"), *(flag.parameter() for flag in _FLAGS)],
        lambda: HelpPage(
            "[API[/RESOURCE] …] --to DIR [options]",
            [
                "Write every list of one connection or many to DIR/<profile>/<api>/<resource>.ndjson.",
                "Run it again and it goes on where it stopped, or does nothing.",
            ],
            [(EXAMPLE, "unified -p sandbox export ticketing 'ats/job*' --to dump")],
            _FLAGS,
        ),
        takes=("api/resource",),
    )


def _run(runtime: Runtime, catalogue: Catalogue, given: Given) -> None:
    runtime.stderr.quiet = runtime.stderr.quiet or bool(given.get("quiet"))
    if given.get("verify"):
        _verify(runtime, Path(given["verify"]))
    elif given.get("to"):
        _export(runtime, catalogue, given, Path(given["to"]))
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


def _export(runtime: Runtime, catalogue: Catalogue, given: Given, folder: Path) -> None:
    from unified_cli.bulk.export import folder_export as bulk, selection  # noqa: PLC0415  help needs none of it
    from unified_cli.bulk.export.manifest import Manifest  # noqa: PLC0415  as above
    from unified_cli.call.fan_out import workers  # noqa: PLC0415  as above
    from unified_cli.output.progress import progress  # noqa: PLC0415  as above
    from unified_cli.storage import folders, output_file  # noqa: PLC0415  as above
    from unified_cli.storage.file_lock import HeldLock  # noqa: PLC0415  as above

    form = _format(given)
    operations = selection.lists(catalogue, given.get("what") or ())
    shard = selection.share(given["shard"]) if given.get("shard") else None
    names, connect = _connections(runtime, catalogue, given)
    tasks = bulk.tasks_for(names, operations, form, shard)
    name = f"manifest-{shard[0]}-of-{shard[1]}.json" if shard else "manifest.json"
    lock = HeldLock(folder / f"{name}.lock")
    output_file.check_folder(folder)
    folders.make_private(folder)
    lock.take(f"the export to {folder}")
    try:
        if given.get("restart"):
            (folder / name).unlink(missing_ok=True)
        kept = Manifest.open(folder / name, given.get("shard"), runtime.wall())
        made = bulk.Export(
            runtime,
            catalogue.service,
            folder,
            kept,
            connect,
            lambda operation: _options(runtime, catalogue, given, operation, form),
            workers=workers(given),
            allow_partial=bool(given.get("allow_partial")),
        )
        with progress(runtime, to_file=True) as told:
            summary = made.run(tasks, told.page)
    finally:
        lock.release()
    _tell(runtime, folder, len(tasks), summary)


def _format(given: Given) -> str:
    form: str = given.get("output") or _FORMATS[0]
    if form not in _FORMATS:
        raise UsageError(f"-o {form} is not for an export (there are {', '.join(_FORMATS)})")
    if given.get("dedupe") and (form != "ndjson" or given["dedupe"] != "id"):
        raise UsageError("--dedupe goes by id, and needs -o ndjson")
    return form


def _connections(runtime: Runtime, catalogue: Catalogue, given: Given) -> tuple[Sequence[str], Any]:
    from unified_cli.bulk.export.folder_export import Connection  # noqa: PLC0415  help needs none of it
    from unified_cli.call import builder, fan_out  # noqa: PLC0415  as above
    from unified_cli.cli.connect import Clients  # noqa: PLC0415  as above

    config = file.read(runtime)
    patterns = given.get("profile") or []
    clients = Clients(runtime, catalogue)
    flags = {name: value for name, value in builder.flags_of(given).items() if name not in {"profile", "output"}}
    if patterns:
        names = profiles.select(config, patterns)
        fan_out.shared(runtime, config, given)
        if given.get("account_id") and profiles.is_several(patterns):
            raise UsageError("-a names one connection, and -p several; leave one of them out")
    else:
        only = settings.resolve(flags, runtime, config)
        names = [only.profile or only.reachable()[1]]

    @cache
    def connect(name: str) -> Connection:
        resolved = settings.resolve({**flags, **({"profile": name} if patterns else {})}, runtime, config)
        clients.token(resolved)
        return Connection(
            name,
            lambda operation: builder.build(runtime, catalogue, resolved, operation, given),
            lambda: clients.open(resolved, name=name if len(names) > 1 else None),
        )

    return names, connect


def _options(runtime: Runtime, catalogue: Catalogue, given: Given, operation: Operation, form: str) -> Any:
    from unified_cli.bulk.export.list_export import ListExportOptions  # noqa: PLC0415  help needs none of it
    from unified_cli.call import record_output  # noqa: PLC0415  as above
    from unified_cli.http.pagination import Span  # noqa: PLC0415  as above
    from unified_cli.output.transform import Transform  # noqa: PLC0415  as above

    return ListExportOptions(
        Span(),
        record_output.style_for(runtime, catalogue.service, operation, given, form, screen=False),
        Transform(),
        restart=bool(given.get("restart")),
        dedupe=bool(given.get("dedupe")),
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
