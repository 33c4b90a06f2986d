"""What a run prints: a record for each call."""

import msgspec

from unified_cli.call import Call, record_output
from unified_cli.errors import IncompleteError, UnifiedError
from unified_cli.json_text.members import Record
from unified_cli.json_text.record_label import LABEL
from unified_cli.output.printer import Printer
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import OUTCOMES, EntryState, RunCall

_COLUMNS = {
    "table": (LABEL, "outcome", "status", "error.message", "idempotency_key"),
    **dict.fromkeys(("csv", "tsv"), (LABEL, "outcome", "status", "result", "error", "idempotency_key")),
}


class WriteResults:
    """Prints a record for each call of a run: `outcome`, `status`, then the `result` or the `error`, and the key.

    `call` is common to all connections; the columns are the same for all outcomes.
    """

    def __init__(self, call: Call, connections: RunConnections) -> None:
        self._service = call.catalogue.service
        self._connections = connections
        style = record_output.style_for(call, None, first=(LABEL,))
        if not style.columns:
            columns = _COLUMNS.get(style.format, ())
            style = style._replace(columns=columns, first=columns or style.first)
        self._printer = Printer(call.runtime, style, record_output.program(call.options), strict=False)

    def put(self, call: RunCall, key: str, attempt: WriteAttempt) -> None:
        """Print what became of a call."""
        state, status = attempt.entry.s, attempt.entry.status or None
        if attempt.error is not None:
            facts = {name: value for name, value in attempt.error.facts().items() if name != "idempotency_key"}
            name, value = "error", msgspec.json.encode(facts)
        else:
            body = (attempt.answer.body if attempt.answer else None) or b"null"
            operation = self._connections.operation(call.operation)
            name, value = "result", record_output.unwrapped(body, self._service, operation)
        self._put(call, state, key, [("status", msgspec.json.encode(status)), (name, value)])

    def put_untried(self, call: RunCall, key: str) -> None:
        """Print that a call was not tried."""
        self._put(call, EntryState.NEW, key, [("status", b"null")])

    def end(self) -> UnifiedError | None:
        """Complete the output; gives what is wrong with it, which changes nothing of what was done."""
        try:
            missing = self._printer.end()
        except UnifiedError as error:
            return error
        return IncompleteError("; ".join(missing)) if missing else None

    def _put(self, call: RunCall, state: EntryState, key: str, members: list[tuple[str, bytes]]) -> None:
        # A connection has several calls where they were lines of an input.
        which = [("id", msgspec.json.encode(call.id))] if call.line else []
        shown = [
            *which,
            ("outcome", msgspec.json.encode(OUTCOMES[state])),
            *members,
            ("idempotency_key", msgspec.json.encode(key or None)),
        ]
        text = b",".join(b'"%b":%b' % (name.encode(), value) for name, value in shown)
        self._printer.page([Record(b"{%b}" % text)], one_line=False, profile=call.profile)
