"""Run a statement: read its lists, print the rows, and report missing records."""

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

import msgspec
from duckdb import DuckDBPyConnection

from unified_cli.call import Call, Mode, builder, delivery, record_output, selected_reads
from unified_cli.call.selected_reads import Found
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import with_parts
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.sql import database, reads, statement
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.database import Rows
from unified_cli.commands.sql.reads import ListRead
from unified_cli.commands.sql.statement import Plan, Table
from unified_cli.commands.sql.table import TableSpool
from unified_cli.config import file, profiles
from unified_cli.errors import IncompleteError, UnifiedError, UsageError
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.conclude import Ending, conclude, failure_lines
from unified_cli.hints import NOT_OFFERED
from unified_cli.http import request_body
from unified_cli.http.pagination import Page
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Record
from unified_cli.masking import masked
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Work
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file
from unified_cli.storage.owned_folder import owned_folder

_MOST_NAMED = 5
_WINDOW = 10
_NO_COLUMN = re.compile(r'(?:Referenced column|a column named) "(.+?)"(?: not found|$)')
_Spools = Mapping[Table, TableSpool]


def answer(context: CommandContext, options: SqlOptions) -> None:
    """Run the statement over the lists that it names, and print its rows.

    Raises UsageError if there is a problem with the statement, and the error that
    summarizes the failed reads.
    """
    runtime, keep = context.runtime, Path(options.keep) if options.keep else None
    text, cache = _text(runtime, options), runtime.folder("cache")
    with owned_folder(cache and cache / "sql") as folder:
        memory = database.open_in_memory(folder)
        plan = statement.plan(text, context.catalogue, memory)
        call = _call(context, options)
        lists = [*reads.select(context, options, plan)]
        if keep:
            output_file.check(keep, force=options.force, other=options.out)
        with delivery.to_file(call) as aimed:
            if options.explain:
                _explain(aimed, lists)
                return
            spools = {name: TableSpool(name, folder, plan, keep=bool(keep)) for name in plan.tables}
            failed, missing = _read(aimed, lists, spools)
            for spool in spools.values():
                missing += _report(runtime, spool)

            def load() -> None:
                for spool in spools.values():
                    spool.load(memory)
                if keep:
                    database.keep(memory, folder, keep, force=options.force)

            if not lists or len(failed) < len(lists):
                _run(aimed, plan, memory, load, spools)
            unit = "list" if len(spools) > 1 else "connection"
            conclude(Ending(unit, len(lists), failed, missing=missing))


def _text(runtime: Runtime, options: SqlOptions) -> str:
    if options.token_stdin and options.statement in {"-", "@-"}:
        raise UsageError("the statement and --token-stdin both read standard input")
    try:
        return request_body.read_argument(options.statement, runtime, "sql").decode()
    except UnicodeDecodeError:
        raise UsageError("the statement is not UTF-8") from None


def _call(context: CommandContext, options: SqlOptions) -> Call:
    runtime, catalogue, config = context.runtime, context.catalogue, file.read(context.runtime)
    # Print the rows like the records of a list that is read with `--all`.
    names = ("output", "out", "force", "csv_safe", "bom")
    read = ReadOptions(all=True, **{name: getattr(options, name) for name in names})
    read = with_parts(read, options, MessageOptions, NetworkOptions, ConnectionOptions)
    if profiles.is_several(options.profile):
        call = builder.common_call(runtime, catalogue, config, read, Mode(), None)
    else:
        call = builder.resolve(runtime, catalogue, read, Mode(), None, scoped=False)
    return call._replace(settings=builder.settings_for_many(call.settings, runtime, None, config))


