"""The connections as a terminal shows them: how many are how, each on one line by its product, and what is wrong."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from unified_cli import text_width
from unified_cli.call.connection_record import ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.output import layout, screen, terminal
from unified_cli.output.screen import Bar, Column, Look, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.output.text_columns import narrowed, taken
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_INDENT = "  "
_BAR = 20
_NARROWEST = 8
_MOST_NAMED = 10
_UNKNOWN = "unknown"
# Of the cells of a line, those that may be cut, and the one that may be left out.
_NAMES, _CREATED = (0, 1), 3


def listed(
    runtime: Runtime,
    service: Service,
    shown: Sequence[ConnectionRecord],
    profiles: Mapping[str, Sequence[str]],
    troubles: Mapping[str, str],
) -> Iterator[TerminalText]:
    """The screen of these connections; `profiles` lead to them and `troubles` say what is wrong, both by account id."""
    yield _statuses(runtime, service, shown)
    yield terminal.styled("\n")
    products = defaultdict[str, list[ConnectionRecord]](list)
    for one in shown:
        products[one.product or _UNKNOWN].append(one)
    lines = {
        product: [_line(one, service, profiles.get(one.id, ())) for one in of_it]
        for product, of_it in sorted(products.items())
    }
    widths = _widths(runtime, [line for of_it in lines.values() for line in of_it])
    sign = terminal.ellipsis(runtime)
    for product, of_it in lines.items():
        head = Word(masked(f"{product} ({len(of_it)})"), Look.STRONG)
        yield screen.drawn(runtime, screen.text(runtime, head))
        rows = ([_fitted(at, line[at], size, sign) for at, size in widths.items()] for line in of_it)
        yield layout.rows(runtime, [*widths.values()], rows, indent=len(_INDENT))
    yield _wrong(runtime, shown, troubles)


def _statuses(runtime: Runtime, service: Service, shown: Sequence[ConnectionRecord]) -> TerminalText:
    """A bar for each status, the most frequent first."""
    found = Counter((_status(one, service), _look(one, service)) for one in shown)
    rows = [
        (masked(status), Bar([(number, look), (len(shown) - number, Look.OPEN)], _BAR), masked(str(number)))
        for (status, look), number in found.most_common()
    ]
    heads = (Column("status", cut=True), Column(counted(len(shown), "connection")), Column(""))
    return screen.table(runtime, heads, rows)


def _look(one: ConnectionRecord, service: Service) -> Look:
    if one.state.held(service):
        return Look.BAD
    return Look.DOUBT if one.state.lacks_scopes else Look.GOOD


def _status(one: ConnectionRecord, service: Service) -> str:
    """The status in few words: where there is more to say than that it is active, only that."""
    words = one.state.in_words(service) or _UNKNOWN
    return words.removeprefix(f"{service.connections.healthy}, ")


def _line(one: ConnectionRecord, service: Service, profiles: Sequence[str]) -> list[str]:
    """Tenant, profiles, status, date and id, as a terminal may show them."""
    sandbox = ", sandbox" if one.state.sandbox else ""
    cells = (one.tenant, ", ".join(profiles), f"{_status(one, service)}{sandbox}", one.created[:10], one.id)
    return [visible(masked(cell)) for cell in cells]


def _widths(runtime: Runtime, lines: Sequence[Sequence[str]]) -> dict[int, int]:
    """The columns that there is something for, and room: the date goes first, then names are cut; ids never are."""
    room = runtime.width - len(_INDENT)
    natural = {at: max(map(text_width.width, cells)) for at, cells in enumerate(zip(*lines, strict=True))}
    kept = {at: size for at, size in natural.items() if size}
    if taken(kept.values()) > room:
        kept.pop(_CREATED, None)
    names = {at: min(size, _NARROWEST) for at, size in kept.items() if at in _NAMES}
    words = {at: max(text_width.longest_piece(line[at]) for line in lines) for at in kept}
    found = [*kept.values()]
    # Where shorter names do not suffice, a status goes on in the next line.
    for least in ({**kept, **names}, {**words, **names}):
        found = narrowed(found, [*least.values()], room)
    return dict(zip(kept, found, strict=True))


def _fitted(at: int, cell: str, size: int, sign: str) -> MaskedText:
    """The cell of a column, cut where it is a name."""
    return masked(text_width.cut(cell, size, sign) if at in _NAMES else cell)


def _wrong(runtime: Runtime, shown: Sequence[ConnectionRecord], troubles: Mapping[str, str]) -> TerminalText:
    """What is wrong, once for each reason, with the connections that have it."""
    reasons = defaultdict[str, list[str]](list)
    for one in shown:
        if trouble := troubles.get(one.id):
            reasons[trouble].append(one.tenant or one.id)
    if not reasons:
        return terminal.styled("")
    lines = [""]
    for trouble, names in reasons.items():
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        said = visible(masked(f"{trouble}: {', '.join(names[:_MOST_NAMED])}{more}"))
        lines += text_width.wrapped(said, runtime.width, indent=_INDENT, fold=True)
    return terminal.styled("".join(f"{line}\n" for line in lines))
