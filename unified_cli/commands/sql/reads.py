"""The lists that a statement reads: of connections, or out of an export."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from unified_cli.call import Mode, builder, selected_reads
from unified_cli.call.selected_reads import ReadWork, SelectedRead, SelectedReads
from unified_cli.catalogue import plain
from unified_cli.catalogue.known_filters import doubtful
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import with_parts
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.statement import Plan, Table
from unified_cli.config.profiles import is_several
from unified_cli.errors import IncompleteError, StorageError, UnifiedError, UsageError
from unified_cli.exported.exported_lists import ExportedLists
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.fleet.read import FairReaders
from unified_cli.http.pagination import Page
from unified_cli.output import formats

_OFTEN = 1000


class ListRead(NamedTuple):
    """One list of one connection: where it comes from, in how many calls at least, and
    how many requests its connection and its token may send in 10 seconds.
    """

    connection: str
    table: Table
    place: str
    calls: int = 0
    limits: tuple[tuple[object, float], ...] = ()


Take = Callable[[ListRead, Sequence[bytes]], None]
"""Takes some records of a list."""
Ended = tuple[ListRead, UnifiedError | None]
"""A list, and what it failed with."""


class ConnectionReads:
    """The lists of the selected connections, in an order in which neighbours are of
    different ones.
    """

    def __init__(self, context: CommandContext, options: SqlOptions, plan: Plan) -> None:
        """Raises UsageError, ConfigError."""
        self._context = context
        self._workers = options.workers
        filters = _filters(context, options, plan)
        mode = Mode(several=is_several(options.profile))
        self._jobs: list[tuple[ListRead, SelectedReads, SelectedRead]] = []
        for table, operation in plan.tables.items():
            # Nothing is printed in this format, which any list can have.
            asked = ReadOptions(
                query=filters[table],
                page_size=options.page_size,
                since=options.since,
                output=formats.TABLE.name,
            )
            asked = with_parts(asked, options, MessageOptions, NetworkOptions, ConnectionOptions)
            builder.since(context.runtime, asked.since, asked.query)
            found = selected_reads.select(
                context.runtime, context.catalogue, operation, asked, mode
            )
            if not self._jobs:
                found.note_same()
            for one in found.reads:
                settings = one.call.settings
                query = "&".join(f"{name}={value}" for name, value in one.request.query)
                place = f"GET {one.request.path}{f'?{query}' if query else ''}"
                limits = (one.name, settings.rate), (settings.token, settings.token_rate)
                self._jobs.append((ListRead(one.name, table, place, 1, limits), found, one))
        self.planned = [read for read, _, _ in self._jobs]

    def read(self, take: Take) -> Generator[Ended]:
        """Read them all, and give how each ended."""
        runtime, catalogue = self._context.runtime, self._context.catalogue
        connections = len({read.connection for read in self.planned})
        with FairReaders(runtime, catalogue, self._workers) as readers:

            def pages(
                job: tuple[ListRead, SelectedReads, SelectedRead],
            ) -> Generator[tuple[ListRead, Page | UnifiedError | None]]:
                read, selected, one = job
                for _, found in ReadWork(selected, readers.clients).run(one):
                    yield read, found

            with closing(readers.read(self._jobs, pages, connections)) as results:
                partial = set()
                for read, found in results:
                    if isinstance(found, Page):
                        take(read, [*map(bytes, found.records)])
                        partial |= {read} if found.partial else set()
                    elif found is None and read in partial:
                        yield read, IncompleteError("the provider left something out")
                    else:
                        yield read, found


def _filters(
    context: CommandContext, options: SqlOptions, plan: Plan
) -> dict[Table, tuple[str, ...]]:
    """Return the query parameters of each table. Raises UsageError."""
    found: dict[Table, list[str]] = {table: [] for table in plan.tables}
    for text in options.query:
        name, colon, pair = text.partition(":")
        if not colon or "=" not in pair or "/" not in name:
            raise UsageError(
                f"-q {text!r} must be API/RESOURCE:NAME=VALUE",
                hint="as in ticketing/tickets:status=open",
            )
        resource = named_resource.find(context.catalogue, name)
        table = plain(resource.api), plain(resource.name)
        if table not in found:
            raise UsageError(
                f"-q {text}: the statement does not read {'.'.join(table)}",
                hint=f"it reads {', '.join('.'.join(one) for one in found) or 'no list'}",
            )
        found[table].append(pair)
    for table, pairs in found.items():
        service = context.catalogue.service
        for one in doubtful(plan.tables[table], service, builder.pairs(pairs), None):
            builder.warn_of_parameter(context.runtime, one, strict=False)
    return {table: tuple(pairs) for table, pairs in found.items()}


class ExportReads:
    """The lists in the folder of an export, the newest state of each record."""

    def __init__(self, context: CommandContext, options: SqlOptions, plan: Plan) -> None:
        """Raises UsageError, StateError, StorageError."""
        if options.profile or options.query or options.since or options.account_id:
            raise UsageError(
                "--from reads an export, without -p, -a, -q and --since",
                hint="WHERE _profile = 'NAME' selects a connection",
            )
        self._lists = ExportedLists(context.runtime, Path(options.from_ or ""))
        self._jobs: list[tuple[ListRead, ManifestEntry]] = []
        for table, operation in plan.tables.items():
            for entry in self._lists.of(operation):
                if entry.offered:
                    place = str(self._lists.folder / entry.file)
                    self._jobs.append((ListRead(entry.profile, table, place), entry))
                else:
                    name = f"{operation.api}/{operation.resource}"
                    context.runtime.stderr.note(f"{entry.profile} does not offer {name}")
        self.planned = [read for read, _ in self._jobs]

    def read(self, take: Take) -> Generator[Ended]:
        """Read them all, and give how each ended."""
        for read, entry in self._jobs:
            try:
                some: list[bytes] = []
                for record in self._lists.newest(entry):
                    some.append(record)
                    if len(some) == _OFTEN:
                        take(read, some)
                        some = []
                take(read, some)
            except StorageError:
                raise
            except UnifiedError as error:
                yield read, error
            else:
                yield read, None
