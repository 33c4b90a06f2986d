"""Cache the product and the state of connections for a day."""

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

from unified_cli.config.settings import Settings
from unified_cli.plural import ago
from unified_cli.runtime import Runtime
from unified_cli.storage.cache import Cache

ACTIVE = "active"
# The status is a word of the service, and more words may follow: `active, lacks
# scopes`.
_STATE = re.compile(r"[A-Za-z0-9_.-]{1,64}(?:, [a-z ]{1,32}){0,2}")
_PRODUCT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ACCOUNT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")
_KIND = "connections"


class ConnectionFact(NamedTuple):
    """A connection's product and state, or "" if unknown, and their age in seconds."""

    product: str
    status: str
    age: float

    @property
    def name(self) -> str:
        """Product and state: `deskly, active`."""
        return ", ".join(filter(None, (self.product, self.status)))

    @property
    def in_words(self) -> str:
        """Product, state and age: `deskly, active, seen 2 h ago`."""
        return f"{self.name}, seen {ago(self.age)}" if self.name else ""


def recall(runtime: Runtime, settings: Settings) -> ConnectionFact | None:
    """Return the cached product and state of a connection, or None."""
    if settings.address is None or settings.account_id is None:
        return None
    fact = _cache(runtime).read(settings.address.origin, settings.account_id)
    match fact and fact.value:
        case [str() as product, str() as status] if fact:
            return ConnectionFact(_product(product), _status(status), fact.age)
    return None


def keep(runtime: Runtime, origin: str, listed: Iterable[tuple[str, str, str]]) -> None:
    """Cache the product and state of connections, if they have the expected form."""
    cache = _cache(runtime)
    # Ignore errors, because every command works without this cache.
    with suppress(OSError):
        for account, product, status in listed:
            if _ACCOUNT.fullmatch(account):
                cache.write([_product(product), _status(status)], origin, account)
        cache.sweep()


def _cache(runtime: Runtime) -> Cache:
    return Cache(runtime.folder("cache"), _KIND, runtime.wall)


def _product(text: str) -> str:
    return text if _PRODUCT.fullmatch(text) else ""


def _status(text: str) -> str:
    return text if _STATE.fullmatch(text) else ""
