"""Read what a statement needs, run it, print its rows, and say the missing part."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from unified_cli import signals
from unified_cli.call import Call, builder, delivery, record_output
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import with_parts
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions
from unified_cli.cli.options import ReadOptions, overrides
from unified_cli.commands.sql import database, statement
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.database import Rows, RunningStatement
from unified_cli.commands.sql.reads import ConnectionReads, ExportReads, ListRead
from unified_cli.commands.sql.statement import Plan, Table
from unified_cli.commands.sql.table import TableSpool
from unified_cli.config import file, profiles, resolution
from unified_cli.errors import IncompleteError, UnifiedError, UsageError
from unified_cli.fleet import own_account
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.http import request_body
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Record
from unified_cli.output import formats
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file
from unified_cli.storage.owned_folder import owned_folder

_MOST_NAMED = 5
_WINDOW = 10
_NOT_OFFERED = {404, 405, 501}
_NO_COLUMN = re.compile(r'(?:Referenced column|a column named) "(.+?)"(?: not found|$)')
_encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode


def answer(context: CommandContext, options: SqlOptions) -> None:
    """Run the statement over the lists that it names, and print its rows.

    Raises UsageError for the problem with it, and the error that sums up the reads.
    """
    runtime = context.runtime
    text = _text(runtime, options)
    plan = statement.plan(text, context.catalogue)
    call = _call(context, options)
    reads = (ExportReads if options.from_ else ConnectionReads)(context, options, plan)
    if options.explain:
        with delivery.to_file(call) as aimed:
            _explain(aimed, reads.planned)
        return
    if options.keep:
        output_file.check(Path(options.keep), force=options.force)
    cache = runtime.folder("cache")
    with delivery.to_file(call) as aimed, owned_folder(cache and cache / "sql") as folder:
        spools = _spools(plan, folder, keep=options.keep is not None)
        failed = _read(runtime, reads, spools)
        missing = [*_missing(runtime, spools.values())]
        if not reads.planned or len(failed) < len(reads.planned):
            _run(aimed, options, text, folder, spools)
        unit = "list" if len(plan.tables) > 1 else "connection"
        conclude(Ending(unit, len(reads.planned), failed, missing=missing))


def _text(runtime: Runtime, options: SqlOptions) -> str:
    """Return the statement."""
    if options.token_stdin and options.statement in {"-", "@-"}:
        raise UsageError("the statement and --token-stdin both read standard input")
    try:
        return request_body.read_argument(options.statement, runtime, "sql").decode()
    except UnicodeDecodeError:
        raise UsageError("the statement is not UTF-8") from None


def _call(context: CommandContext, options: SqlOptions) -> Call:
    """Return what says how the rows are printed. Raises UsageError."""
    runtime, config, flags = context.runtime, file.read(context.runtime), overrides(options)
    if options.from_ or profiles.is_several(options.profile):
        settings = own_account.common_settings(runtime, config, flags)
    else:
        flags = flags._replace(profile=profiles.one(options.profile))
        settings = resolution.resolve(flags, runtime, config)
        own_account.apply_to_messages(runtime, settings)
    settings = builder.settings_for_many(settings, runtime, None, config)
    formats.check_choice(settings.output.name, formats.names(formats.ROWS))
    delivery.check_cells(settings.output, bom=options.bom, csv_safe=options.csv_safe)
    out = None if options.out == "-" else options.out
    if out is not None and (not out or out.endswith("/") or Path(out).is_dir()):
        raise UsageError(f"--out {out!r} is not a file", hint="--out FILE")
    asked = ReadOptions(out=out, force=options.force, csv_safe=options.csv_safe, bom=options.bom)
    asked = with_parts(asked, options, MessageOptions, ConnectionOptions)
    return Call(runtime, context.catalogue, settings, asked)


def _explain(call: Call, planned: Sequence[ListRead]) -> None:
    """Print what would be read, and how many calls and seconds that takes at least."""
    rows = [(one.connection, "/".join(one.table), one.place, one.calls) for one in planned]
    _print(call, [Rows(("connection", "list", "from", "calls"), (), rows)])
    calls = sum(one.calls for one in planned)
    sent = Counter(limit for one in planned for limit in one.limits)
    waits = [(number - 1) // rate * _WINDOW for (_, rate), number in sent.items() if rate]
    least = f"at least {counted(calls, 'call')} and {max(waits, default=0):g} s"
    call.runtime.stderr.note(f"{least}; each further page of a list is one more call")


def _spools(plan: Plan, folder: Path, *, keep: bool) -> dict[Table, TableSpool]:
    return {
        table: TableSpool(
            table,
            folder,
            plan.names,
            [one.name for one in operation.facts.fields],
            every=plan.every or keep,
            record=keep or "record" in plan.names,
        )
        for table, operation in plan.tables.items()
    }


def _read(
    runtime: Runtime, reads: ConnectionReads | ExportReads, spools: Mapping[Table, TableSpool]
) -> dict[str, UnifiedError]:
    """Spool all records, name what failed, and return it."""
    failed: dict[ListRead, UnifiedError] = {}
    taken: Counter[ListRead] = Counter()
    labels = {one.connection: msgspec.json.encode(one.connection) for one in reads.planned}
    with (
        progress(runtime, Work(part="list", parts=len(reads.planned))) as shown,
        signals.with_progress(shown.so_far),
    ):

        def take(read: ListRead, records: Sequence[bytes]) -> None:
            add, label = spools[read.table].add, labels[read.connection]
            for record in records:
                add(label, record)
            taken[read] += len(records)
            shown.add(len(records), pages=1)

        with closing(reads.read(take)) as ended:
            for read, error in ended:
                shown.add(parts=1, failed=error is not None)
                if error is not None:
                    failed[read] = error
    found = {}
    for read in filter(failed.__contains__, reads.planned):
        error = failed[read]
        name = f"{read.connection} {'/'.join(read.table)}" if len(spools) > 1 else read.connection
        found[name] = error
        what = ""
        if error.status in _NOT_OFFERED:
            leave = f" (-p '!{read.connection}' leaves it out)" if len(labels) > 1 else ""
            what = f"does not offer the list{leave}: "
        if taken[read]:
            what = f"broken off after {counted(taken[read], 'record')}: "
        runtime.stderr.line(f"{name}: {what}{error.one_line}")
    return found


def _missing(runtime: Runtime, spools: Iterable[TableSpool]) -> Iterable[str]:
    """Report the members without a column, and return the records left out."""
    for one in spools:
        if one.without_column:
            shown = named([dump(name) for name in one.without_column], _MOST_NAMED)
            runtime.stderr.note(f"{one.name}: no column for {shown} (record->>'NAME' has it)")
        if one.halves:
            runtime.stderr.note(
                f"{one.name}: half a character became U+FFFD in {counted(one.halves, 'record')}"
            )
        if one.left_out:
            yield f"{one.name}: left out {counted(one.left_out, 'line')} that is not a JSON object"


def _run(
    call: Call, options: SqlOptions, text: str, folder: Path, spools: Mapping[Table, TableSpool]
) -> None:
    """Load the tables, run the statement, and print its rows."""
    runtime = call.runtime

    def prepare(made: duckdb.DuckDBPyConnection) -> None:
        for spool in spools.values():
            spool.load(made)
        if options.keep:
            database.keep(made, folder, Path(options.keep), force=options.force)

    endless = options.timeout is None and runtime.stdout_is_terminal
    seconds = None if endless else call.settings.timeout
    try:
        with RunningStatement(database.opened(folder), prepare, text, seconds) as found:
            number = _print(call, found)
    except UsageError as error:
        raise _about_column(error, spools.values()) or error from None
    read = counted(sum(one.count for one in spools.values()), "record")
    runtime.stderr.note(f"{counted(number, 'row')} from {read}")


def _print(call: Call, found: Iterable[Rows]) -> int:
    """Print the rows, and return how many they are."""
    printer, number = None, 0
    for rows in found:
        if printer is None:
            style = record_output.style_for(call, None)
            columns = rows.names if style.format.columns else ()
            style = style._replace(columns=columns, listing=not style.format.document)
            printer = Printer(call.runtime, style, strict=False)
        printer.page(_records(rows), one_line=False)
        number += len(rows.rows)
    if printer is not None and (missing := printer.end()):
        raise IncompleteError("; ".join(missing))
    return number


def _about_column(error: UsageError, spools: Iterable[TableSpool]) -> UsageError | None:
    """Return the error for a column that no record has, with one that is close."""
    if (found := _NO_COLUMN.search(error.reason)) is None:
        return None
    names = {name for one in spools for name in one.seen}
    tables = " and ".join(one.name for one in spools)
    close = statement.near(found[1], names)
    hint = f'did you mean "{close}"?' if close else f"DESCRIBE {tables} shows the columns"
    return UsageError(f'no record of {tables} has "{found[1]}"', hint=hint)


def _records(rows: Rows) -> list[Record]:
    """Return the rows as JSON text. JSON in them stays as it is."""
    turns = {at: _turn(kind) for at, kind in enumerate(rows.types) if "JSON" in str(kind)}
    found = []
    for row in rows.rows:
        values = [*row]
        for at, turn in turns.items():
            values[at] = turn(values[at])
        found.append(Record(_encode(dict(zip(rows.names, values, strict=True)))))
    return found


def _turn(kind: Any) -> Callable[[Any], Any]:
    """Return the function that marks the JSON in a value of this type."""
    if str(kind) == "JSON":
        return lambda value: None if value is None else Record(value.encode())
    if kind.id in {"list", "array"}:
        item = _turn(kind.children[0][1])
        return lambda value: None if value is None else [item(one) for one in value]
    if kind.id == "struct":
        turns = {name: _turn(one) for name, one in kind.children}
        return lambda value: (
            None if value is None else {name: turn(value[name]) for name, turn in turns.items()}
        )
    return lambda value: value
