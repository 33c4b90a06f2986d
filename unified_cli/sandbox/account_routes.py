"""Handle requests below the path of connections, and check who may send them."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, unquote, urlencode

from unified_cli.catalogue import Catalogue, Service
from unified_cli.catalogue.model import STANDARD
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.connections import OfferedMethods, account_record, known_kind, listed
from unified_cli.sandbox.file_content import FILE_HOST
from unified_cli.sandbox.list_page import PLATFORM, ListTerms, page
from unified_cli.sandbox.messages import (
    Refusal,
    SandboxRequest,
    SandboxResponse,
    join_members,
    split_members,
)
from unified_cli.sandbox.operation_call import missing
from unified_cli.sandbox.query import SWITCH, QueryTree, Test, check_values, field_test, tree
from unified_cli.sandbox.request_content import Body, body_of
from unified_cli.sandbox.service_log import MOST, ServiceLog
from unified_cli.sandbox.store import SandboxStore
from unified_cli.sandbox.stored_records import Row
from unified_cli.values import JsonObject

_LINK_TOKEN, _OWN_TOKEN = "link_token", "integrated_account_token"
_BESIDE_BODY = ("resource", "method", "id", "query", "body", "persist", "response_format")


@dataclass(slots=True)
class Batch:
    """A batch of requests. `answer` handles a single request of the batch."""

    service: Service
    request: SandboxRequest
    answer: Callable[[SandboxRequest], SandboxResponse]
    _found: dict[str, list[str]] = field(default_factory=dict)
    _errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def connection(self) -> str:
        """The connection of the batch. Raises Refusal if it is missing or unknown."""
        name = self.service.connection
        account = self._body().text(name)
        if not account:
            raise missing("body_fields", [name])
        known_kind(account)
        return account

    def _body(self) -> Body:
        return body_of(self.request, passthrough=False)

    def run(self) -> SandboxResponse:
        """Handle all requests, and return the records and the errors by resource.

        Raises Refusal if the batch is invalid.
        """
        words = self.service.connections
        requests = self._body().value(words.batch_requests)
        if not isinstance(requests, list) or not all(
            isinstance(request, dict) for request in requests
        ):
            raise Refusal(422, f"{words.batch_requests} must be an array of objects")
        for request in requests:
            self._run(request)
        members = {
            self.service.items: _joined(self._found),
            words.batch_errors: _joined(self._errors),
        }
        return SandboxResponse.json(join_members(members))

    def _run(self, request: JsonObject) -> None:
        resource, method = request.get("resource"), request.get("method")
        if not isinstance(resource, str) or not isinstance(method, str):
            raise Refusal(422, "each request in a batch needs resource and method, as texts")
        if more := request.keys() - {*_BESIDE_BODY}:
            raise Refusal(422, f"the sandbox does not do {min(more)} in a batch")
        records: list[str] = []
        for answer in self._answers(resource, method, request):
            if answer.status >= 400:
                self._errors.setdefault(resource, []).append(answer.body.decode())
            else:
                records += self._records(answer, method)
        if request.get("persist", True):
            self._found.setdefault(resource, []).extend(records)

    def _answers(
        self, resource: str, method: str, request: JsonObject
    ) -> Iterator[SandboxResponse]:
        """Yield the response to a request. If the request is a list, yield the
        responses for all of its pages.
        """
        verb, place = STANDARD.get(method, ("POST", f"/{quote(method, safe='')}"))
        prefix = self.service.prefix if "/" in resource else self.service.proxy
        place = place.replace("{id}", quote(str(request.get("id", "")), safe=""))
        path = f"{prefix}/{quote(resource, safe='/')}{place}"
        body = dump(request.get("body") or {}).encode() if verb in ("POST", "PATCH") else b""
        query = [(self.service.connection, self.connection), *_pairs(request.get("query") or {})]
        cursor: str | None = None
        while True:
            more = [(self.service.cursor, cursor)] if cursor else []
            target = f"{path}?{urlencode([*query, *more])}"
            headers = {
                "authorization": self.request.header("authorization"),
                "content-type": "application/json",
            }
            answer = self.answer(SandboxRequest.from_target(verb, target, headers, body))
            yield answer
            members = (
                split_members(answer.body.decode())
                if method == "list" and answer.status < 400
                else {}
            )
            following = members.get(self.service.cursor, "null")
            if following == "null":
                return
            cursor = following.strip('"')

    def _records(self, answer: SandboxResponse, method: str) -> list[str]:
        text = answer.body.decode()
        if method in STANDARD and method != "list":
            return [text]
        result = split_members(text).get(self.service.items, text)
        return [inner] if (inner := result.strip()[1:-1] if method == "list" else result) else []


def _joined(lists: dict[str, list[str]]) -> str:
    return join_members({name: f"[{','.join(texts)}]" for name, texts in lists.items()})


def _pairs(query: JsonObject, within: str = "") -> Iterator[tuple[str, str]]:
    """Convert a query object to parameters, with brackets for nested members."""
    for name, value in query.items():
        key = f"{within}[{name}]" if within else name
        if isinstance(value, dict):
            yield from _pairs(value, key)
        elif isinstance(value, list):
            yield from ((f"{key}[]", _text(item)) for item in value)
        else:
            yield key, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dump(value)


class ListedAccounts:
    """The connections as rows of a list."""

    def __init__(self, store: SandboxStore, service: Service) -> None:
        self.scope = ("", "", "connections")
        words = service.connections
        product = f"{words.product}.name"
        self._switch = words.sandbox
        self._filters = (
            "id",
            words.tenant,
            self._switch,
            product,
            words.status,
            words.created,
            words.updated,
            words.environment,
        )
        self._texts = [
            dump(account_record(account, store.seed, service)) for account in listed(store)
        ]

    def tests(self, query: QueryTree) -> list[Test]:
        """Return the tests that a connection must pass to be listed."""
        check_values(query, self._switch, SWITCH)
        return [field_test(name.split("."), query[name]) for name in self._filters if name in query]

    def rows(self, after: int = 0) -> Iterator[Row]:
        """Yield the connections after a position."""
        yield from (Row(place + 1, self._texts[place]) for place in range(after, len(self._texts)))

    def rows_back(self, before: int) -> Iterator[Row]:
        """Yield the connections before a position, in reverse order."""
        last = min(before - 1, len(self._texts))
        yield from (Row(place, self._texts[place - 1]) for place in range(last, 0, -1))


def methods(catalogue: Catalogue, path: str) -> tuple[str, ...]:
    """Return the methods that a path accepts. The result is empty if the path is not
    about connections.
    """
    service = catalogue.service
    words = service.connections
    if path in (words.renewal, words.batch, words.files, words.link, _own_token(service)):
        return ("POST",)
    if _of_mcp(service, path):
        return ("POST",)
    if path == words.log:
        return ("GET",)
    return ("GET",) if _place(service, path) else ()


def _own_token(service: Service) -> str:
    """Return the route that creates a token for a single connection."""
    return f"{service.accounts}/token"


def _of_mcp(service: Service, path: str) -> str | None:
    """Return the connection's id if a path creates a URL for its MCP server."""
    begin, end = f"{service.accounts}/", "/mcp"
    segment = path.removeprefix(begin).removesuffix(end)
    is_route = path.startswith(begin) and path.endswith(end) and "/" not in segment
    return unquote(segment) if is_route and segment else None


