"""Ask the service how a connection is, whatever its product: what every connection has is asked."""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from unified_cli.call.offers import capability_report
from unified_cli.call.offers.connection_record import AccountState, ConnectionRecord
from unified_cli.catalogue import Catalogue
from unified_cli.config.settings import Settings
from unified_cli.errors import AccessError, RefusedError, ServiceError
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.json_text.members import parts

_NOT_TOLD = (403, 404, 405)


class ConnectionHealth(NamedTuple):
    """The state of a connection, what is known of it, and the headers of the answer."""

    state: AccountState
    record: ConnectionRecord
    headers: Mapping[str, str]


def ask(client: Client, settings: Settings, catalogue: Catalogue) -> ConnectionHealth:
    """How the connection is: its record says it, and what it offers whether it is blocked.

    Raises the errors of a request, ServiceError for an answer that is no connection.
    """
    record, headers = _record(client, settings, catalogue)
    if settings.is_own:
        # The token of a connection is not told what it offers.
        return ConnectionHealth(record.state, record, headers)
    return ConnectionHealth(with_blocked(record.state, client, settings, catalogue), record, headers)


def ask_record(client: Client, settings: Settings, catalogue: Catalogue) -> ConnectionRecord:
    """The connection's own record. Raises the errors of a request, ServiceError for what is no connection."""
    return _record(client, settings, catalogue)[0]


def _record(client: Client, settings: Settings, catalogue: Catalogue) -> tuple[ConnectionRecord, Mapping[str, str]]:
    address, account = settings.reachable()
    service = catalogue.service
    path = service.connections.own if settings.is_own else f"{service.accounts}/{quote(account, safe='')}"
    answer = client.send(requests.for_service(address, path, (), account))
    members = parts((answer.body or b"").strip()) or {}
    if members.get("id", b"null") == b"null":
        raise ServiceError(f"the answer is no connection (GET {path})", retryable=False)
    return ConnectionRecord.of(answer.body or b"", service), dict(answer.headers)


def with_blocked(state: AccountState, client: Client, settings: Settings, catalogue: Catalogue) -> AccountState:
    """The state, with whether the service takes calls, where it says so."""
    try:
        told = capability_report.ask(client, settings, catalogue).state
    except (RefusedError, AccessError) as error:
        # Not every service tells this, and none tells it to every token.
        if error.status not in _NOT_TOLD:
            raise
        return state
    return merged(state, told)


def merged(state: AccountState, told: AccountState) -> AccountState:
    """The state of a record, with what the offer says of it: that is never older."""
    return state._replace(status=told.status or state.status, blocked=told.blocked)
