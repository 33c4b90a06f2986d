"""Print the operations that connections offer, as records or as a table."""

import csv
import io
import shlex
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any

from unified_cli.call import extra_offer
from unified_cli.call.extra_offer import EXTRA
from unified_cli.call.offer_check import (
    FAILED,
    FORBIDDEN,
    NOT_ASKED,
    OFFERED,
    READ_ONLY,
    REFUSED,
    STATES,
    UNKNOWN,
    ConnectionOffer,
    OfferCell,
)
from unified_cli.catalogue import Operation, Service
from unified_cli.cli.command import CommandContext
from unified_cli.commands.capabilities import matrix
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.output import formats, junit, markdown, screen, stdout, terminal
from unified_cli.output.formats import Format
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.plural import named
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

VERSION = 1
_MOST_COLUMNS = 8
_MOST_NAMED = 5
_WORDS = {OFFERED: "yes", REFUSED: "no", FORBIDDEN: "forbidden", FAILED: "failed", UNKNOWN: "?"}
_WRITTEN: Any = {None: "", True: "yes", False: "no"}
_OUTCOMES: Any = {
    OFFERED: "passed",
    REFUSED: "skipped",
    FORBIDDEN: "failure",
    FAILED: "error",
    UNKNOWN: "skipped",
}


def show(
    context: CommandContext,
    form: str | None,
    operations: Sequence[Operation],
    offers: Sequence[ConnectionOffer],
    profiles: Collection[str] | None,
    account_id: str | None,
) -> None:
    """Print the offers of connections.

    Prints a table on a terminal, lines on a pipe, or the format `form`. Then prints the
    offered operations that the catalogue lacks, with the command that adds them.
    `profiles` are the names for `-p`, or None if there is no connection. `account_id`
    is the value of `-a`, if any.
    """
    runtime, service = context.runtime, context.catalogue.service
    chosen = formats.of_command(form, formats.MATRICES, terminal=runtime.stdout_is_terminal)
    if chosen is formats.TABLE:
        if runtime.stdout_is_terminal:
            stdout.show(runtime, matrix.screen_of(runtime, service, operations, offers))
        else:
            heads, rows = _table(operations, offers, runtime.width)
            shown: list[list[MaskedText]] = [[masked(cell) for cell in row] for row in rows]
            stdout.show(runtime, [screen.table(runtime, heads, shown)])
        # The screen has the problems of connections below the matrix.
        _tell_errors(runtime, service, offers, problems=not runtime.stdout_is_terminal)
    elif chosen is formats.MARKDOWN:
        heads, rows = _table(operations, offers)
        stdout.write(runtime, [markdown.document(heads, rows)])
        _tell_errors(runtime, service, offers)
    elif chosen is formats.JSON:
        stdout.write_value(
            runtime, {"version": VERSION, "capabilities": [*_json_records(offers, service)]}
        )
    elif chosen is formats.JUNIT:
        stdout.write(runtime, junit.document(_suites(offers)))
    elif chosen is formats.NDJSON:
        stdout.write(
            runtime, (encoded(record) + b"\n" for record in _json_records(offers, service))
        )
    else:
        stdout.write(runtime, _delimited_rows(offers, chosen, service))
    _report_extra_offers(context, offers, profiles, ["-a", account_id] if account_id else [])


def _report_extra_offers(
    context: CommandContext,
    offers: Sequence[ConnectionOffer],
    profiles: Collection[str] | None,
    account: Sequence[str],
) -> None:
    catalogue = context.catalogue
    every = [*dict.fromkeys(cell for offer in offers for cell in offer.extra)]
    if not every:
        return
    message = f"also offered: {extra_offer.in_words(every, catalogue.service)}"
    commands = [
        extra_offer.addable(offer.extra, catalogue, context.first_words) for offer in offers
    ]
    adds, name = max(
        zip(commands, (offer.name for offer in offers), strict=True), key=lambda pair: len(pair[0])
    )
    if adds and profiles is not None:
        selected = ["-p", name] if name in profiles else []
        message += f" ({shlex.join(['unified', 'operations', 'add', *adds, *selected, *account])})"
    context.runtime.stderr.note(visible(message))


def _json_records(offers: Sequence[ConnectionOffer], service: Service) -> Iterator[JsonObject]:
    # Scripts depend on these member names: do not change them.
    for offer in offers:
        status = offer.state.in_words(service)
        extra = (OfferCell(cell.operation, EXTRA, cell.why) for cell in offer.extra)
        for operation, state, why, held in chain(offer.cells, extra):
            yield {
                LABEL: offer.name,
                "api": operation.api,
                "resource": operation.resource,
                "operation": operation.name,
                "state": state,
                "why": why or None,
                "status": status or None,
                "blocked": offer.state.blocked,
                # Set if the operation is offered, but cannot be called.
                "held": held or None,
            }


