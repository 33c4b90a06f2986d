"""Find offered operations that the catalogue does not have, and the command that adds
them.
"""

import shlex
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from unified_cli.call.introspection import Offer
from unified_cli.catalogue import STANDARD, Catalogue, Operation, Service, plain
from unified_cli.catalogue.load import is_name, operation_of
from unified_cli.config import known_capabilities
from unified_cli.masking import MaskedText, masked, visible
from unified_cli.plural import counted, named

EXTRA = "extra"
"""The state of an offered operation without a command."""
_MOST_NAMED = 8
_MOST_PROVIDED = 3


class ExtraCell(NamedTuple):
    """An offered operation without a command, and how to call it."""

    operation: Operation
    why: MaskedText


def cells(catalogue: Catalogue, offer: Offer, asked: Collection[Operation]) -> list[ExtraCell]:
    """Return the offered operations that the catalogue lacks.

    `asked` limits the result. If `asked` has only some resources of an API, the result
    has only operations of these resources. If `asked` has all resources of an API in
    the catalogue, the result also has operations of resources that the catalogue lacks
    in this API. If `asked` is the whole catalogue, the result also has operations of
    APIs that are not in the catalogue, and of the provider's own resources.
    """
    service, wanted = (
        catalogue.service,
        {(operation.api, operation.resource) for operation in asked},
    )
    had = {(operation.api, operation.resource) for operation in catalogue}
    parts = {api for api, _ in had - wanted}
    result = [
        _cell(service, api, resource, name)
        for api, resources in known_capabilities.outside_catalogue(offer.offered, catalogue).items()
        for resource, names in resources.items()
        if had <= wanted
        or (api in catalogue.apis and api not in parts)
        or (api, resource) in wanted
        for name in names
    ]
    if had <= wanted:
        result += [
            _provided(service, resource, name)
            for resource, names in offer.provided.items()
            for name in dict.fromkeys(names)
        ]
    return result


# Cached, because thousands of connections offer the same operations.
@lru_cache(maxsize=20_000)
def _cell(service: Service, api: str, resource: str, name: str) -> ExtraCell:
    place = f"{api}/{resource}"
    why = (
        f"run unified operations add {place} to add this command"
        if all(map(is_name, (api, resource, name)))
        else "no command can have this name"
    )
    return ExtraCell(operation_of(service, api, resource, name, ""), masked(visible(why)))


@lru_cache(maxsize=20_000)
def _provided(service: Service, resource: str, name: str) -> ExtraCell:
    method, place = STANDARD.get(name, ("POST", f"/{name}"))
    path = f"{service.proxy}/{resource}{place.replace('{id}', 'ID')}"
    operation = operation_of(service, service.connections.provided, resource, name, "")
    called = shlex.join(["unified", "request", method, path])
    return ExtraCell(operation._replace(path=path, method=method), masked(visible(called)))


def addable(found: Sequence[ExtraCell], catalogue: Catalogue, words: Collection[str]) -> list[str]:
    """Return the arguments of `operations add` for these cells.

    An argument is a resource, or an API that the catalogue does not have. Command lines
    begin with the name of an API or one of `words`. So a new API whose name is in
    `words` is left out.
    """
    reserved = {*map(plain, words)}
    names = (
        f"{cell.api}/{cell.resource}" if cell.api in catalogue.apis else cell.api
        for cell in _unified(found, catalogue.service)
        if all(map(is_name, (cell.api, cell.resource, cell.name)))
        and (cell.api in catalogue.apis or plain(cell.api) not in reserved)
    )
    return [*dict.fromkeys(names)]


def in_words(found: Sequence[ExtraCell], service: Service) -> str:
    """Describe these cells in a few words."""
    by_resource: dict[str, list[str]] = {}
    for one in _unified(found, service):
        by_resource.setdefault(f"{one.api}/{one.resource}", []).append(one.name)
    provided = [
        *dict.fromkeys(
            cell.operation.resource
            for cell in found
            if cell.operation.api == service.connections.provided
        )
    ]
    parts = [
        named(
            [f"{place} ({', '.join(names)})" for place, names in by_resource.items()], _MOST_NAMED
        )
    ]
    if provided:
        parts.append(
            f"{counted(len(provided), 'resource')} of the provider"
            f" ({named(provided, _MOST_PROVIDED)})"
        )
    return "; ".join(filter(None, parts))


def _unified(found: Sequence[ExtraCell], service: Service) -> Iterator[Operation]:
    for cell in found:
        if cell.operation.api != service.connections.provided:
            yield cell.operation
