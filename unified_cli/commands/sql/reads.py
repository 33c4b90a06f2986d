"""The lists that a statement reads: from connections, or from an export."""

from collections.abc import Callable, Generator, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from unified_cli.call import selected_reads
from unified_cli.call.selected_reads import Found, ReadWork, SelectedRead, SelectedReads
from unified_cli.catalogue import plain
from unified_cli.cli import named_resource
from unified_cli.cli.command import CommandContext, Later
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.statement import Plan, Table
from unified_cli.config.settings import Settings
from unified_cli.errors import UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.http import pagination
from unified_cli.http.pagination import Page
from unified_cli.json_text.members import Record

_PAGE = 1000
# Import it late: a statement over connections does not need it, and it takes 17 ms.
_EXPORTED_LISTS = Later("unified_cli.exported.exported_lists:ExportedLists")
_EXPORT_WORDS = Later("unified_cli.writes.listed_runs:export_words")


class ListRead(NamedTuple):
    """One list of one connection.

    `name` distinguishes it from other lists. `place` is its source. `settings` are only
    set if the source is the service. `pages` yields its pages, then None or the error.
    """

    name: str
    connection: str
    table: Table
    place: str
    pages: Callable[[Clients], Iterator[Found]]
    settings: Settings | None = None


def select(context: CommandContext, options: SqlOptions, plan: Plan) -> Iterator[ListRead]:
    """Yield the lists that the statement reads.

    Raises UsageError and ConfigError, and for an export also StateError and
    StorageError.
    """
    lists = _of_export if options.from_ else _of_connections
    return lists(context, options, plan)


def _name(plan: Plan, connection: str, table: Table) -> str:
    return f"{connection} {'/'.join(table)}" if len(plan.tables) > 1 else connection


def _of_connections(context: CommandContext, options: SqlOptions, plan: Plan) -> Iterator[ListRead]:
    for table, query in _queries(context, options, plan).items():
        asked = ReadOptions(query=query, page_size=options.page_size, since=options.since)
        selected = selected_reads.select_lists(
            context.runtime, context.catalogue, plan.tables[table], asked, options
        )
        for read in selected.reads:
            name, place = _name(plan, read.name, table), f"GET {read.request.target}"
            pages = partial(_served, selected, read)
            yield ListRead(name, read.name, table, place, pages, read.call.settings)


def _served(selected: SelectedReads, read: SelectedRead, clients: Clients) -> Iterator[Found]:
    return (found for _, found in ReadWork(selected, clients).run(read))


def _queries(
    context: CommandContext, options: SqlOptions, plan: Plan
) -> dict[Table, tuple[str, ...]]:
    result: dict[Table, tuple[str, ...]] = dict.fromkeys(plan.tables, ())
    for text in options.query:
        name, colon, pair = text.partition(":")
        if not colon or "=" not in pair or "/" not in name:
            hint = "as in ticketing/tickets:status=open"
            raise UsageError(f"-q {text!r} must be API/RESOURCE:NAME=VALUE", hint=hint)
        resource = named_resource.find(context.catalogue, name)
        table = plain(resource.api), plain(resource.name)
        if table not in result:
            hint = f"it reads {', '.join('.'.join(table) for table in result) or 'no list'}"
            reason = f"-q {text}: the statement does not read {'.'.join(table)}"
            raise UsageError(reason, hint=hint)
        result[table] += (pair,)
    return result


def _of_export(context: CommandContext, options: SqlOptions, plan: Plan) -> Iterator[ListRead]:
    folder = options.from_ or ""
    if options.profile or options.query or options.since or options.account_id:
        hint = "WHERE _profile = 'NAME' selects a connection"
        raise UsageError("--from cannot be used with -p, -a, -q or --since", hint=hint)
    if "://" in folder:
        wanted = " ".join(f"{table.api}/{table.resource}" for table in plan.tables.values())
        reason = f"--from reads an export in a folder of this machine, not {folder}"
        raise UsageError(reason, hint=f"unified export {wanted} --to DIR")
    lists = _EXPORTED_LISTS.load()(context.runtime, Path(folder), _EXPORT_WORDS.load())
    for table, operation in plan.tables.items():
        for entry in lists.entries_of(operation):
            if entry.offered:
                name, place = _name(plan, entry.profile, table), str(lists.folder / entry.file)
                pages = partial(_kept, partial(lists.newest, entry))
                yield ListRead(name, entry.profile, table, place, pages)
            else:
                missing = f"{operation.api}/{operation.resource}"
                context.runtime.stderr.note(f"{entry.profile} does not offer {missing}")


def _kept(newest: Callable[[], Iterator[bytes]], _: Clients) -> Iterator[Found]:
    def pages() -> Generator[Page]:
        records = map(Record, newest())
        while some := [*islice(records, _PAGE)]:
            yield Page(0, some, None)

    return (found for _, found in pagination.with_errors(None, pages()))
