"""Print the matrix of operations on a terminal.

Each resource has a row. Equal rows are printed once. Operations without a column are
listed below.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from unified_cli import text_width
from unified_cli.call import extra_offer
from unified_cli.call.extra_offer import EXTRA
from unified_cli.call.offer_check import READ_ONLY, STATES, UNKNOWN, ConnectionOffer, OfferCell
from unified_cli.catalogue import Operation, Service
from unified_cli.masking import masked, visible
from unified_cli.output import layout, terminal
from unified_cli.output.screen import Cell, Look, Word
from unified_cli.output.terminal import TerminalText, total_width
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_COLUMNS = ("list", "create", "get", "update", "delete")
_INDENT = "  "
_FEWEST_FOLDED = 2
_MOST_ON_SCREEN = 8
_MOST_WORDS = 200
_MOST_LINES = 12
_LOOKS = {"yes": Look.GOOD, "no": Look.BAD, "?": Look.DOUBT}

Cells = Mapping[str, Sequence[OfferCell]]
"""The result for each connection, by the operation's command."""


class OfferedRow(NamedTuple):
    """The row of a resource in the matrix.

    `columns` has a word for each operation with a column. `others` has the names of the
    other operations, each with its word.
    """

    columns: tuple[str, ...]
    others: tuple[tuple[str, str], ...]


def screen_of(
    runtime: Runtime,
    service: Service,
    operations: Sequence[Operation],
    offers: Sequence[ConnectionOffer],
) -> Iterator[TerminalText]:
    """Yield the screen that shows these operations."""
    cells = {
        operation.command: [offer.cells[at] for offer in offers]
        for at, operation in enumerate(operations)
    }
    resources = defaultdict[tuple[str, str], list[Operation]](list)
    for operation in operations:
        resources[operation.api, operation.resource].append(operation)
    rows = {name: _row(members, cells, short=False) for name, members in resources.items()}
    widths = _widths(rows)
    if total_width(widths) > runtime.width:
        rows = {name: _row(members, cells, short=True) for name, members in resources.items()}
        widths = _widths(rows)
    widths[0] = min(widths[0], runtime.width - total_width(widths) + widths[0])
    heads = ("RESOURCE", *(name[0].upper() for name in _COLUMNS))
    yield layout.rows(runtime, widths, [[Word(masked(head), Look.STRONG) for head in heads]])
    yield from _folded(runtime, widths, rows)
    legend = ", ".join(f"{name[0].upper()} {name}" for name in _COLUMNS)
    yield _wrapped_lines(runtime, [legend])
    if len(offers) > 1:
        yield _wrapped_lines(
            runtime, [f"n/{len(offers)}: n of {counted(len(offers), 'connection')} offer it"]
        )
    if footnotes := [
        *_missing_offers(operations, offers, service),
        *_extra_offers(offers, service),
    ]:
        yield _wrapped_lines(runtime, ["", *footnotes])


def _row(operations: Sequence[Operation], cells: Cells, *, short: bool) -> OfferedRow:
    words = {
        operation.name: _offered(cells[operation.command], short=short) for operation in operations
    }
    others = tuple((name, word) for name, word in words.items() if name not in _COLUMNS)
    return OfferedRow(tuple(words.get(name, "") for name in _COLUMNS), others)


def _offered(cells: Sequence[OfferCell], *, short: bool) -> str:
    """Return how many of these connections let the operation be called.

    For a single connection, return "yes" or "no".
    """
    number = sum(cell.obstacle == "" for cell in cells)
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
    """Yield each row, followed by its operations without a column.

    A resource whose row equals an earlier row is only named below that row.
    """
    groups = defaultdict[OfferedRow, list[tuple[str, str]]](list)
    for name, row in rows.items():
        groups[row].append(name)
    for row, names in groups.items():
        shown = names if len(names) <= _FEWEST_FOLDED else names[:1]
        for name in shown:
            yield layout.rows(runtime, widths, [[masked("/".join(name)), *map(_cell, row.columns)]])
            yield _wrapped_lines(
                runtime, [f"{_INDENT}{line}" for line in _operations_without_column(row)]
            )
        if more := names[len(shown) :]:
            yield _wrapped_lines(
                runtime, [f"{_INDENT}{len(more)} more rows like this: {_resources_by_api(more)}"]
            )


