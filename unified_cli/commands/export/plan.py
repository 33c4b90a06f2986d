"""Plan an export: the file for each list of each connection, and the options."""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote, unquote

from unified_cli.call import Call, builder, delivery
from unified_cli.catalogue import Catalogue, Operation, plain
from unified_cli.catalogue.known_filters import DoubtfulParameter, find_doubtful
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import ReadOptions, overrides
from unified_cli.commands.export import delta_folder
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.unknown_list import suggest_list
from unified_cli.config import file, profiles
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.exported import manifest, parquet_file
from unified_cli.exported.list_export import ListExportOptions, TablePart
from unified_cli.exported.parquet_file import ParquetColumns
from unified_cli.fleet import own_account, selection
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.http.request import Request
from unified_cli.output import formats, printer
from unified_cli.output.formats import Format
from unified_cli.output.transform import ColumnCheck, Transform
from unified_cli.plural import counted
from unified_cli.storage import object_store

_LAG = 60.0
_INCREMENTS = formats.one_of([one for one in formats.EXPORTS if one.increments])
# Characters that some readers of tables refuse.
_NO_COLUMN = re.compile(r"[ ,;{}()\n\t=]")
_GLOB = re.compile(r"[*?\[]")
_SHARD = re.compile(r"([1-9]\d{0,5})/([1-9]\d{0,5})")


def file_format(options: ExportOptions) -> Format:
    """Return the format of the files. Raises UsageError if options cannot be combined,
    and ConfigError if the package for the format is missing.
    """
    builder.pairs(options.query)
    form = options.form
    if options.dedupe and not form.dedupe:
        fitting = formats.one_of([form for form in formats.EXPORTS if form.dedupe])
        raise UsageError(f"--dedupe id needs -o {fitting}")
    if not form.increments and object_store.parse_url(options.to or ""):
        raise UsageError(
            f"-o {form} writes a list to one file, but an object store needs several files per"
            f" list (use {_INCREMENTS})"
        )
    if delivery.column_names(options.columns) and not form.columns:
        fitting = formats.one_of([form for form in formats.EXPORTS if form.columns])
        raise UsageError(f"--columns adds columns, but {form} has none", hint=f"--format {fitting}")
    delivery.check_cells(
        form,
        bom=options.bom,
        csv_safe=options.csv_safe,
        typed_header=options.typed_header,
    )
    if options.lag is not None and not options.incremental:
        raise UsageError("--lag needs --incremental")
    if options.wait_timeout is not None and not options.engine:
        raise UsageError("--wait-timeout needs --engine")
    if options.incremental:
        _check_increments(options, form)
    if form is formats.PARQUET:
        parquet_file.check()
    if form is formats.DELTA:
        _check_table(options)
    return form


def _check_table(options: ExportOptions) -> None:
    """Raise UsageError if a table cannot have the columns or be in the folder.

    Raises ConfigError if packages are missing.
    """
    seen = {name.lower() for name in parquet_file.COLUMNS}
    for name in dict.fromkeys(delivery.column_names(options.columns)):
        if wrong := _NO_COLUMN.search(name):
            raise UsageError(
                f"--columns {name}: a column name of a table cannot contain {wrong[0]!r}"
            )
        if name.lower() in seen and name not in parquet_file.COLUMNS:
            raise UsageError(
                f"--columns {name}: the table already has a column with this name (upper and"
                " lower case are not distinguished)"
            )
        seen.add(name.lower())
    delta_folder.check()
    delta_folder.check_folder(options.to or "")


def _check_increments(options: ExportOptions, form: Format) -> None:
    """Raise UsageError if an option cannot be used with --incremental."""
    if not form.increments:
        raise UsageError(f"--incremental needs --format {_INCREMENTS}")
    if options.restart:
        raise UsageError(
            "--restart reads everything again, but --incremental reads only changes (leave out one"
            " of them)"
        )
    builder.check_own_filter("--incremental", options.query)


def lists(
    catalogue: Catalogue, patterns: Sequence[str], names: Collection[str] = ()
) -> dict[Operation, bool]:
    """Return the matching list operations, and whether each was named exactly.

    A pattern is an API or API/RESOURCE, and may contain `*`. Without patterns, all
    match. Raises UsageError if a pattern matches nothing.
    """
    every = [operation for operation in catalogue if operation.name == "list"]
    if not patterns:
        return dict.fromkeys(every, False)
    found: dict[Operation, bool] = {}
    for before, pattern in pairwise(("", *patterns)):
        matching = [operation for operation in every if _matches(operation, pattern)]
        if not matching:
            hint = suggest_list(catalogue, pattern, before, names)
            raise UsageError(f"nothing to list matches {pattern!r}", hint=hint)
        exact = "/" in pattern and not _GLOB.search(pattern)
        for operation in matching:
            found[operation] = exact or found.get(operation, False)
    return {operation: found[operation] for operation in every if operation in found}


