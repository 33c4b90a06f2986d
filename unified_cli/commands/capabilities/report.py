"""The operations that connections offer, as one record each, or as a table.

A terminal shows a matrix: a row for each resource, equal ones once, and below it the
exceptions.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from unified_cli import text_width
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
from unified_cli.cli.command import CommandContext
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.output import formats, junit, layout, markdown, screen, stdout, terminal
from unified_cli.output.formats import Format
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.output.screen import Cell, Look, Word
from unified_cli.output.terminal import TerminalText, taken
from unified_cli.plural import counted, named
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
    found: Sequence[ConnectionOffer],
) -> None:
    """Print the table on a terminal, lines on a pipe, or what `form` says."""
    runtime, service = context.runtime, context.catalogue.service
    chosen = formats.of_command(form, formats.MATRICES, terminal=runtime.stdout_is_terminal)
    if chosen is formats.TABLE:
        if runtime.stdout_is_terminal:
            stdout.show(runtime, _matrix(runtime, operations, found))
        else:
            heads, rows = _table(operations, found, runtime.width)
            shown: list[list[MaskedText]] = [[masked(cell) for cell in row] for row in rows]
            stdout.show(runtime, [screen.table(runtime, heads, shown)])
        _tell_errors(runtime, service, found)
    elif chosen is formats.MARKDOWN:
        heads, rows = _table(operations, found)
        stdout.write(runtime, [markdown.document(heads, rows)])
        _tell_errors(runtime, service, found)
    elif chosen is formats.JSON:
        stdout.write_value(
            runtime, {"version": VERSION, "capabilities": [*_records(found, service)]}
        )
    elif chosen is formats.JUNIT:
        stdout.write(runtime, junit.document(_suites(found)))
    elif chosen is formats.NDJSON:
        stdout.write(runtime, (encoded(record) + b"\n" for record in _records(found, service)))
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
                # An operation that is offered but cannot be called does not count.
                "held": held or None,
            }


def _rows(found: Sequence[ConnectionOffer], form: Format, service: Service) -> Iterator[bytes]:
    """CSV with a head, or lines separated by tabs."""
    text = io.StringIO()
    writer = csv.writer(text)
    if form is formats.CSV:
        writer.writerow(
            [LABEL, "api", "resource", "operation", "state", "why", "status", "blocked"]
        )
    for record in _records(found, service):
        # A reader would take more columns as part of the last one.
        del record["held"]
        cells = [_WRITTEN.get(value, value) for value in record.values()]
        if form is formats.CSV:
            writer.writerow(cells)
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
        else:
            yield terminal.tabbed([[masked(cell) for cell in cells]])


def _suites(found: Sequence[ConnectionOffer]) -> list[JUnitSuite]:
    return [junit.suite(one.name, _cases(one), several=len(found) > 1) for one in found]


def _cases(one: ConnectionOffer) -> Iterator[JUnitCase]:
    """Yield a test for each operation, of which the first has the time of the
    questions.
    """
    for at, cell in enumerate(one.cells):
        yield _case(cell)._replace(seconds=0.0 if at else one.seconds)


def _case(cell: OfferCell) -> JUnitCase:
    operation, state, why, held = cell
    outcome = _OUTCOMES[state]
    if held and state == OFFERED:
        outcome = "skipped" if held == READ_ONLY else "failure"
    message = f"{state}: {why}" if outcome != "passed" else ""
    return JUnitCase(f"{operation.api}.{operation.resource}", operation.name, outcome, message)


def _table(
    operations: Sequence[Operation], found: Sequence[ConnectionOffer], room: float = inf
) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return heads and rows: a column for each connection.

    Of many, or those that are wider than the room, the counts and the exceptions.
    """
    cells = [{cell.operation.command: cell for cell in one.cells} for one in found]
    heads = ["operation", *(one.name for one in found)]
    rows = [[one.command, *(_word(cell[one.command]) for cell in cells)] for one in operations]
    wide = (
        sum(max(len(row[at]) for row in [heads, *rows]) + 2 for at in range(len(heads))) - 2 > room
    )
    if len(found) > _MOST_COLUMNS or (wide and len(found) > 1):
        heads = ["operation", "offered", "others"]
        rows = [[one.command, *_counts(one, found, cells)] for one in operations]
    return heads, rows


def _word(cell: OfferCell) -> str:
    return cell.held if cell.held and cell.state == OFFERED else _WORDS[cell.state]


