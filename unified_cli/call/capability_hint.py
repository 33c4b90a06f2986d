"""Add hints to a refusal: a change to the body, or the operations that the connection
offers instead.
"""

import re
import shlex
from collections.abc import Iterable
from typing import TYPE_CHECKING

from unified_cli.call import Call, introspection
from unified_cli.catalogue import Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import SendOptions
from unified_cli.config import known_capabilities
from unified_cli.config.known_capabilities import Offered
from unified_cli.errors import RefusedError, UnifiedError
from unified_cli.hints import NOT_OFFERED
from unified_cli.http.request import Request
from unified_cli.json_text import json_check
from unified_cli.masking import masked, visible
from unified_cli.plural import named

if TYPE_CHECKING:
    from unified_cli.fleet.clients import Clients

_WRONG_BODY = (400, 422)
# A hint is not worth a long wait.
_SECONDS = 5.0
_MOST = 12
# In `-F`, this text follows the name of an array or an object. The name of a field that
# refers to records ends in `[id]`.
_WITHIN = {"array": "", "object": "[NAME]"}


def add(error: RefusedError, call: Call, clients: "Clients", request: Request) -> None:
    """Add a hint to the error of a refused call.

    The hint says how to change the body, or that the connection does not offer the
    operation. Checking what the connection offers costs a request, so this is only done
    at a terminal.
    """
    operation = request.operation
    if (
        operation
        and error.status in _WRONG_BODY
        and (hint := _about_body(error, call, operation, request.body or b""))
    ):
        error.add_hint(hint)
    if operation is None or error.status not in NOT_OFFERED or not call.runtime.stderr_is_terminal:
        return
    if found := find_alternative(call, clients, operation):
        error.message = masked(f"{error.message}; {found}")


def _about_body(error: RefusedError, call: Call, operation: Operation, body: bytes) -> str | None:
    """Return the command that sends the body correctly, or None.

    Finds arrays, strings that `-F` sent as another type, and arrays or objects that
    `-f` sent as strings.
    """
    if body.startswith(b"[") and operation.name == "create":
        return (
            f"unified import {operation.api}/{operation.resource} FILE creates a record from each"
            " of an array"
        )
    sent = part(call.options, SendOptions)
    known = {
        field.name: field
        for field in (*operation.facts.fields, *operation.facts.sent(operation.name))
    }
    for name, _, value in (field.partition("=") for field in sent.raw_field):
        kind = known[name].type if name in known else "string"
        if kind in _WITHIN and re.search(rf"\b{re.escape(name)}\b", error.message):
            inner = "[id]" if known[name].references else ""
            path = f"{name}{'[]' if kind == 'array' else ''}{inner or _WITHIN[kind]}"
            return f"-F {shlex.quote(f'{path}={value}')} sends an {kind}"
    for name, _, value in (field.partition("=") for field in sent.field):
        is_word = value[:1] not in {*'"[{'} and not json_check.flaw(value.encode())
        if is_word and re.search(rf"\b{re.escape(name)}\b", error.message):
            return f"-F reads {value} as JSON: -f {shlex.quote(f'{name}={value}')} sends a text"
    return None


def find_alternative(call: Call, clients: "Clients", operation: Operation) -> str | None:
    """Describe the operations that the connection offers instead.

    Returns None if it offers the operation, or the service does not list operations.
    """
    offered = _offered(call, clients)
    return None if offered is None else _alternative(offered, operation)


def _offered(call: Call, clients: "Clients") -> Offered | None:
    """Return the cached offer of the connection, or request it.

    Returns None if the service does not list operations.
    """
    runtime, catalogue, settings, *_ = call
    if known := known_capabilities.recall(runtime, settings):
        return known.offered
    client = clients.open(settings._replace(timeout=_SECONDS, retries=0))
    try:
        offer = introspection.ask_offer(client, settings, catalogue)
    except UnifiedError:
        # An error here must not hide the refusal.
        return None
    finally:
        client.close()
    known_capabilities.keep(runtime, settings, offer.offered, blocked=offer.state.blocked)
    return offer.offered


def _alternative(offered: Offered, operation: Operation) -> str | None:
    if not any(offered.values()):
        return "no unified API is installed or mapped for this connection"
    resources = offered.get(operation.api)
    if not resources:
        return f"this connection offers no {operation.api}, but {_names(offered)}"
    operations = resources.get(operation.resource)
    if not operations:
        return f"of {operation.api}, this connection offers only {_names(resources)}"
    if operation.name not in operations:
        return f"of {operation.resource}, this connection offers only {_names(operations)}"
    return None


def _names(offered: Iterable[str]) -> str:
    return named([visible(method) for method in offered], _MOST)