def _place(service: Service, path: str) -> tuple[str, str, str] | None:
    """Return the kind of a path, its connection or product, and its API.

    Returns None if the path is not about connections.
    """
    words = service.connections
    if path == service.accounts:
        return "list", "", ""
    begin = f"{service.prefix}/{service.schema}/"
    if path.startswith(begin):
        api, _, product = path.removeprefix(begin).partition("/")
        return ("documentation", unquote(product), api) if product and "/" not in product else None
    segment = "".join(path.split("/")[2:3])
    routes = {
        f"{service.accounts}/{segment}": "account",
        service.capabilities_path(segment): "capabilities",
        service.tools_path(segment): "tools",
        words.product_offer_path(segment): "product",
    }
    return (routes[path], unquote(segment), "") if segment and path in routes else None


@dataclass(frozen=True, slots=True)
class AccountRoutes:
    """Handles requests about connections.

    `own` is the connection of the token, or None if the token is for all connections.
    `sandbox` handles the requests of a batch.
    """

    catalogue: Catalogue
    store: SandboxStore
    now: float
    own: str | None
    sandbox: Callable[[SandboxRequest], SandboxResponse]

    def answer(self, request: SandboxRequest) -> SandboxResponse:
        """Handle a request.

        Raises Refusal 403 if the token is for a single connection, and 404 if the path
        or the connection does not exist.
        """
        service, path = self.catalogue.service, request.path
        me = service.connections.own
        if self.own is not None and path != me:
            raise Refusal(403, f"the token of one connection is good for {me} only")
        if request.method == "POST":
            return self._post(request)
        query = tree(request.query)
        offers = OfferedMethods(self.catalogue, self.store.seed, query)
        if path == service.connections.log:
            accounts = [*listed(self.store)]
            entries = ServiceLog(self.catalogue, self.store.seed, accounts, query)
            return page(
                entries,
                service,
                query,
                ListTerms(self.now, greatest=MOST, platform=True, bare=True),
            )
        match _place(service, path):
            case "list", _, _:
                terms = ListTerms(self.now, greatest=PLATFORM, platform=True)
                return page(ListedAccounts(self.store, service), service, query, terms)
            case "documentation", product, api:
                return offers.documentation(api, product)
            case "product", product, _:
                return offers.of_product(product)
            case "capabilities", account, _:
                return offers.of_account(account)
            case "tools", account, _:
                return offers.tools(account)
        if path == me and self.own is None:
            raise Refusal(404, f"this token belongs to no connection, so there is no {me}")
        record = account_record(self.own or unquote(path.split("/")[2]), self.store.seed, service)
        return SandboxResponse.json(dump(record))

    def _post(self, request: SandboxRequest) -> SandboxResponse:
        words = self.catalogue.service.connections
        if request.path == words.batch:
            return self._once(request, Batch(self.catalogue.service, request, self.sandbox))
        body = body_of(request, passthrough=False)
        if request.path == words.files:
            if body.file is None:
                raise missing("body_fields", ["file"])
            digest = hashlib.sha256()
            for piece in body.file.pieces():
                digest.update(piece)
            return SandboxResponse.json(
                dump({"url": f"https://{FILE_HOST}/public/{digest.hexdigest()[:16]}"})
            )
        if request.path == words.link:
            return self._link(body)
        if request.path == _own_token(self.catalogue.service):
            account = body.text(self.catalogue.service.connection)
            if account is None:
                raise missing("body_fields", [self.catalogue.service.connection])
            known_kind(account)
            return SandboxResponse.json(dump({_OWN_TOKEN: self._made("own", account)}))
        if account := _of_mcp(self.catalogue.service, request.path):
            known_kind(account)
            token = self._made("mcp", account)
            address = f"https://mcp.example/mcp/{token}"
            return SandboxResponse.json(dump({"token": token, "url": address}))
        account = body.text("id")
        if account is None:
            raise missing("body_fields", ["id"])
        known_kind(account)
        return SandboxResponse.json(dump({"success": True}))

    def _link(self, body: Body) -> SandboxResponse:
        """Return a token that links a new connection of a tenant, or an existing
        connection.

        Raises Refusal unless the body names either a tenant or a connection.
        """
        service = self.catalogue.service
        names = (service.connections.tenant, service.connection)
        tenant, account = map(body.text, names)
        if not (tenant or account):
            raise missing("body_fields", [names[0]])
        if tenant and account:
            raise Refusal(400, f"{' and '.join(names)}: one of the two")
        if account:
            known_kind(account)
        return SandboxResponse.json(dump({_LINK_TOKEN: self._made("link", account or tenant)}))

    def _made(self, kind: str, owner: str | None) -> str:
        made = f"{self.store.seed} {kind} {owner} {self.now}"
        return f"sandbox-{kind}-{hashlib.sha256(made.encode()).hexdigest()[:32]}"

    def _once(self, request: SandboxRequest, batch: Batch) -> SandboxResponse:
        """Run a batch, or return the earlier response for a repeated idempotency
        key.
        """
        key = request.header("idempotency-key")
        asked = (batch.connection, request.path, key)
        if earlier := self.store.reply(*asked):
            return earlier
        answer = batch.run()
        with self.store.transaction():
            self.store.count_effect(asked[0], request.method, request.path, key)
            self.store.put_reply(*asked, answer)
        return answer
