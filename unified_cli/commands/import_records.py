"""`unified import API/RESOURCE FILE`: every record of a file sent once, with a journal beside the file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands import confirm, preview, spool, tree, typed
from unified_cli.commands.built_in import FORMATS, Complete, show
from unified_cli.commands.options import FLAGS, NETWORK, OUTPUT, QUERY, SAFETY, TALK, Flag, argument
from unified_cli.commands.page import EXAMPLE, Page
from unified_cli.commands.typed import Given
from unified_cli.config.settings import Settings
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError, UsageError
from unified_cli.runtime import Runtime

IMPORT = "Import"
_ABOUT = (
    "A journal beside the file says what was sent before it is sent. After a crash the same command goes on where it "
    "stopped; when all is done, it does nothing. What failed, is in doubt or was not tried stands in files of its own, "
    "which can be imported in turn."
)
_OWN = (
    Flag("operation", ("--operation",), str, IMPORT, "what to do with each record (create)", "NAME"),
    Flag("map", ("--map",), str, IMPORT, "a jq program that reshapes each record", "PROGRAM"),
    Flag("format", ("--format",), str, IMPORT, "what the file holds, if not as it looks", "FORMAT",
         choices=("ndjson", "json", "csv", "ids")),
    Flag("report", ("--report",), str, IMPORT, "write what became of each line", "FILE", takes="file"),
    Flag("fail_fast", ("--fail-fast",), bool, IMPORT, "stop at the first record that fails"),
    FLAGS["restart"]._replace(group=IMPORT, help="forget an earlier run and send everything again"),
    Flag("retry_in_doubt", ("--retry-in-doubt",), bool, IMPORT, "send again what may have been done"),
    FLAGS["workers"],
)  # fmt: skip
_SHARED = [
    flag
    for flag in FLAGS.values()
    if flag.group not in {QUERY, OUTPUT, "Body"} and flag.name not in {"idempotency_key", "as_", "workers"}
]
_FLAGS = [
    *(flag for flag in _SHARED if flag.group == "Connection"),
    *(flag for flag in _OWN if flag.group == IMPORT),
    FLAGS["query"],
    FLAGS["output"]._replace(choices=FORMATS),
    *(flag for flag in _SHARED if flag.group in {SAFETY, NETWORK}),
    *(flag for flag in _OWN if flag.group == NETWORK),
    *(flag for flag in _SHARED if flag.group == TALK),
]


def command(runtime: Runtime, catalogue: Catalogue, complete: Complete) -> Any:
    """The command."""
    parameters = [argument("resource", "where to, as API/RESOURCE"), argument("file", "the records; - is a pipe")]
    return tree.leaf(
        "import",
        lambda given: run(runtime, catalogue, complete(given)),
        [*parameters, *(flag.parameter() for flag in _FLAGS)],
        lambda: Page(
            "API/RESOURCE FILE [options]",
            [
                "Send every record of a file once: NDJSON, a JSON array, CSV, or ids for delete.",
                _ABOUT,
            ],
            [(EXAMPLE, "unified -p sandbox import ticketing/contacts people.csv")],
            _FLAGS,
        ),
        takes=("api/resource", "file"),
    )


@dataclass(frozen=True, slots=True)
class Task:
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
        from unified_cli.wire import request as requests  # noqa: PLC0415

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
        return made._replace(honoured=self.resolved["idempotency_window"] > 0)


def run(runtime: Runtime, catalogue: Catalogue, given: Given) -> None:
    """Import; raises the error that says how far it got where not everything was done."""
    resolved = typed.resolve(runtime, {name: value for name, value in given.items() if name != "output"})
    resolved.reachable()
    operation = find(catalogue, given["resource"], given.get("operation") or "create")
    task = Task(runtime, catalogue, resolved, operation, typed.read_query(given), given.get("map"))
    from unified_cli.bulk import intake  # noqa: PLC0415
    from unified_cli.commands import several  # noqa: PLC0415

    workers = several.workers(given)

    if given.get("format") not in (None, *intake.FORMATS):
        raise UsageError(f"no input format {given['format']!r} (there are {', '.join(intake.FORMATS)})")
    path = spool.keep(runtime, task.where, given) if given["file"] == "-" else Path(given["file"])
    source = intake.look(path, given.get("format"), catalogue.service.items, ids=operation.takes_id)
    if given.get("dry_run"):
        _preview(task, source)
        return
    _check(task, source, given)
    _import(task, source, given, workers)


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


def _items(task: Task, source: Any) -> Iterator[Any]:
    from unified_cli.bulk import items  # noqa: PLC0415

    return items.items(source.lines(), task.operation, task.catalogue.service, _reshape(task))


def _reshape(task: Task) -> Callable[[bytes], list[bytes]] | None:
    if task.map is None:
        return None
    from unified_cli.bulk import reshape  # noqa: PLC0415

    program, told = reshape.Reshape(task.map), False

    def shaped(record: bytes) -> list[bytes]:
        nonlocal told
        if not told and (digits := reshape.imprecise(record)):
            told = True
            task.runtime.talk.note(f"--map computes in doubles, which cannot hold {digits}; others may change too")
        return program(record)

    return shaped


def _preview(task: Task, source: Any) -> None:
    """Print the request for each record, one a line; nothing is sent, and no journal is begun."""
    for item in _items(task, source):
        if item.wrong:
            task.runtime.talk.note(f"line {item.number} {item.wrong}")
        elif not item.empty:
            preview.line(task.runtime, task.request(item, item.key or "…"))


def _check(task: Task, source: Any, given: Given) -> None:
    """Raise what is to be raised before anything is written or sent."""
    from unified_cli.bulk import results  # noqa: PLC0415
    from unified_cli.bulk.items import Item  # noqa: PLC0415

    results.check(source.path, given.get("report"))
    request = task.request(Item(0, b"", "1", b"{}"), "k")
    typed.check_writable(task.resolved, request)
    if task.operation.kind == "delete":
        what = f"{source.count} records of {task.operation.api}/{task.operation.resource}"
        confirm.many(task.runtime, task.resolved, what, yes=bool(given.get("yes")), piped=given["file"] == "-")


def _import(task: Task, source: Any, given: Given, workers: int) -> None:
    from unified_cli.bulk import lock, results  # noqa: PLC0415
    from unified_cli.bulk.importing import Importing, Terms  # noqa: PLC0415
    from unified_cli.bulk.journal import Journal  # noqa: PLC0415
    from unified_cli.bulk.progress import Progress  # noqa: PLC0415
    from unified_cli.commands.connect import Clients  # noqa: PLC0415

    runtime, path = task.runtime, source.path.with_name(source.path.name + ".unified-journal")
    if given.get("report"):
        results.check_report(given["report"], source.path)
    items = _items(task, source)
    held = lock.Lock(path.with_name(path.name + ".lock"))
    held.take(str(path))
    try:
        journal = Journal.open(path, _header(task, source), restart=bool(given.get("restart")))
        try:
            before = results.count(source, journal)
            clients = Clients(runtime, task.catalogue)
            clients.token(task.resolved)
            terms = Terms(
                workers,
                task.resolved["idempotency_window"],
                fail_fast=bool(given.get("fail_fast")),
                retry_in_doubt=bool(given.get("retry_in_doubt")),
            )
            progress = Progress(source.count, runtime.talk, runtime.monotonic)
            importing = Importing(
                journal, task.request, lambda: clients.open(task.resolved), terms, progress, wall=runtime.wall
            )
            try:
                stopped = importing.run(items)
            except BaseException:
                runtime.talk.note(f"stopped; the same command goes on from {path}")
                raise
            counts = results.count(source, journal)
            groups = results.write(source, journal, counts, source.path)
            if given.get("report"):
                results.report(source, journal, given["report"])
        finally:
            journal.close()
    finally:
        held.release()
    if before == counts and not any(group.count for group in groups[1:]):
        runtime.talk.note(f"already imported, says {path} (--restart sends everything again)")
    _summary(runtime, given, groups, counts)
    _judge(groups, stopped)


def _header(task: Task, source: Any) -> Any:
    import hashlib  # noqa: PLC0415
    import json  # noqa: PLC0415
    import uuid  # noqa: PLC0415

    from unified_cli.bulk.journal import Header  # noqa: PLC0415

    fingerprint = hashlib.sha256(json.dumps(task.where).encode()).hexdigest()
    return Header(str(uuid.uuid4()), fingerprint, source.size, source.sha256)


def _summary(runtime: Runtime, given: Given, groups: list[Any], counts: Any) -> None:
    from unified_cli.bulk.journal import State  # noqa: PLC0415

    rows = [(group.name, str(group.count), str(group.path or "")) for group in groups]
    value = [
        {"outcome": group.name, "records": group.count, "file": str(group.path) if group.path else None}
        for group in groups
    ]
    if counts[State.LEFT_OUT]:
        rows.append(("left out by --map", str(counts[State.LEFT_OUT]), ""))
        value.append({"outcome": "left out", "records": counts[State.LEFT_OUT], "file": None})
    show(runtime, given.get("output"), ("outcome", "records", "file"), rows, value)


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
