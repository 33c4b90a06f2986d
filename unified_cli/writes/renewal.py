"""Renew the credentials of connections, as calls of a run."""

from unified_cli.catalogue import Operation, Service
from unified_cli.config.settings import Settings
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Request
from unified_cli.json_text.json_codec import dump
from unified_cli.writes.entry import RunCall

COMMAND = "connections refresh"
SHOWS_RESULT = "unified connections list --health"
"""The command that shows whether the credentials were renewed."""


def operation(service: Service) -> Operation:
    """Return the operation that renews credentials.

    The operation affects the provider, so its requests are never repeated.
    """
    path = service.connections.renewal
    api, _, resource = COMMAND.partition(" ")
    about = "Renew the credentials of a connection"
    return Operation(
        api, resource, "", "POST", path, "action", outward=True, harmless=False, summary=about
    )


def call(profile: str | None, settings: Settings) -> RunCall:
    """Return the call for a connection."""
    address, account = settings.reachable()
    return RunCall(profile, str(address), account, COMMAND, body=dump({"id": account}))


def request(settings: Settings, service: Service, content: Content) -> Request:
    """Return the request for a call with this content."""
    made = operation(service)
    scope = requests.scope_of(settings, service)
    return requests.for_path(scope, made.method, made.path, content)._replace(operation=made)
