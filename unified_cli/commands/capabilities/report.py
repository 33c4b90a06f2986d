"""What connections offer, as a table on a terminal, or as one record per connection and operation."""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unified_cli.call.offer_check import (
    FAILED,
    FORBIDDEN,
    OFFERED,
    READ_ONLY,
    REFUSED,
    STATES,
    UNKNOWN,
    ConnectionOffer,
    OfferCell,
)
from unified_cli.catalogue import Operation, Service
from unified_cli.cli.command_context import CommandContext
from unified_cli.commands.capabilities import matrix
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.record_label import LABEL
from unified_cli.json_text.values import JsonObject
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.output import junit, screen, stdout, text_columns
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.plural import named
from unified_cli.runtime import Runtime

VERSION = 1
_MOST_COLUMNS = 8
_MOST_NAMED = 5
_WORDS = {OFFERED: "yes", REFUSED: "no", FORBIDDEN: "forbidden", FAILED: "failed", UNKNOWN: "?"}
_WRITTEN: Any = {None: "", True: "yes", False: "no"}
_OUTCOMES: Any = {OFFERED: "passed", REFUSED: "skipped", FORBIDDEN: "failure", FAILED: "error", UNKNOWN: "skipped"}


def show(
    context: CommandContext, form: str | None, operations: Sequence[Operation], found: Sequence[ConnectionOffer]
) -> None:
    """Print the table on a terminal, lines on a pipe, or what `form` says."""
    runtime, service = context.runtime, context.catalogue.service
    chosen = form or ("table" if runtime.stdout_is_terminal else "tsv")
    if chosen == "table":
        if runtime.stdout_is_terminal:
            stdout.show(runtime, matrix.drawn(runtime, operations, found))
        else:
            _table(runtime, operations, found)
        _tell_errors(runtime, service, found)
    elif chosen == "json":
        stdout.write_json(runtime, encoded({"version": VERSION, "capabilities": [*_records(found, service)]}))
    elif chosen == "junit":
        stdout.write(runtime, junit.document([*map(_suite, found)]))
    elif chosen == "ndjson":
        stdout.write(runtime, (_json_line(record) for record in _records(found, service)))
    else:
        stdout.write(runtime, _rows(found, chosen, service))


def _records(found: Sequence[ConnectionOffer], service: Service) -> Iterator[JsonObject]:
    """The names are a contract."""
    for one in found:
        for operation, state, why, held in one.cells:
            status = one.state.in_words(service)
            yield {
                LABEL: one.name,
                "api": operation.api,
                "resource": operation.resource,
                "operation": operation.name,
                "state": state,
                "why": why or None,
                "status": status or None,
                "blocked": one.state.blocked,
                # What is offered and cannot be called does not count.
                "held": held or None,
            }


def _json_line(record: JsonObject) -> bytes:
    return encoded(record) + b"\n"


def _rows(found: Sequence[ConnectionOffer], form: str, service: Service) -> Iterator[bytes]:
    """CSV with a head, or lines separated by tabs."""
    text = io.StringIO()
    writer = csv.writer(text)
    if form == "csv":
        writer.writerow([LABEL, "api", "resource", "operation", "state", "why", "status", "blocked"])
    for record in _records(found, service):
        # More columns would be taken for the last one.
        del record["held"]
        cells = [_WRITTEN.get(value, value) for value in record.values()]
        if form == "csv":
            writer.writerow(cells)
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
        else:
            yield text_columns.lines([[masked(cell) for cell in cells]])


def _suite(one: ConnectionOffer) -> JUnitSuite:
    return JUnitSuite(one.name, [*map(_case, one.cells)])


def _case(cell: OfferCell) -> JUnitCase:
    operation, state, why, held = cell
    outcome = _OUTCOMES[state]
    if held and state == OFFERED:
        outcome = "skipped" if held == READ_ONLY else "failure"
    message = f"{state}: {why}" if outcome != "passed" else ""
    return JUnitCase(f"{operation.api}.{operation.resource}", operation.name, outcome, message)


def _table(runtime: Runtime, operations: Sequence[Operation], found: Sequence[ConnectionOffer]) -> None:
    """A column for each connection; of many, or wide ones, the counts and the exceptions."""
    cells = [{cell.operation.command: cell for cell in one.cells} for one in found]
    heads = ["operation", *(one.name for one in found)]
    rows = [[one.command, *(_word(cell[one.command]) for cell in cells)] for one in operations]
    wide = sum(max(len(row[at]) for row in [heads, *rows]) + 2 for at in range(len(heads))) - 2 > runtime.width
    if len(found) > _MOST_COLUMNS or (wide and len(found) > 1):
        heads = ["operation", "offered", "others"]
        rows = [[one.command, *_counts(one, found, cells)] for one in operations]
    shown: list[list[MaskedText]] = [[masked(cell) for cell in row] for row in rows]
    stdout.show(runtime, [screen.table(runtime, heads, shown)])


def _word(cell: OfferCell) -> str:
    return cell.held if cell.held and cell.state == OFFERED else _WORDS[cell.state]


def _counts(
    one: Operation, found: Sequence[ConnectionOffer], cells: Sequence[Mapping[str, OfferCell]]
) -> tuple[str, str]:
    """How many offer an operation that can be called now, and which do not."""
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for connection, of_it in zip(found, cells, strict=True):
        cell = of_it[one.command]
        by_state[cell.held if cell.held and cell.state == OFFERED else cell.state].append(connection.name)
    held = sorted(by_state.keys() - {*STATES})
    others = [f"{state}: {named(by_state[state], _MOST_NAMED)}" for state in (*STATES[1:], *held) if by_state[state]]
    return f"{len(by_state[OFFERED])}/{len(found)}", "; ".join(others)


def _tell_errors(runtime: Runtime, service: Service, found: Sequence[ConnectionOffer]) -> None:
    """Say once for each reason, such as a login that is needed, which connections have it."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for one in found:
        whys = Counter(cell.why for cell in one.cells if cell.state in (FORBIDDEN, FAILED))
        if whys:
            reasons[whys.most_common(1)[0][0]].append(one.name)
        if told := one.state.remark(service):
            reasons[told].append(one.name)
    for why, names in reasons.items():
        runtime.stderr.note(f"{named(names, _MOST_NAMED)}: {visible(why)}")
