"""A connection's own description of a method.

Schemas of several forms are read as far as they make sense.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import NamedTuple
from urllib.parse import unquote

from unified_cli.values import Json, JsonObject

_TYPES = ("string", "number", "integer", "boolean", "array", "object")
_MOST_FIELDS = 1000
_MOST_PARTS = 50_000
_MOST_VALUES = 100
_DEEPEST = 5
_LONGEST_NAME = 200
_LONGEST_TEXT = 500
_MOST_REFERENCES = 5
_LONGEST_REFERENCE = 1000
# A schema combines other schemas in the members _PARTS. In a list of fields, each field
# has its name in one of _NAMES, and its values in one of _VALUES.
_ALTERNATIVES = ("anyOf", "oneOf")
_PARTS = ("allOf", *_ALTERNATIVES)
_NAMES = ("name", "key", "field")
_VALUES = ("enum", "values", "options")


class DescribedField(NamedTuple):
    """A parameter or a field. `type` is "" if unknown, and `values` are the possible
    values.

    The name of a nested field is in brackets: `owner[id]`, `to[][email]`.
    """

    name: str
    type: str = ""
    required: bool = False
    values: tuple[str, ...] = ()
    text: str = ""


class MethodDescription(NamedTuple):
    """The parameters and fields of a method, required ones first. `served` is the whole
    response.

    `record` are the fields of a record, if described. `whole` means that no part was
    left out. `default_query` and `default_body` are the values that the service adds by
    default. They are shown, but never sent.
    """

    query: tuple[DescribedField, ...]
    body: tuple[DescribedField, ...]
    documentation: str
    default_query: Json
    default_body: Json
    served: bytes = b""
    whole: bool = True
    record: tuple[DescribedField, ...] = ()


class SchemaError(ValueError):
    """The response has neither a schema nor a list of fields."""


def description(document: JsonObject, served: bytes = b"") -> MethodDescription | None:
    """Return the description in a response, or None if it is empty.

    Raises SchemaError.
    """
    query, body = document.get("query_schema"), document.get("request_body_schema")
    if query is None and body is None and document.get("schema") is None:
        return None
    link = document.get("documentation_link")
    of_query, of_body = _read(query), _read(body)
    return MethodDescription(
        of_query.fields,
        of_body.fields,
        link[:_LONGEST_TEXT] if isinstance(link, str) else "",
        document.get("default_query"),
        document.get("default_body"),
        served,
        of_query.whole and of_body.whole,
        _of_record(document.get("schema")),
    )


def _of_record(schema: Json) -> tuple[DescribedField, ...]:
    # The form of this schema is not documented, so ignore it if it cannot be read.
    try:
        return fields(schema)
    except SchemaError:
        return ()


def fields(schema: Json) -> tuple[DescribedField, ...]:
    """Return the fields of a schema, required ones first.

    The schema may be a JSON Schema, a map of names to schemas, or a list of fields. At
    most a thousand fields are returned, down to the fifth level. Raises SchemaError if
    the description has another form.
    """
    return _read(schema).fields


class _Found(NamedTuple):
    """The fields of a schema, and whether they are complete."""

    fields: tuple[DescribedField, ...]
    whole: bool = True


def _read(schema: Json) -> _Found:
    if schema is None or schema is False or schema is True:
        return _Found(())
    if not isinstance(schema, (dict, list)):
        raise SchemaError("a schema is neither an object nor a list")
    reader = _Reader(schema)
    found: dict[str, DescribedField] = {}
    for member in reader.members(schema, "", 1):
        if member.name not in found and len(found) == _MOST_FIELDS:
            reader.whole = False
            break
        found[member.name] = _merged_field(found.get(member.name, member), member)
    if not found and schema and not _is_schema(schema):
        raise SchemaError("a schema names no fields")
    return _Found(tuple(sorted(found.values(), key=lambda field: not field.required)), reader.whole)


def _merged_field(one: DescribedField, other: DescribedField) -> DescribedField:
    return DescribedField(
        one.name,
        one.type or other.type,
        one.required or other.required,
        one.values or other.values,
        one.text or other.text,
    )


def _is_schema(schema: Json) -> bool:
    return isinstance(schema, dict) and (
        isinstance(schema.get("type"), (str, list))
        or isinstance(schema.get("properties"), dict)
        or any(isinstance(schema.get(name), list) for name in _PARTS)
        or any(isinstance(schema.get(name), str) for name in ("$ref", "$schema"))
    )


class _Reader:
    """Reads the fields of a schema. Stops after `_MOST_PARTS` parts, because references
    can multiply the parts.
    """

    def __init__(self, root: Json) -> None:
        self._root = root
        self._left = _MOST_PARTS
        self.whole = True
        """Whether all parts were read."""

    def members(
        self, schema: Json, within: str, depth: int, *, binding: bool = True
    ) -> Iterator[DescribedField]:
        """Yield the fields of an object, each before its nested fields.

        Fields of alternatives are optional.
        """
        if not self._has_budget_for() or depth > _DEEPEST:
            self.whole = False
            return
        if isinstance(schema, list):
            yield from self._listed(schema, within, depth)
            return
        schema = self._resolved(schema)
        declared = schema.get("properties")
        properties = (
            declared if isinstance(declared, dict) else {} if _is_schema(schema) else schema
        )
        required = schema.get("required")
        first = _items(required)[:_MOST_FIELDS]
        if not self._has_budget_for(len(first)):
            return
        names = dict.fromkeys(name for name in first if isinstance(name, str))
        missing: Iterator[tuple[str, Json]] = (
            (name, {}) for name in names if name not in properties
        )
        for name, schema_of_field in chain(properties.items(), missing):
            if not self._has_budget_for():
                return
            # The schema `true` allows any value.
            field = {} if schema_of_field is True and properties is declared else schema_of_field
            if isinstance(field, dict):
                yield from self._field(
                    name, field, within, depth, required=name in names, binding=binding
                )
        for part in _PARTS:
            for inner in self._dicts(schema.get(part)):
                yield from self.members(
                    inner, within, depth, binding=binding and part not in _ALTERNATIVES
                )

    def _has_budget_for(self, parts: int = 1) -> bool:
        self._left -= parts
        self.whole = self.whole and self._left >= 0
        return self._left >= 0

    def _dicts(self, value: Json) -> Iterator[JsonObject]:
        for item in _items(value):
            if not self._has_budget_for():
                return
            if isinstance(item, dict):
                yield item

    def _resolved(self, schema: JsonObject) -> JsonObject:
        """Resolve a schema's references within the document. Members beside a reference
        override those of the referenced schema.
        """
        for _ in range(_MOST_REFERENCES):
            place = schema.get("$ref")
            if not isinstance(place, str):
                return schema
            found = _object_at(self._root, place)
            if found is None or not self._has_budget_for(len(found) + len(schema)):
                break
            schema = {**found, **{name: value for name, value in schema.items() if name != "$ref"}}
        self.whole = False
        return schema

    def _listed(self, values: list[Json], within: str, depth: int) -> Iterator[DescribedField]:
        for value in values:
            if not self._has_budget_for():
                return
            if isinstance(value, str):
                yield from self._field(value, {}, within, depth, required=False)
            elif isinstance(value, dict):
                name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
                if name is not None:
                    schema = value["schema"] if isinstance(value.get("schema"), dict) else value
                    yield from self._field(
                        name,
                        {**schema, **_required_and_description(value)},
                        within,
                        depth,
                        required=False,
                    )

    def _field(
        self,
        name: str,
        schema: JsonObject,
        within: str,
        depth: int,
        *,
        required: bool,
        binding: bool = True,
    ) -> Iterator[DescribedField]:
        path = f"{within}[{name}]" if within else name
        if not name:
            return
        if len(path) > _LONGEST_NAME:
            self.whole = False
            return
        schema = self._resolved(schema)
        kind = _type(schema)
        text = schema.get("description")
        items = schema.get("items")
        items = self._resolved(items) if isinstance(items, dict) else items
        yield DescribedField(
            path,
            kind,
            binding and (required or schema.get("required") is True),
            _listed_or_item_values(schema, items),
            " ".join(text[: 4 * _LONGEST_TEXT].split())[:_LONGEST_TEXT]
            if isinstance(text, str)
            else "",
        )
        inner, place = (items, f"{path}[]") if kind == "array" else (schema, path)
        if isinstance(inner, dict) and (
            "properties" in inner or any(map(_may_name_fields, _parts(inner)))
        ):
            yield from self.members(inner, place, depth + 1)


def _required_and_description(schema: Mapping[str, Json]) -> JsonObject:
    return {key: schema[key] for key in ("required", "description") if key in schema}


def _type(schema: JsonObject) -> str:
    declared = [part.get("type") for part in (schema, *_parts(schema))]
    words = (word for kinds in declared for word in (kinds if isinstance(kinds, list) else [kinds]))
    known = next(
        (word for word in islice(words, _MOST_VALUES) if isinstance(word, str) and word in _TYPES),
        "",
    )
    if known:
        return known
    return "object" if "properties" in schema else "array" if "items" in schema else ""


def _listed_or_item_values(schema: JsonObject, items: Json) -> tuple[str, ...]:
    values = (value for part in (schema, *_parts(schema)) for value in _listed_values(part))
    listed = [*islice(values, 10 * _MOST_VALUES)]
    if not listed and isinstance(items, dict):
        return _listed_or_item_values(items, None)
    return tuple(dict.fromkeys(islice(_scalars(listed), _MOST_VALUES)))


def _listed_values(schema: JsonObject) -> list[Json]:
    listed = next((schema[key] for key in _VALUES if isinstance(schema.get(key), list)), None)
    if isinstance(listed, list):
        return listed
    return [schema["const"]] if "const" in schema else []


def _parts(schema: JsonObject) -> list[JsonObject]:
    """Return the schemas that this schema combines, if they are objects."""
    found = (item for part in _PARTS for item in islice(_items(schema.get(part)), _MOST_VALUES))
    return [item for item in found if isinstance(item, dict)]


def _may_name_fields(schema: JsonObject) -> bool:
    return not {"properties", "$ref", *_PARTS}.isdisjoint(schema)


def _object_at(root: Json, place: str) -> JsonObject | None:
    if len(place) > _LONGEST_REFERENCE:
        return None
    found, (document, *names) = root, place.split("/")
    for name in names:
        found = (
            found.get(unquote(name).replace("~1", "/").replace("~0", "~"))
            if isinstance(found, dict)
            else None
        )
    return found if document == "#" and isinstance(found, dict) else None


def _scalars(listed: Iterable[Json]) -> Iterator[str]:
    for item in listed:
        value = item.get("value", item.get("id")) if isinstance(item, dict) else item
        if isinstance(value, str):
            yield value[:_LONGEST_NAME]
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield f"{value}"


def _items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
