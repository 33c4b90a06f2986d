"""Find the state and the offers of the connections in a report.

Facts that are not cached are requested from the service.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import NamedTuple

from unified_cli.call import extra_offer, introspection, offer_check
from unified_cli.call.connection_record import UNKNOWN_STATE, AccountState, ConnectionRecord
from unified_cli.call.introspection import Offer
from unified_cli.call.offer_check import AskedConnections, ConnectionOffer, OfferCheck
from unified_cli.cli.command import CommandContext
from unified_cli.commands.report.command import ReportOptions
from unified_cli.config import connection_facts, known_capabilities
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.fleet.read import FairReaders
from unified_cli.http.client import Client
from unified_cli.output.progress import Work, progress

# These status codes mean that the service does not show the connection's record, for
# example because of the token. Other responses may still show its state.
_NOT_TOLD = (403, 404, 405)
Keeps = tuple[str, ...]
"""The reason why each operation cannot be called, in the order of the operations.

A reason is "" if the operation can be called or its state is unknown. The tuple is
empty if nothing is known about the connection.
"""


class SeenConnection(NamedTuple):
    """The known facts about a connection.

    `extra` are offered operations that the catalogue lacks, in words. `error` says why
    the request failed. `age` is the age of cached facts in seconds.
    """

    name: str
    account: str
    product: str
    tenant: str
    status: str
    state: AccountState
    keeps: Keeps
    extra: str = ""
    age: float = 0.0
    error: UnifiedError | None = None


@dataclass(slots=True)
class _Lists:
    """The listed connections, by origin and account, and the errors of connections for
    which no request can succeed.
    """

    records: dict[tuple[str, str], ConnectionRecord] = field(default_factory=dict)
    hopeless: dict[str, UnifiedError] = field(default_factory=dict)


def load_connections(
    context: CommandContext, options: ReportOptions, asked: AskedConnections
) -> list[SeenConnection]:
    """Return the known facts about each selected connection, in order.

    A connection's error is returned as its `error`, not raised.
    """
    check = OfferCheck(context.runtime, context.catalogue, [*context.catalogue], probe=False)
    work = Work(part="connection", parts=len(asked.settings))
    with (
        progress(context.runtime, work) as shown,
        FairReaders(context.runtime, context.catalogue, options.workers) as readers,
    ):
        lists = _read_lists(check, asked.settings, readers)
        question = _Question(check, lists, {})
        answers: dict[str, SeenConnection | UnifiedError] = {**lists.hopeless}
        shown.add(parts=len(answers), failed=len(answers))
        hopeful = {
            name: settings for name, settings in asked.settings.items() if name not in answers
        }
        with closing(readers.ask(hopeful, question.ask)) as results:
            for name, answer in results:
                answers[name] = answer
                shown.add(parts=1, failed=isinstance(answer, UnifiedError))
    found = {
        name: question.unreachable(name, asked.settings[name], answer)
        if isinstance(answer, UnifiedError)
        else answer
        for name, answer in answers.items()
    }
    _keep_what_was_seen(context, asked.settings, found, lists)
    found |= {name: question.failed(name, error) for name, error in asked.wrong.items()}
    return [found[name] for name in asked.names]


def _read_lists(
    check: OfferCheck, settings: Mapping[str, Settings], readers: FairReaders
) -> _Lists:
    groups = defaultdict[tuple[str, str], list[str]](list)
    lists = _Lists()
    tokens = readers.tokens(
        {name: resolved for name, resolved in settings.items() if not resolved.is_own}
    )
    for name, resolved in settings.items():
        token = tokens.get(name, "")
        if isinstance(token, UnifiedError):
            lists.hopeless[name] = token
        else:
            groups[resolved.identity[0], token].append(name)
    several = [names for (_, token), names in groups.items() if token and len(names) > 1]

    def read(
        names: list[str],
    ) -> Generator[tuple[list[str], list[ConnectionRecord], UnifiedError | None]]:
        found: list[ConnectionRecord] = []
        mine = settings[names[0]]._replace(account_id="")
        try:
            with readers.client(mine) as client:
                for page in introspection.listed(client, mine, check.catalogue.service):
                    found += page
            yield names, found, None
        except UnifiedError as error:
            yield names, found, error

    with closing(readers.read(several, read)) as results:
        for names, found, failure in results:
            origin = settings[names[0]].identity[0]
            lists.records |= {(origin, record.id): record for record in found}
            if failure and failure.stops_connection:
                # Requests for the connections of this list would fail in the same way,
                # so do not send them.
                lists.hopeless |= dict.fromkeys(names, failure)
    return lists


class _Question(NamedTuple):
    """Collects the facts about a connection from the cache, the lists and the service.

    `tuples` has each different `Keeps` only once, to save memory, because thousands of
    connections share a few of them.
    """

    check: OfferCheck
    lists: _Lists
    tuples: dict[Keeps, Keeps]

    def ask(self, name: str, settings: Settings, client: Client) -> SeenConnection:
        """Return the cached facts, updated from the service's responses.

        Raises the errors of a request.
        """
        record, untold = self._record(settings, client)
        state = record.state if record else UNKNOWN_STATE
        known = known_capabilities.recall(self.check.runtime, settings)
        if known:
            state = state._replace(blocked=known.blocked)
            offer: Offer | None = Offer(known.offered, state=state, provided=known.provided)
        else:
            # The service does not list operations for a connection's own token.
            offer = None if settings.is_own else self.check.offer(settings, client)
            offer = offer and offer._replace(state=introspection.merged(state, offer.state))
            if untold and not offer:
                # Without any facts about this connection, raise the error.
                raise untold
        state = offer.state if offer else state
        judged = (
            self.check.offer_of(name, settings, offer) if offer else self.check.unknown_offer(name)
        )
        seen = self._seen(name, settings.identity[1], record, state, judged)
        return seen._replace(age=known.age if known else 0.0)

    def unreachable(self, name: str, settings: Settings, error: UnifiedError) -> SeenConnection:
        runtime = self.check.runtime
        known = known_capabilities.recall(runtime, settings)
        fact = connection_facts.recall(runtime, settings)
        record = self.lists.records.get(settings.identity)
        state = (record.state if record else UNKNOWN_STATE)._replace(
            blocked=known.blocked if known else None
        )
        judged = offer_check.failed(name, self.check.operations, error)
        if known:
            offer = Offer(known.offered, state=state, provided=known.provided)
            judged = self.check.offer_of(name, settings, offer)
        found = self._seen(name, settings.identity[1], record, state, judged)
        if fact and not record:
            found = found._replace(product=fact.product, status=fact.status)
        age = max(known.age if known else 0.0, fact.age if fact and not record else 0.0)
        return found._replace(age=age, error=error)

    def failed(self, name: str, error: UnifiedError) -> SeenConnection:
        judged = offer_check.failed(name, self.check.operations, error)
        return self._seen(name, "", None, UNKNOWN_STATE, judged)._replace(error=error)

    def _record(
        self, settings: Settings, client: Client
    ) -> tuple[ConnectionRecord | None, None] | tuple[None, UnifiedError]:
        """Return the record of a connection, or why it is missing.

        Raises the other errors of a request.
        """
        if listed := self.lists.records.get(settings.identity):
            return listed, None
        try:
            return introspection.ask_record(client, settings, self.check.catalogue), None
        except UnifiedError as error:
            if error.status not in _NOT_TOLD:
                raise
            return None, error

    def _seen(
        self,
        name: str,
        account: str,
        record: ConnectionRecord | None,
        state: AccountState,
        judged: ConnectionOffer,
    ) -> SeenConnection:
        keeps = tuple(cell.obstacle for cell in judged.cells)
        product, tenant = (record.product, record.tenant) if record else ("", "")
        service = self.check.catalogue.service
        return SeenConnection(
            name,
            account,
            product,
            tenant,
            state.in_words(service),
            state,
            self.tuples.setdefault(keeps, keeps),
            extra_offer.in_words(judged.extra, service),
        )


def _keep_what_was_seen(
    context: CommandContext,
    settings: Mapping[str, Settings],
    found: Mapping[str, SeenConnection],
    lists: _Lists,
) -> None:
    facts_by_origin = defaultdict[str, list[tuple[str, str, str]]](list)
    for name, resolved in settings.items():
        is_new = not found[name].error or resolved.identity in lists.records
        if is_new and found[name].status:
            facts_by_origin[resolved.identity[0]].append(
                (found[name].account, found[name].product, found[name].status)
            )
    for origin, facts in facts_by_origin.items():
        connection_facts.keep(context.runtime, origin, facts)
