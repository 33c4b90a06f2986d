"""Read the lists that a statement needs, run the statement, print its rows, and report
missing records.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from unified_cli import signals
from unified_cli.call import Call, Mode, builder, delivery, record_output
from unified_cli.cli.command import CommandContext
from unified_cli.cli.flags import with_parts
from unified_cli.cli.option_parts import ConnectionOptions, MessageOptions, NetworkOptions
from unified_cli.cli.options import ReadOptions
from unified_cli.commands.sql import database, reads, statement
from unified_cli.commands.sql.command import SqlOptions
from unified_cli.commands.sql.database import Rows
from unified_cli.commands.sql.reads import ListRead
from unified_cli.commands.sql.statement import Plan
from unified_cli.commands.sql.table import TableSpool
from unified_cli.config import file, profiles
from unified_cli.errors import IncompleteError, UnifiedError, UsageError
from unified_cli.fleet.conclude import Ending, conclude, failure_lines
from unified_cli.http import request_body
from unified_cli.http.pagination import Page
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Record
from unified_cli.masking import masked
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
_Spools = Sequence[TableSpool]
_encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode


def answer(context: CommandContext, options: SqlOptions) -> None:
    """Run the statement over the lists that it names, and print its rows.

    Raises UsageError for a problem with the statement, and the error that summarizes
    the failed reads.
    """
    runtime, text = context.runtime, _text(context.runtime, options)
    cache = runtime.folder("cache")
    with owned_folder(cache and cache / "sql") as folder:
        made = database.opened(folder)
        plan = statement.plan(text, context.catalogue, made)
        call = _call(context, options)
        of = reads.of_export if options.from_ else reads.of_connections
        lists = of(context, options, plan)
        if options.keep:
            output_file.check(Path(options.keep), force=options.force)
        with delivery.to_file(call) as aimed:
            if options.explain:
                _explain(aimed, lists)
                return
            spools = [
                TableSpool(table, folder, plan, keep=bool(options.keep)) for table in plan.tables
            ]
            failed, missing = _read(context, options, lists, spools)
            missing += _without(runtime, spools)
            if not lists or len(failed) < len(lists):
                _run(aimed, options, plan, made, folder, spools)
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
    asked = ReadOptions(
        all=True,
        output=options.output,
        out=options.out,
        force=options.force,
        csv_safe=options.csv_safe,
        bom=options.bom,
    )
    asked = with_parts(asked, options, MessageOptions, NetworkOptions, ConnectionOptions)
    if profiles.is_several(options.profile):
        call = builder.common_call(runtime, catalogue, config, asked, Mode(), None)
    else:
        call = builder.resolve(runtime, catalogue, asked, Mode(), None, scoped=False)
    return call._replace(settings=builder.settings_for_many(call.settings, runtime, None, config))


def _explain(call: Call, lists: Sequence[ListRead]) -> None:
    """Print the lists to read, and the least number of calls and seconds."""
    sent = [(one.connection, one.settings) for one in lists if one.settings]
    calls = 1 if sent else 0
    rows = [(one.connection, "/".join(one.table), one.place, calls) for one in lists]
    _print(call, [Rows(("connection", "list", "from", "calls"), (), rows)])
    limits: Counter[tuple[object, float]] = Counter((name, found.rate) for name, found in sent)
    limits.update((found.token, found.token_rate) for _, found in sent)
    waits = [(number - 1) // rate * _WINDOW for (_, rate), number in limits.items() if rate]
    least = f"at least {counted(len(sent), 'call')} and {max(waits, default=0):g} s"
    call.runtime.stderr.note(f"{least}; each further page of a list is one more call")


def _read(
    context: CommandContext, options: SqlOptions, lists: Sequence[ListRead], spools: _Spools
) -> tuple[dict[str, UnifiedError], list[str]]:
    """Spool all records, report the failures, and return failures and missing parts."""
    errors, missing, taken = dict[str, UnifiedError](), list[str](), Counter[str]()
    by_table = {spool.table: spool for spool in spools}
    with (
        progress(context.runtime, Work(part="list", parts=len(lists))) as shown,
        signals.with_progress(shown.so_far),
        closing(reads.read(context, options.workers, lists)) as results,
    ):
        for one, found in results:
            if isinstance(found, Page):
                label = msgspec.json.encode(one.connection)
                for record in found.records:
                    by_table[one.table].add(label, bytes(record))
                taken[one.name] += len(found.records)
                shown.add(len(found.records), pages=1)
                missing += [f"{one.name}: the provider left something out"] * found.partial
            else:
                shown.add(parts=1, failed=found is not None)
                errors |= {one.name: found} if found else {}
    failed, whole = dict[str, UnifiedError](), dict[str, UnifiedError]()
    for one in (one for one in lists if one.name in errors):
        error = failed[one.name] = errors[one.name]
        if error.status in _NOT_OFFERED:
            if len(lists) > 1:
                error.add_hint(f"-p '!{one.connection}' leaves it out")
            error.message = masked(f"does not offer the list: {error.message}")
        if taken[one.name]:
            so_far = f"broken off after {counted(taken[one.name], 'record')}"
            context.runtime.stderr.line(f"{one.name}: {so_far}: {error.one_line}")
        else:
            whole[one.name] = error
    for line in failure_lines(whole):
        context.runtime.stderr.line(line)
    return failed, missing


def _without(runtime: Runtime, spools: Iterable[TableSpool]) -> Iterable[str]:
    """Report the members without a column, and return the records left out."""
    for one in spools:
        if one.without_column:
            shown = named([dump(name) for name in one.without_column], _MOST_NAMED)
            runtime.stderr.note(f"{one.name}: no column for {shown} (record->>'NAME' has it)")
        if one.halves:
            where = f"{one.name}: half a character became U+FFFD"
            runtime.stderr.note(f"{where} in {counted(one.halves, 'record')}")
        if one.left_out:
            yield f"{one.name}: left out {counted(one.left_out, 'line')} that is not a JSON object"


def _run(
    call: Call,
    options: SqlOptions,
    plan: Plan,
    made: duckdb.DuckDBPyConnection,
    folder: Path,
    spools: _Spools,
) -> None:
    runtime = call.runtime

    def prepare() -> None:
        for spool in spools:
            spool.load(made)
        if options.keep:
            database.keep(made, folder, Path(options.keep), force=options.force)

    endless = options.timeout is None and runtime.stdout_is_terminal
    seconds = None if endless else call.settings.timeout
    try:
        with closing(database.results(made, prepare, plan, seconds)) as found:
            number = _print(call, found)
    except UsageError as error:
        raise _about_column(error, spools) or error from None
    read = counted(sum(one.count for one in spools), "record")
    runtime.stderr.note(f"{counted(number, 'row')} from {read}")


def _print(call: Call, found: Iterable[Rows]) -> int:
    """Print the rows, and return their number."""
    printer, number = None, 0
    for rows in found:
        if printer is None:
            style = record_output.style_for(call, None)
            columns = list(dict.fromkeys(rows.names)) if style.format.columns else ()
            style = style._replace(columns=columns, listing=not style.format.document)
            printer = Printer(call.runtime, style, strict=False)
        printer.page(_records(rows), one_line=False)
        number += len(rows.rows)
    if printer is not None and (missing := printer.end()):
        raise IncompleteError("; ".join(missing))
    return number


def _about_column(error: UsageError, spools: Iterable[TableSpool]) -> UsageError | None:
    if (found := _NO_COLUMN.search(error.reason)) is None:
        return None
    tables = " and ".join(one.name for one in spools)
    close = get_close_matches(found[1].lower(), {name for one in spools for name in one.seen}, 1)
    hint = f'did you mean "{close[0]}"?' if close else f"DESCRIBE {tables} shows the columns"
    return UsageError(f'no record of {tables} has "{found[1]}"', hint=hint)


def _records(rows: Rows) -> list[Record]:
    """Return the rows as JSON text. JSON in them stays as it is."""
    kinds = {at: kind for at, kind in enumerate(rows.types) if "JSON" in str(kind)}
    found = []
    for row in rows.rows:
        values = [*row]
        for at, kind in kinds.items():
            values[at] = _with_json(values[at], kind)
        found.append(Record(_encode(dict(zip(rows.names, values, strict=True)))))
    return found


def _with_json(value: Any, kind: Any) -> Any:
    """Return a value of this type, with its JSON text embedded as JSON."""
    if value is None:
        return None
    if str(kind) == "JSON":
        return Record(value.encode())
    if kind.id in {"list", "array"}:
        return [_with_json(one, kind.children[0][1]) for one in value]
    if kind.id == "struct":
        return {name: _with_json(value[name], one) for name, one in kind.children}
    return value
