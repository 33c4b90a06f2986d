"""Choose the format and the columns for the output of a run."""

import re

from unified_cli.call import Call, delivery, record_output
from unified_cli.cli.options import CallOptions
from unified_cli.errors import UsageError
from unified_cli.hints import quoted
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import excerpt
from unified_cli.output import formats
from unified_cli.output.printer import Printer
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import RunKind
from unified_cli.writes.results import OutcomeRecords, OutcomeTable, RunResults, ServedRecords
from unified_cli.writes.run import StoredRun

# Whole records do not fit in a table.
_FOR_PEOPLE = (LABEL, "outcome", "status", "error.message", "idempotency_key")
_PATH = re.compile(r"[.\[]")
_FOR_PROGRAMS = (LABEL, "outcome", "status", "result", "error", "idempotency_key")


def check_columns(options: CallOptions) -> None:
    """Raise UsageError if a column does not exist in the outcomes."""
    if options.jq:
        return
    for column in delivery.column_names(options.columns):
        if _PATH.split(column)[0] not in _FOR_PROGRAMS:
            raise UsageError(
                f'the outcome of a call has no column "{excerpt(column)}", but'
                f" {', '.join(_FOR_PROGRAMS)}",
                hint=f"--columns {LABEL},{quoted(f'result.{column}')}",
            )


def results(call: Call, run: StoredRun, connections: RunConnections) -> RunResults:
    """Return the writer of a run's outcomes, one for each call."""
    if run.kind is RunKind.LINES:
        return lines(call, run, connections)
    options = call.options
    if (
        call.settings.output is formats.TABLE
        and call.runtime.stdout_is_terminal
        and not (options.columns or options.jq)
    ):
        return OutcomeTable(call.runtime, _names(run))
    style = record_output.style_for(call, None, first=(LABEL,))
    if style.format.columns and not style.columns:
        columns = _FOR_PEOPLE if style.format.for_people else _FOR_PROGRAMS
        style = style._replace(columns=columns, first=columns)
    printer = Printer(call.runtime, style, record_output.program(call.options), strict=False)
    return OutcomeRecords(printer, call.catalogue.service, connections.operation)


def lines(call: Call, run: StoredRun, connections: RunConnections) -> ServedRecords:
    """Return the writer of a run's records, one for each line of its input."""
    operation = connections.operation(run.header.command)
    names = _names(run) if run.several else None
    printer = record_output.printer_for(
        call, operation, record_output.program(call.options), names=names
    )
    return ServedRecords(
        printer, call.runtime.stderr, several=run.several, reads=not operation.changes
    )


def _names(run: StoredRun) -> set[str]:
    return {call.profile for _, _, call in run.calls() if call.profile}
