"""The part of a report about all connections: the numbers, the people who must act, and
the map of offered operations.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from string import ascii_uppercase
from typing import NamedTuple

from unified_cli import hints
from unified_cli.call.connection_record import AccountState
from unified_cli.call.offer_check import FAILED, REFUSED, UNKNOWN as NOT_SAID
from unified_cli.cli.command import CommandContext
from unified_cli.commands.report.connections import Keeps, SeenConnection
from unified_cli.commands.report.page import (
    LACKS_SCOPES,
    NOT_SEEN,
    UNKNOWN,
    WELL,
    ConnectionCount,
    ExtraOffer,
    MapColumn,
    MapRow,
    NeededPerson,
    OfferMap,
    ShownConnection,
)

ALL, READS, NO, HELD = "all", "reads", "no", "held"
"""The words in a cell of the map. They say which operations of a resource can be
called: all, only reads, none, or none at the moment.
"""
_WORDS = {REFUSED: NO, NOT_SAID: "?", FAILED: "?"}
_MOST_COLUMNS = 24
_MOST_NAMED = 200
_NO_PRODUCT = "product not known"
_NO_STATUS = "not known"


class FleetParts(NamedTuple):
    """The parts of the page about connections."""

    connections: list[ShownConnection]
    statuses: list[ConnectionCount]
    products: list[ConnectionCount]
    needs: list[NeededPerson]
    offers: OfferMap


def parts_of(context: CommandContext, seen: Sequence[SeenConnection]) -> FleetParts:
    """Return the parts of the page about these connections and their offers."""
    offers, letters = _offers(context, seen)
    shown = [
        _shown(context, connection, letter)
        for connection, letter in zip(seen, letters, strict=True)
    ]
    statuses = _counts_by_name(
        (connection.status or _NO_STATUS, connection) for connection in shown
    )
    products = _counts_by_name(
        (connection.product or _NO_PRODUCT, connection) for connection in shown
    )
    return FleetParts(shown, statuses, products, _needed_people(context, seen, shown), offers)


def condition(context: CommandContext, connection: SeenConnection) -> str:
    """Return the condition of a connection in a word or two."""
    if connection.error:
        return NOT_SEEN
    if held := connection.state.problem_in_a_word(context.catalogue.service):
        return held
    if connection.state.lacks_scopes:
        return LACKS_SCOPES
    return WELL if connection.status else UNKNOWN


def _shown(context: CommandContext, connection: SeenConnection, letter: str) -> ShownConnection:
    return ShownConnection(
        name=connection.name,
        account=connection.account,
        product=connection.product,
        tenant=connection.tenant,
        status=connection.status,
        condition=condition(context, connection),
        remark=connection.state.remark(context.catalogue.service),
        offers=letter,
        age=round(connection.age),
        unseen=connection.error.one_line if connection.error else "",
    )


def _counts_by_name(named: Iterable[tuple[str, ShownConnection]]) -> list[ConnectionCount]:
    found = defaultdict[str, Counter[str]](Counter)
    for name, one in named:
        found[name][
            "unseen" if one.unseen else "well" if one.condition in (WELL, UNKNOWN) else "trouble"
        ] += 1
    counts = [
        ConnectionCount(name=name, well=of["well"], trouble=of["trouble"], unseen=of["unseen"])
        for name, of in found.items()
    ]
    return sorted(counts, key=lambda group: (-group.number, group.name))


def _needed_people(
    context: CommandContext, seen: Sequence[SeenConnection], shown: Sequence[ShownConnection]
) -> list[NeededPerson]:
    service = context.catalogue.service
    reason = {
        connection.name: connection.error.one_line
        if connection.error
        else _untimed(connection.state).remark(service)
        for connection in seen
    }
    groups = defaultdict[str, list[ShownConnection]](list)
    for one in shown:
        if one.condition not in (WELL, UNKNOWN):
            groups[one.condition].append(one)
    needs = []
    for word, connections in sorted(
        groups.items(), key=lambda group: (group[0] == NOT_SEEN, -len(group[1]), group[0])
    ):
        reasons = defaultdict[str, list[str]](list)
        for one in connections:
            reasons[reason[one.name]].append(one.name)
        who = _who_can_help(context, word, connections[0].status)
        needs.append(
            NeededPerson(condition=word, who=who, number=len(connections), reasons=reasons)
        )
    return needs


def _untimed(state: AccountState) -> AccountState:
    """Return the state without the time of the last refused call, so that the same
    problem has the same text.
    """
    return state._replace(forbidden=state.forbidden._replace(at="")) if state.forbidden else state


def _who_can_help(context: CommandContext, word: str, status: str) -> str:
    words = context.catalogue.service.connections
    if word == NOT_SEEN:
        return "the author of this page; the reason says why the service did not answer"
    if word == LACKS_SCOPES:
        return "an administrator of the product, who can grant the scopes"
    if word == words.shut:
        return f"the operator of the service: {hints.unblocked()}"
    if status in words.needs_login.split():
        return f"the end user: {hints.needs_login()}"
    if status in words.passing.split():
        return "no one: the connection is not in use yet, or no longer; later, the end user"
    return "the person who set up the connection, because a check of it failed"


def _offers(context: CommandContext, seen: Sequence[SeenConnection]) -> tuple[OfferMap, list[str]]:
    """Return the map, and for each connection the letter of its column, or ""."""
    operations = [*context.catalogue]
    resources = defaultdict[tuple[str, str], list[int]](list)
    for at, one in enumerate(operations):
        resources[one.api, one.resource].append(at)
    changes = [operation.changes for operation in operations]
    words_by_keeps: dict[Keeps, tuple[str, ...]] = {}
    groups = defaultdict[tuple[str, ...], list[SeenConnection]](list)
    for connection in seen:
        keeps = connection.keeps
        if keeps not in words_by_keeps:
            words_by_keeps[keeps] = tuple(
                _word(keeps, places, changes) for places in resources.values()
            )
        groups[words_by_keeps[keeps]].append(connection)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    named = {words: ascii_uppercase[at] for at, (words, _) in enumerate(ordered[:_MOST_COLUMNS])}
    columns = [
        _column(context, named[words], words, connections)
        for words, connections in ordered[:_MOST_COLUMNS]
    ]
    rows: dict[str, dict[tuple[str, ...], list[str]]] = {}
    for at, (api, resource) in enumerate(resources):
        rows.setdefault(api, {}).setdefault(tuple(words[at] for words in named), []).append(
            resource
        )
    shown = {
        api: [MapRow(resources=names, cells=cells) for cells, names in by_cells.items()]
        for api, by_cells in rows.items()
    }
    more = len(seen) - sum(column.number for column in columns)
    return OfferMap(columns=columns, rows=shown, more=more, extra=_extra_offers(seen)), [
        named.get(words_by_keeps[connection.keeps], "") for connection in seen
    ]


def _extra_offers(seen: Sequence[SeenConnection]) -> list[ExtraOffer]:
    groups = defaultdict[str, list[str]](list)
    for connection in seen:
        if connection.extra:
            groups[connection.extra].append(connection.name)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))[:_MOST_COLUMNS]
    return [
        ExtraOffer(what=what, number=len(names), names=names[:_MOST_NAMED])
        for what, names in ordered
    ]


def _word(keeps: Keeps, of_resource: Sequence[int], changes: Sequence[bool]) -> str:
    """Return a word for the operations that can be called.

    If none can be called, the word gives the reason.
    """
    free = [at for at in of_resource if not keeps[at]]
    if len(free) == len(of_resource):
        return ALL
    if free and free == [at for at in of_resource if not changes[at]]:
        return READS
    if free:
        return f"{len(free)}/{len(of_resource)}"
    ((word, _),) = Counter(keeps[at] for at in of_resource).most_common(1)
    return _WORDS.get(word, HELD)


def _column(
    context: CommandContext,
    letter: str,
    words: Sequence[str],
    connections: Sequence[SeenConnection],
) -> MapColumn:
    conditions = Counter(condition(context, connection) for connection in connections)
    return MapColumn(
        letter=letter,
        number=len(connections),
        held="" if {ALL, READS} & {*words} or "/" in "".join(words) else ", ".join(conditions),
        products=dict(
            Counter(connection.product or _NO_PRODUCT for connection in connections).most_common()
        ),
        names=[connection.name for connection in connections[:_MOST_NAMED]],
    )
