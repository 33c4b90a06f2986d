"""`unified import API/RESOURCE FILE`: every record of a file sent once, with a journal beside the file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from unified_cli.bulk.import_ import stdin_copy
from unified_cli.call import builder, dry_run
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt, tree
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.flags import IMPORT, Argument, Flag
from unified_cli.cli.help_page import EXAMPLE, HelpPage
from unified_cli.cli.options import ConnectionOptions, DryRun, MessageOptions, NetworkOptions, Query, Yes, overrides
from unified_cli.cli.result_table import TableFormat, TableOutput, show
from unified_cli.config import file as config_file, resolution
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError, UsageError
from unified_cli.runtime import Runtime

_ABOUT = (
    "A journal beside the file says what was sent before it is sent. After a crash the same command goes on where it "
    "stopped; when all is done, it does nothing. What failed, is in doubt or was not tried stands in files of its own, "
    "which can be imported in turn."
)
ImportFormat = Literal["ndjson", "json", "csv", "ids"]


@dataclass(frozen=True, kw_only=True)
class ImportOptions(MessageOptions, NetworkOptions, ConnectionOptions):
    """What to import where, how each record becomes a request, and what to do with those that fail."""

    resource: Annotated[str, Argument("where to, as API/RESOURCE", takes=("api/resource",))]
    file: Annotated[str, Argument("the records; - is a pipe", takes=("file",))]
    operation: Annotated[str, Flag(("--operation",), IMPORT, "what to do with each record (create)", "NAME")] = "create"
    map: Annotated[str | None, Flag(("--map",), IMPORT, "a jq program that reshapes each record", "PROGRAM")] = None
    format: Annotated[
        ImportFormat | None, Flag(("--format",), IMPORT, "what the file holds, if not as it looks", "FORMAT")
    ] = None
    report: Annotated[
        str | None, Flag(("--report",), IMPORT, "write what became of each line", "FILE", takes="file")
    ] = None
    fail_fast: Annotated[bool, Flag(("--fail-fast",), IMPORT, "stop at the first record that fails")] = False
    restart: Annotated[bool, Flag(("--restart",), IMPORT, "forget an earlier run and send everything again")] = False
    retry_in_doubt: Annotated[bool, Flag(("--retry-in-doubt",), IMPORT, "send again what may have been done")] = False
    query: Query = ()
    output: TableOutput = None
    dry_run: DryRun = False
    yes: Yes = False


def command(context: CommandContext) -> Any:
    """The command."""
    return tree.leaf(
        tree.CommandSpec(
            "import",
            ImportOptions,
            lambda options: run(context, context.complete(options)),
            lambda: HelpPage(
                "API/RESOURCE FILE [options]",
                [
                    "Send every record of a file once: NDJSON, a JSON array, CSV, or ids for delete.",
                    _ABOUT,
                ],
                [(EXAMPLE, "unified -p sandbox import ticketing/contacts people.csv")],
            ),
        )
    )


@dataclass(frozen=True, slots=True)
class ImportTask:
    """What is asked for: an operation on a connection, with these parameters."""

    runtime: Runtime
    catalogue: Catalogue
    resolved: Settings
    operation: Operation
    query: list[tuple[str, str]]
    map: str | None

    @property
    def where(self) -> list[Any]:
        """What must be the same for a journal to be of the same import."""
        address, account = self.resolved.reachable()
        return [address.origin + address.path, self.operation.command, account, self.query, self.map]

    def request(self, item: Any, key: str) -> Any:
        """The request for an item. Raises UsageError for an id that cannot be sent."""
        from unified_cli.http import request as requests  # noqa: PLC0415

        address, account = self.resolved.reachable()
        made = requests.for_operation(
            self.operation,
            item.identifier,
            address=address,
            account=account,
            service=self.catalogue.service,
            query=self.query,
            body=item.body,
            key=key if self.operation.method in {"POST", "PATCH"} else None,
        )
        return made._replace(honoured=self.resolved.idempotency_window > 0)


def run(context: CommandContext, options: ImportOptions) -> None:
    """Import; raises the error that says how far it got where not everything was done."""
    runtime, catalogue = context.runtime, context.catalogue
    said = overrides(options, builder.one_profile(options.profile))._replace(output=None)
    resolved = resolution.resolve(said, runtime, config_file.read(runtime))
    builder.apply_message_settings(runtime, resolved)
    resolved.reachable()
    operation = find(catalogue, options.resource, options.operation)
    task = ImportTask(runtime, catalogue, resolved, operation, builder.pairs(options.query), options.map)
    from unified_cli.bulk.import_ import input_file  # noqa: PLC0415

    piped = options.file == "-"
    path = stdin_copy.keep(runtime, task.where, options.token_stdin) if piped else Path(options.file)
    source = input_file.examine(path, options.format, catalogue.service.items, ids=operation.takes_id)
    if options.dry_run:
        _preview(task, source)
        return
    _check(task, source, options)
    _import(task, source, options)


def find(catalogue: Catalogue, resource: str, name: str) -> Operation:
    """The operation of that name on API/RESOURCE; UsageError where there is none, or it sends nothing."""
    api, slash, rest = resource.partition("/")
    if not slash or "/" in rest:
        raise UsageError(f"{resource!r} is not API/RESOURCE, like ticketing/contacts")
    known = catalogue.apis.get(api)
    spelled = {other.replace("_", "-"): other for other in (known.resources if known else ())}
    found = known.resources.get(rest) or known.resources.get(spelled.get(rest.replace("_", "-"), "")) if known else None
    if found is None:
        raise UsageError(f"there is no {resource} (unified operations lists what there is)")
    operation = found.operations.get(name)
    if operation is None or operation.method == "GET":
        able = ", ".join(other.name for other in found.operations.values() if other.method != "GET")
        raise UsageError(f"{resource} has no operation {name!r} to import with (there are {able or 'none'})")
    return operation


def _items(task: ImportTask, source: Any) -> Iterator[Any]:
    from unified_cli.bulk.import_ import import_items  # noqa: PLC0415

    return import_items.items(source.lines(), task.operation, task.catalogue.service, _reshape(task))


def _reshape(task: ImportTask) -> Callable[[bytes], list[bytes]] | None:
    if task.map is None:
        return None
    from unified_cli.bulk.import_ import record_map  # noqa: PLC0415
    from unified_cli.json_text.numbers import changed_by_jq  # noqa: PLC0415

    program, told = record_map.RecordMap(task.map), False

    def shaped(record: bytes) -> list[bytes]:
        nonlocal told
        if not told and (digits := changed_by_jq(record)):
            told = True
            task.runtime.stderr.note(f"--map computes in doubles, which cannot hold {digits}; others may change too")
        return program(record)

    return shaped


def _preview(task: ImportTask, source: Any) -> None:
    """Print the request for each record, one a line; nothing is sent, and no journal is begun."""
    for item in _items(task, source):
        if item.wrong:
            task.runtime.stderr.note(f"line {item.number} {item.wrong}")
        elif not item.empty:
            dry_run.line(task.runtime, task.request(item, item.key or "…"))


def _check(task: ImportTask, source: Any, options: ImportOptions) -> None:
    """Raise what is to be raised before anything is written or sent."""
    from unified_cli.bulk.import_ import result_files  # noqa: PLC0415
    from unified_cli.bulk.import_.import_items import ImportItem  # noqa: PLC0415

    result_files.check(source.path, options.report)
    request = task.request(ImportItem(0, b"", "1", b"{}"), "k")
    builder.check_writable(task.resolved, request)
    if task.operation.kind == "delete":
        what = f"{source.count} records of {task.operation.api}/{task.operation.resource}"
        prompt.many(task.runtime, task.resolved, what, yes=options.yes, piped=options.file == "-")


def _import(task: ImportTask, source: Any, options: ImportOptions) -> None:
    from unified_cli.bulk.import_ import result_files  # noqa: PLC0415
    from unified_cli.bulk.import_.import_journal import Journal  # noqa: PLC0415
    from unified_cli.bulk.import_.import_progress import ImportProgress  # noqa: PLC0415
    from unified_cli.bulk.import_.importer import Importer, ImportTerms  # noqa: PLC0415
    from unified_cli.cli.connect import Clients  # noqa: PLC0415
    from unified_cli.storage import file_lock  # noqa: PLC0415

    runtime, path = task.runtime, source.path.with_name(source.path.name + ".unified-journal")
    if options.report:
        result_files.check_report(options.report, source.path)
    items = _items(task, source)
    held = file_lock.HeldLock(path.with_name(path.name + ".lock"))
    held.take(str(path))
    try:
        journal = Journal.open(path, _header(task, source), restart=options.restart)
        try:
            before = result_files.count(source, journal)
            clients = Clients(runtime, task.catalogue)
            clients.token(task.resolved)
            terms = ImportTerms(
                options.workers,
                task.resolved.idempotency_window,
                fail_fast=options.fail_fast,
                retry_in_doubt=options.retry_in_doubt,
            )
            progress = ImportProgress(source.count, runtime.stderr, runtime.monotonic)
            importing = Importer(
                journal, task.request, lambda: clients.open(task.resolved), terms, progress, wall=runtime.wall
            )
            try:
                stopped = importing.run(items)
            except BaseException:
                runtime.stderr.note(f"stopped; the same command goes on from {path}")
                raise
            counts = result_files.count(source, journal)
            groups = result_files.write(source, journal, counts, source.path)
            if options.report:
                result_files.report(source, journal, options.report)
        finally:
            journal.close()
    finally:
        held.release()
    if before == counts and not any(group.count for group in groups[1:]):
        runtime.stderr.note(f"already imported, says {path} (--restart sends everything again)")
    _summary(runtime, options.output, groups, counts)
    _judge(groups, stopped)


def _header(task: ImportTask, source: Any) -> Any:
    import hashlib  # noqa: PLC0415
    import json  # noqa: PLC0415
    import uuid  # noqa: PLC0415

    from unified_cli.bulk.import_.import_journal import JournalHeader  # noqa: PLC0415

    fingerprint = hashlib.sha256(json.dumps(task.where).encode()).hexdigest()
    return JournalHeader(str(uuid.uuid4()), fingerprint, source.size, source.sha256)


def _summary(runtime: Runtime, output: TableFormat | None, groups: list[Any], counts: Any) -> None:
    from unified_cli.bulk.import_.import_journal import EntryState  # noqa: PLC0415

    rows = [(group.name, str(group.count), str(group.path or "")) for group in groups]
    value = [
        {"outcome": group.name, "records": group.count, "file": str(group.path) if group.path else None}
        for group in groups
    ]
    if counts[EntryState.LEFT_OUT]:
        rows.append(("left out by --map", str(counts[EntryState.LEFT_OUT]), ""))
        value.append({"outcome": "left out", "records": counts[EntryState.LEFT_OUT], "file": None})
    show(runtime, output, ("outcome", "records", "file"), rows, value)


def _judge(groups: list[Any], stopped: UnifiedError | None) -> None:
    """Raise what is left to be said."""
    counts = {group.name: group.count for group in groups}
    paths = {group.name: group.path for group in groups}
    if counts["in doubt"]:
        raise UnknownError(
            f"in doubt: {counts['in doubt']} of {sum(counts.values())} records, see {paths['in doubt']} "
            "(the same command settles them where that is safe; --retry-in-doubt sends them again)"
        )
    if stopped is not None:
        untried = f"{counts['not tried']} of {sum(counts.values())} records not tried"
        stopped.message = f"stopped with {untried}: {stopped.message}"
        raise stopped
    if counts["failed"]:
        raise IncompleteError(f"failed: {counts['failed']} of {sum(counts.values())} records, see {paths['failed']}")
