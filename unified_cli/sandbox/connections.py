"""Describe the connections of the sandbox and the methods that they offer.

The sandbox has a connection of each kind, and connections of many customers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from uuid import UUID

from unified_cli.catalogue import STANDARD, Catalogue, Operation, Service
from unified_cli.json_text.json_codec import dump
from unified_cli.sandbox.accounts import DEFAULT, KINDS, kind_of
from unified_cli.sandbox.beyond import offered
from unified_cli.sandbox.introspection import DOCUMENTS, body_schema, documentation, query_schema
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.people import company
from unified_cli.sandbox.query import QueryTree, is_on, texts
from unified_cli.sandbox.sample_requests import required_parameters
from unified_cli.sandbox.seeded_random import SeededColumns, SeededRandom, timestamp
from unified_cli.sandbox.store import SandboxStore
from unified_cli.values import JsonObject

_OFFERS = Callable[[Operation], bool]
# A query selects methods by name or by group. These are the groups of the five standard
# methods. All other methods are in the group `custom`.
_GROUPS = {"read": ("list", "get"), "write": ("create", "update", "delete")}
_CUSTOM = "custom"


class Product(NamedTuple):
    """The product of a connection."""

    name: str
    label: str
    category: str
    authentication: str = "oauth2"


PRODUCTS = (
    Product("deskly", "Deskly", "ticketing"),
    Product("stafflist", "Stafflist", "user-directory"),
    Product("hiretrack", "Hiretrack", "ats", "api_key"),
    Product("codebarn", "Codebarn", "ci-cd", "oauth2_client_credentials"),
    Product("pagewell", "Pagewell", "knowledge-base", "api_key"),
)
_SALES = Product("dealdesk", "Dealdesk", "crm")
_OF_KIND = {"help-desk": PRODUCTS[0], "directory": PRODUCTS[1], "sales": _SALES}
# The errors of providers, by the kind of connection.
_TROUBLE = {
    "needs-reauth": "invalid_grant: the provider refused the credentials",
    "dead-provider": "upstream connect error: connection refused",
}
_CUSTOMERS = 26
_TURNS = (
    "full",
    "help-desk",
    "directory",
    "remapped",
    "full",
    "needs-reauth",
    "limited",
    "read-only",
    "untimed",
)


def listed(store: SandboxStore) -> Iterator[str]:
    """Yield the ids of the connections to list.

    These are a connection of each kind, the connections of customers, and any other
    connections that have been changed.
    """
    names = [company(number).domain.partition(".")[0] for number in range(1, _CUSTOMERS + 1)]
    customers = [f"{_TURNS[number % len(_TURNS)]}:{name}" for number, name in enumerate(names, 1)]
    used = [account for account, *_ in store.sizes() if kind_of(account) is not None]
    yield from dict.fromkeys([*KINDS, *customers, *used])


def product_of(account: str, seed: str) -> Product:
    """Return the product that a connection connects to."""
    kind = kind_of(account) or ""
    return _OF_KIND.get(kind) or SeededRandom.from_words(seed, "connection", account).pick(
        "product", PRODUCTS
    )


def product_record(product: Product, seed: str) -> JsonObject:
    """Return the record of a product."""
    return {
        "id": _uuid(seed, "product", product.name),
        "name": product.name,
        "label": product.label,
        "category": product.category,
    }


def account_status(account: str, seed: str, service: Service) -> str:
    """Return the status of a connection."""
    words, kind = service.connections, kind_of(account)
    if kind in _TROUBLE:
        return (words.needs_login if kind == "needs-reauth" else words.broken).split()[0]
    if kind == "full" and ":" in account:
        statuses = (words.healthy, words.passing.split()[0], words.healthy, words.broken.split()[1])
        return SeededRandom.from_words(seed, "connection", account).pick("status", statuses)
    return words.healthy


def account_record(account: str, seed: str, service: Service) -> JsonObject:
    """Return the record of a connection. Raises Refusal 404 if it is unknown."""
    kind = known_kind(account)
    random = SeededRandom.from_words(seed, "connection", account)
    product, words = product_of(account, seed), service.connections
    alone = SeededColumns([random.key])
    created = alone.creation_times()[0]
    updated = alone.times_after("updated_at", [created], 90)[0]
    return {
        "id": account,
        words.tenant: account.partition(":")[2] or kind,
        words.environment: environment_id(seed),
        words.installation: _uuid(seed, product.name),
        words.status: account_status(account, seed, service),
        words.sandbox: kind == "read-only",
        words.authentication: product.authentication,
        words.region: random.pick("region", ("eu", "wnam", "enam", "apac")),
        # This value simulates private data of the customer, which clients must never
        # print.
        "context": {"access_token": f"sandbox-credential-{random.below('token', 10**9):09d}"},
        words.stored_fields: [],
        words.product: product_record(product, seed),
        words.created: _platform_time(created),
        words.updated: _platform_time(updated),
        words.last_error: _TROUBLE.get(kind),
        words.last_forbidden: _forbidden(service, updated) if kind == "missing-scopes" else None,
        words.last_action: None,
    }


def environment_id(seed: str) -> str:
    """Return the id of the environment of all connections."""
    return _uuid(seed, "environment")


def _forbidden(service: Service, at: float) -> JsonObject:
    """Describe the last call that was refused because scopes were missing."""
    words = service.connections
    return {
        words.resource: "tickets",
        "method": "create",
        words.missing_scopes: ["ticketing.tickets.write"],
        words.occurred: _platform_time(at),
    }


def _platform_time(at: float) -> str:
    """Return a time as the routes for connections write it.

    The format is `YYYY-MM-DD HH:MM:SS`, without a time zone.
    """
    return timestamp(at)[:19].replace("T", " ")


def _uuid(*words: str) -> str:
    random = SeededRandom.from_words(*words)
    return str(
        UUID(int=random.below("high", 1 << 63) << 64 | random.below("low", 1 << 63), version=4)
    )


@dataclass(frozen=True, slots=True)
class OfferedMethods:
    """Lists the methods of a connection or a product. A query selects the methods."""

    catalogue: Catalogue
    seed: str
    query: QueryTree

    def of_account(self, account: str) -> SandboxResponse:
        """Return the methods that a connection offers. Raises Refusal 404 if the
        connection is unknown.
        """
        kind, service = known_kind(account), self.catalogue.service
        words, product = service.connections, product_of(account, self.seed)
        answer = self._offer(product, partial(offered, kind))
        for entry in answer.get(words.unified, ()):
            entry[words.overridden] = kind == "remapped"
        answer[words.environment] = environment_id(self.seed)
        answer[words.account] = {
            "id": account,
            words.status: account_status(account, self.seed, service),
            words.authentication: product.authentication,
            words.blocked: kind == words.shut,
        }
        return SandboxResponse.json(dump(answer))

    def of_product(self, name: str) -> SandboxResponse:
        """Return the methods that a product offers. `name` is its name or its id.

        Raises Refusal 404 if the product is unknown.
        """
        product = self._product(name)

        def has(operation: Operation) -> bool:
            if product is _SALES:
                return offered("sales", operation)
            return operation.api == product.category and offered(DEFAULT, operation)

        return SandboxResponse.json(dump(self._offer(product, has)))

    def documentation(self, api: str, name: str) -> SandboxResponse:
        """Return the documentation of an API for a product.

        Raises Refusal 404 if the product does not offer the API.
        """
        product = self._product(name)
        if api != product.category:
            raise Refusal(404, f"{name} does not offer the API {api!r}")
        form = "".join(texts(self.query.get("format", "json")))
        return documentation(self.catalogue.apis[api], product.label, form)

    def _product(self, name: str) -> Product:
        named = (
            known
            for known in (*PRODUCTS, _SALES)
            if name in (known.name, product_record(known, self.seed)["id"])
        )
        if (product := next(named, None)) is None:
            raise Refusal(404, f"no product {name!r}")
        return product

    def tools(self, account: str) -> SandboxResponse:
        """Return a description of each method of a connection's provider.

        Raises Refusal 404 if the connection is unknown.
        """
        kind, words = known_kind(account), self.catalogue.service.connections
        wanted = self._words(words.methods)
        found = [
            {
                words.resource: operation.resource,
                "method": operation.name,
                "name": _tool(operation),
                "description": operation.summary,
                "query_schema": query_schema(operation),
                "body_schema": body_schema(operation),
                "required": [
                    *(["id"] if operation.takes_id else []),
                    *required_parameters(operation),
                ],
            }
            for operation in self._provided(partial(offered, kind))
            if not wanted or not wanted.isdisjoint(_names(operation))
        ]
        return SandboxResponse.json(dump({self.catalogue.service.items: found}))

    def _offer(self, product: Product, has: _OFFERS) -> JsonObject:
        words = self.catalogue.service.connections
        kind = "".join(texts(self.query.get(words.offer_kind, ""))) or "all"
        if kind not in (words.unified, words.provided, "all"):
            raise Refusal(
                400, f"{words.offer_kind} is {words.provided}, {words.unified} or all, not {kind!r}"
            )
        answer: JsonObject = {words.product: product_record(product, self.seed)}
        if kind != words.unified:
            answer[words.provided] = [*self._methods(has)]
        if kind != words.provided:
            answer[words.unified] = [*self._unified(has)]
        answer["auth"] = {
            "formats": [product.authentication],
            "fields": [
                {"name": "subdomain", "label": "Subdomain", "type": "text", "required": True}
            ],
            "documentation_link": f"{DOCUMENTS}/{product.name}",
        }
        every = [*self._provided(has)]
        described = sum(map(_is_described, every))
        answer[words.readiness] = {
            "proxy_methods": len(every),
            "proxy_methods_with_descriptions": described,
            "ai_ready_score": described / len(every) if every else 0,
        }
        return answer

    def _unified(self, has: _OFFERS) -> Iterator[JsonObject]:
        words = self.catalogue.service.connections
        for api in self.catalogue.apis.values():
            for resource in api.resources.values():
                methods = [name for name, op in resource.operations.items() if has(op)]
                if methods and self._asks_for(resource.name):
                    yield {
                        words.model: api.name,
                        words.model_title: api.title,
                        words.resource: resource.name,
                        "description": resource.about,
                        words.documentation: f"{DOCUMENTS}/{api.name}/{resource.name}",
                        words.methods: methods,
                    }

    def _methods(self, has: _OFFERS) -> Iterator[JsonObject]:
        """Yield the provider's resources. Methods without a description are included
        only if the query asks for them.
        """
        words = self.catalogue.service.connections
        hidden, wanted = is_on(self.query.get(words.described, "true")), self._words(words.methods)
        by_resource: dict[str, list[JsonObject]] = {}
        for operation in self._provided(has):
            if not self._asks_for(operation.resource) or (
                wanted and wanted.isdisjoint(_names(operation))
            ):
                continue
            if _is_described(operation) or not hidden:
                by_resource.setdefault(operation.resource, []).append(
                    _method(operation, words.described)
                )
        for resource, methods in by_resource.items():
            yield {words.resource: resource, words.methods: methods}

    def _provided(self, has: _OFFERS) -> Iterator[Operation]:
        """Yield the provider's methods. If several APIs have a resource of the same
        name, yields only the methods of the first API.
        """
        seen: set[str] = set()
        for api in self.catalogue.apis.values():
            for resource in api.resources.values():
                methods = [op for op in resource.operations.values() if has(op)]
                if methods and resource.name not in seen:
                    seen.add(resource.name)
                    yield from methods

    def _asks_for(self, resource: str) -> bool:
        wanted = self._words(self.catalogue.service.connections.resource)
        return not wanted or resource in wanted

    def _words(self, name: str) -> set[str]:
        return {
            word.strip()
            for text in texts(self.query.get(name, []))
            for word in text.split(",")
            if word.strip()
        }


def _method(operation: Operation, described: str) -> JsonObject:
    return {
        "method": operation.name,
        "name": _tool(operation),
        "description": operation.summary if _is_described(operation) else None,
        described: _is_described(operation),
        "has_query_schema": True,
        "has_body_schema": operation.takes_body,
        "has_response_schema": False,
        "api_documentation_url": None,
    }


def _names(operation: Operation) -> set[str]:
    """Return the names that select a method: the name of the method, and the names of
    its groups.
    """
    if operation.name not in STANDARD:
        return {operation.name, _CUSTOM}
    return {operation.name, *(group for group, names in _GROUPS.items() if operation.name in names)}


def _is_described(operation: Operation) -> bool:
    # Real products have some methods without a description. In the sandbox, these are
    # all methods except lists.
    return operation.lists


def _tool(operation: Operation) -> str:
    return f"{operation.name}_{operation.resource}"


def known_kind(account: str) -> str:
    """Return the kind of a connection. Raises Refusal 404 if it is unknown."""
    kind = kind_of(account)
    if kind is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    return kind