def check_query(context: CommandContext, options: ExportOptions) -> None:
    """Warn about unknown query parameters, or raise UsageError with `--strict`."""
    runtime, service = context.runtime, context.catalogue.service
    called = ReadOptions(
        profile=options.profile, account_id=options.account_id, base_url=options.base_url
    )
    for pair in builder.pairs(options.query):
        found = dict[str, DoubtfulParameter]()
        for operation in lists(context.catalogue, options.what):
            known = builder.described(runtime, called, operation)
            for doubtful in find_doubtful(
                operation, service, [pair], [name.name for name in known.query] if known else None
            ):
                found[doubtful.reason] = doubtful
        if found:
            clearest = max(found.values(), key=lambda doubtful: bool(doubtful.meant))
            others = f", nor of {counted(len(found) - 1, 'other list')}" if len(found) > 1 else ""
            builder.warn_of_parameter(
                runtime,
                clearest._replace(reason=f"{clearest.reason}{others}"),
                strict=options.strict,
            )


def _matches(operation: Operation, pattern: str) -> bool:
    api, slash, resource = pattern.partition("/")

    def same(name: str, typed: str) -> bool:
        return fnmatchcase(name, typed) or plain(name) == plain(typed)

    return same(operation.api, api) and (not slash or same(operation.resource, resource))


def _parse_shard(text: str) -> tuple[int, int]:
    """Parse `K/N`. Raises UsageError if it is invalid."""
    match = _SHARD.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise UsageError(f"--shard takes K/N with K from 1 to N, not {text!r}")
    return int(match[1]), int(match[2])


def _in_shard(name: str, operation: Operation, shard: tuple[int, int] | None) -> bool:
    if shard is None:
        return True
    text = f"{name}\0{operation.api}/{operation.resource}".encode()
    number = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
    return number % shard[1] == shard[0] - 1


def file_for(connection: str, name: str, form: Format) -> str:
    """Return the path of a list such as `ats/jobs`, quoted."""
    folder = quote(connection, safe="")
    return f"{f'%2E{folder[1:]}' if folder.startswith('.') else folder}/{name}.{form}"


class ExportConnections(NamedTuple):
    """The names of the connections. Without a profile, the name is the account.

    `resolve` returns the settings of a connection, and raises ConfigError and
    UnsafeError.
    """

    names: Sequence[str]
    resolve: Callable[[str], Settings]

    def shared_by(self, runs: int) -> "ExportConnections":
        """Return the connections for one of several concurrent runs.

        The runs share the default limits.
        """
        return self._replace(resolve=lambda name: self.resolve(name).shared_by(runs))


def selected(context: CommandContext, options: ExportOptions) -> ExportConnections:
    """Return the connections that the options select. Raises ConfigError and
    UsageError.
    """
    runtime, patterns = context.runtime, options.profile
    config = file.read(runtime)
    flags = overrides(options)._replace(output=None)
    if patterns:
        names = profiles.select(config, patterns)
        # Here `output` is the format of the files, not of messages.
        own_account.common_settings(runtime, config, flags)
        if profiles.is_several(patterns):
            selection.check_account(options.account_id)
        names = selection.read_once(runtime, config, replace(options, output=None), names)
    else:
        only = own_account.resolved(flags, runtime, config)
        names = [only.profile or only.reachable()[1]]

    @cache
    def resolve(name: str) -> Settings:
        return own_account.resolved(
            flags._replace(profile=name if patterns else None), runtime, config
        )

    return ExportConnections(names, resolve)


@dataclass(frozen=True, slots=True)
class PlannedList:
    """A list of a connection. It must be offered if it was named exactly."""

    connection: str
    operation: Operation
    file: str
    exact: bool

    @property
    def label(self) -> str:
        """The name of the connection in the export."""
        return unquote(self.file.partition("/")[0])


