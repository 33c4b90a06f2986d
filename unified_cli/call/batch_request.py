"""Prepare a batch of requests, and check its response."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from unified_cli.call import Call
from unified_cli.errors import IncompleteError, UnsafeError, UsageError
from unified_cli.http.request import Request
from unified_cli.json_text.json_codec import encoded, read
from unified_cli.json_text.members import keys
from unified_cli.plural import counted
from unified_cli.values import JsonObject

_MOST_NAMED = 3
# The members of a request that become parts of a URL.
_WITH_QUERY = {"resource", "id"}
_SEPARATORS = re.compile(r"[?&;#]")


def with_connection(call: Call, request: Request) -> Request:
    """Return the request with the connection in its body.

    A connection that the body already names stays. Raises UsageError if the body is not
    an object, UnsafeError if it names another connection at any depth, and ConfigError
    if neither the body nor the settings name a connection.
    """
    body, name = request.body, call.catalogue.service.connection
    if body is not None and not body.startswith(b"{"):
        raise UsageError(
            "a batch is one JSON object",
            hint='-d \'{"resources": [{"resource": "ticketing/tickets", "method": "list"}]}\'',
        )
    if body is None or call.settings.is_own:
        return request
    named = [*_named(body, name)]
    selected = call.settings.account_id
    if others := [value for value in named if selected and value != selected]:
        who = (
            f'profile "{call.settings.profile}"'
            if call.settings.profile
            else "the selected connection"
        )
        other = others[0] if isinstance(others[0], str) else json.dumps(others[0])
        raise UnsafeError(
            f"the body's {name} is {other}, but for {who} it is {selected}; nothing was sent",
            hint=f"remove it from the body, or select its connection with -a {other}",
        )
    spelled = [key for key in keys(body) if key.casefold() == name]
    if len(spelled) > 1:
        raise UsageError(f"{name} is in the body {len(spelled)} times")
    if spelled and spelled[0] != name:
        raise UsageError(f"{spelled[0]} must be spelled {name}")
    if spelled:
        return request
    account = call.settings._replace(account_id=selected or None).reachable()[1]
    rest = body[1:].lstrip()
    comma = b"" if rest.startswith(b"}") else b","
    return request._replace(body=b"{" + encoded(name) + b":" + encoded(account) + comma + rest)


def _named(body: bytes, name: str) -> Iterator[Any]:
    """Yield the connections that a body names.

    Searches all depths, and the queries of the requests.
    """
    found: list[Any] = []

    def pairs(members: list[tuple[str, Any]]) -> JsonObject:
        for key, value in members:
            if key.casefold() == name:
                found.append(value)
            elif key.casefold() in _WITH_QUERY and isinstance(value, str):
                found.extend(_in_query(value, name))
        return dict(members)

    json.loads(body, object_pairs_hook=pairs, parse_int=str, parse_float=str)
    yield from found


def _in_query(text: str, name: str) -> Iterator[str]:
    for part in _SEPARATORS.split(unquote(text)):
        key, equals, value = part.partition("=")
        if equals and key.strip().casefold() == name:
            yield value


def check(call: Call, body: bytes) -> None:
    """Raise IncompleteError if requests of the batch failed, whatever the status of the
    response.
    """
    document = read(body.decode("utf-8", "replace"))
    errors = (
        document.get(call.catalogue.service.connections.batch_errors)
        if isinstance(document, dict)
        else None
    )
    found = [*_failures(errors)]
    if found:
        more = "; …" if len(found) > _MOST_NAMED else ""
        listed = "; ".join(found[:_MOST_NAMED])
        raise IncompleteError(
            f"{counted(len(found), 'request')} of the batch failed: {listed}{more}"
        )


def _failures(errors: Any) -> Iterator[str]:
    """Yield each error with its resource.

    Assumption: each error is an error object or a string.
    """
    members = errors.items() if isinstance(errors, dict) else [("", errors)]
    for name, value in members:
        for error in value if isinstance(value, list) else [value] if value else []:
            message = (
                (error.get("message") or error.get("error")) if isinstance(error, dict) else error
            )
            words = message if isinstance(message, str) else encoded(error).decode()
            yield f"{name}: {words}" if name else words
