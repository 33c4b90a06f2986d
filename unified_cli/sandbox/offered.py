"""What a connection offers: the resources of unified APIs, and its provider's methods, also as tools."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from unified_cli.catalogue import Catalogue, Operation, Resource
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.account_records import (
    PRODUCTS,
    Product,
    account_status,
    environment_id,
    product_of,
    product_record,
)
from unified_cli.sandbox.accounts import kind_of, offers
from unified_cli.sandbox.data.sample_requests import required_parameters
from unified_cli.sandbox.introspection import DOCUMENTS, body_schema, query_schema
from unified_cli.sandbox.messages import Refusal, SandboxResponse
from unified_cli.sandbox.query_tree import QueryTree, is_on, texts

_OFFERS = Callable[[Resource], bool]
_PROVIDED = ("list", "get")
"""What the sandbox's providers let be done with their own records."""


@dataclass(frozen=True, slots=True)
class OfferedMethods:
    """Says what connections and products offer, as far as the query asks for it."""

    catalogue: Catalogue
    seed: str
    query: QueryTree

    def of_account(self, account: str) -> SandboxResponse:
        """What a connection offers. Raises Refusal 404 where there is no such connection."""
        kind, service = _kind(account), self.catalogue.service
        words, product = service.connections, product_of(account, self.seed)
        answer = self._offer(product, lambda one: offers(kind, one.api, one.name))
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
        """What connections to a product offer, which is named or identified. Raises Refusal 404 for an unknown one."""
        named = (one for one in PRODUCTS if name in (one.name, product_record(one, self.seed)["id"]))
        if (product := next(named, None)) is None:
            raise Refusal(404, f"no product {name!r}")
        return SandboxResponse.json(dump(self._offer(product, lambda one: one.api == product.category)))

    def tools(self, account: str) -> SandboxResponse:
        """A description of each method of a connection's provider. Raises Refusal 404 without such a connection."""
        kind, words = _kind(account), self.catalogue.service.connections
        wanted = self._words(words.methods)
        found = [
            {
                words.resource: one.resource,
                "method": one.name,
                "name": _tool(one),
                "description": one.summary,
                "query_schema": query_schema(one),
                "body_schema": body_schema(one),
                "required": [*(["id"] if one.takes_id else []), *required_parameters(one)],
            }
            for one in self._provided(lambda resource: offers(kind, resource.api, resource.name))
            if not wanted or one.name in wanted
        ]
        return SandboxResponse.json(dump({self.catalogue.service.items: found}))

    def _offer(self, product: Product, has: _OFFERS) -> JsonObject:
        words = self.catalogue.service.connections
        kind = "".join(texts(self.query.get(words.offer_kind, ""))) or "all"
        if kind not in (words.unified, words.provided, "all"):
            raise Refusal(400, f"{words.offer_kind} is {words.provided}, {words.unified} or all, not {kind!r}")
        answer: JsonObject = {words.product: product_record(product, self.seed)}
        if kind != words.unified:
            answer[words.provided] = [*self._methods(has)]
        if kind != words.provided:
            answer[words.unified] = [*self._unified(has)]
        answer["auth"] = {
            "formats": [product.authentication],
            "fields": [{"name": "subdomain", "label": "Subdomain", "type": "text", "required": True}],
            "documentation_link": f"{DOCUMENTS}/{product.name}",
        }
        every = [*self._provided(has)]
        told = sum(map(_is_described, every))
        answer[words.readiness] = {
            "proxy_methods": len(every),
            "proxy_methods_with_descriptions": told,
            "ai_ready_score": told / len(every) if every else 0,
        }
        return answer

    def _unified(self, has: _OFFERS) -> Iterator[JsonObject]:
        words = self.catalogue.service.connections
        for api in self.catalogue.apis.values():
            for one in api.resources.values():
                if has(one) and self._asks_for(one.name):
                    yield {
                        words.model: api.name,
                        words.model_title: api.title,
                        words.resource: one.name,
                        "description": one.about,
                        words.documentation: f"{DOCUMENTS}/{api.name}/{one.name}",
                        words.methods: [*one.operations],
                    }

    def _methods(self, has: _OFFERS) -> Iterator[JsonObject]:
        """The provider's resources; methods without a description are left out unless they are asked for."""
        words = self.catalogue.service.connections
        hidden, wanted = is_on(self.query.get(words.described, "true")), self._words(words.methods)
        by_resource: dict[str, list[JsonObject]] = {}
        for one in self._provided(has):
            if not self._asks_for(one.resource) or (wanted and one.name not in wanted):
                continue
            if _is_described(one) or not hidden:
                by_resource.setdefault(one.resource, []).append(_method(one, words.described))
        for resource, methods in by_resource.items():
            yield {words.resource: resource, words.methods: methods}

    def _provided(self, has: _OFFERS) -> Iterator[Operation]:
        """The provider's methods: of a name that several APIs have, those of the first."""
        seen: set[str] = set()
        for api in self.catalogue.apis.values():
            for one in api.resources.values():
                if has(one) and one.name not in seen:
                    seen.add(one.name)
                    yield from (one.operations[name] for name in _PROVIDED if name in one.operations)

    def _asks_for(self, resource: str) -> bool:
        wanted = self._words(self.catalogue.service.connections.resource)
        return not wanted or resource in wanted

    def _words(self, name: str) -> set[str]:
        """A parameter that is a list with commas."""
        return {word.strip() for text in texts(self.query.get(name, [])) for word in text.split(",") if word.strip()}


def _method(one: Operation, described: str) -> JsonObject:
    return {
        "method": one.name,
        "name": _tool(one),
        "description": one.summary if _is_described(one) else None,
        described: _is_described(one),
        "has_query_schema": True,
        "has_body_schema": one.takes_body,
        "has_response_schema": False,
        "api_documentation_url": None,
    }


def _is_described(one: Operation) -> bool:
    # So some methods have no description, as those of real products.
    return one.lists


def _tool(one: Operation) -> str:
    return f"{one.name}_{one.resource}"


def _kind(account: str) -> str:
    kind = kind_of(account)
    if kind is None:
        raise Refusal(404, f"no connection {account!r} that this token can see")
    return kind
