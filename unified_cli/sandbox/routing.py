"""Route a request: find its operation, check that its connection accepts it, and select
the handler.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote

from unified_cli.catalogue import Catalogue, Operation, Resource, Service
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox import actions, beyond
from unified_cli.sandbox.crud import STANDARD, download, search
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse, join_members
from unified_cli.sandbox.operation_call import OperationCall
from unified_cli.values import JsonObject

METHODS = ("GET", "POST", "PATCH", "DELETE")
"""The methods of operations."""

_KNOWN = {*METHODS, "HEAD", "OPTIONS", "PUT", "TRACE", "CONNECT", "QUERY"}


@dataclass(frozen=True, slots=True)
class Route:
    """The operation of a request, and the id in its path, if there is one.

    `schema` means that the request is for the schema of the operation. `product` is the
    product in the path of such a request, if the path has one. `proxy` means that the
    request is for the provider's own records.
    """

    operation: Operation
    identity: str | None = None
    schema: bool = False
    product: str | None = None
    proxy: bool = False


def route(catalogue: Catalogue, method: str, path: str) -> Route | None:
    """Return the route of a request, or None."""
    found = catalogue.match(method, path)
    if found is not None:
        operation, segment = found
        return Route(operation, None if segment is None else unquote(segment))
    if path.startswith(f"{catalogue.service.proxy}/"):
        return next(_proxied(catalogue, method, path), None)
    if path.startswith(f"{catalogue.service.connections.custom}/"):
        return Route(_custom(method, path))
    resource, rest = _place(catalogue, path)
    if resource is None:
        return None
    if len(rest) in (2, 3) and rest[-2] == catalogue.service.schema and method == "GET":
        named = resource.operations.get(unquote(rest[-1]))
        return named and Route(
            named, schema=True, product=unquote(rest[0]) if len(rest) == 3 else None
        )
    if not rest:
        # Some providers accept an update that has the id of the record in its body.
        update = resource.operations.get("update")
        return Route(update) if update and update.method == method else None
    return None


def offered(catalogue: Catalogue, found: Route, path: str, kind: str) -> Route:
    """Return the route for a connection of this kind. A proxy path has several possible
    routes if several APIs have its resource.
    """
    routes = _proxied(catalogue, found.operation.method, path) if found.proxy else ()
    return next((other for other in routes if beyond.offered(kind, other.operation)), found)


def _custom(method: str, path: str) -> Operation:
    """Return an operation for a call that is forwarded to the provider."""
    kind = "read" if method == "GET" else "action"
    return Operation(
        "", path, "custom", method, path, kind, outward=False, harmless=False, summary=""
    )


def _proxied(catalogue: Catalogue, method: str, path: str) -> Iterator[Route]:
    """Yield the possible routes of a proxy path.

    There is a route for each API that has the resource.
    """
    name, *rest = path.removeprefix(f"{catalogue.service.proxy}/").split("/")
    if len(rest) > 1 or rest == [""]:
        return
    identity = unquote(rest[0]) if rest else None
    action = identity if method == "POST" else None
    for api in catalogue.apis.values():
        resource = api.resources.get(name)
        for operation in resource.operations.values() if resource else ():
            named = operation.kind == "action" and operation.name == action
            if operation.method == method and (
                named or (not action and operation.takes_id == bool(rest))
            ):
                yield Route(operation, None if action else identity, proxy=True)


def methods(catalogue: Catalogue, path: str) -> set[str]:
    """Return the methods that a path accepts. The result is empty if the path is
    unknown.
    """
    return {method for method in METHODS if route(catalogue, method, path)}


def options(request: SandboxRequest, allowed: Collection[str]) -> SandboxResponse:
    """Return the response to OPTIONS. Raises Refusal 404 if the path is unknown."""
    if not allowed:
        raise refused(request, allowed)
    return SandboxResponse(204, headers={"allow": _allow(allowed)})


def refused(request: SandboxRequest, allowed: Collection[str]) -> Refusal:
    """Return the refusal of a request without a route.

    The status is 501 for an unknown method, 404 for an unknown path, and 405 for a
    method that the path does not accept.
    """
    if request.method not in _KNOWN:
        return Refusal(501, f"the sandbox knows no method {request.method}")
    if not allowed:
        return Refusal(404, f"no route {request.method} {request.path}")
    message = f"{request.method} is not allowed on {request.path}"
    return Refusal(405, message, headers={"allow": _allow(allowed)})


def _allow(methods: Collection[str]) -> str:
    return ", ".join(sorted({*methods, "OPTIONS", *(("HEAD",) if "GET" in methods else ())}))


def _place(catalogue: Catalogue, path: str) -> tuple[Resource | None, list[str]]:
    """Return the resource of a path, and the segments after it."""
    before, _, below = path.partition(f"{catalogue.service.prefix}/")
    api, _, below = below.partition("/")
    name, *rest = below.split("/")
    if before or api not in catalogue.apis:
        return None, []
    return catalogue.apis[api].resources.get(name), rest


class SimulatedRate(NamedTuple):
    """The number of requests to accept in a number of seconds, and the rate limit
    headers to send: `all`, `none`, `retry-after` or `ratelimit`.
    """

    number: int
    seconds: float
    headers: str = "all"


class RateWindows:
    """Counts requests in windows of time, by key. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[int, int]] = {}

    def check(self, key: str, limit: SimulatedRate, now: float) -> dict[str, str]:
        """Count a request, and return the rate limit headers. Raises Refusal 429 beyond
        the limit.
        """
        number, seconds, sent = limit
        window = int(now / seconds)
        with self._lock:
            last, count = self._windows.get(key, (window, 0))
            count = count + 1 if last == window else 1
            self._windows[key] = (window, count)
        reset = str(max(1, round((window + 1) * seconds - now + 0.5)))
        headers = {
            "ratelimit-limit": f"{number};w={seconds:g}",
            "ratelimit-remaining": str(max(0, number - count)),
            "ratelimit-reset": reset,
        }
        headers = headers if sent in ("all", "ratelimit") else {}
        if count > number:
            wait = {"retry-after": reset} if sent in ("all", "retry-after") else {}
            raise Refusal(
                429,
                f"more than {number} requests in {seconds:g} seconds",
                provider={"error": "rate_limited"},
                insight={
                    "rate_limit_error": {"description": "The provider limits how often it is asked"}
                },
                headers={**wait, **headers},
            )
        return headers


