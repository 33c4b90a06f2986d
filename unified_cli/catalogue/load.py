"""Read the catalogue's TOML into its types. Errors name the place in the data."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from unified_cli.catalogue.model import (
    STANDARD,
    Api,
    Catalogue,
    ConnectionWords,
    Operation,
    Resource,
    Service,
)
from unified_cli.values import Toml, TomlTable

SOURCE = "catalogue.toml"
_APIS = "apis"
"""The folder with a file for each API, which describes its resources and actions."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
# In the table of the service, this key has a table. All other keys have text.
_INNER = "connections"
_SENTENCES = {
    "list": "List {many}",
    "create": "Create {one}",
    "get": "Get {one} by its id",
    "update": "Update {one}",
    "delete": "Delete {one}",
    "search": "Search {many}",
}
_KINDS = {"GET": "read", "DELETE": "delete"}
EFFECTS = ("read", "safe")
"""The keys in a user's resource that list the actions that change nothing, and the
actions that are safe to repeat.
"""
_OPTIONAL = ("about", "origin", *EFFECTS)


class CatalogueError(ValueError):
    """A catalogue cannot be used."""


class PlaceError(CatalogueError):
    """The catalogue's data is invalid at this place.

    `word` is the invalid word.
    """

    def __init__(self, place: str, message: str, word: str = "") -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.word = word


def load() -> Catalogue:
    """Return the catalogue that comes with the program.

    Its data is not checked each time, because a test reads all of it with `read`.
    """
    data = _shipped(SOURCE)
    service = _service(data["service"])
    apis = {
        name: _api(service, name, table, partial(_shipped, f"{_APIS}/{name}.toml"))
        for name, table in data["api"].items()
    }
    return Catalogue(service, apis)


def _shipped(file: str) -> Any:
    return tomllib.loads((Path(__file__).parent / file).read_text("utf-8"))


