"""The sandbox application, and the routes that control it in tests."""

import hmac
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from urllib.parse import unquote

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.errors import UsageError
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox import account_routes, beyond, introspection
from unified_cli.sandbox.account_routes import AccountRoutes
from unified_cli.sandbox.accounts import kind_of
from unified_cli.sandbox.connections import PRODUCTS, known_kind
from unified_cli.sandbox.fault_plan import (
    FaultHits,
    Faults,
    Rule,
    changed_terms,
    drift,
    failure,
    rules_of,
    run_delete,
)
from unified_cli.sandbox.list_page import GREATEST, ListTerms
from unified_cli.sandbox.messages import (
    JSON,
    ConnectionDropped,
    Refusal,
    SandboxRequest,
    SandboxResponse,
)
from unified_cli.sandbox.operation_call import (
    OperationCall,
    check_types,
    debugged,
    missing,
    raw,
    unwrapped,
)
from unified_cli.sandbox.query import SWITCH, check_values, is_on, tree
from unified_cli.sandbox.request_content import Body, body_of
from unified_cli.sandbox.routing import (
    LIMIT,
    METHODS,
    RateWindows,
    Route,
    SimulatedRate,
    handler,
    methods,
    offered,
    options,
    refuse,
    refused,
    route,
)
from unified_cli.sandbox.seeded_random import timestamp
from unified_cli.sandbox.store import SandboxStore
from unified_cli.values import JsonObject

_KEYED = ("POST", "PATCH")
_TINY = 3
_FORMATS = ("unified", "raw", "normalized", "stream", "debug")
_SLOW = 1.0
PREFIX = "/-/sandbox"
CONTROL_METHODS = {"": ("GET",), "/faults": ("PUT", "DELETE"), "/reset": ("POST",)}
"""The methods of each control route, by the path of the route below the prefix."""


