"""The known fields and parameters of a resource: used for help, columns, skeletons and
the sandbox. They never limit a call.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from unified_cli.values import TomlTable

_FIELD = re.compile(
    r"(?P<name>\w+(\.\w+)*)(?P<required>!)?(?P<assumed>\?)?(:(?P<type>\w+))?"
    r"(>(?P<references>[\w-]+))?(=(?P<values>\S+))?"
)
# Assumption: a field with such a name is a time.
_TIMES = ("_at", "_time", "_date")
# Assumption: a parameter that is an object has the id of a record as its member `id`.
# The exceptions here have another member, such as the provider's own query in `raw`.
_MEMBERS = {"filter_Query": "raw"}


class KnownField(NamedTuple):
    """A field or parameter: its JSON type, the resource of the same API that it refers
    to, and its possible values.
    """

    name: str
    type: str = "string"
    references: str | None = None
    values: tuple[str, ...] = ()
    required: bool = False
    """Whether every provider with the operation requires the field."""
    assumed: bool = False
    """Whether the service describes the field, but not its name."""

    @property
    def is_time(self) -> bool:
        """Whether its value is a time, in ISO 8601."""
        return self.type == "string" and self.name.endswith(_TIMES)

    @property
    def parameter(self) -> str:
        """The name of the parameter in a query."""
        if self.type == "object":
            return f"{self.name}[{_MEMBERS.get(self.name, 'id')}]"
        return f"{self.name}[]" if self.type == "array" else self.name


class KnownFacts(NamedTuple):
    """The known facts about one resource.

    `query`, `body` and `example` are by operation. `example` has arguments for the
    sandbox. `members` are the members of fields that are objects, such as
    `status.name`.
    """

    fields: tuple[KnownField, ...] = ()
    query: Mapping[str, tuple[KnownField, ...]] = MappingProxyType({})
    body: Mapping[str, tuple[KnownField, ...]] = MappingProxyType({})
    example: Mapping[str, str] = MappingProxyType({})
    members: tuple[KnownField, ...] = ()

    def sent(self, operation: str) -> tuple[KnownField, ...]:
        """Return the known fields of an operation's body. A field refers to the same
        resource as the record's field of that name.
        """
        answered = {field.name: field.references for field in self.fields}
        return tuple(
            field._replace(references=field.references or answered.get(field.name))
            for field in self.body.get(operation, ())
        )


class FieldError(ValueError):
    """A word does not describe a field."""

    def __init__(self, word: str) -> None:
        super().__init__(f"not a field: {word!r}")
        self.word = word


def known(api: str, resource: str) -> KnownFacts:
    """Return the known facts about a resource.

    The facts are empty if the service documents nothing.
    """
    return _api(api).get(resource, KnownFacts())


@lru_cache
def _api(api: str) -> Mapping[str, KnownFacts]:
    path = Path(__file__).with_name("known") / f"{api}.toml"
    if not path.is_file():
        return {}
    return {
        resource: known_in(table)
        for resource, table in tomllib.loads(path.read_text("utf-8")).items()
    }


def known_in(table: TomlTable) -> KnownFacts:
    """Return the known facts in a table of a resource.

    Raises FieldError if a word is not a field.
    """
    by_operation = {
        part: {op: _fields(text) for op, text in table.get(part, {}).items()}
        for part in ("query", "body")
    }
    return KnownFacts(
        _fields(table.get("fields", "")),
        **by_operation,
        example=table.get("example", {}),
        members=_fields(table.get("members", "")),
    )


def written(field: KnownField) -> str:
    """Return the notation of a field in a file of known facts."""
    required, assumed = "!" if field.required else "", "?" if field.assumed else ""
    kind = f":{field.type}" if field.type != "string" else ""
    references = f">{field.references}" if field.references else ""
    values = f"={'|'.join(field.values)}" if field.values else ""
    return f"{field.name}{required}{assumed}{kind}{references}{values}"


def _fields(text: str) -> tuple[KnownField, ...]:
    return tuple(_field(word) for word in text.split())


def _field(word: str) -> KnownField:
    match = _FIELD.fullmatch(word)
    if match is None:
        raise FieldError(word)
    values = tuple((match["values"] or "").split("|")) if match["values"] else ()
    marks = (match["required"] is not None, match["assumed"] is not None)
    return KnownField(match["name"], match["type"] or "string", match["references"], values, *marks)