def read(text: str, source: str = SOURCE) -> Catalogue:
    """Return the complete catalogue written in `text`.

    Raises CatalogueError, with `source` and the place, for an unknown key, missing
    operations, or a repeated or invalid word.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlaceError(source, str(error)) from None
    known_keys(source, data, {"service", "api"})
    words = table_of(source, data, "service")
    _check_service(f"{source}: service", words)
    service = _service(words)
    apis = table_of(source, data, "api")
    return Catalogue(
        service, {name: api_of(f"{source}: {name}", service, name, apis) for name in apis}
    )


def api_of(place: str, service: Service, name: str, apis: TomlTable) -> Api:
    """Return the API of that name among the tables.

    Raises CatalogueError with the API's problem.
    """
    _check_api(place, name, apis)
    return _api(service, name, apis[name], lambda: apis[name])


def _api(service: Service, name: str, words: Any, read: Callable[[], Any]) -> Api:
    return Api(
        name, words["title"], words.get("about", ""), lambda: _resources(service, name, read())
    )


def _service(words: Any) -> Service:
    return Service(**{**words, _INNER: ConnectionWords(**words[_INNER])})


def _resources(service: Service, api: str, table: Any) -> dict[str, Resource]:
    """Return the resources in the table of an API.

    The table must have been checked.
    """
    summaries = table.get("actions", {})
    return {
        name: _resource(service, api, name, described, summaries)
        for name, described in table["resources"].items()
    }


def _resource(
    service: Service, api: str, name: str, described: Any, summaries: Mapping[str, str]
) -> Resource:
    """Return the resource that these words, or this table, describe.

    `summaries` describe the actions of the API.
    """
    table = {"operations": described} if isinstance(described, str) else described
    many = name.replace("-", " ").replace("_", " ")
    one = table.get("one") or f"a record of {many}"
    operations = {}
    for word in _words(table["operations"]):
        form = _SENTENCES.get(word, "Run {name} on {many}")
        summary = summaries.get(f"{name} {word}") or form.format(name=word, many=many, one=one)
        operations[word] = operation_of(service, api, name, word, summary)
    return Resource(api, name, table.get("about", ""), operations)


def operation_of(service: Service, api: str, resource: str, name: str, summary: str) -> Operation:
    """Return the operation with these names: a standard operation, a search, or an
    action.
    """
    method, suffix = STANDARD.get(name, ("POST", f"/{name}"))
    searches = name == service.search
    action = name not in STANDARD and not searches
    return Operation(
        api=api,
        resource=resource,
        name=name,
        method=method,
        path=f"{service.prefix}/{api}/{resource}{suffix}",
        kind="action" if action else "read" if searches else _KINDS.get(method, "write"),
        outward=action and name in service.outward.split(),
        harmless=searches or (action and name in service.harmless.split()),
        summary=summary,
    )


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        if word == "crud":
            yield from STANDARD
        else:
            yield word


def _check_service(place: str, data: TomlTable) -> None:
    known_keys(place, data, {*Service._fields})
    inner, words = f"{place}.{_INNER}", table_of(place, data, _INNER)
    known_keys(inner, words, {*ConnectionWords._fields})
    for name in Service._fields:
        if name != _INNER:
            _text(place, data, name)
    for name in ConnectionWords._fields:
        _text(inner, words, name)


def _check_api(place: str, name: str, apis: TomlTable) -> None:
    check_word(place, name)
    data = table_of(place, apis, name)
    known_keys(place, data, {"title", "about", "resources", "actions"})
    resources = table_of(place, data, "resources")
    summaries = _texts(f"{place}.actions", data.get("actions", {}))
    actions = {
        f"{resource} {word}"
        for resource in resources
        for word in _checked_words(f"{place}.{resource}", resource, resources[resource])
    }
    if unknown := summaries.keys() - actions:
        raise PlaceError(f"{place}.actions", f"no operation {min(unknown)!r}")
    _text(place, data, "title")
    _text(place, {"about": "", **data}, "about")


def _checked_words(place: str, name: str, data: Toml) -> list[str]:
    """Check the words or the table of a resource, and return its operations.

    Raises CatalogueError.
    """
    check_word(place, name)
    table = {"operations": data} if isinstance(data, str) else data
    if not isinstance(table, dict):
        raise PlaceError(place, f"expected words or a table, found {data!r}")
    known_keys(place, table, {"operations", "one", *_OPTIONAL})
    for key in ("one", *_OPTIONAL):
        _text(place, {key: "", **table}, key)
    result: list[str] = []
    for word in _words(_text(place, table, "operations")):
        check_word(place, word)
        if word in result:
            raise PlaceError(place, f"{word!r} is listed twice", word)
        result.append(word)
    if not result:
        raise PlaceError(place, "no operations")
    for key in EFFECTS:
        if unknown := {*table.get(key, "").split()} - {*result}:
            raise PlaceError(place, f"{key!r} names no operation {min(unknown)!r}", min(unknown))
    return result


def known_keys(place: str, data: TomlTable, known: set[str]) -> None:
    """Raise CatalogueError for an unknown key."""
    if unknown := data.keys() - known:
        word = min(unknown)
        raise PlaceError(place, f"unknown key {word!r} (known: {', '.join(sorted(known))})", word)


def table_of(place: str, data: TomlTable, key: str) -> dict[str, Toml]:
    """Return the table of that key.

    Raises CatalogueError if it is missing or empty.
    """
    value = data.get(key)
    if not isinstance(value, dict) or not value:
        raise PlaceError(place, f"{key!r} must be a non-empty table", key)
    return value


def _text(place: str, data: TomlTable, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise PlaceError(place, f"{key!r} must be text", key)
    return value


def _texts(place: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise PlaceError(place, "must be a table of texts")
    return value


def is_name(word: str) -> bool:
    """Return whether an API, a resource or an operation can have this name."""
    return _NAME.fullmatch(word) is not None


def check_word(place: str, word: str) -> None:
    """Raise CatalogueError for a word that cannot be a command's name."""
    if not is_name(word):
        raise PlaceError(
            place,
            f"{word!r} must be at most 64 lower-case letters, digits, dashes and underscores",
            word,
        )
