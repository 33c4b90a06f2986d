"""Add operations that are not in the catalogue, but which some connections offer."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.catalogue.extend import extended
from unified_cli.catalogue.known import KnownField
from unified_cli.sandbox.accounts import BEYOND, offers
from unified_cli.sandbox.seeded_records import OwnFields

_FILE = "beyond.toml"


def with_more(catalogue: Catalogue) -> Catalogue:
    """Return the catalogue with these additional operations."""
    return extended(catalogue, _text(), _FILE, ())[0]


@cache
def _text() -> str:
    return Path(__file__).with_name(_FILE).read_text("utf-8")


def offered(kind: str, operation: Operation) -> bool:
    """Return whether a connection of this kind offers an operation."""
    more = operation.source == _FILE
    return (not more or kind in BEYOND) and offers(kind, operation.api, operation.resource)


def own_fields(catalogue: Catalogue) -> OwnFields:
    """Return a function that finds the fields that a user's files define."""

    def fields(api: str, resource: str) -> Sequence[KnownField]:
        resources = catalogue.apis[api].resources if api in catalogue.apis else {}
        own = resources[resource].own if resource in resources else None
        return own.fields if own else ()

    return fields
