"""Cache the operations that connections offer for a day. They are used to explain
errors, never to refuse a request.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.config import file, resolution
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError
from unified_cli.plural import ago, counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage.cache import Cache

Offered = Mapping[str, Mapping[str, Sequence[str]]]
"""The operations that a connection offers, by API and resource."""
Provided = Mapping[str, Sequence[str]]
"""The methods of a provider's own resources, by resource."""

KIND = "capabilities"
# Ignore the caches of versions that read the response differently.
_FORM = 3
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_MOST_NAMED = 12
# Enough for a thousand connections that lack all operations of an API, in bytes.
_LARGEST = 4 * 1024 * 1024
# This key cannot clash with a connection's, because it is not an origin.
_LACKING = "lacking"


class KnownOffer(NamedTuple):
    """The operations that a connection offers, including those outside the catalogue.

    `age` is in seconds, and `blocked` says whether the connection was blocked.
    """

    offered: Offered
    age: float
    blocked: bool | None = None
    provided: Provided = MappingProxyType({})


def outside_catalogue(offered: Offered, catalogue: Catalogue) -> Offered:
    """Return the offered operations that the catalogue does not have."""
    result: dict[str, dict[str, list[str]]] = {}
    for api, resources in offered.items():
        known = catalogue.apis[api].resources if api in catalogue.apis else {}
        for name, operations in resources.items():
            had = known[name].operations if name in known else {}
            if more := [operation for operation in operations if operation not in had]:
                result.setdefault(api, {})[name] = more
    return result


def keep(
    runtime: Runtime,
    settings: Settings,
    offered: Offered,
    *,
    blocked: bool | None,
    provided: Provided = MappingProxyType({}),
) -> None:
    """Cache a connection's offers that have safe names, and whether it is blocked.

    Errors are ignored.
    """
    address, account = settings.reachable()
    known = {
        api: _safely_named(resources) for api, resources in offered.items() if _NAME.fullmatch(api)
    }
    with suppress(OSError):
        _cache(runtime).write(
            [_FORM, known, blocked, _safely_named(provided)], address.origin, account
        )


def recall(runtime: Runtime, settings: Settings) -> KnownOffer | None:
    """Return the cached offer of a connection, or None."""
    address, account = settings.reachable()
    fact = _cache(runtime).read(address.origin, account)
    match fact and fact.value:
        case [int() as form, dict() as offered, bool() | None as blocked, dict() as provided] if (
            fact and form == _FORM
        ):
            # Check the names again, because another program may have written the cache.
            known = {api: _safely_named(resources) for api, resources in offered.items()}
            return KnownOffer(known, fact.age, blocked, _safely_named(provided))
    return None


def _safely_named(resources: object) -> dict[str, list[str]]:
    return {
        name: [method for method in methods if isinstance(method, str) and _NAME.fullmatch(method)]
        for name, methods in (resources.items() if isinstance(resources, dict) else ())
        if _NAME.fullmatch(name) and isinstance(methods, list)
    }


def keep_lacking(
    runtime: Runtime, api: str, asked: Mapping[str, Settings], lacking: Mapping[str, Sequence[str]]
) -> None:
    """Cache which connections lack operations of an API, for help pages.

    `asked` maps names to settings, and `lacking` maps `resource operation` to names.
    """
    numbers = {name: number for number, name in enumerate(asked)}
    # Without a profile, a connection is named after its account.
    connections = [
        [name, settings.digest if settings.profile else ""] for name, settings in asked.items()
    ]
    value = {command: [numbers[name] for name in names] for command, names in lacking.items()}
    cache = _cache(runtime)
    with suppress(OSError):
        cache.write({"asked": connections, "lacking": value}, _LACKING, api)
        cache.sweep()


def lacking_in_words(runtime: Runtime, operation: Operation) -> str:
    """Say which connections lack an operation, and when this was seen, or return "".

    Ignores profiles whose connection has changed.
    """
    fact = _cache(runtime).read(_LACKING, operation.api)
    match fact and fact.value:
        case {"asked": [*asked], "lacking": {**lacking}} if fact:
            numbers = lacking.get(f"{operation.resource} {operation.name}")
            listed = numbers if isinstance(numbers, list) else []
            found = [
                asked[number]
                for number in listed
                if isinstance(number, int) and 0 <= number < len(asked)
            ]
            names = [*_names_still_valid(runtime, found)]
            if names:
                of_all = counted(len(asked) - len(found) + len(names), "connection")
                return (
                    f"{len(names)} of {of_all}, asked {ago(fact.age)}: {named(names, _MOST_NAMED)}"
                )
    return ""


def _names_still_valid(runtime: Runtime, connections: Sequence[object]) -> Iterator[str]:
    runtime = runtime._replace(environ={**runtime.environ})
    # Help must work with an invalid config file.
    with suppress(UnifiedError):
        config = file.read(runtime)
        for connection in connections:
            match connection:
                case [str() as name, ""]:
                    yield name
                case [str() as name, str() as digest] if (
                    name in config.profiles or name == file.RESERVED
                ):
                    with suppress(UnifiedError):
                        if resolution.resolve(Overrides(name), runtime, config).digest == digest:
                            yield name


def lacks(offered: Offered, operation: Operation) -> bool:
    """Return whether the offer lacks an operation."""
    operations: Collection[str] = offered.get(operation.api, {}).get(operation.resource, ())
    return operation.name not in operations


def _cache(runtime: Runtime) -> Cache:
    return Cache(runtime.folder("cache"), KIND, runtime.wall, largest=_LARGEST)
