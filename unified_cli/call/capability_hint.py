"""After a refusal: what the connection offers instead, if the service says so."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from unified_cli.call import Call
from unified_cli.catalogue import Operation
from unified_cli.errors import RefusedError, UnifiedError
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Request, Scope
from unified_cli.masking import masked, visible

if TYPE_CHECKING:
    from unified_cli.cli.connect import Clients

# These statuses may mean that the product behind the connection does not offer the operation.
_MAYBE_NOT_OFFERED = (404, 405, 501)
# A hint is not worth a long wait.
_SECONDS = 5.0
_MOST = 12


def add(error: RefusedError, call: Call, clients: "Clients", request: Request) -> None:
    """Add to the error what the connection offers, if the operation is not part of it.

    This costs a request, so it is done on a terminal only.
    """
    operation = request.operation
    if operation is None or error.status not in _MAYBE_NOT_OFFERED or not call.runtime.stderr_is_terminal:
        return
    if found := instead(call, clients, operation):
        error.message = masked(f"{error.message}; {found}")


def instead(call: Call, clients: "Clients", operation: Operation) -> str | None:
    """What the connection offers instead of the operation; None if it offers that, or the service does not say."""
    return _instead(_offered(call, clients), operation)


def _offered(call: Call, clients: "Clients") -> Any:
    """The capabilities of the connection, as the service reports them; None without a usable report."""
    import msgspec  # noqa: PLC0415  only here

    address, account = call.settings.reachable()
    path = call.catalogue.service.capabilities_path(quote(account, safe=""))
    scope = Scope(address, account, call.catalogue.service)
    ask = requests.for_path(scope, "GET", path, Content([("type", "unified")]))
    client = clients.open(call.settings.limited_to(timeout=_SECONDS, retries=0))
    try:
        return msgspec.json.decode(client.send(ask).body or b"null").get("unified")
    except (UnifiedError, msgspec.DecodeError, AttributeError):
        # A failure here must not hide the refusal itself.
        return None
    finally:
        client.close()


def _instead(offered: object, operation: Operation) -> str | None:
    if not isinstance(offered, dict) or not offered:
        return None
    resources = offered.get(operation.api)
    if not isinstance(resources, dict) or not resources:
        return f"this connection offers no {operation.api}, but {_names(offered)}"
    operations = resources.get(operation.resource)
    if not operations:
        return f"of {operation.api} this connection offers {_names(resources)}"
    if isinstance(operations, list) and operation.name not in operations:
        return f"of {operation.resource} this connection offers {_names(operations)}"
    return None


def _names(offered: Any) -> str:
    names = [visible(str(one)) for one in offered]
    more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
    return ", ".join(names[:_MOST]) + more
