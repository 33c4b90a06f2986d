"""Compare two sides, and print what differs."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from typing import get_args

import msgspec

from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.move.comparison import Comparison, comparison, prepared
from unified_cli.commands.move.diff_rows import TABLE_COLUMNS, record_row, table_row
from unified_cli.commands.move.join import UNMATCHED, Change, Pairing
from unified_cli.commands.move.options import DiffFormat, DiffOptions
from unified_cli.errors import DifferentError, IncompleteError, UsageError
from unified_cli.json_text.members import Record, join
from unified_cli.output import printer, stdout
from unified_cli.output.printer import Printer
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_ROWS = 100


def run(context: CommandContext, options: DiffOptions) -> None:
    """Print what differs. Raises DifferentError where anything does, IncompleteError for what cannot be compared."""
    runtime = context.runtime
    form = options.output or ("table" if runtime.stdout_is_terminal else "ndjson")
    # Right after the program's name any format is accepted.
    if form not in get_args(DiffFormat):
        raise UsageError(f"diff does not support -o {form} (choose from {', '.join(get_args(DiffFormat))})")
    sides = prepared(context, options)
    stdout.check(runtime)
    with comparison(context, sides) as found:
        counts: Counter[Change] = Counter()
        pairings = _tallied(found.join.pairings(found.rules), counts)
        if form == "json":
            _print_document(runtime, found, pairings)
        else:
            row, columns = (table_row, TABLE_COLUMNS) if form == "table" else (record_row, ())
            style = printer.style_for(runtime, context.catalogue.service, form)._replace(columns=columns)
            _print_rows(Printer(runtime, style), found, pairings, row)
        _conclude(runtime, found, counts)


def _tallied(pairings: Iterator[Pairing], counts: Counter[Change]) -> Iterator[Pairing]:
    for pairing in pairings:
        counts[pairing.change] += 1
        yield pairing


def _print_rows(
    out: Printer, found: Comparison, pairings: Iterator[Pairing], row: Callable[[Comparison, Pairing], Record]
) -> None:
    printed = False
    while some := [row(found, pairing) for pairing in islice(pairings, _ROWS)]:
        out.page(some, one_line=True)
        printed = True
    if printed:
        out.end()


def _print_document(runtime: Runtime, found: Comparison, pairings: Iterator[Pairing]) -> None:
    rows = b"[" + b",".join(bytes(record_row(found, pairing)) for pairing in pairings) + b"]"
    one, other = (msgspec.json.encode(side.facts) for side in (found.of_from, found.of_to))
    stdout.write_json(runtime, join({"from": one, "to": other, "same": b"%d" % found.join.same, "differences": rows}))


def _conclude(runtime: Runtime, found: Comparison, counts: Counter[Change]) -> None:
    """Say what came out. Raises the error that fits it."""
    one, other = found.of_from.facts.name, found.of_to.facts.name
    words = {
        Change.ONLY_FROM: f"only in {one}",
        Change.ONLY_TO: f"only in {other}",
        Change.DIFFERENT: "different",
        Change.NO_KEY: "without the key",
    }
    said = [f"{counts[change]} {words[change]}" for change in words if counts[change]]
    if counts[Change.SAME_KEY]:
        said.append(f"{counted(counts[Change.SAME_KEY], 'key')} of several records")
    if not said:
        runtime.stderr.note(f"no difference: {counted(found.join.same, 'record')} on both sides")
        return
    told = f"{', '.join(said)}, {found.join.same} the same"
    if any(counts[change] for change in UNMATCHED):
        hint = f"another --key than {', '.join(found.key.names)} may tell them apart"
        raise IncompleteError(f"not everything could be compared: {told}", hint=hint)
    raise DifferentError(f"{one} and {other} differ: {told}")