def _counts(
    one: Operation, found: Sequence[ConnectionOffer], cells: Sequence[Mapping[str, OfferCell]]
) -> tuple[str, str]:
    """Return how many offer an operation that can be called now, and which do not."""
    by_state: defaultdict[str, list[str]] = defaultdict(list)
    for connection, of_it in zip(found, cells, strict=True):
        cell = of_it[one.command]
        by_state[cell.held if cell.held and cell.state == OFFERED else cell.state].append(
            connection.name
        )
    held = sorted(by_state.keys() - {*STATES})
    others = [
        f"{state}: {named(by_state[state], _MOST_NAMED)}"
        for state in (*STATES[1:], *held)
        if by_state[state]
    ]
    return f"{len(by_state[OFFERED])}/{len(found)}", "; ".join(others)


def _tell_errors(runtime: Runtime, service: Service, found: Sequence[ConnectionOffer]) -> None:
    """Say once for each reason, such as a login that is needed, which connections have
    it.
    """
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for one in found:
        whys = Counter(cell.why for cell in one.cells if cell.state in (FORBIDDEN, FAILED))
        if whys:
            reasons[whys.most_common(1)[0][0]].append(one.name)
        if told := one.state.remark(service):
            reasons[told].append(one.name)
    for why, names in reasons.items():
        runtime.stderr.note(f"{named(names, _MOST_NAMED)}: {visible(why)}")


_COLUMNS = ("list", "create", "get", "update", "delete")
_INDENT = "  "
_FEWEST_FOLDED = 2
_MOST_ON_SCREEN = 8
_MOST_WORDS = 200
_MOST_LINES = 12
_LOOKS = {"yes": Look.GOOD, "no": Look.BAD, "?": Look.DOUBT}

Cells = Mapping[str, Sequence[OfferCell]]
"""By the command of an operation, what each connection says of it."""


class OfferedRow(NamedTuple):
    """One row: a word for each operation of a resource that has a column, and the
    others.
    """

    columns: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def _matrix(
    runtime: Runtime, operations: Sequence[Operation], found: Sequence[ConnectionOffer]
) -> Iterator[TerminalText]:
    """The screen of what was found about these operations."""
    cells = {one.command: [offer.cells[at] for offer in found] for at, one in enumerate(operations)}
    resources = defaultdict[tuple[str, str], list[Operation]](list)
    for one in operations:
        resources[one.api, one.resource].append(one)
    rows = {name: _row(of_it, cells, short=False) for name, of_it in resources.items()}
    widths = _widths(rows)
    if taken(widths) > runtime.width:
        rows = {name: _row(of_it, cells, short=True) for name, of_it in resources.items()}
        widths = _widths(rows)
    widths[0] = min(widths[0], runtime.width - taken(widths) + widths[0])
    heads = ("RESOURCE", *(name[0].upper() for name in _COLUMNS))
    yield layout.rows(runtime, widths, [[Word(masked(head), Look.STRONG) for head in heads]])
    yield from _folded(runtime, widths, rows)
    legend = ", ".join(f"{name[0].upper()} {name}" for name in _COLUMNS)
    yield _lines(runtime, [legend])
    if len(found) > 1:
        yield _lines(
            runtime, [f"n/{len(found)}: n of {counted(len(found), 'connection')} offer it"]
        )
    if told := [*_exceptions(operations, found)]:
        yield _lines(runtime, ["", *told])


def _row(operations: Sequence[Operation], cells: Cells, *, short: bool) -> OfferedRow:
    words = {one.name: _offered(cells[one.command], short=short) for one in operations}
    others = tuple((name, word) for name, word in words.items() if name not in _COLUMNS)
    return OfferedRow(tuple(words.get(name, "") for name in _COLUMNS), others)


def _offered(cells: Sequence[OfferCell], *, short: bool) -> str:
    """Return how many connections offer an operation that can be called now.

    Of a single one whether it does.
    """
    number = sum(cell.keeps == "" for cell in cells)
    if len(cells) > 1:
        return f"{number}" if short else f"{number}/{len(cells)}"
    return "yes" if number else "?" if cells[0].state == UNKNOWN else "no"


def _widths(rows: Mapping[tuple[str, str], OfferedRow]) -> list[int]:
    names = max([len("RESOURCE"), *(text_width.width("/".join(name)) for name in rows)])
    columns = zip(*(row.columns for row in rows.values()), strict=True)
    return [names, *(max(1, *map(len, column)) for column in columns)]


