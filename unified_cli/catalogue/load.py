"""Read the catalogue's TOML into its types; an error in the data names its place."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from unified_cli.catalogue.model import (
    STANDARD,
    Api,
    Catalogue,
    ConnectionWords,
    LazyResources,
    Operation,
    Resource,
    Service,
    sentence,
)
from unified_cli.values import Toml, TomlTable

SOURCE = "catalogue.toml"
_WORD = re.compile(r"[a-z]+([-_][a-z]+)*")
# Every API of our own file begins with such a line, so that one API can be read alone.
_API = re.compile(r"^\[api\.([a-z-]+)\]$", re.MULTILINE)
_TABLE = "\n[api."
# The only table within that of the service's words.
_INNER = "connections"
_KINDS = {"GET": "read", "DELETE": "delete"}


class CatalogueError(ValueError):
    """A catalogue cannot be used."""


class PlaceError(CatalogueError):
    """The catalogue's data is wrong at this place; `word` is the wrong word."""

    def __init__(self, place: str, message: str, word: str = "") -> None:
        super().__init__(f"{place}: {message}")
        self.place = place
        self.word = word


def load() -> Catalogue:
    """The catalogue that comes with the program; the resources of an API are read when they are first needed."""
    text = Path(__file__).with_name(SOURCE).read_text("utf-8")
    shared, *parts = _API.split(text)
    service = _service(f"{SOURCE}: service", tomllib.loads(shared)["service"])
    return Catalogue(
        service, {name: _lazy_api(service, name, part) for name, part in zip(*[iter(parts)] * 2, strict=True)}
    )


def _lazy_api(service: Service, name: str, part: str) -> Api:
    head = tomllib.loads(part.partition(_TABLE)[0])

    def resources() -> Mapping[str, Resource]:
        return api_of(f"{SOURCE}: {name}", service, name, tomllib.loads(f"[api.{name}]{part}")["api"]).resources

    return Api(name, head["title"], head["about"], LazyResources(resources))


def read(text: str, source: str = SOURCE) -> Catalogue:
    """The catalogue written in `text`, all of it.

    Raises CatalogueError with `source` and the place: unknown keys, no operations, a word twice, a bad word.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlaceError(source, str(error)) from None
    known_keys(source, data, {"service", "api"})
    service = _service(f"{source}: service", table_of(source, data, "service"))
    apis = table_of(source, data, "api")
    return Catalogue(service, {name: api_of(f"{source}: {name}", service, name, apis) for name in apis})


def _service(place: str, data: TomlTable) -> Service:
    known_keys(place, data, {*Service._fields})
    inner, words = f"{place}.{_INNER}", table_of(place, data, _INNER)
    known_keys(inner, words, {*ConnectionWords._fields})
    found = [_text(place, data, name) for name in Service._fields if name != _INNER]
    return Service._make([*found, ConnectionWords._make(_text(inner, words, name) for name in ConnectionWords._fields)])


def api_of(place: str, service: Service, name: str, apis: TomlTable) -> Api:
    """The API of that name among the tables. Raises CatalogueError naming what is wrong with it."""
    check_word(place, name)
    data = table_of(place, apis, name)
    known_keys(place, data, {"title", "about", "resources", "actions"})
    resources = table_of(place, data, "resources")
    summaries = _texts(f"{place}.actions", data.get("actions", {}))
    reader = _ResourceReader(place, service, name, summaries)
    made = {one: reader.resource(one, resources[one]) for one in resources}
    all_actions = {f"{one.name} {word}" for one in made.values() for word in one.operations}
    if unknown := summaries.keys() - all_actions:
        raise PlaceError(f"{place}.actions", f"no operation {min(unknown)!r}")
    return Api(name, _text(place, data, "title"), _text(place, {"about": "", **data}, "about"), made)


class _ResourceReader(NamedTuple):
    """Reads the resources of one API; `summaries` are those of its actions."""

    place: str
    service: Service
    api: str
    summaries: Mapping[str, str]

    def resource(self, name: str, data: Toml) -> Resource:
        """The resource that these words, or this table, describe."""
        place = f"{self.place}.{name}"
        check_word(place, name)
        table = {"operations": data} if isinstance(data, str) else data
        if not isinstance(table, dict):
            raise PlaceError(place, f"expected words or a table, found {data!r}")
        known_keys(place, table, {"operations", "one", "about"})
        one = _text(place, table, "one") if "one" in table else None
        operations = {}
        for word in _words(_text(place, table, "operations")):
            check_word(place, word)
            if word in operations:
                raise PlaceError(place, f"{word!r} is listed twice", word)
            summary = self.summaries.get(f"{name} {word}") or sentence(word, name, one)
            operations[word] = self._operation(name, word, summary)
        if not operations:
            raise PlaceError(place, "no operations")
        return Resource(self.api, name, _text(place, {"about": "", **table}, "about"), operations)

    def _operation(self, resource: str, name: str, summary: str) -> Operation:
        method, suffix = STANDARD.get(name, ("POST", f"/{name}"))
        action = name not in STANDARD
        return Operation(
            api=self.api,
            resource=resource,
            name=name,
            method=method,
            path=f"{self.service.prefix}/{self.api}/{resource}{suffix}",
            kind="action" if action else _KINDS.get(method, "write"),
            outward=action and name in self.service.outward.split(),
            harmless=action and name in self.service.harmless.split(),
            summary=summary,
        )


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        if word == "crud":
            yield from STANDARD
        else:
            yield word


def known_keys(place: str, data: TomlTable, known: set[str]) -> None:
    """Raise CatalogueError for an unknown key."""
    if unknown := data.keys() - known:
        word = min(unknown)
        raise PlaceError(place, f"unknown key {word!r} (known: {', '.join(sorted(known))})", word)


def table_of(place: str, data: TomlTable, key: str) -> dict[str, Toml]:
    """The table of that key. Raises CatalogueError if there is none, or it is empty."""
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


def check_word(place: str, word: str) -> None:
    """Raise CatalogueError for what cannot be a command's name."""
    if not _WORD.fullmatch(word):
        raise PlaceError(place, f"{word!r} must be lower-case letters, joined by single dashes or underscores", word)
