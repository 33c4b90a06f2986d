"""Requests of each kind, for tests of repeats and of doubts."""

from unified_cli.catalogue import load
from unified_cli.config.address import parse
from unified_cli.http.request import Content, Request, Scope, for_operation

CATALOGUE = load()


def request(command: str) -> Request:
    operation = CATALOGUE.operation(*command.split())
    scope = Scope(
        parse("https://api.example.com", "here"), "a", CATALOGUE.service, honours_keys=True
    )
    key = "k" if operation.method in {"POST", "PATCH"} else None
    content = Content((), b"{}" if operation.takes_body else None, key)
    return for_operation(scope, operation, "1" if operation.takes_id else None, content)


READ = request("ticketing tickets list")
CREATE = request("ticketing tickets create")
UPDATE = request("ticketing tickets update")
DELETE = request("ticketing tickets delete")
SEND = request("emails emails send")
ALL = [READ, CREATE, UPDATE, DELETE, SEND]
