"""Request connections from the service: their list, a record, or the operations that a
connection offers.

`call.connection_record` interprets their state.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import quote

import msgspec

from unified_cli.call.connection_record import AccountState, ConnectionRecord
from unified_cli.catalogue import Catalogue, Service
from unified_cli.config.known_capabilities import Offered, Provided
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, RefusedError, ServiceError, UsageError
from unified_cli.http import pagination, request as requests
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.json_text import json_codec
from unified_cli.json_text.members import parts
from unified_cli.masking import visible
from unified_cli.plural import counted
from unified_cli.values import Json

LARGEST_RESPONSE = 8 * 1024 * 1024
"""The most bytes of a response about a connection, which is decoded in memory."""
# Large accounts have thousands of connections, and a page has up to 5,000.
_MOST, _MOST_PAGES, _LARGEST = 50_000, 5_000, 32 * 1024 * 1024
_NOT_TOLD = (403, 404, 405)
# The member with the description of an offered resource.
_ABOUT = "description"
_PRODUCT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class Offer(NamedTuple):
    """The operations that a connection offers, by API and resource, and its state.

    `overridden` has the resources, as `api/resource`, for which the environment has its
    own mapping. `unread` counts invalid entries. `provided` has the provider's own
    resources, if requested. `texts` has the title of each `api`, and the purpose of
    each `api/resource`.
    """

    offered: Offered
    overridden: frozenset[str] = frozenset()
    state: AccountState = AccountState()
    unread: int = 0
    provided: Provided = MappingProxyType({})
    texts: Mapping[str, str] = MappingProxyType({})


def ask_offer(
    client: Client, settings: Settings, catalogue: Catalogue, *, everything: bool = False
) -> Offer:
    """Request the connection's offer, and with `everything` the provider's own
    resources.

    Raises the errors of a request, and ServiceError if the response has no operations.
    """
    account = settings.reachable()[1]
    return _ask(
        client,
        settings,
        catalogue.service,
        catalogue.service.capabilities_path(quote(account, safe="")),
        everything=everything,
    )


def ask_product(client: Client, settings: Settings, catalogue: Catalogue, product: str) -> Offer:
    """Request the operations that connections to a product offer.

    `product` is a slug or an id, and need not be connected. The settings need no
    account. Raises the same errors as `ask_offer`, and UsageError if `product` is not a
    valid slug or id.
    """
    hint = "give its slug or its id, which `unified connections list` shows"
    if not _PRODUCT.fullmatch(product):
        raise UsageError(f"{visible(product)!r} is not a product", hint=hint)
    try:
        return _ask(
            client,
            settings,
            catalogue.service,
            catalogue.service.connections.product_offer_path(product),
            everything=True,
        )
    except RefusedError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        # The request names no account.
        raise RefusedError(
            error.reason,
            hint=hint,
            origin=error.origin,
            status=error.status,
            response=error.response,
        ) from None


def _ask(
    client: Client, settings: Settings, service: Service, path: str, *, everything: bool
) -> Offer:
    address, account = settings.reachable()
    words = service.connections
    # The service omits methods without a description unless they are requested.
    query = [(words.described, "false")] if everything else [(words.offer_kind, words.unified)]
    request = requests.for_service(address, path, query, account)
    try:
        response = client.send(request._replace(largest=LARGEST_RESPONSE))
        found = _decoded(response.body or b"null")
    except (ValueError, RecursionError) as error:
        raise ServiceError(
            f"the answer cannot be read: {error} (GET {path})", retryable=False
        ) from None
    offer = _read(found, service)
    if offer is None:
        raise ServiceError(f"the answer names no operations (GET {path})", retryable=False)
    return offer


def _decoded(body: bytes) -> Json:
    """Decode JSON. Raises ValueError, which includes MsgspecError, if it is invalid."""
    try:
        return msgspec.json.decode(body)
    except msgspec.DecodeError:
        if b"\\u" not in body:
            raise
    # The body may contain lone surrogates, which msgspec refuses.
    return json_codec.read(body.decode("utf-8"))


def _read(document: Json, service: Service) -> Offer | None:
    words = service.connections
    entries = document.get(words.unified) if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(entries, list):
        return None
    offered: dict[str, dict[str, list[str]]] = {}
    overridden: set[str] = set()
    texts: dict[str, str] = {}
    unread = 0
    for entry in entries:
        members = entry if isinstance(entry, dict) else {}
        match [members.get(name) for name in (words.model, words.resource, words.methods)]:
            case [str() as api, str() as resource, list() as methods]:
                named = offered.setdefault(api, {}).setdefault(resource, [])
                named += [
                    method for method in methods if isinstance(method, str) and method not in named
                ]
                if members.get(words.overridden) is True:
                    overridden.add(f"{api}/{resource}")
                for place, text in ((api, words.model_title), (f"{api}/{resource}", _ABOUT)):
                    if isinstance(value := members.get(text), str):
                        texts.setdefault(place, value)
            case _:
                unread += 1
    if unread and not offered:
        return None
    return Offer(
        offered,
        frozenset(overridden),
        _state(document.get(words.account), service),
        unread,
        _provider_methods(document.get(words.provided), service),
        texts,
    )


def _provider_methods(entries: Json, service: Service) -> dict[str, list[str]]:
    words = service.connections
    result: dict[str, list[str]] = {}
    for entry in entries if isinstance(entries, list) else ():
        members = entry if isinstance(entry, dict) else {}
        match [members.get(words.resource), members.get(words.methods)]:
            case [str() as resource, list() as methods]:
                names = [
                    method.get("method") if isinstance(method, dict) else method
                    for method in methods
                ]
                result.setdefault(resource, []).extend(
                    name for name in names if isinstance(name, str)
                )
    return result


def _state(account: Json, service: Service) -> AccountState:
    words = service.connections
    if not isinstance(account, dict):
        return AccountState()
    status, blocked = account.get(words.status), account.get(words.blocked)
    return AccountState(
        status if isinstance(status, str) else "", blocked if isinstance(blocked, bool) else None
    )


class ConnectionHealth(NamedTuple):
    """The state of a connection, its record, and the headers of the response."""

    state: AccountState
    record: ConnectionRecord
    headers: Mapping[str, str]


def ask_health(client: Client, settings: Settings, catalogue: Catalogue) -> ConnectionHealth:
    """Request the state of the connection, and whether it is blocked.

    The connection's record has the state, and its offer says whether it is blocked.
    Raises the errors of a request, and ServiceError if the response is not a
    connection.
    """
    record, headers = _record(client, settings, catalogue)
    if settings.is_own:
        # The service does not list operations for a connection's own token.
        return ConnectionHealth(record.state, record, headers)
    return ConnectionHealth(
        with_blocked(record.state, client, settings, catalogue), record, headers
    )


def ask_record(client: Client, settings: Settings, catalogue: Catalogue) -> ConnectionRecord:
    """Request the connection's record.

    Raises the errors of a request, and ServiceError if it is not a connection.
    """
    return _record(client, settings, catalogue)[0]


def _record(
    client: Client, settings: Settings, catalogue: Catalogue
) -> tuple[ConnectionRecord, Mapping[str, str]]:
    address, account = settings.reachable()
    service = catalogue.service
    path = (
        service.connections.own
        if settings.is_own
        else f"{service.accounts}/{quote(account, safe='')}"
    )
    response = client.send(requests.for_service(address, path, (), account))
    members = parts((response.body or b"").strip()) or {}
    if members.get("id", b"null") == b"null":
        raise ServiceError(f"the answer is not a connection (GET {path})", retryable=False)
    return ConnectionRecord.from_record(response.body or b"", service), dict(response.headers)


def with_blocked(
    state: AccountState, client: Client, settings: Settings, catalogue: Catalogue
) -> AccountState:
    """Return the state, and set whether the connection is blocked, if the service says
    so.
    """
    try:
        offered = ask_offer(client, settings, catalogue).state
    except (RefusedError, AccessError) as error:
        # Not every service has this route, and not every token may use it.
        if error.status not in _NOT_TOLD:
            raise
        return state
    return merged(state, offered)


def merged(state: AccountState, offered: AccountState) -> AccountState:
    """Return a record's state, updated from the offer.

    The offer is at least as new as the record.
    """
    return state._replace(status=offered.status or state.status, blocked=offered.blocked)


def listed(
    client: Client, resolved: Settings, service: Service, query: Sequence[tuple[str, str]] = ()
) -> Iterator[list[ConnectionRecord]]:
    """Yield the token's connections, a page at a time, without credentials.

    Raises the errors of a list.
    """
    address, _ = resolved.reachable()
    request = requests.for_service(address, service.accounts, query)
    number = size = 0
    for page in pagination.pages(client.send, request, service, Span()):
        found = []
        for connection in (
            ConnectionRecord.from_record(record, service) for record in page.records
        ):
            number, size = number + 1, size + connection.size
            _check_bounds(service, page.number, number, size)
            found.append(connection)
        yield found


def _check_bounds(service: Service, pages: int, number: int, size: int) -> None:
    """Raise ServiceError if the list is too long to hold in memory."""
    if pages > _MOST_PAGES or number > _MOST or size > _LARGEST:
        words = service.connections
        bounds = (
            f"{_MOST} connections, {_MOST_PAGES} pages and {_LARGEST >> 20} MiB of facts about them"
        )
        raise ServiceError(
            f"the list of connections continues after {counted(number - 1, 'connection')} on"
            f" {counted(pages, 'page')}, but the program reads at most {bounds}"
            f" (GET {service.accounts})",
            hint=f"filter the list: -q {words.status}={words.healthy}, -q {words.tenant}=ID",
            retryable=False,
        )
