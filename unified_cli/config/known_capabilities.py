"""What connections offered when they were last asked, kept for a day: it explains, and never decides what is sent."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config.connection_facts import ago
from unified_cli.config.settings import Settings
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage.cache import Cache

Offered = Mapping[str, Mapping[str, Sequence[str]]]
"""The operations that a connection offers, by API and resource; of names only those of the catalogue."""

KIND = "capabilities"
_MOST_NAMED = 12
# A key of the cache that no connection has: its first part is no origin.
_LACKING = "lacking"


class KnownOffer(NamedTuple):
    """What a connection offers, and how many seconds ago it said so."""

    offered: Offered
    age: float


def of_catalogue(document: object, catalogue: Catalogue) -> Offered:
    """The part of an answer of the service that is about operations of the catalogue."""
    found: dict[str, dict[str, list[str]]] = {}
    for api, resources in document.items() if isinstance(document, dict) else ():
        if api in catalogue.apis and isinstance(resources, dict):
            known = catalogue.apis[api].resources
            found[api] = {
                name: [one for one in known[name].operations if one in operations]
                for name, operations in resources.items()
                if name in known and isinstance(operations, list)
            }
    return found


def keep(runtime: Runtime, settings: Settings, offered: Offered) -> None:
    """Keep what a connection offers; a run does not depend on it."""
    address, account = settings.reachable()
    with suppress(OSError):
        _cache(runtime).write(offered, address.origin, account)


def recall(runtime: Runtime, settings: Settings, catalogue: Catalogue) -> KnownOffer | None:
    """What a connection offers, if it is known."""
    address, account = settings.reachable()
    fact = _cache(runtime).read(address.origin, account)
    return KnownOffer(of_catalogue(fact.value, catalogue), fact.age) if fact else None


def keep_lacking(runtime: Runtime, api: str, lacking: Mapping[str, Sequence[str]], asked: int) -> None:
    """Keep, for the help of an API's operations, which of the connections just asked lack them.

    `lacking` has the profiles by `resource operation`.
    """
    value = {name: [len(profiles), *profiles[:_MOST_NAMED]] for name, profiles in lacking.items()}
    cache = _cache(runtime)
    with suppress(OSError):
        cache.write([asked, value], _LACKING, api)
        cache.sweep()


def lacking_in_words(runtime: Runtime, operation: Operation) -> str:
    """Which connections lack an operation, with the age of that; empty where none is known to."""
    fact = _cache(runtime).read(_LACKING, operation.api)
    match fact and fact.value:
        case [int() as asked, dict() as lacking] if fact:
            match lacking.get(f"{operation.resource} {operation.name}"):
                case [int() as count, *names] if names:
                    more = f" and {count - len(names)} more" if count > len(names) else ""
                    of_all = f"{count} of {counted(asked, 'connection')}, asked {ago(fact.age)}"
                    return f"{of_all}: {', '.join(map(str, names))}{more}"
    return ""


def lacks(offered: Offered, operation: Operation) -> bool:
    """Whether what is offered lacks an operation."""
    operations: Collection[str] = offered.get(operation.api, {}).get(operation.resource, ())
    return operation.name not in operations


def _cache(runtime: Runtime) -> Cache:
    return Cache(runtime.folder("cache"), KIND, runtime.wall)
