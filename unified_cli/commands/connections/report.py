"""`unified connections list`: list the connections that the token can see, with their
profiles.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from unified_cli import signals, text_width
from unified_cli.call import introspection
from unified_cli.call.connection_record import NEEDS_LOGIN, AccountState, ConnectionRecord
from unified_cli.catalogue import Service
from unified_cli.cli.command import CommandContext
from unified_cli.cli.result_table import show
from unified_cli.commands.connections import listed
from unified_cli.commands.connections.command import ListConnectionsOptions
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.read import FairReaders
from unified_cli.masking import masked, visible
from unified_cli.output import layout, screen, terminal
from unified_cli.output.progress import Work, progress
from unified_cli.output.screen import Bar, Cell, Column, Look, Word
from unified_cli.output.terminal import TerminalText, total_width
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

VERSION = 1
_HEADS = ("id", "product", "tenant", "status", "sandbox", "created", "profile")


def run(context: CommandContext, options: ListConnectionsOptions) -> None:
    """List the connections. Raises IncompleteError if the health of some connections is
    unknown, or if jq cannot represent their records.
    """
    runtime, service = context.runtime, context.catalogue.service
    settings = listed.settings(context, options)
    connections = listed.list_connections(context, settings, options)
    listed.save_facts(context, settings, connections)
    connections, failed = (
        _ask_health(context, settings, connections) if options.health else (connections, {})
    )
    known = listed.profiles_by_account(runtime, settings)
    shown, missing = listed.filter_with_jq(context, connections, options.where)
    listed.note_missing(context, options, connections)
    if options.health:
        shown = sorted(shown, key=lambda connection: _place(context, connection))
    troubles = (
        {record.id: _trouble(context, record, failed) for record in shown} if options.health else {}
    )
    rows = [
        (*_row(connection, service, known), *([troubles[connection.id]] if options.health else ()))
        for connection in shown
    ]
    if not rows:
        runtime.stderr.note(
            "no connections"
            if not connections
            else f"none of {counted(len(connections), 'connection')} matches"
        )
    value = {
        "version": VERSION,
        "connections": [
            {**record.facts(service), "profiles": known[record.id], **_error(record, failed)}
            for record in shown
        ],
    }
    heads = (*_HEADS, *(["trouble"] if options.health else ()))
    show(
        runtime,
        options.output,
        heads,
        rows,
        value,
        on_terminal=lambda: _screen(context, shown, known, troubles),
    )
    if options.health:
        _say_remedies(context, shown, known)
        runtime.stderr.note(_summary(context, shown))
    conclude(Ending("connection", len(connections), failed, missing=missing))


def _row(
    connection: ConnectionRecord, service: Service, profiles: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the cells of a connection.

    The table shows only the date. Use `-o json` to show the time.
    """
    return (
        connection.id,
        connection.product,
        connection.tenant,
        connection.state.in_words(service),
        "yes" if connection.state.sandbox else "no",
        connection.created[:10],
        ", ".join(profiles.get(connection.id, ())),
    )


def _say_remedies(
    context: CommandContext,
    shown: Sequence[ConnectionRecord],
    profiles: Mapping[str, Sequence[str]],
) -> None:
    """Print the repair commands for connections that are blocked or need a login.
    Connections without a profile are left out.
    """
    words = context.catalogue.service.connections
    commands = {NEEDS_LOGIN: "link", words.shut: "refresh"}
    for held, command in commands.items():
        group = [
            connection
            for connection in shown
            if connection.state.problem_in_a_word(context.catalogue.service) == held
        ]
        names = [name for connection in group for name in profiles.get(connection.id, ())[:1]]
        if names:
            each = f" (and for each of the other {len(names) - 1})" if names[1:] else ""
            message = f"{held}: unified connections {command} -p {visible(names[0])}{each}"
            context.runtime.stderr.note(message)


def _summary(context: CommandContext, shown: Sequence[ConnectionRecord]) -> str:
    """Return how many connections are failing, and which others are not healthy."""
    looks = [(_status_look(context, record), _status(context, record)) for record in shown]
    others = Counter(status for look, status in looks if look is Look.DOUBT)
    failing = sum(look is Look.BAD for look, _ in looks)
    counts = ", ".join(f"{status} {number}" for status, number in others.most_common())
    passing = f"; not counted: {counts}" if others else ""
    total = counted(len(shown), "connection")
    return f"{failing} of {total} failing, counted as in profile test{passing}"