class RequestCounts:
    """Counts the requests to each route. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def count(self, account: str, operation: Operation) -> None:
        """Count a request."""
        with self._lock:
            self._counts[account, operation.method, operation.path] += 1

    def clear(self) -> None:
        """Reset the counts."""
        with self._lock:
            self._counts.clear()

    def as_json(self) -> list[JsonObject]:
        """Return the account, method, path and count of each route."""
        with self._lock:
            counts = sorted(self._counts.items())
        names = ("account", "method", "path")
        return [{**dict(zip(names, key, strict=True)), "count": count} for key, count in counts]


def control(
    request: SandboxRequest, store: SandboxStore, faults: Faults, requests: RequestCounts
) -> SandboxResponse:
    """Handle a request below `/-/sandbox`.

    GET returns `requests`, `effects` by idempotency key, and `seed`. PUT `/faults` sets
    the faults in `{"spec": …, "rules": […]}`, and DELETE `/faults` removes all faults.
    POST `/reset` deletes all changes and counts.
    """
    route = (request.method, request.path.removeprefix(PREFIX))
    if route == ("PUT", "/faults"):
        faults.set(_rules(request))
    elif route == ("DELETE", "/faults"):
        faults.set(())
    elif route == ("POST", "/reset"):
        store.reset()
        requests.clear()
    names = ("account", "method", "path", "key", "effects")
    effects = [dict(zip(names, row, strict=True)) for row in store.effects()]
    return SandboxResponse.json(
        dump({"seed": store.seed, "requests": requests.as_json(), "effects": effects})
    )


def _rules(request: SandboxRequest) -> tuple[Rule, ...]:
    try:
        return rules_of(json.loads(request.body))
    except UsageError as error:
        raise Refusal(400, error.message) from None
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise Refusal(
            400, f'expected {{"spec": "…", "rules": [{{"fault": "429=2"}}]}}: {error}'
        ) from None


class Sandbox:
    """The simulated service, with a store of records.

    Without a `token`, requests do not need a token. `control` enables the control
    routes. With `keep_ids`, a new record keeps the id in its body, as a few providers
    do.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        store: SandboxStore,
        *,
        token: str | None = None,
        faults: Faults | None = None,
        control: bool = False,
        keep_ids: bool = False,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._catalogue = beyond.with_more(catalogue)
        store.own_fields = beyond.own_fields(self._catalogue)
        self.service = catalogue.service
        self._paging = {"", self.service.connection, self.service.page_size, self.service.cursor}
        self._store = store
        self._token = token
        self._wall = wall
        self._sleep = sleep
        self._control = control
        self._keep_ids = keep_ids
        self._windows = RateWindows()
        self.faults = faults or Faults()
        self.requests = RequestCounts()

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        """Handle a request, and return the response.

        Raises ConnectionDropped if a fault ends the connection.
        """
        try:
            return self._answer(request)
        except Refusal as refusal:
            return refusal.answer(self.service)

    def may_wait(self, target: str, authorization: str) -> bool:
        """Return whether the response may be slow, so that other requests should not
        wait for it.
        """
        # Requests are slow if the path or the token names a slow connection, if a
        # download has a slow reader, or if a batch has many requests.
        words = unquote(target)
        if self.faults.slow or "slow" in f"{words} {authorization}":
            return True
        if "/download" in words or self.service.connections.batch in words:
            return True
        others = {
            pair.partition("=")[0] for pair in words.partition("?")[2].split("&")
        } - self._paging
        return bool(others) and self._store.large

    def _answer(self, request: SandboxRequest) -> SandboxResponse:
        own = self._authorise(request)
        if request.method == "OPTIONS":
            return options(request, self._methods(request.path))
        if request.method == "HEAD":
            request = replace(request, method="GET")
        found = route(self._catalogue, request.method, request.path)
        if found is None:
            return self._beside(request, own)
        account = self._account(request, own)
        kind = known_kind(account)
        found = offered(self._catalogue, found, request.path, kind)
        operation = found.operation
        self.requests.count(account, operation)
        hits = self.faults.hits(request, account, operation)
        now = self._wall()
        headers = self._fail(hits, account, now, changes=operation.changes)
        refuse(kind, account, operation, self.service)
        rate_headers = self._windows.check(account, LIMIT, now) if kind == "rate-limited" else {}
        if kind == "slow":
            self._sleep(_SLOW)
        if found.schema:
            if found.product not in (None, *(product.name for product in PRODUCTS)):
                raise Refusal(404, f"no product {found.product!r}")
            return introspection.schema(operation, answers=found.product is not None)
        terms = ListTerms(
            now, greatest=_TINY if kind == "tiny-pages" else GREATEST, partial=kind == "partial"
        )
        call = self._call(request, found, account, changed_terms(terms, hits))
        answer = self._shape(self._run(call, hits), call, hits)
        answer.headers.update({**headers, **rate_headers})
        return answer

    def _call(
        self, request: SandboxRequest, found: Route, account: str, terms: ListTerms
    ) -> OperationCall:
        query = tree(
            (name, value) for name, value in request.query if name != self.service.connection
        )
        if found.proxy:
            query[self.service.response_format] = "normalized"
        check_values(query, self.service.response_format, _FORMATS)
        for name in (self.service.ignore_remote_data, self.service.ignore_limit):
            check_values(query, name, SWITCH)
        passthrough = is_on(query.get(self.service.body_passthrough))
        return OperationCall(
            request=request,
            operation=found.operation,
            catalogue=self._catalogue,
            store=self._store,
            account=account,
            seeded=kind_of(account) != "empty",
            terms=terms,
            identity=found.identity,
            query=query,
            body=Body() if request.method == "GET" else body_of(request, passthrough=passthrough),
            now=timestamp(terms.now),
            keep_ids=self._keep_ids,
        )

    def _beside(self, request: SandboxRequest, own: str | None) -> SandboxResponse:
        """Handle a request that is not for an operation.

        Raises Refusal 404, 405 or 501 if there is no route.
        """
        allowed = self._methods(request.path)
        if request.method not in allowed:
            raise refused(request, allowed)
        if request.path.startswith(PREFIX):
            if own is not None:
                raise Refusal(403, f"the token of {own} does not control the sandbox")
            return control(request, self._store, self.faults, self.requests)
        return AccountRoutes(self._catalogue, self._store, self._wall(), own, self.answer).answer(
            request
        )

    def _methods(self, path: str) -> Collection[str]:
        if path.startswith(PREFIX) and self._control:
            return CONTROL_METHODS.get(path.removeprefix(PREFIX), ())
        if result := account_routes.methods(self._catalogue, path):
            return result
        return METHODS if path == "*" else methods(self._catalogue, path)

    def _fail(self, hits: FaultHits, account: str, now: float, *, changes: bool) -> dict[str, str]:
        """Apply the faults before an operation, and return headers for its response.

        Raises ConnectionDropped or Refusal.
        """
        headers: dict[str, str] = {}
        if "slow" in hits:
            self._sleep(hits["slow"].seconds)
        if rate := hits.get("rate"):
            limit = SimulatedRate(rate.number, rate.seconds, _word(hits, "rate-headers") or "all")
            headers = self._windows.check(f"fault {account}", limit, now)
        if "reset" in hits:
            raise ConnectionDropped
        # With `cache500`, the error is the result of the operation, and is repeated for
        # the same idempotency key. The operation returns the error later, so do not
        # raise it here.
        if "status" in hits and not (changes and _word(hits, "idempotency") == "cache500"):
            raise failure(hits["status"].number)
        return headers

    def _shape(
        self, answer: SandboxResponse, call: OperationCall, hits: FaultHits
    ) -> SandboxResponse:
        """Return the response in the requested format, after applying the faults.

        Raises ConnectionDropped if a fault loses the response.
        """
        if "lose-reply" in hits:
            raise ConnectionDropped
        if "html" in hits:
            return SandboxResponse(
                200, b"<!doctype html><title>Sign in</title>", {"content-type": "text/html"}
            )
        if (
            answer.status < 300
            and answer.headers.get("content-type") == JSON
            and "etag" not in answer.headers
        ):
            wanted = call.query.get(self.service.response_format)
            if wanted == "debug":
                answer = debugged(answer, call)
            elif wanted in ("raw", "stream"):
                answer = raw(answer, call)
            elif call.operation.kind == "action" and _word(hits, "actions") == "bare":
                answer = unwrapped(answer, self.service.items)
        if "truncate" in hits:
            answer.cut = answer.size // 2
        return answer

    def _authorise(self, request: SandboxRequest) -> str | None:
        """Return the connection of a token `TOKEN:ID`.

        Returns None if the token is for all connections. Raises Refusal 401 if the
        token is missing or not valid.
        """
        if self._token is None:
            return None

        scheme, _, given = request.header("authorization").partition(" ")
        token, account = given.strip()[: len(self._token)], given.strip()[len(self._token) :]
        right = hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode())
        right = right and (not account or (account[0] == ":" and kind_of(account[1:]) is not None))
        if scheme.lower() != "bearer" or not right:
            raise Refusal(
                401, "the token is missing or not valid", headers={"www-authenticate": "Bearer"}
            )
        return account[1:] or None

    def _account(self, request: SandboxRequest, own: str | None) -> str:
        name = self.service.connection
        given = {value for value in request.values(name) if value} or {own or ""}
        if own is not None and given != {own}:
            raise Refusal(403, f"the token of {own} is for no other connection")
        if given == {""}:
            raise missing("query_parameters", [name])
        if len(given) > 1:
            raise Refusal(400, f"{name} is given {len(given)} different values")
        return given.pop()

    def _run(self, call: OperationCall, hits: FaultHits) -> SandboxResponse:
        operation, request = call.operation, call.request
        run = handler(operation)
        if not is_on(call.query.get(self.service.body_passthrough)):
            check_types(operation, call.body)
        if not operation.changes:
            if "drift" in hits:
                drift(call)
            return run(call)
        keyed = request.method in _KEYED and _word(hits, "idempotency") != "off"
        key = request.header("idempotency-key") if keyed else ""
        with self._store.transaction():
            if earlier := self._store.reply(call.account, request.path, key):
                return earlier
            if "status" in hits:
                answer = failure(hits["status"].number).answer(self.service)
            else:
                shape = _word(hits, "delete") or "id"
                answer = run_delete(call, run, shape) if operation.kind == "delete" else run(call)
                self._store.count_effect(call.account, request.method, request.path, key)
            self._store.put_reply(call.account, request.path, key, answer)
        return answer


def _word(hits: FaultHits, name: str) -> str:
    return hits[name].word if name in hits else ""
