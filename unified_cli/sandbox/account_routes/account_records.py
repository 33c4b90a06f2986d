"""The connections of the sandbox as the service shows them: one for each kind, and a fleet of customers."""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

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


_PRODUCTS = (
    Product("deskly", "Deskly", "ticketing"),
    Product("stafflist", "Stafflist", "user-directory"),
    Product("hiretrack", "Hiretrack", "ats", "api_key"),
    Product("codebarn", "Codebarn", "ci-cd"),
    Product("pagewell", "Pagewell", "knowledge-base", "api_key"),
)
_OF_KIND = {"help-desk": _PRODUCTS[0], "directory": _PRODUCTS[1]}
# Assumption: the service gives these statuses for a login that broke and for a check that failed.
_STATUS = {
    "needs-reauth": ("needs_reauth", "invalid_grant: the provider refused the credentials"),
    "dead-provider": ("validation_error", "upstream connect error: connection refused"),
}
_OF_CUSTOMERS = ("active", "connecting", "active", "post_install_error")
_CUSTOMERS = 26
_TURNS = ("full", "help-desk", "directory", "remapped", "full", "needs-reauth", "limited", "read-only", "untimed")


def listed(store: SandboxStore) -> Iterator[str]:
    """The ids of the connections that a list shows: the kinds, the customers, and what else holds changes."""
    customers = [f"{_TURNS[number % len(_TURNS)]}:{_slug(number)}" for number in range(1, _CUSTOMERS + 1)]
    used = [account for account, *_ in store.sizes() if kind_of(account) is not None]
    yield from dict.fromkeys([*KINDS, *customers, *used])


def account_record(account: str, seed: str) -> JsonObject | None:
    """A connection as the service shows it; None for one that is not there."""
    kind = kind_of(account)
    if kind is None:
        return None
    random = SeededRandom.of(seed, "connection", account)
    product = _OF_KIND.get(kind) or random.pick("product", _PRODUCTS)
    customer = account.partition(":")[2]
    status, trouble = _STATUS.get(kind, ("active", None))
    if customer and kind == "full":
        status = random.pick("status", _OF_CUSTOMERS)
    created = creation_time(random)
    return {
        "id": account,
        "tenant_id": customer or kind,
        "status": status,
        "last_error": trouble,
        "authentication_method": product.authentication,
        "region": random.pick("region", ("eu", "us")),
        "is_sandbox": kind == "read-only",
        "environment_id": _uuid(seed, "environment"),
        "environment_integration_id": _uuid(seed, product.name),
        "integration": {"name": product.name, "label": product.label, "category": product.category},
        # The real service keeps the provider's credentials here: clients must never show them.
        "context": {"access_token": f"sandbox-credential-{random.below('token', 10**9):09d}"},
        "created_at": timestamp(created),
        "updated_at": timestamp(time_after(random, "updated_at", created, 90)),
    }


def _slug(number: int) -> str:
    return company(number).domain.partition(".")[0]


def _uuid(*words: str) -> str:
    random = SeededRandom.of(*words)
    return str(UUID(int=random.below("high", 1 << 63) << 64 | random.below("low", 1 << 63), version=4))