def _trouble(
    context: CommandContext, connection: ConnectionRecord, failed: Mapping[str, UnifiedError]
) -> str:
    if connection.id in failed:
        return f"not asked: {failed[connection.id].reason}"
    return connection.state.remark(context.catalogue.service)


def _error(connection: ConnectionRecord, failed: Mapping[str, UnifiedError]) -> JsonObject:
    return {"error": failed[connection.id].facts()} if connection.id in failed else {}


def _ask_health(
    context: CommandContext, settings: Settings, connections: Sequence[ConnectionRecord]
) -> tuple[list[ConnectionRecord], Mapping[str, UnifiedError]]:
    """Return the connections with their current state.

    Also returns the errors of the failed requests, by account id. Both are in the order
    of `connections`.
    """
    runtime, catalogue = context.runtime, context.catalogue
    before = {connection.id: connection.state for connection in connections if connection.id}
    work = Work(part="connection", parts=len(before))
    states, failed = dict[str, AccountState](), dict[str, UnifiedError]()
    with (
        progress(runtime, work) as shown,
        FairReaders(runtime, catalogue, None) as readers,
        signals.with_progress(
            lambda: (
                f"{len(states) + len(failed)} of {counted(len(before), 'connection')}, nothing"
                " printed"
            )
        ),
        closing(
            readers.ask(
                {account: settings._replace(account_id=account) for account in before},
                lambda name, mine, client: introspection.with_blocked(
                    before[name], client, mine, catalogue
                ),
            )
        ) as answers,
    ):
        for account, answer in answers:
            if isinstance(answer, UnifiedError):
                failed[account] = answer
            else:
                states[account] = answer
            shown.add(parts=1, failed=account in failed)
    now = [
        connection._replace(state=states.get(connection.id, connection.state))
        for connection in connections
    ]
    return now, {account: failed[account] for account in before if account in failed}


_INDENT = "  "
_BAR = 20
_NARROWEST = 8
_UNKNOWN = "unknown"
_TENANT, _PROFILE, _STATUS, _CREATED, _ID = range(5)
_LINE = ("TENANT", "PROFILE", "STATUS", "CREATED", "ID")
_WORST_FIRST = (Look.BAD, Look.DOUBT, Look.GOOD)


def _screen(
    context: CommandContext,
    shown: Sequence[ConnectionRecord],
    profiles: Mapping[str, Sequence[str]],
    troubles: Mapping[str, str],
) -> Iterator[TerminalText]:
    """Yield the screen of these connections.

    `profiles` and `troubles` are the profile names and the problems by account id.
    """
    runtime = context.runtime
    yield _statuses(context, shown)
    yield terminal.styled("\n")
    lines = {
        head: [
            (
                _status_look(context, connection),
                _line(context, connection, profiles.get(connection.id, ())),
            )
            for connection in group
        ]
        for head, group in _groups(context, shown)
    }
    widths = _widths(runtime, [line for group in lines.values() for _, line in group])
    sign = terminal.ellipsis(runtime)
    if shown:
        heads = [Word(masked(_LINE[at]), Look.STRONG) for at in widths]
        yield layout.rows(runtime, [*widths.values()], [heads], indent=len(_INDENT))
    for head, group in lines.items():
        yield screen.render(runtime, screen.text(runtime, Word(masked(head), Look.STRONG)))
        rows = (
            [_fitted(at, line[at], size, sign, look) for at, size in widths.items()]
            for look, line in group
        )
        yield layout.rows(runtime, [*widths.values()], rows, indent=len(_INDENT))
    labels = {
        connection.id: next(iter(profiles.get(connection.id, ())), connection.tenant)
        for connection in shown
    }
    yield _problem_screen(runtime, troubles, labels)


def _groups(
    context: CommandContext, shown: Sequence[ConnectionRecord]
) -> Iterator[tuple[str, list[ConnectionRecord]]]:
    """Yield the connections of each product, with a heading; those that are failing
    come first.
    """
    totals = Counter(connection.product or _UNKNOWN for connection in shown)
    groups = defaultdict[tuple[bool, str], list[ConnectionRecord]](list)
    for connection in sorted(shown, key=lambda record: _place(context, record)):
        healthy = _status_look(context, connection) is not Look.BAD
        groups[healthy, connection.product or _UNKNOWN].append(connection)
    for (healthy, product), group in sorted(
        groups.items(), key=lambda found: (found[0][0] or -len(found[1]), found[0][1])
    ):
        total = totals[product]
        number = f"{total}" if len(group) == total else f"{len(group)} of {total}"
        yield f"{product}{'' if healthy else ', failing'} ({number})", group


