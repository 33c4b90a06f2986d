"""The connections of the sandbox as the service shows them: one for each kind, and a fleet of customers."""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from unified_cli.catalogue import Service
from unified_cli.json_text.values import JsonObject
from unified_cli.sandbox.accounts import KINDS, kind_of
from unified_cli.sandbox.data.people import company
from unified_cli.sandbox.data.seeded_random import SeededRandom, creation_time, time_after, timestamp
from unified_cli.sandbox.store import SandboxStore


class Product(NamedTuple):
    """A product that a connection leads to."""

    name: str
    label: str
    category: str
    authentication: str = "oauth2"


PRODUCTS = (
    Product("deskly", "Deskly", "ticketing"),
    Product("stafflist", "Stafflist", "user-directory"),
    Product("hiretrack", "Hiretrack", "ats", "api_key"),
    Product("codebarn", "Codebarn", "ci-cd"),
    Product("pagewell", "Pagewell", "knowledge-base", "api_key"),
)
_OF_KIND = {"help-desk": PRODUCTS[0], "directory": PRODUCTS[1]}
# What the provider said to the service, by the kind of connection.
_TROUBLE = {
    "needs-reauth": "invalid_grant: the provider refused the credentials",
    "dead-provider": "upstream connect error: connection refused",
}
_CUSTOMERS = 26
_TURNS = ("full", "help-desk", "directory", "remapped", "full", "needs-reauth", "limited", "read-only", "untimed")


def listed(store: SandboxStore) -> Iterator[str]:
    """The ids of the connections that a list shows: the kinds, the customers, and what else holds changes."""
    customers = [f"{_TURNS[number % len(_TURNS)]}:{_slug(number)}" for number in range(1, _CUSTOMERS + 1)]
    used = [account for account, *_ in store.sizes() if kind_of(account) is not None]
    yield from dict.fromkeys([*KINDS, *customers, *used])


def product_of(account: str, seed: str) -> Product:
    """The product that a connection leads to."""
    kind = kind_of(account) or ""
    return _OF_KIND.get(kind) or SeededRandom.of(seed, "connection", account).pick("product", PRODUCTS)


def product_record(product: Product, seed: str) -> JsonObject:
    """A product as connections to it show it."""
    return {
        "id": _uuid(seed, "product", product.name),
        "name": product.name,
        "label": product.label,
        "category": product.category,
    }


def account_status(account: str, seed: str, service: Service) -> str:
    """The status of a connection."""
    words, kind = service.connections, kind_of(account)
    if kind in _TROUBLE:
        return (words.needs_login if kind == "needs-reauth" else words.broken).split()[0]
    if kind == "full" and ":" in account:
        statuses = (words.healthy, words.passing.split()[0], words.healthy, words.broken.split()[1])
        return SeededRandom.of(seed, "connection", account).pick("status", statuses)
    return words.healthy


def account_record(account: str, seed: str, service: Service) -> JsonObject | None:
    """A connection as the service shows it; None for one that is not there."""
    kind = kind_of(account)
    if kind is None:
        return None
    random = SeededRandom.of(seed, "connection", account)
    product, words = product_of(account, seed), service.connections
    created = creation_time(random)
    updated = time_after(random, "updated_at", created, 90)
    return {
        "id": account,
        words.tenant: account.partition(":")[2] or kind,
        words.environment: environment_id(seed),
        words.installation: _uuid(seed, product.name),
        words.status: account_status(account, seed, service),
        words.sandbox: kind == "read-only",
        words.authentication: product.authentication,
        words.region: random.pick("region", ("eu", "wnam", "enam", "apac")),
        # The customer's own data stands here: clients must never show it unasked.
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
    """The id of the environment that all connections are in."""
    return _uuid(seed, "environment")


def _forbidden(service: Service, at: float) -> JsonObject:
    """The last call that lacked scopes."""
    words = service.connections
    return {
        words.resource: "tickets",
        "method": "create",
        words.missing_scopes: ["ticketing.tickets.write"],
        words.occurred: _platform_time(at),
    }


def _platform_time(at: float) -> str:
    """A time as these routes write it: with a blank, and without a zone."""
    return timestamp(at)[:19].replace("T", " ")


def _slug(number: int) -> str:
    return company(number).domain.partition(".")[0]


def _uuid(*words: str) -> str:
    random = SeededRandom.of(*words)
    return str(UUID(int=random.below("high", 1 << 63) << 64 | random.below("low", 1 << 63), version=4))
