"""What a run prints: a record for each call."""

from collections.abc import Callable

import msgspec

from unified_cli.bulk.runs.journal_entry import OUTCOMES, EntryState, RunCall
from unified_cli.bulk.runs.write_attempt import WriteAttempt
from unified_cli.call import Call, record_output
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_label import LABEL
from unified_cli.output.printer import Printer

_COLUMNS = {
    "table": (LABEL, "outcome", "status", "error.message", "idempotency_key"),
    **dict.fromkeys(("csv", "tsv"), (LABEL, "outcome", "status", "result", "error", "idempotency_key")),
}


def printer_for(call: Call) -> Printer:
    """A printer for the results, whose columns are the same for all outcomes."""
    style = record_output.style_for(call, None, first=(LABEL,))
    if not style.columns:
        columns = _COLUMNS.get(style.format, ())
        style = style._replace(columns=columns, first=columns or style.first)
    return Printer(call.runtime, style, record_output.program(call.options), strict=False)


def put(printer: Printer, call: RunCall, key: str, attempt: WriteAttempt, inner: Callable[[bytes], bytes]) -> None:
    """Print what became of a call: `outcome`, `status`, then the `result` or the `error`, and the key.

    `inner` gives the record in the answer of the call's operation.
    """
    state, status = attempt.entry.s, attempt.entry.status or None
    if attempt.error is not None:
        facts = {name: value for name, value in attempt.error.facts().items() if name != "idempotency_key"}
        name, value = "error", msgspec.json.encode(facts)
    else:
        body = attempt.answer.body if attempt.answer else None
        name, value = "result", inner((body or b"null").strip())
    _put(printer, call, state, [("status", msgspec.json.encode(status)), (name, value)], key)


def put_untried(printer: Printer, call: RunCall, key: str) -> None:
    """Print that a call was not tried."""
    _put(printer, call, EntryState.NEW, [("status", b"null")], key)


def _put(printer: Printer, call: RunCall, state: EntryState, members: list[tuple[str, bytes]], key: str) -> None:
    # A connection has several calls where they were lines of an input.
    which = [("id", msgspec.json.encode(call.id))] if call.line else []
    shown = [
        *which,
        ("outcome", msgspec.json.encode(OUTCOMES[state])),
        *members,
        ("idempotency_key", msgspec.json.encode(key or None)),
    ]
    text = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in shown)
    printer.page([Record(b"{%b}" % text)], one_line=False, profile=call.profile)