def _folded(
    runtime: Runtime, widths: Sequence[int], rows: Mapping[tuple[str, str], OfferedRow]
) -> Iterator[TerminalText]:
    """Yield each row with the operations that have no column.

    Rows that are equal to one above are only named.
    """
    groups = defaultdict[OfferedRow, list[tuple[str, str]]](list)
    for name, row in rows.items():
        groups[row].append(name)
    for row, names in groups.items():
        shown = names if len(names) <= _FEWEST_FOLDED else names[:1]
        for name in shown:
            yield layout.rows(runtime, widths, [[masked("/".join(name)), *map(_cell, row.columns)]])
            yield _lines(runtime, [f"{_INDENT}{line}" for line in _others(row)])
        if more := names[len(shown) :]:
            yield _lines(runtime, [f"{_INDENT}{len(more)} more rows like this: {_by_api(more)}"])


def _cell(word: str) -> Cell:
    number, _, total = word.partition("/")
    look = _LOOKS.get(word)
    if look is None and total:
        look = Look.GOOD if number == total else Look.BAD if number == "0" else Look.DOUBT
    return Word(masked(word), look) if look else masked(word)


def _others(row: OfferedRow) -> Iterator[str]:
    """Yield the operations without a column: all that are alike in one line."""
    alike = defaultdict[str, list[str]](list)
    for name, word in row.others:
        alike[word].append(name)
    for word, names in alike.items():
        yield f"{', '.join(names)}: {word}"


def _by_api(names: Sequence[tuple[str, str]]) -> str:
    """Return the resources of each API. Where they are many only how many."""
    of_api = defaultdict[str, list[str]](list)
    for api, resource in names:
        of_api[api].append(resource)
    said = "; ".join(f"{api} {', '.join(resources)}" for api, resources in of_api.items())
    return (
        said
        if len(said) <= _MOST_WORDS
        else ", ".join(f"{api} {len(of_it)}" for api, of_it in of_api.items())
    )


def _exceptions(operations: Sequence[Operation], found: Sequence[ConnectionOffer]) -> Iterator[str]:
    """Yield which connections do not offer what, those that lack the same together."""
    groups = defaultdict[tuple[str, frozenset[str]], list[str]](list)
    for offer in found:
        lacking = defaultdict[str, set[str]](set)
        for cell in offer.cells:
            if keeps := cell.keeps:
                lacking[keeps].add(cell.operation.command)
        for keeps, those in lacking.items():
            groups[keeps, frozenset(those)].append(offer.name)
    ordered = sorted(groups.items(), key=lambda group: (_place(group[0][0]), -len(group[1])))
    for (keeps, commands), names in ordered[:_MOST_LINES]:
        what = (
            ""
            if keeps not in STATES or len(commands) == len(operations)
            else _what(operations, commands)
        )
        if keeps == READ_ONLY:
            what = "no writes"
        yield f"{keeps}{f' ({what})' if what else ''}: {named(names, _MOST_ON_SCREEN)}"
    if len(ordered) > _MOST_LINES:
        yield f"{len(ordered) - _MOST_LINES} more like these (-o ndjson has each)"


def _place(keeps: str) -> int:
    return STATES.index(keeps) if keeps in STATES else len(STATES)


def _what(operations: Sequence[Operation], commands: frozenset[str]) -> str:
    """These operations in few words: whole APIs, whole resources, and the others by
    their command.
    """
    left, said = set(commands), list[str]()
    for level in ("api", "resource"):
        groups = defaultdict[str, set[str]](set)
        for one in operations:
            groups[one.api if level == "api" else f"{one.api}/{one.resource}"].add(one.command)
        for name, of_it in groups.items():
            if of_it <= left:
                left -= of_it
                said.append(name)
    return named(
        [*said, *(one.command for one in operations if one.command in left)], _MOST_ON_SCREEN
    )


def _lines(runtime: Runtime, lines: Sequence[str]) -> TerminalText:
    """Lines of words, broken where the terminal ends, the later ones indented."""
    shown = [part for line in lines for part in text_width.wrapped(
        visible(masked(line)), runtime.width, indent=_INDENT * 2, fold=True)]  # fmt: skip
    return terminal.styled("".join(f"{line}\n" for line in shown))
