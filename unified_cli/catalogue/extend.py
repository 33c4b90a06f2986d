"""Add to the catalogue what a user wrote in the same grammar; what is there already stays as it is, and is named."""

import re
import tomllib
from collections.abc import Collection, Mapping

from unified_cli.catalogue.known import KnownFacts, known_in
from unified_cli.catalogue.load import CatalogueError, api_of, known_keys, table_of
from unified_cli.catalogue.model import Api, Catalogue, Operation, Resource
from unified_cli.json_text.values import TomlTable

_PLACE = re.compile(r"at line (\d+)")
_BY_OPERATION = ("query", "body", "example")
_QUOTED = re.compile(r"'([^' ]+)'")


def extended(catalogue: Catalogue, text: str, source: str, reserved: Collection[str]) -> tuple[Catalogue, list[str]]:
    """The catalogue with the APIs, resources and operations of a file, and what of it was passed over, a line each.

    `source` names the file, `reserved` the commands that are no APIs. Raises CatalogueError, with the file and the
    line, for a file that is wrong somewhere; then nothing of it counts.
    """
    try:
        return _extended(catalogue, text, source, reserved)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.search(str(error))
        raise CatalogueError(f"{source}:{found[1] if found else 1}: {error}") from None
    except CatalogueError as error:
        place, _, said = str(error).partition(": ")
        word = _QUOTED.search(said)
        line = _line(text, f"{place} {word[1]}" if word else place)
        raise CatalogueError(f"{source}:{line}: {place}: {said}") from None


def _extended(catalogue: Catalogue, text: str, source: str, reserved: Collection[str]) -> tuple[Catalogue, list[str]]:
    data = tomllib.loads(text)
    known_keys("the file", data, {"api", "known"})
    tables = table_of("the file", data, "api")
    facts = _facts(table_of("the file", data, "known") if "known" in data else {}, tables)
    apis = dict(catalogue.apis)
    passed: list[str] = []
    for name in tables:
        if name in reserved:
            passed.append(f"{source}:{_line(text, name)}: {name} is a command of the program, so this API has no name")
            continue
        old = apis.get(name)
        made = _made(catalogue, name, tables, old)
        resources = {one.name: _marked(one, source, facts.get((name, one.name))) for one in made.resources.values()}
        clashes: list[str] = []
        apis[name] = made._replace(resources=_merged(old.resources if old else {}, resources, clashes))
        passed += [f"{source}:{_line(text, clash)}: {clash.replace('.', ' ')} is there already; this one is passed over"
                   for clash in clashes]  # fmt: skip
    return Catalogue(catalogue.service, apis), passed


def _made(catalogue: Catalogue, name: str, tables: TomlTable, old: Api | None) -> Api:
    if old is None:
        return api_of(name, catalogue.service, name, tables)
    added = table_of(name, tables, name)
    if twice := added.keys() & {"title", "about"}:
        raise CatalogueError(f"{name}.{min(twice)}: the API is there already and keeps its {min(twice)}")
    return api_of(name, catalogue.service, name, {name: {"title": old.title, "about": old.about, **added}})


def _marked(resource: Resource, source: str, facts: KnownFacts | None) -> Resource:
    operations = {name: one._replace(source=source, own=facts) for name, one in resource.operations.items()}
    return resource._replace(operations=operations, own=facts)


def _merged(there: Mapping[str, Resource], added: Mapping[str, Resource], clashes: list[str]) -> Mapping[str, Resource]:
    merged = dict(there)
    for name, resource in added.items():
        if name not in merged:
            merged[name] = resource
            continue
        operations: dict[str, Operation] = dict(merged[name].operations)
        for word, operation in resource.operations.items():
            if word in operations:
                clashes.append(f"{resource.api}.{name}.{word}")
            else:
                operations[word] = operation._replace(own=merged[name].own)
        merged[name] = merged[name]._replace(operations=operations)
    return merged


def _facts(tables: TomlTable, apis: TomlTable) -> Mapping[tuple[str, str], KnownFacts]:
    """What the file knows of the resources that it adds."""
    return {
        (api, resource): _known(
            f"known.{api}.{resource}", table_of(f"known.{api}", several, resource), api, resource, apis
        )
        for api in tables
        for several in [table_of("known", tables, api)]
        for resource in several
    }


def _known(place: str, table: TomlTable, api: str, resource: str, apis: TomlTable) -> KnownFacts:
    if resource not in table_of(api, table_of("known", apis, api), "resources"):
        raise CatalogueError(f"{place}: the file has no such resource")
    known_keys(place, table, {"fields", *_BY_OPERATION})
    if not isinstance(table.get("fields", ""), str):
        raise CatalogueError(f"{place}: 'fields' must be text")
    for part in _BY_OPERATION:
        if part in table and not all(isinstance(text, str) for text in table_of(place, table, part).values()):
            raise CatalogueError(f"{place}: {part!r} must be texts by operation")
    try:
        return known_in(table)
    except ValueError as error:
        raise CatalogueError(f"{place}: {error}") from None


def _line(text: str, place: str) -> int:
    """The line that a dotted place is on, as far as its words can be found one after the other."""
    lines = text.splitlines()
    found = 0
    for word in re.split(r"[. ]", place):
        pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        found = next((at for at in range(found, len(lines)) if pattern.search(lines[at])), found)
    return found + 1