@dataclass(frozen=True, slots=True)
class ExportPlan:
    """The lists of an export, with connections taking turns, and the options.

    `manifest` is the name of the manifest. With `pauses`, wait until requests of an
    earlier run no longer count towards the rate limits. `timestamps` says whether times
    in Parquet files are timestamps.
    """

    context: CommandContext
    options: ExportOptions
    form: Format
    span: Span
    manifest: str
    connections: ExportConnections
    lists: Sequence[PlannedList]
    readers: FairReaders
    pauses: bool = False
    timestamps: bool = True

    def request(self, one: PlannedList) -> Request:
        """Return the request for a list. Raises ConfigError if its connection is
        incomplete or has no token.
        """
        resolved = self.connections.resolve(one.connection)
        self.readers.clients.token(resolved)
        call = Call(
            self.context.runtime,
            self.context.catalogue,
            resolved,
            ReadOptions(query=self.options.query),
        )
        return builder.operation_request(call, one.operation)

    def client(self, connection: str) -> Client:
        """Return a client of the connection. It waits for rate limits without a
        timeout.
        """
        name = connection if len(self.connections.names) > 1 else None
        return self.readers.clients.open_bulk(self.connections.resolve(connection), name=name)

    @property
    def columns(self) -> list[str]:
        """The columns of `--columns`. Raises UsageError if it has no names."""
        return [*dict.fromkeys(delivery.column_names(self.options.columns))]

    def list_options(self, one: PlannedList) -> ListExportOptions:
        """Return the options for a list."""
        options, service = self.options, self.context.catalogue.service
        columns, more = self.columns, _more_columns(options)
        parquet = (
            ParquetColumns(one.label, more, self.timestamps)
            if self.form is formats.PARQUET
            else None
        )
        table = self._table_part(one, more) if self.form is formats.DELTA else None
        form = formats.NDJSON if parquet or table else self.form
        style = printer.style_for(
            self.context.runtime, form, service.items, service.cursor, screen=False
        )
        known = [field.name for field in one.operation.facts.fields]
        style = style._replace(known=known, typed=options.typed_header)
        lag = _LAG if options.lag is None else options.lag
        return ListExportOptions(
            self.span,
            style._replace(safe_cells=options.csv_safe, bom=options.bom, more=columns),
            # Do not require columns, because only some connections may have them.
            Transform(check=ColumnCheck(columns, known, required=False)),
            restart=options.restart,
            dedupe=options.dedupe is not None,
            parquet=parquet,
            lag=lag if self.form.increments else None,
            incremental=options.incremental,
            table=table,
        )

    def _table_part(self, one: PlannedList, more: Sequence[str]) -> TablePart:
        """Return the table part of a list. Raises ConfigError if its connection is
        incomplete.
        """
        address, account = self.connections.resolve(one.connection).reachable()
        connection = address.origin, account, ParquetColumns(one.label, more)
        filtered = bool(self.options.query or self.options.since)
        return TablePart(one.operation.api, one.operation.resource, *connection, filtered=filtered)


def _more_columns(options: ExportOptions) -> list[str]:
    columns = dict.fromkeys(delivery.column_names(options.columns))
    return [name for name in columns if name not in parquet_file.COLUMNS]


def of_options(context: CommandContext, options: ExportOptions) -> ExportPlan:
    """Return the plan of an export or a shard. Raises UsageError and ConfigError."""
    file_format(options)
    named = file.read(context.runtime).profiles
    operations = lists(context.catalogue, options.what, named)
    shard = _parse_shard(options.shard) if options.shard else None
    found = selected(context, options)
    readers = FairReaders(context.runtime, context.catalogue, options.workers)
    plan = planned(
        context, options, operations, found.shared_by(shard[1]) if shard else found, readers
    )
    if shard is None:
        return plan
    own = [part for part in plan.lists if _in_shard(part.connection, part.operation, shard)]
    return replace(plan, lists=own, manifest=f"manifest-{shard[0]}-of-{shard[1]}.json")


def planned(
    context: CommandContext,
    options: ExportOptions,
    operations: Mapping[Operation, bool],
    found: ExportConnections,
    readers: FairReaders,
) -> ExportPlan:
    """Return the plan for these operations and connections. Raises the same errors as
    `of_options`.
    """
    form = file_format(options)
    return ExportPlan(
        context,
        options,
        form,
        Span(since=builder.change_filter(context.runtime, options.since, options.query)),
        manifest.NAME,
        found,
        [
            PlannedList(
                name,
                operation,
                file_for(name, f"{operation.api}/{operation.resource}", form),
                exact,
            )
            for operation, exact in operations.items()
            for name in found.names
        ],
        readers,
    )