LIMIT = SimulatedRate(5, 2.0)
"""The limit of connections of the kind `rate-limited`."""


def refuse(kind: str, account: str, operation: Operation, service: Service) -> None:
    """Raise Refusal if connections of this kind refuse the operation."""
    if kind == "blocked":
        raise Refusal(503, f"the integrated account {account} is blocked")
    if kind == "needs-reauth":
        raise Refusal(
            401,
            "the provider refused the credentials of this account",
            provider={"error": "invalid_grant"},
        )
    if kind == "dead-provider":
        raise Refusal(
            502, "", provider="upstream connect error: connection refused",
            insight={"remote_error": {"description": "The provider did not answer"}},
        )  # fmt: skip
    if operation.api and not beyond.offered(kind, operation):
        raise Refusal(
            404,
            f"the integration of {account} does not support {operation.api}/{operation.resource}",
        )
    if operation.changes and kind == "read-only":
        raise Refusal(
            405, f"the account {account} takes no writes: {operation.method} is not allowed"
        )
    if operation.changes and kind == "missing-scopes":
        scopes = [f"{operation.api}.{operation.resource}.write"]
        words = service.connections
        value = {
            "description": "The connection lacks scopes",
            "value": {words.missing_scopes: scopes},
        }
        raise Refusal(
            403, "not allowed", provider={"error": "forbidden"}, insight={words.forbidden: value}
        )


Handler = Callable[[OperationCall], SandboxResponse]

_SPECIAL: Mapping[str, Handler] = {
    "users suspend": actions.suspend,
    "users deactivate": actions.deactivate,
    "users downgrade": actions.downgrade,
    "users assign-role": actions.assign,
    "users unassign-role": actions.unassign,
    "groups add-user": actions.join_group,
    "groups add": actions.join_group,
    "groups remove-user": actions.leave_group,
    "groups remove": actions.leave_group,
    "applications move-stage": actions.move_stage,
    "applications reject": actions.reject,
    "tickets import": actions.import_record,
    "page-content append": actions.append,
    "page-content export": actions.export,
    "page-exports create": actions.start_export,
    "page-exports get": actions.poll_export,
    "emails create": actions.create_message,
    "emails send": actions.send,
    "emails send-draft": actions.send_draft,
    "emails reply": actions.reply,
    "emails reply-all": actions.reply_all,
    "emails forward": actions.forward,
    "emails move": actions.move_message,
}
_STEERING = "methodConfig"


def forwarded(call: OperationCall) -> SandboxResponse:
    """Return a response that describes the request as the provider received it.

    The description is in the same member of the response as the records of a list.
    """
    service, request = call.service, call.request
    members = {name: text for name, text in call.body.members.items() if name != _STEERING}
    sent: JsonObject = {
        "method": request.method,
        "path": request.path.removeprefix(service.connections.custom),
        "query": [list(pair) for pair in request.query if pair[0] != service.connection],
    }
    got = {name: dump(value) for name, value in sent.items()} | {"body": join_members(members)}
    answer = {
        service.items: join_members(got),
        service.cursor: "null",
        service.previous_cursor: "null",
    }
    return SandboxResponse.json(join_members(answer))


def handler(operation: Operation) -> Handler:
    """Return the handler of an operation."""
    if not operation.api:
        return forwarded
    special = _SPECIAL.get(f"{operation.resource} {operation.name.replace('_', '-')}")
    if special is not None:
        return special
    if operation.searches:
        return search
    if operation.kind != "action":
        return STANDARD[operation.name]
    return download if operation.name == "download" else actions.any_action
