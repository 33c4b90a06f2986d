"""What a list is known to be filtered and sorted by: for help and for other tools, never a limit."""

from typing import NamedTuple

from unified_cli.catalogue.known import KnownField
from unified_cli.catalogue.model import Operation, Service

DIRECTIONS = ("asc", "desc")


class KnownFilters(NamedTuple):
    """The known parameters of a list: `filters`, each alone or with one of the `operators`, and `sort_keys`."""

    filters: tuple[KnownField, ...]
    operators: tuple[str, ...]
    sort_keys: tuple[str, ...]


def known_filters(operation: Operation, service: Service) -> KnownFilters:
    """The filters and sort keys of a list; all empty for another operation.

    Assumption: the documented ones work on every list; a provider may ignore any of them.
    """
    if not operation.lists:
        return KnownFilters((), (), ())
    times = tuple(service.times.split())
    documented = operation.facts.query.get(operation.name, ())
    others = tuple(one for one in documented if one.name not in (*times, service.sort))
    return KnownFilters((*others, *map(KnownField, times)), tuple(service.operators.split()), times)
