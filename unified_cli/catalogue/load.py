"""Read the catalogue's TOML into its types, and refuse bad data by naming the place."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from unified_cli.catalogue.model import STANDARD, Api, Catalogue, Late, Operation, Resource, Service, sentence
from unified_cli.json_text.values import Toml, TomlTable

SOURCE = "catalogue.toml"
_WORD = re.compile(r"[a-z]+([-_][a-z]+)*")
# Our own file begins every API with such a line; a test compares what is read in parts with what is read whole.
_API = re.compile(r"^\[api\.([a-z-]+)\]$", re.MULTILINE)
_TABLE = "\n[api."
_KINDS = {"GET": "read", "DELETE": "delete"}


class CatalogueError(ValueError):
    """The catalogue's data is wrong; the message names the file and the place."""


def load() -> Catalogue:
    """The catalogue that comes with the program. What an API holds is read when somebody asks: a call asks for one."""
    text = Path(__file__).with_name(SOURCE).read_text("utf-8")
    shared, *parts = _API.split(text)
    service = _service(f"{SOURCE}: service", tomllib.loads(shared)["service"])
    return Catalogue(service, {name: _late(service, name, part) for name, part in zip(*[iter(parts)] * 2, strict=True)})


def _late(service: Service, name: str, part: str) -> Api:
    head = tomllib.loads(part.partition(_TABLE)[0])

    def resources() -> Mapping[str, Resource]:
        return api_of(f"{SOURCE}: {name}", service, name, tomllib.loads(f"[api.{name}]{part}")["api"]).resources

    return Api(name, head["title"], head["about"], Late(resources))


def read(text: str, source: str = SOURCE) -> Catalogue:
    """The catalogue written in `text`, all of it, at once.

    Raises CatalogueError with `source` and the place: unknown keys, no operations, a word twice, a bad word.
    """
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{source}: {error}") from None
    known_keys(source, data, {"service", "api"})
    service = _service(f"{source}: service", table_of(source, data, "service"))
    apis = table_of(source, data, "api")
    return Catalogue(service, {name: api_of(f"{source}: {name}", service, name, apis) for name in apis})


def _service(place: str, data: TomlTable) -> Service:
    known_keys(place, data, {*Service._fields})
    return Service(*(_text(place, data, name) for name in Service._fields))


def api_of(place: str, service: Service, name: str, apis: TomlTable) -> Api:
    """The API of that name among the tables; CatalogueError names what is wrong with it."""
    check_word(place, name)
    data = table_of(place, apis, name)
    known_keys(place, data, {"title", "about", "resources", "actions"})
    resources = table_of(place, data, "resources")
    summaries = _texts(f"{place}.actions", data.get("actions", {}))
    made = {one: _resource(f"{place}.{one}", service, name, one, resources[one], summaries) for one in resources}
    all_actions = {f"{one.name} {word}" for one in made.values() for word in one.operations}
    if unknown := summaries.keys() - all_actions:
        raise CatalogueError(f"{place}.actions: no operation {min(unknown)!r}")
    return Api(name, _text(place, data, "title"), _text(place, {"about": "", **data}, "about"), made)


def _resource(
    place: str, service: Service, api: str, name: str, data: object, summaries: Mapping[str, str]
) -> Resource:
    check_word(place, name)
    table = {"operations": data} if isinstance(data, str) else data
    if not isinstance(table, dict):
        raise CatalogueError(f"{place}: expected words or a table, found {data!r}")
    known_keys(place, table, {"operations", "one", "about"})
    operations = {}
    for word in _words(_text(place, table, "operations")):
        check_word(place, word)
        if word in operations:
            raise CatalogueError(f"{place}: {word!r} is listed twice")
        summary = summaries.get(f"{name} {word}") or sentence(
            word, name, _text(place, table, "one") if "one" in table else None
        )
        operations[word] = _operation(service, api, name, word, summary)
    if not operations:
        raise CatalogueError(f"{place}: no operations")
    return Resource(api, name, _text(place, {"about": "", **table}, "about"), operations)


def _operation(service: Service, api: str, resource: str, name: str, summary: str) -> Operation:
    method, suffix = STANDARD.get(name, ("POST", f"/{name}"))
    return Operation(
        api=api,
        resource=resource,
        name=name,
        method=method,
        path=f"{service.prefix}/{api}/{resource}{suffix}",
        kind=_KINDS.get(method, "write") if name in STANDARD else "action",
        outward=name in service.outward.split() and name not in STANDARD,
        harmless=name in service.harmless.split() and name not in STANDARD,
        summary=summary,
    )


def _words(text: str) -> Iterator[str]:
    for word in text.split():
        if word == "crud":
            yield from STANDARD
        else:
            yield word


def known_keys(place: str, data: TomlTable, known: set[str]) -> None:
    """Raise CatalogueError for a key that nobody reads."""
    if unknown := data.keys() - known:
        raise CatalogueError(f"{place}: unknown key {min(unknown)!r} (known: {', '.join(sorted(known))})")


def table_of(place: str, data: TomlTable, key: str) -> dict[str, Toml]:
    """The table of that key, which must hold something."""
    value = data.get(key)
    if not isinstance(value, dict) or not value:
        raise CatalogueError(f"{place}: {key!r} must be a table that is not empty")
    return value


def _text(place: str, data: TomlTable, key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise CatalogueError(f"{place}: {key!r} must be text")
    return value


def _texts(place: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise CatalogueError(f"{place}: must be a table of texts")
    return value


def check_word(place: str, word: str) -> None:
    """Raise CatalogueError for what cannot be a command's name."""
    if not _WORD.fullmatch(word):
        raise CatalogueError(f"{place}: {word!r} must be small letters, joined by single dashes or underscores")
