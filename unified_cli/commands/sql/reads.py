"""The lists that a statement reads: of connections, or out of an export."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from unified_cli.call import builder, selected_reads
from unified_cli.call.selected_reads import ReadWork, SelectedRead, SelectedReads
from unified_cli.catalogue import plain
from unified_cli.catalogue.known_filters import find_doubtful
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.statement import Plan, Table
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.exported.exported_lists import ExportedLists
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.read import FairReaders
from unified_cli.http import pagination
from unified_cli.http.pagination import Page
from unified_cli.json_text.members import Record

_OFTEN = 1000

Query = tuple[str, ...]
Result = tuple[object, Page | UnifiedError | None]
"""A page of a list, or the error that ended it, or None at its end, and whose it is."""


class ListRead(NamedTuple):
    """One list of one connection. `name` distinguishes it from the other lists, `place`
    is its source, and `settings` are set only if the source is the service.
    """

    name: str
    connection: str
    table: Table
    place: str
    pages: Callable[[Clients], Iterable[Result]]
    settings: Settings | None = None


def of_connections(context: CommandContext, options: SqlOptions, plan: Plan) -> list[ListRead]:
    """Return the lists of the selected connections.

    Raises UsageError, ConfigError.
    """
    found: list[ListRead] = []
    for table, query in _filters(context, options, plan).items():
        builder.change_filter(context.runtime, options.since, query)
        asked = ReadOptions(query=query, page_size=options.page_size, since=options.since)
        selected = selected_reads.select_lists(
            context.runtime, context.catalogue, plan.tables[table], asked, options
        )
        if not found:
            selected.note_same()
        for one in selected.reads:
            sent = "&".join(f"{name}={value}" for name, value in one.request.query)
            place = f"{one.request.line}{f'?{sent}' if sent else ''}"
            pages = partial(_served, selected, one)
            name = _name(plan, one.name, table)
            found.append(ListRead(name, one.name, table, place, pages, one.call.settings))
    return found


def _name(plan: Plan, connection: str, table: Table) -> str:
    return f"{connection} {'/'.join(table)}" if len(plan.tables) > 1 else connection


def _served(selected: SelectedReads, one: SelectedRead, clients: Clients) -> Iterable[Result]:
    return ReadWork(selected, clients).run(one)


def _filters(context: CommandContext, options: SqlOptions, plan: Plan) -> dict[Table, Query]:
    found: dict[Table, Query] = dict.fromkeys(plan.tables, ())
    for text in options.query:
        name, colon, pair = text.partition(":")
        if not colon or "=" not in pair or "/" not in name:
            hint = "as in ticketing/tickets:status=open"
            raise UsageError(f"-q {text!r} must be API/RESOURCE:NAME=VALUE", hint=hint)
        resource = named_resource.find(context.catalogue, name)
        table = plain(resource.api), plain(resource.name)
        if table not in found:
            hint = f"it reads {', '.join('.'.join(one) for one in found) or 'no list'}"
            what = f"the statement does not read {'.'.join(table)}"
            raise UsageError(f"-q {text}: {what}", hint=hint)
        found[table] += (pair,)
        service = context.catalogue.service
        for one in find_doubtful(plan.tables[table], service, builder.pairs([pair]), None):
            builder.warn_of_parameter(context.runtime, one, strict=False)
    return found


def of_export(context: CommandContext, options: SqlOptions, plan: Plan) -> list[ListRead]:
    """Return the lists in the folder of an export.

    Raises UsageError, StateError, StorageError.
    """
    if options.profile or options.query or options.since or options.account_id:
        raise UsageError(
            "--from reads an export, without -p, -a, -q and --since",
            hint="WHERE _profile = 'NAME' selects a connection",
        )
    if "://" in (options.from_ or ""):
        wanted = " ".join(f"{one.api}/{one.resource}" for one in plan.tables.values())
        raise UsageError(
            f"--from reads an export in a folder of this machine, not {options.from_}",
            hint=f"unified export {wanted} --to DIR",
        )
    lists, found = ExportedLists(context.runtime, Path(options.from_ or "")), []
    for table, operation in plan.tables.items():
        for entry in lists.of(operation):
            if entry.offered:
                place, pages = str(lists.folder / entry.file), partial(_exported, lists, entry)
                name = _name(plan, entry.profile, table)
                found.append(ListRead(name, entry.profile, table, place, pages))
            else:
                missing = f"{operation.api}/{operation.resource}"
                context.runtime.stderr.note(f"{entry.profile} does not offer {missing}")
    return found


def _exported(lists: ExportedLists, entry: ManifestEntry, _: Clients) -> Iterable[Result]:
    def pages() -> Generator[Page]:
        records = map(Record, lists.newest(entry))
        while some := [*islice(records, _OFTEN)]:
            yield Page(0, some, None)

    return pagination.with_errors(None, pages())


def read(
    context: CommandContext, workers: int | None, lists: Sequence[ListRead]
) -> Generator[tuple[ListRead, Page | UnifiedError | None]]:
    """Read lists in fair turns. To be used with `contextlib.closing`."""
    with FairReaders(context.runtime, context.catalogue, workers) as readers:

        def pages(one: ListRead) -> Generator[tuple[ListRead, Page | UnifiedError | None]]:
            for _, found in one.pages(readers.clients):
                yield one, found

        number = len({one.connection for one in lists})
        with closing(readers.read(lists, pages, number)) as results:
            yield from results
