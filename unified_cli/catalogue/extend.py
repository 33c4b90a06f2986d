"""Extend the catalogue with the operations of a user's file.

The built-in operations stay as they are, and clashes are reported.
"""

import re
import tomllib
from collections.abc import Collection, Mapping

from unified_cli.catalogue.known import FieldError, KnownFacts, known_in
from unified_cli.catalogue.load import (
    EFFECTS,
    CatalogueError,
    PlaceError,
    api_of,
    known_keys,
    table_of,
)
from unified_cli.catalogue.model import Api, Catalogue, Operation, Resource
from unified_cli.plural import named
from unified_cli.values import Toml, TomlTable

_PLACE = re.compile(r"at line (\d+)")
_BY_OPERATION = ("query", "body", "example")
_TEXTS = ("title", "about")
_MOST_NAMED = 5


def extended(
    catalogue: Catalogue, text: str, source: str, reserved: Collection[str]
) -> tuple[Catalogue, list[str]]:
    """Return the catalogue with the content of a file.

    Also returns a line for each API, resource or operation of the file that is ignored.
    `source` names the file, and `reserved` the commands that are not APIs. Raises
    CatalogueError, with the file and the line, if there is any error in the file.
    """
    try:
        return _extended(catalogue, text, source, reserved)
    except tomllib.TOMLDecodeError as error:
        match = _PLACE.search(str(error))
        raise PlaceError(f"{source}:{match[1] if match else 1}", str(error)) from None
    except PlaceError as error:
        line = _line(text, f"{error.place} {error.word}")
        raise PlaceError(f"{source}:{line}", str(error)) from None
    except RecursionError:
        raise CatalogueError(f"{source}: nested too deeply for a catalogue") from None
    except CatalogueError:
        raise
    except ValueError:
        # Python cannot parse a decimal number of more than 4,300 digits, and cannot
        # print one that was written in hexadecimal.
        raise CatalogueError(f"{source}: a number is larger than TOML allows (64 bits)") from None


def _extended(
    catalogue: Catalogue, text: str, source: str, reserved: Collection[str]
) -> tuple[Catalogue, list[str]]:
    data = tomllib.loads(text)
    known_keys("the file", data, {"api", "known"})
    tables = table_of("the file", data, "api")
    facts = _known_facts(table_of("the file", data, "known") if "known" in data else {}, tables)
    apis = dict(catalogue.apis)
    ignored: list[str] = []
    for name in tables:
        if name in reserved:
            ignored.append(
                f"{source}:{_line(text, name)}: {name} is a command of the program; this API is"
                " ignored"
            )
            continue
        old = apis.get(name)
        made = _build_api(catalogue, name, tables, old)
        described = table_of(name, table_of("api", tables, name), "resources")
        resources = {
            resource.name: _marked(
                resource, source, facts.get((name, resource.name)), described[resource.name]
            )
            for resource in made.resources.values()
        }
        clashes = [f"{name}.{key}" for key in _TEXTS if old and key in tables[name]]
        merged = _merged(old.resources if old else {}, resources, clashes)
        apis[name] = Api(name, made.title, made.about, merged.copy)
        if clashes:
            ignored.append(f"{source}:{_line(text, clashes[-1])}: {_clash_message(clashes)}")
    return Catalogue(catalogue.service, apis), ignored


def _clash_message(clashes: list[str]) -> str:
    names = named([clash.replace(".", " ") for clash in clashes], _MOST_NAMED)
    if len(clashes) == 1:
        return f"{names} already exists; the one in this file is ignored"
    return f"{names} already exist; those in this file are ignored"


def _build_api(catalogue: Catalogue, name: str, tables: TomlTable, old: Api | None) -> Api:
    if old is None:
        return api_of(name, catalogue.service, name, tables)
    added = {**table_of(name, tables, name), "title": old.title, "about": old.about}
    return api_of(name, catalogue.service, name, {name: added})


def _marked(resource: Resource, source: str, facts: KnownFacts | None, described: Toml) -> Resource:
    """Return the resource with the name of its file, and the effects of its actions.

    Unless the file says otherwise, assume that an action may have any effect.
    """
    table = described if isinstance(described, dict) else {}
    read, safe = (table.get(key, "").split() for key in EFFECTS)
    operations = {}
    for name, operation in resource.operations.items():
        harmless = operation.harmless or (operation.kind == "action" and name in read)
        outward = operation.kind == "action" and not harmless and name not in safe
        operations[name] = operation._replace(
            source=source, own=facts, harmless=harmless, outward=outward
        )
    return resource._replace(operations=operations, own=facts)


def _merged(
    old: Mapping[str, Resource], added: Mapping[str, Resource], clashes: list[str]
) -> dict[str, Resource]:
    merged = dict(old)
    for name, resource in added.items():
        if name not in merged:
            merged[name] = resource
            continue
        operations: dict[str, Operation] = dict(merged[name].operations)
        for word, operation in resource.operations.items():
            if word in operations:
                clashes.append(f"{resource.api}.{name}.{word}")
            else:
                operations[word] = operation._replace(
                    own=_joined_facts(merged[name], operation.own)
                )
        merged[name] = merged[name]._replace(operations=operations)
    return merged


def _joined_facts(resource: Resource, more: KnownFacts | None) -> KnownFacts | None:
    if more is None:
        return resource.own
    had = resource.facts
    return KnownFacts(
        had.fields or more.fields,
        {**more.query, **had.query},
        {**more.body, **had.body},
        {**more.example, **had.example},
    )


def _known_facts(tables: TomlTable, apis: TomlTable) -> Mapping[tuple[str, str], KnownFacts]:
    return {
        (api, resource): _known(table_of(f"known.{api}", several, resource), api, resource, apis)
        for api in tables
        for several in [table_of("known", tables, api)]
        for resource in several
    }


def _known(table: TomlTable, api: str, resource: str, apis: TomlTable) -> KnownFacts:
    place = f"known.{api}.{resource}"
    if resource not in table_of(api, table_of("known", apis, api), "resources"):
        raise PlaceError(place, "the file has no such resource")
    known_keys(place, table, {"fields", *_BY_OPERATION})
    if not isinstance(table.get("fields", ""), str):
        raise PlaceError(place, "'fields' must be text", "fields")
    for part in _BY_OPERATION:
        if part in table and not all(
            isinstance(text, str) for text in table_of(place, table, part).values()
        ):
            raise PlaceError(
                place, f"{part!r} must be a table with a text for each operation", part
            )
    try:
        return known_in(table)
    except FieldError as error:
        raise PlaceError(place, str(error), error.word) from None


def _line(text: str, place: str) -> int:
    """Return the line number of a key such as `a.b`.

    Searches for each part of the key after the line of the part before.
    """
    lines = text.splitlines()
    found = 0
    for word in re.findall(r"[^. ]+", place):
        pattern = re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])")
        found = next((at for at in range(found, len(lines)) if pattern.search(lines[at])), found)
    return found + 1