def _cell(word: str) -> Cell:
    number, _, total = word.partition("/")
    look = _LOOKS.get(word)
    if look is None and total:
        look = Look.GOOD if number == total else Look.BAD if number == "0" else Look.DOUBT
    return Word(masked(word), look) if look else masked(word)


def _operations_without_column(row: OfferedRow) -> Iterator[str]:
    alike = defaultdict[str, list[str]](list)
    for name, word in row.others:
        alike[word].append(name)
    for word, names in alike.items():
        yield f"{', '.join(names)}: {word}"


def _resources_by_api(names: Sequence[tuple[str, str]]) -> str:
    of_api = defaultdict[str, list[str]](list)
    for api, resource in names:
        of_api[api].append(resource)
    words = "; ".join(f"{api} {', '.join(resources)}" for api, resources in of_api.items())
    return (
        words
        if len(words) <= _MOST_WORDS
        else ", ".join(f"{api} {len(members)}" for api, members in of_api.items())
    )


def _missing_offers(
    operations: Sequence[Operation], offers: Sequence[ConnectionOffer], service: Service
) -> Iterator[str]:
    groups = defaultdict[tuple[str, frozenset[str]], list[str]](list)
    for offer in offers:
        lacking = defaultdict[str, set[str]](set)
        for cell in offer.cells:
            if keeps := cell.obstacle:
                problem = keeps == offer.state.problem_in_a_word(service)
                why = offer.state.problem_as_sentence(service) if problem else keeps
                lacking[why].add(cell.operation.command)
        for keeps, those in lacking.items():
            groups[keeps, frozenset(those)].append(offer.name)
    ordered = sorted(groups.items(), key=lambda group: (_place(group[0][0]), -len(group[1])))
    for (keeps, commands), names in ordered[:_MOST_LINES]:
        what = (
            ""
            if keeps not in STATES or len(commands) == len(operations)
            else _operations_in_words(operations, commands)
        )
        if keeps == READ_ONLY:
            what = "no writes"
        yield f"{keeps}{f' ({what})' if what else ''}: {named(names, _MOST_ON_SCREEN)}"
    if len(ordered) > _MOST_LINES:
        yield _rest(len(ordered))


def _rest(lines: int) -> str:
    return f"{lines - _MOST_LINES} more lines like these (-o ndjson prints everything)"


def _extra_offers(offers: Sequence[ConnectionOffer], service: Service) -> Iterator[str]:
    groups = defaultdict[str, list[str]](list)
    for offer in offers:
        if words := extra_offer.in_words(offer.extra, service):
            groups[words].append(offer.name)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    for words, names in ordered[:_MOST_LINES]:
        yield f"{EXTRA} {words}: {named(names, _MOST_ON_SCREEN)}"
    if len(ordered) > _MOST_LINES:
        yield _rest(len(ordered))


def _place(keeps: str) -> int:
    return STATES.index(keeps) if keeps in STATES else len(STATES)


def _operations_in_words(operations: Sequence[Operation], commands: frozenset[str]) -> str:
    left, words = set(commands), list[str]()
    for level in ("api", "resource"):
        groups = defaultdict[str, set[str]](set)
        for operation in operations:
            groups[
                operation.api if level == "api" else f"{operation.api}/{operation.resource}"
            ].add(operation.command)
        for name, members in groups.items():
            if members <= left:
                left -= members
                words.append(name)
    return named(
        [*words, *(operation.command for operation in operations if operation.command in left)],
        _MOST_ON_SCREEN,
    )


def _wrapped_lines(runtime: Runtime, lines: Sequence[str]) -> TerminalText:
    shown = [part for line in lines for part in text_width.wrapped(
        visible(masked(line)), runtime.width, indent=_INDENT * 2, fold=True)]  # fmt: skip
    return terminal.styled("".join(f"{line}\n" for line in shown))