def _statuses(context: CommandContext, shown: Sequence[ConnectionRecord]) -> TerminalText:
    """Return a bar for each status, the most frequent first."""
    found = Counter(
        (_status(context, connection), _status_look(context, connection)) for connection in shown
    )
    rows = [
        (
            masked(status),
            Bar([(number, look), (len(shown) - number, Look.OPEN)], _BAR),
            masked(str(number)),
        )
        for (status, look), number in found.most_common()
    ]
    heads = (Column("status", cut=True), Column(counted(len(shown), "connection")), Column(""))
    return screen.table(context.runtime, heads, rows)


def _status_look(context: CommandContext, connection: ConnectionRecord) -> Look:
    service, state = context.catalogue.service, connection.state
    if state.is_failing(service):
        return Look.BAD
    return Look.DOUBT if state.problem_in_a_word(service) or state.lacks_scopes else Look.GOOD


def _place(context: CommandContext, connection: ConnectionRecord) -> tuple[int, bool]:
    """Return the sort key of a connection: broken connections come first, then those
    with another status, then those that lack scopes.
    """
    return _WORST_FIRST.index(_status_look(context, connection)), connection.state.lacks_scopes


def _status(context: CommandContext, connection: ConnectionRecord) -> str:
    """Return the status in a few words.

    Leaves out "active" if more words follow.
    """
    service = context.catalogue.service
    words = connection.state.in_words(service) or _UNKNOWN
    return words.removeprefix(f"{service.connections.healthy}, ")


def _line(
    context: CommandContext, connection: ConnectionRecord, profiles: Sequence[str]
) -> list[str]:
    """Return the cells of a line: tenant, profiles, status, date and id.

    They are safe for a terminal.
    """
    sandbox = ", sandbox" if connection.state.sandbox else ""
    cells = (
        connection.tenant,
        ", ".join(profiles),
        f"{_status(context, connection)}{sandbox}",
        connection.created[:10],
        connection.id,
    )
    return [visible(masked(cell)) for cell in cells]


def _widths(runtime: Runtime, lines: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return the widths of the columns that are not empty.

    To save room, leave out the date, cut tenants, and let a status continue on the next
    line. If each connection has a profile, which names it, leave out the tenant or the
    id. Cut profiles last, and never cut ids.
    """
    room = runtime.width - len(_INDENT)
    natural = [max(map(text_width.width, cells)) for cells in zip(_LINE, *lines, strict=True)]
    shown = [at for at in range(len(_LINE)) if any(line[at] for line in lines)]
    words = max(text_width.longest_piece(line[_STATUS]) for line in (_LINE, *lines))
    dropped: list[set[int]] = [set(), {_CREATED}]
    if all(line[_PROFILE] for line in lines):
        dropped += [{_CREATED, _TENANT}, {_CREATED, _ID}]
    widths = dict[int, int]()
    for without in dropped:
        widths = {at: natural[at] for at in shown if at not in without}
        if without:
            _narrow(widths, _TENANT, _NARROWEST, room)
            _narrow(widths, _STATUS, words, room)
        if total_width(widths.values()) <= room:
            return widths
    _narrow(widths, _PROFILE, _NARROWEST, room)
    return widths


def _narrow(widths: dict[int, int], column: int, least: int, room: int) -> None:
    over = total_width(widths.values()) - room
    if column in widths and over > 0:
        widths[column] = max(min(widths[column], least), widths[column] - over)


def _fitted(at: int, cell: str, size: int, sign: str, look: Look) -> Cell:
    """Return the cell of a column.

    Names are cut. Cells of connections with a problem are coloured.
    """
    text = masked(text_width.cut(cell, size, sign) if at in (_TENANT, _PROFILE) else cell)
    return text if look is Look.GOOD else Word(text, look)


def _problem_screen(
    runtime: Runtime, troubles: Mapping[str, str], labels: Mapping[str, str]
) -> TerminalText:
    """Return each problem, and the profiles or tenants that have it."""
    reasons = defaultdict[str, list[str]](list)
    for account, trouble in troubles.items():
        if trouble:
            reasons[trouble].append(labels[account] or account)
    if not reasons:
        return terminal.styled("")
    lines = [""]
    for trouble, names in reasons.items():
        text = visible(masked(f"{trouble}: {named(names)}"))
        lines += text_width.wrapped(text, runtime.width, indent=_INDENT, fold=True)
    return terminal.styled("".join(f"{line}\n" for line in lines))
