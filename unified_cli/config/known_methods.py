"""Cache the names in descriptions of methods, for skeletons and completion."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import NamedTuple

from unified_cli.catalogue import Operation
from unified_cli.catalogue.described import DescribedField, MethodDescription
from unified_cli.catalogue.known import KnownField
from unified_cli.config.settings import OWN_ACCOUNT, Settings
from unified_cli.runtime import Runtime
from unified_cli.storage.cache import Cache
from unified_cli.values import Json

# Names that are special neither to a shell nor to a command.
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
# Names that a file of the catalogue can have.
_FIELD = re.compile(r"[A-Za-z0-9_]{1,64}")
_MOST_VALUES = 40
MOST_NAMES = 200
"""The most parameters and fields of a method to cache. Required ones come first."""

_KIND = "methods"
_FORM = 1
_TYPES: Mapping[str, str] = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
}


class KnownMethod(NamedTuple):
    """The parameters and fields of a method, and their age in seconds."""

    query: tuple[KnownField, ...]
    body: tuple[KnownField, ...]
    age: float


def keep(
    runtime: Runtime, settings: Settings, operation: Operation, description: MethodDescription
) -> None:
    """Cache the names of a description. Errors are ignored."""
    key = _key(settings, operation)
    if key is None:
        return
    body = _harmless(description.body)
    query = _harmless(description.query)
    # Reserve up to half of the names for the body, because there may be many
    # parameters.
    room = MOST_NAMES - min(len(body), MOST_NAMES // 2)
    query = query[:room]
    cache = _cache(runtime)
    with suppress(OSError):
        cache.write([_FORM, query, body[: MOST_NAMES - len(query)]], *key)
        cache.sweep()


def recall(runtime: Runtime, settings: Settings, operation: Operation) -> KnownMethod | None:
    """Return the cached names of a connection's method, or None."""
    key = _key(settings, operation)
    fact = _cache(runtime).read(*key) if key else None
    match fact and fact.value:
        case [int() as form, list() as query, list() as body] if fact and form == _FORM:
            return KnownMethod(_valid_fields(query), _valid_fields(body), fact.age)
    return None


def with_known(
    known: Iterable[KnownField], described: Iterable[KnownField]
) -> tuple[KnownField, ...]:
    """Return the known fields, and then the described fields with other names."""
    merged = {field.name: field for field in known}
    for field in described:
        merged.setdefault(field.name, field)
    return tuple(merged.values())


def known_fields(described: Iterable[DescribedField]) -> list[KnownField]:
    """Return the described fields in the catalogue's notation, without those that it
    cannot express.
    """
    found: dict[str, KnownField] = {}
    for field in described:
        if _FIELD.fullmatch(field.name):
            values = field.values if all(map(NAME.fullmatch, field.values)) else ()
            kind = _TYPES.get(field.type, "string")
            found[field.name] = KnownField(
                field.name, kind, None, values[:_MOST_VALUES], field.required
            )
    return [*found.values()]


def _key(settings: Settings, operation: Operation) -> tuple[str, ...] | None:
    """Return the cache key of a description.

    Returns None if the connection's id is unknown.
    """
    address, account = settings.reachable()
    if account in ("", OWN_ACCOUNT):
        return None
    return address.origin, account, operation.api, operation.resource, operation.name


def _harmless(described: Iterable[DescribedField]) -> list[list[Json]]:
    return [
        [field.name, field.type, field.required]
        for field in described
        if NAME.fullmatch(field.name)
    ]


def _valid_fields(values: Iterable[Json]) -> tuple[KnownField, ...]:
    found = []
    for field in values:
        match field:
            case [str() as name, str() as kind, bool() as required] if NAME.fullmatch(name):
                found.append(KnownField(name, _TYPES.get(kind, "string"), required=required))
    return tuple(found[:MOST_NAMES])


def _cache(runtime: Runtime) -> Cache:
    return Cache(runtime.folder("cache"), _KIND, runtime.wall)
