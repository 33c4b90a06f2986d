"""What an export is to do: which list of which connection goes to which file, and how each is read and written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unified_cli.call import Call, builder
from unified_cli.catalogue import Operation
from unified_cli.cli.command_context import CommandContext
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.export import selection
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.selection import ExportConnections
from unified_cli.commands.export.tasks import task as tasks
from unified_cli.commands.export.tasks.task import ConnectionTask
from unified_cli.exported import manifest
from unified_cli.exported.list_export import ListExportOptions
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.output import printer
from unified_cli.output.transform import Transform

_LAG = 60.0


@dataclass(frozen=True, slots=True)
class PlannedList:
    """One list of one connection. `exact` says that it was named, so that its absence is a failure."""

    connection: str
    operation: Operation
    file: str
    exact: bool


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The lists of an export, in an order in which neighbours are of different connections, and how to read them.

    `manifest` is the name of its manifest. With `pauses` nothing is sent as long as the requests of an earlier run may
    count for the service's limits.
    """

    context: CommandContext
    options: ExportOptions
    form: str
    span: Span
    manifest: str
    connections: ExportConnections
    lists: Sequence[PlannedList]
    readers: FairReaders
    pauses: bool = False

    def request(self, one: PlannedList) -> Request:
        """The request for a list. Raises ConfigError where its connection leads nowhere, or has no token."""
        resolved = self.connections.resolve(one.connection)
        self.readers.clients.token(resolved)
        call = Call(self.context.runtime, self.context.catalogue, resolved, ReadOptions(query=self.options.query))
        return builder.operation_request(call, one.operation)

    def client(self, connection: str) -> Client:
        """A client of the connection, which waits as long as the limits of the service ask for."""
        name = connection if len(self.connections.names) > 1 else None
        return self.readers.clients.open(self.connections.resolve(connection), name=name, patience=Patience.ENDLESS)

    def list_options(self, one: PlannedList) -> ListExportOptions:
        """How a list is read and written."""
        options, parquet, service = self.options, self.form == "parquet", self.context.catalogue.service
        style = printer.style_for(self.context.runtime, service, "ndjson" if parquet else self.form, screen=False)
        known = [field.name for field in one.operation.facts.fields]
        lag = _LAG if options.lag is None else options.lag
        return ListExportOptions(
            self.span,
            style._replace(known=known, safe_cells=options.csv_safe, bom=options.bom),
            Transform(),
            restart=options.restart,
            dedupe=options.dedupe is not None,
            parquet=parquet,
            profile=one.connection,
            lag=lag if options.incremental else None,
        )


def of_options(context: CommandContext, options: ExportOptions) -> ExportPlan:
    """The plan of an export, or of a shard of it. Raises UsageError, ConfigError."""
    selection.file_format(options)
    operations = selection.lists(context.catalogue, options.what)
    shard = selection.parse_shard(options.shard) if options.shard else None
    found = selection.selected(context, options)
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    plan = _plan(context, options, operations, found.shared_by(shard[1]) if shard else found, readers)
    if shard is None:
        return plan
    lists = [one for one in plan.lists if selection.in_shard(one.connection, one.operation, shard)]
    return replace(plan, lists=lists, manifest=f"manifest-{shard[0]}-of-{shard[1]}.json")


def of_task(context: CommandContext, task: ConnectionTask, given: ExportOptions) -> ExportPlan:
    """The plan of a task, with the options `given` beside it.

    Raises StateError where the task leads elsewhere here, or has no token; UsageError.
    """
    task.check_version()
    operations = task.operations(context.catalogue)
    options = task.command(given)
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    found = tasks.checked(context, task, options, readers)
    plan = _plan(context, options, operations, found, readers)
    return replace(plan, manifest=tasks.manifest_name(task.name), pauses=True)


def _plan(
    context: CommandContext,
    options: ExportOptions,
    operations: Mapping[Operation, bool],
    found: ExportConnections,
    readers: FairReaders,
) -> ExportPlan:
    form = selection.file_format(options)
    return ExportPlan(
        context,
        options,
        form,
        Span(since=builder.since(context.runtime, options.since, options.query)),
        manifest.NAME,
        found,
        [
            PlannedList(name, operation, selection.file_for(name, operation, form), exact)
            for operation, exact in operations.items()
            for name in found.names
        ],
        readers,
    )
