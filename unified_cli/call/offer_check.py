"""Find out which operations a connection offers, from the service's list and by reading
lists.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import NamedTuple

from unified_cli.call import extra_offer, introspection, seen_words
from unified_cli.call.connection_record import UNKNOWN_STATE, AccountState
from unified_cli.call.extra_offer import ExtraCell
from unified_cli.call.introspection import Offer
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.option_parts import ConnectionOptions
from unified_cli.cli.options import overrides
from unified_cli.config import file, known_capabilities, profiles
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, UnifiedError
from unified_cli.fleet import own_account, selection
from unified_cli.hints import NOT_OFFERED
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Scope
from unified_cli.masking import NO_TEXT, MaskedText, masked
from unified_cli.runtime import Runtime

OFFERED, REFUSED, FORBIDDEN, FAILED, UNKNOWN = STATES = (
    "offered",
    "refused",
    "forbidden",
    "failed",
    "unknown",
)

READ_ONLY = "read-only"
NOT_ASKED = "not asked, as "
"""The start of the reason for a list that was not read because another list failed."""
_NOTHING = "no unified API is installed or mapped for this {}"
# If a list refuses a request because parameters are missing, it is offered.
_INCOMPLETE = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY)
# After this many consecutive failures, assume that the other lists would fail, too.
_MOST_FAILURES = 3


class AskedConnections(NamedTuple):
    """The names of the connections, the settings of usable ones, and the errors of the
    others.
    """

    names: Sequence[str]
    settings: Mapping[str, Settings]
    wrong: Mapping[str, UnifiedError]


def selected(runtime: Runtime, options: ConnectionOptions) -> AskedConnections:
    """Return the connections that the options select.

    Raises ConfigError and UsageError if there are no such connections.
    """
    config = file.read(runtime)
    if profiles.is_several(options.profile):
        selection.check_account(options.account_id)
        own_account.common_settings(runtime, config, overrides(options))
        names = profiles.select(config, options.profile)
        found, wrong = selection.resolve_each(runtime, config, options, names)
        selection.note_same(runtime, found)
        return AskedConnections(names, found, wrong)
    resolved = own_account.resolved(
        overrides(options, profiles.single_name(options.profile)), runtime, config
    )
    own_account.apply_to_messages(runtime, resolved)
    _, account = resolved.reachable()
    name = resolved.profile or account
    return AskedConnections([name], {name: resolved}, {})


class OfferCell(NamedTuple):
    """Whether a connection offers an operation, and why.

    `held` names a problem that blocks its calls, in a word or two.
    """

    operation: Operation
    state: str
    why: MaskedText = NO_TEXT
    held: str = ""

    @property
    def obstacle(self) -> str:
        """Why the operation cannot be called, or ""."""
        return self.held if self.state == OFFERED else self.state


@dataclass(slots=True)
class ConnectionOffer:
    """The operations that a connection offers.

    `error` says why the request failed. `extra` has offered operations that the
    catalogue does not have, `state` is the state of the connection, and `unread` counts
    invalid parts of the response. The request took `seconds`.
    """

    name: str
    cells: list[OfferCell] = field(default_factory=list)
    extra: Sequence[ExtraCell] = ()
    error: UnifiedError | None = None
    state: AccountState = UNKNOWN_STATE
    unread: int = 0
    seconds: float = 0.0


def failed(name: str, operations: Sequence[Operation], error: UnifiedError) -> ConnectionOffer:
    """Return the result for a connection whose request failed."""
    state = FORBIDDEN if isinstance(error, AccessError) else FAILED
    return ConnectionOffer(
        name, [OfferCell(operation, state, error.one_line) for operation in operations], error=error
    )


class OfferCheck(NamedTuple):
    """Checks these operations. With `probe`, it reads one record of each list that may
    be offered.
    """

    runtime: Runtime
    catalogue: Catalogue
    operations: Sequence[Operation]
    probe: bool

    def check(self, name: str, settings: Settings, client: Client) -> ConnectionOffer:
        """Request and return the offer of a connection. Raises the errors of a
        request.
        """
        result = self._reported(name, settings, client)
        if self.probe:
            scope = requests.scope_of(settings, self.catalogue.service)
            result.cells = [*self._probed(result.cells, scope, client)]
        return result

    def _reported(self, name: str, settings: Settings, client: Client) -> ConnectionOffer:
        offer = self.offer(settings, client)
        if offer is None:
            return self.unknown_offer(name)
        try:
            record = introspection.ask_record(client, settings, self.catalogue)
        except UnifiedError as error:
            if error.status not in NOT_OFFERED:
                raise
            # Use the state in the list of operations.
            state = offer.state
        else:
            state = introspection.merged(record.state, offer.state)
        return self.offer_of(name, settings, offer._replace(state=state))

    def offer(self, settings: Settings, client: Client) -> Offer | None:
        """Request the connection's offer, and cache it.

        Returns None if the service does not list operations. Raises the errors of a
        request.
        """
        try:
            offer = introspection.ask_offer(client, settings, self.catalogue, everything=True)
        except UnifiedError as error:
            if error.status not in NOT_OFFERED:
                raise
            return None
        known_capabilities.keep(
            self.runtime,
            settings,
            offer.offered,
            blocked=offer.state.blocked,
            provided=offer.provided,
        )
        seen_words.save_offer(self.runtime, settings, self.catalogue, offer.offered)
        return offer

    def unknown_offer(self, name: str) -> ConnectionOffer:
        """Return the result for a connection with an unknown offer."""
        why = masked("the service does not say what this connection offers")
        return ConnectionOffer(
            name, [OfferCell(operation, UNKNOWN, why) for operation in self.operations]
        )

    def offer_of(self, name: str, settings: Settings, offer: Offer) -> ConnectionOffer:
        """Return the result for a known offer."""
        return self._offer_of(name, offer, read_only=settings.read_only)

    def check_product(self, product: str, settings: Settings, client: Client) -> ConnectionOffer:
        """Request and return the offer of connections to a product.

        Raises the same errors as `introspection.ask_product`.
        """
        offer = introspection.ask_product(client, settings, self.catalogue, product)
        return self._offer_of(product, offer._replace(state=UNKNOWN_STATE), subject="product")

    def _offer_of(
        self, name: str, offer: Offer, *, read_only: bool = False, subject: str = "connection"
    ) -> ConnectionOffer:
        return ConnectionOffer(
            name,
            [
                self._cell(operation, offer, read_only=read_only, subject=subject)
                for operation in self.operations
            ],
            extra_offer.cells(self.catalogue, offer, self.operations),
            state=offer.state,
            unread=offer.unread,
        )

    def _cell(
        self, operation: Operation, offer: Offer, *, read_only: bool, subject: str
    ) -> OfferCell:
        service, state = self.catalogue.service, offer.state
        if known_capabilities.lacks(offer.offered, operation):
            why = (
                "not in the service's list of what it offers"
                if any(offer.offered.values())
                else _NOTHING.format(subject)
            )
            return OfferCell(operation, REFUSED, masked(why))
        whys = [state.problem_as_sentence(service)]
        problem = state.problem_in_a_word(service)
        if operation.changes and (read_only or state.sandbox):
            problem = problem or READ_ONLY
            whys.append(
                "the profile is read-only" if read_only else "a sandbox connection takes no writes"
            )
        if state.lacks_scopes_for(operation.resource, operation.name):
            whys.append(state.scopes_in_words)
        if f"{operation.api}/{operation.resource}" in offer.overridden:
            whys.append("the environment has its own mapping for it")
        return OfferCell(operation, OFFERED, masked("; ".join(filter(None, whys))), problem)

    def _probed(
        self, cells: Sequence[OfferCell], scope: Scope, client: Client
    ) -> Iterator[OfferCell]:
        stopped: OfferCell | None = None
        failures = 0
        for cell in cells:
            if cell.operation.name != "list" or cell.state not in (OFFERED, UNKNOWN):
                yield cell
            elif stopped:
                why = masked(f"{NOT_ASKED}{stopped.operation.command} failed: {stopped.why}")
                yield stopped._replace(operation=cell.operation, why=why)
            else:
                found, hopeless = self._read(cell, scope, client)
                failures = failures + 1 if found.state == FAILED else 0
                stopped = found if hopeless or failures == _MOST_FAILURES else None
                yield found

    def _read(self, cell: OfferCell, scope: Scope, client: Client) -> tuple[OfferCell, bool]:
        """Read one record of a list, and return its cell.

        Also returns whether all other lists of the connection would fail.
        """
        content = Content([(self.catalogue.service.page_size, "1")])
        try:
            client.send(requests.for_operation(scope, cell.operation, None, content))
        except UnifiedError as error:
            if error.status in _INCOMPLETE:
                return cell._replace(why=error.one_line), False
            state = FORBIDDEN if isinstance(error, AccessError) else FAILED
            state = REFUSED if error.status in NOT_OFFERED else state
            return OfferCell(cell.operation, state, error.one_line), error.stops_connection
        return cell._replace(
            state=OFFERED, why=cell.why if cell.state == OFFERED else NO_TEXT
        ), False
