"""What a connection says that a method takes: schemas of several forms, read as far as they make sense."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from unified_cli.json_text.values import Json, JsonObject

_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_MOST_FIELDS = 1000
_MOST_SCHEMAS = 20_000
_MOST_VALUES = 100
_DEEPEST = 5
_LONGEST_NAME = 200
_LONGEST_TEXT = 500
# How a schema is put together of others, and what a list of fields calls the name and the values of one.
_PARTS = ("allOf", "anyOf", "oneOf")
_NAMES = ("name", "key", "field")
_VALUES = ("enum", "values", "options")


class DescribedField(NamedTuple):
    """A parameter or a field: its type is empty where it is not told, its values are those that it may have.

    The name of one within another stands in brackets: `owner[id]`, `to[][email]`.
    """

    name: str
    type: str = ""
    required: bool = False
    values: tuple[str, ...] = ()
    text: str = ""

    @property
    def is_nested(self) -> bool:
        """Whether it is within another."""
        return "[" in self.name


class MethodDescription(NamedTuple):
    """What a method takes, what is required first; `served` is the whole answer.

    `default_query` and `default_body` are what the service says that it adds: to show, never to send.
    """

    query: tuple[DescribedField, ...]
    body: tuple[DescribedField, ...]
    documentation: str
    default_query: Json
    default_body: Json
    served: bytes = b""


class SchemaError(ValueError):
    """What is served in place of a schema is none, and no list of fields."""


def description(document: JsonObject, served: bytes = b"") -> MethodDescription | None:
    """The description in an answer; None where it says nothing. Raises SchemaError."""
    query, body = document.get("query_schema"), document.get("request_body_schema")
    if query is None and body is None and document.get("schema") is None:
        return None
    link = document.get("documentation_link")
    return MethodDescription(
        fields(query),
        fields(body),
        link[:_LONGEST_TEXT] if isinstance(link, str) else "",
        document.get("default_query"),
        document.get("default_body"),
        served,
    )


def fields(schema: Json) -> tuple[DescribedField, ...]:
    """The fields of a JSON Schema, of a map of names to schemas, or of a list of fields; what is required first.

    At most a thousand, down to the fifth level. Raises SchemaError for what is none of these.
    """
    if schema is None or schema is False or schema is True:
        return ()
    if not isinstance(schema, (dict, list)):
        raise SchemaError("a schema is neither an object nor a list")
    reader = _Reader()
    found = {one.name: one for one in islice(reader.members(schema, "", 1), _MOST_FIELDS)}
    if not found and schema and not _is_schema(schema):
        raise SchemaError("a schema names no fields")
    return tuple(sorted(found.values(), key=lambda one: not one.required))


def _is_schema(schema: Json) -> bool:
    """Whether it is a schema that may have no fields."""
    return isinstance(schema, dict) and (
        isinstance(schema.get("type"), (str, list))
        or isinstance(schema.get("properties"), dict)
        or any(isinstance(schema.get(name), list) for name in _PARTS)
        or any(isinstance(schema.get(name), str) for name in ("$ref", "$schema"))
    )


class _Reader:
    """Reads the fields of one schema, of which it looks at so many parts only: a few can stand for any number."""

    def __init__(self) -> None:
        self._left = _MOST_SCHEMAS

    def members(self, schema: Json, within: str, depth: int) -> Iterator[DescribedField]:
        """The fields of an object, each followed by those within it."""
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
            return
        if isinstance(schema, list):
            yield from self._listed(schema, within, depth)
            return
        properties = schema.get("properties")
        if not isinstance(properties, dict):
            properties = {} if _is_schema(schema) else schema
        required = schema.get("required")
        names = {one for one in required if isinstance(one, str)} if isinstance(required, list) else set()
        for name, one in properties.items():
            if isinstance(one, dict):
                yield from self._field(name, one, within, depth, required=name in names)
        for part in _PARTS:
            for one in _dicts(schema.get(part)):
                yield from self.members(one, within, depth)

    def _listed(self, found: list[Json], within: str, depth: int) -> Iterator[DescribedField]:
        for one in found:
            if isinstance(one, str):
                yield from self._field(one, {}, within, depth, required=False)
            elif isinstance(one, dict):
                name = next((one[key] for key in _NAMES if isinstance(one.get(key), str)), None)
                if name is not None:
                    schema = one["schema"] if isinstance(one.get("schema"), dict) else one
                    yield from self._field(name, {**schema, **_own(one)}, within, depth, required=False)

    def _field(
        self, name: str, schema: JsonObject, within: str, depth: int, *, required: bool
    ) -> Iterator[DescribedField]:
        path = f"{within}[{name}]" if within else name
        if not name or len(path) > _LONGEST_NAME:
            return
        kind = _type(schema)
        text = schema.get("description")
        items = schema.get("items")
        yield DescribedField(
            path,
            kind,
            required or schema.get("required") is True,
            _values(schema, items),
            " ".join(text.split())[:_LONGEST_TEXT] if isinstance(text, str) else "",
        )
        inner, place = (items, f"{path}[]") if kind == "array" else (schema, path)
        if isinstance(inner, dict) and not {"properties", *_PARTS}.isdisjoint(inner):
            yield from self.members(inner, place, depth + 1)


def _own(one: Mapping[str, Json]) -> JsonObject:
    """What a list of fields says of one beside its schema."""
    return {key: one[key] for key in ("required", "description") if key in one}


def _type(schema: Mapping[str, Json]) -> str:
    told = schema.get("type")
    words = told if isinstance(told, list) else [told]
    known = next((word for word in words if isinstance(word, str) and word in _TYPES), "")
    if known:
        return known
    return "object" if "properties" in schema else "array" if "items" in schema else ""


def _values(schema: Mapping[str, Json], items: Json) -> tuple[str, ...]:
    """The values of a field that are listed, or those of its items."""
    listed = next((schema[key] for key in _VALUES if isinstance(schema.get(key), list)), None)
    if listed is None and isinstance(items, dict):
        return _values(items, None)
    return tuple(dict.fromkeys(islice(_scalars(listed or ()), _MOST_VALUES)))


def _scalars(listed: Iterable[Json]) -> Iterator[str]:
    for one in listed:
        value = one.get("value", one.get("id")) if isinstance(one, dict) else one
        if isinstance(value, str):
            yield value[:_LONGEST_NAME]
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield f"{value}"


def _dicts(found: Json) -> list[JsonObject]:
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