def _delimited_rows(
    offers: Sequence[ConnectionOffer], form: Format, service: Service
) -> Iterator[bytes]:
    text = io.StringIO()
    writer = csv.writer(text)
    if form is formats.CSV:
        writer.writerow(
            [LABEL, "api", "resource", "operation", "state", "why", "status", "blocked"]
        )
    for record in _json_records(offers, service):
        # Leave it out, because `read` in a shell would append another column to the
        # last one.
        del record["held"]
        cells = [_WRITTEN.get(value, value) for value in record.values()]
        if form is formats.CSV:
            writer.writerow(cells)
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
        else:
            yield terminal.tabbed([[masked(cell) for cell in cells]])


def _suites(offers: Sequence[ConnectionOffer]) -> list[JUnitSuite]:
    return [junit.suite(offer.name, _cases(offer), several=len(offers) > 1) for offer in offers]


def _cases(offer: ConnectionOffer) -> Iterator[JUnitCase]:
    """Yield a test for each operation.

    The first test gets the time of all requests.
    """
    for at, cell in enumerate(offer.cells):
        yield _case(cell)._replace(seconds=0.0 if at else offer.seconds)
    for operation, why in offer.extra:
        place = f"{operation.api}.{operation.resource}"
        yield JUnitCase(place, operation.name, "skipped", f"{EXTRA}: {why}", seconds=0.0)


def _case(cell: OfferCell) -> JUnitCase:
    operation, state, why, problem = cell
    outcome = _OUTCOMES[state]
    if problem and state == OFFERED:
        outcome = "skipped" if problem == READ_ONLY else "failure"
    message = f"{state}: {why}" if outcome != "passed" else ""
    return JUnitCase(f"{operation.api}.{operation.resource}", operation.name, outcome, message)


def _table(
    operations: Sequence[Operation], offers: Sequence[ConnectionOffer], room: float = inf
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the headers and rows of the table.

    Each connection has a column. If there are too many connections for `room`, there is
    a column with the numbers and one with the exceptions instead.
    """
    cells = [{cell.operation.command: cell for cell in offer.cells} for offer in offers]
    extra = _extra_offer_names(offers)
    heads = ["operation", *(offer.name for offer in offers)]
    rows = [
        [operation.command, *(_word(cell[operation.command]) for cell in cells)]
        for operation in operations
    ]
    rows += [
        [command, *(EXTRA if offer.name in names else "" for offer in offers)]
        for command, names in extra.items()
    ]
    wide = (
        sum(max(len(row[at]) for row in [heads, *rows]) + 2 for at in range(len(heads))) - 2 > room
    )
    if len(offers) > _MOST_COLUMNS or (wide and len(offers) > 1):
        heads = ["operation", "offered", "others"]
        rows = [
            [operation.command, *_counts_and_missing(operation, offers, cells)]
            for operation in operations
        ]
        rows += [
            [command, "", f"{EXTRA}: {named(names, _MOST_NAMED)}"]
            for command, names in extra.items()
        ]
    return heads, rows


def _extra_offer_names(offers: Sequence[ConnectionOffer]) -> Mapping[str, list[str]]:
    names = defaultdict[str, list[str]](list)
    for offer in offers:
        for cell in offer.extra:
            names[visible(cell.operation.command)].append(offer.name)
    return names


def _word(cell: OfferCell) -> str:
    return cell.held if cell.held and cell.state == OFFERED else _WORDS[cell.state]


def _counts_and_missing(
    operation: Operation,
    offers: Sequence[ConnectionOffer],
    cells: Sequence[Mapping[str, OfferCell]],
) -> tuple[str, str]:
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for connection, own_cells in zip(offers, cells, strict=True):
        cell = own_cells[operation.command]
        by_state[cell.held if cell.held and cell.state == OFFERED else cell.state].append(
            connection.name
        )
    held = sorted(by_state.keys() - {*STATES})
    others = [
        f"{state}: {named(by_state[state], _MOST_NAMED)}"
        for state in (*STATES[1:], *held)
        if by_state[state]
    ]
    return f"{len(by_state[OFFERED])}/{len(offers)}", "; ".join(others)


def _tell_errors(
    runtime: Runtime, service: Service, offers: Sequence[ConnectionOffer], *, problems: bool = True
) -> None:
    """Print each reason once, with its connections.

    A reason is, for example, that scopes are missing. Without `problems`, leaves out
    reasons that make all calls of a connection fail.
    """
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for offer in offers:
        whys = Counter(
            cell.why
            for cell in offer.cells
            if cell.state in (FORBIDDEN, FAILED) and not cell.why.startswith(NOT_ASKED)
        )
        if whys:
            reasons[whys.most_common(1)[0][0]].append(offer.name)
        if problem := offer.state.remark(service) if problems else offer.state.scopes_in_words:
            reasons[problem].append(offer.name)
    for why, names in reasons.items():
        runtime.stderr.note(f"{named(names)}: {visible(why)}")