def _explain(call: Call, lists: Sequence[ListRead]) -> None:
    """Print the lists to read, and the least numbers of calls and seconds."""
    sent = [(read.connection, read.settings) for read in lists if read.settings]
    names, calls = ["connection", "list", "from", "calls"], 1 if sent else 0
    rows = [(read.connection, "/".join(read.table), read.place, calls) for read in lists]
    records = [Record(msgspec.json.encode(dict(zip(names, row, strict=True)))) for row in rows]
    _print(call, iter([(names, []), (names, records)]))
    limits: Counter[tuple[object, float]] = Counter((name, found.rate) for name, found in sent)
    limits.update((found.token, found.token_rate) for _, found in sent)
    waits = [(number - 1) // rate * _WINDOW for (_, rate), number in limits.items() if rate]
    least = f"at least {counted(len(sent), 'call')} and {max(waits, default=0):g} s"
    call.runtime.stderr.note(f"{least}; each further page of a list is one more call")


def _read(
    call: Call, lists: Sequence[ListRead], spools: _Spools
) -> tuple[dict[str, UnifiedError], list[str]]:
    """Spool all records, report the failures, and return them and the missing parts."""
    errors, missing, counts = dict[str, UnifiedError](), list[str](), Counter[str]()

    def pages(clients: Clients, part: ListRead) -> Generator[tuple[ListRead, Found]]:
        return ((part, found) for found in part.pages(clients))

    work, connections = Work(part="list", parts=len(lists)), {read.connection for read in lists}
    with selected_reads.shown_reads(call, lists, pages, work, len(connections)) as results:
        for one, found in results:
            if isinstance(found, Page):
                spools[one.table].add(one.connection, found.records)
                counts[one.name] += len(found.records)
                missing += [f"{one.name}: the provider left something out"] * found.partial
            elif found is not None:
                errors[one.name] = found
    failed = {part.name: errors[part.name] for part in lists if part.name in errors}
    for one in lists:
        if (error := failed.get(one.name)) and error.status in NOT_OFFERED:
            if len(lists) > 1:
                error.add_hint(f"-p '!{one.connection}' excludes the connection")
            error.message = masked(f"does not offer the list: {error.message}")
    read = {name: counted(counts[name], "record") for name in counts if counts[name]}
    for line in failure_lines(failed, read):
        call.runtime.stderr.line(line)
    return failed, missing


def _report(runtime: Runtime, spool: TableSpool) -> list[str]:
    """Report members without a column, and return sentences about records that were
    left out.
    """
    if spool.without_column:
        shown = named([dump(name) for name in spool.without_column], _MOST_NAMED)
        runtime.stderr.note(f"{spool.name}: no column for {shown} (use record->>'NAME')")
    if spool.halves:
        where = f"{spool.name}: half of a character was replaced by U+FFFD"
        runtime.stderr.note(f"{where} in {counted(spool.halves, 'record')}")
    left_out = f"{spool.name}: left out {counted(spool.left_out, 'line')} without a JSON object"
    return [left_out] if spool.left_out else []


def _run(
    call: Call, plan: Plan, memory: DuckDBPyConnection, load: Callable[[], None], spools: _Spools
) -> None:
    endless = call.options.timeout is None and call.runtime.stdout_is_terminal
    seconds = None if endless else call.settings.timeout
    try:
        with closing(database.rows_of(memory, load, plan.text, seconds)) as rows:
            number = _print(call, rows)
    except UsageError as error:
        raise _missing_column(error, plan, spools) or error from None
    read = counted(sum(spool.count for spool in spools.values()), "record")
    call.runtime.stderr.note(f"{counted(number, 'row')} from {read}")


def _print(call: Call, rows: Iterator[Rows]) -> int:
    names, _ = next(rows)
    style = record_output.style_for(call, None)
    columns = list(dict.fromkeys(names)) if style.format.columns else ()
    style = style._replace(columns=columns, listing=not style.format.document)
    printer, number = Printer(call.runtime, style, strict=False), 0
    for _, records in rows:
        printer.page(records, one_line=False)
        number += len(records)
    if missing := printer.end():
        raise IncompleteError("; ".join(missing))
    return number


def _missing_column(error: UsageError, plan: Plan, spools: _Spools) -> UsageError | None:
    if (found := _NO_COLUMN.search(error.reason)) is None:
        return None
    tables = " and ".join(spool.name for spool in spools.values())
    if close := get_close_matches(found[1].lower(), chain(*(s.seen for s in spools.values())), 1):
        hint = f'did you mean "{close[0]}"?'
    elif f'"{found[1]}"' in plan.text:
        hint = f"write a text in single quotes: '{found[1]}'"
    else:
        hint = f"write '{found[1]}' for a text; DESCRIBE {tables} shows the columns"
    return UsageError(f'no record of {tables} has "{found[1]}"', hint=hint)
