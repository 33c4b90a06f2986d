"""Parse the query of a list, with brackets as a tree, filter with operators such as
`created_at[gt]=…`, and sort.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Union

from unified_cli.catalogue.known import known
from unified_cli.sandbox.messages import Refusal
from unified_cli.sandbox.vocabulary import fields_of
from unified_cli.values import Json, JsonObject

if TYPE_CHECKING:
    from datetime import datetime

SWITCH = ("true", "false", "1", "0")
"""The values of a boolean parameter."""

Test = Callable[[JsonObject], bool]
"""Returns whether to list a record."""

_ORDERS: Mapping[str, Callable[[int], bool]] = {
    "gt": lambda sign: sign > 0,
    "gte": lambda sign: sign >= 0,
    "lt": lambda sign: sign < 0,
    "lte": lambda sign: sign <= 0,
}
_OPERATORS = {*_ORDERS, "eq", "in", "ne"}
# Limit the number, because each value is compared with each record.
_MOST_VALUES = 1000
# `Union` allows the type to contain itself.
QueryValue = Union[str, list["QueryValue"], dict[str, "QueryValue"]]  # noqa: UP007
"""The value of a parameter: text, or a list or a tree if the name has brackets."""

QueryTree = dict[str, QueryValue]

_KEY = re.compile(r"(?P<name>[^\[\]]+)(?P<rest>(\[[^\[\]]*\])*)")
_INDEX = re.compile("[0-9]{1,9}")
_DEEPEST = 20
_PART = re.compile(r"\[([^\[\]]*)\]")


def tree(pairs: Iterable[tuple[str, str]]) -> QueryTree:
    """Return the values by name: text, lists from `[]` and `[0]`, or trees.

    Brackets are part of the name if they are not closed, as in `a[b`, or if there are
    too many. For a repeated name, the last value is used.
    """
    root: QueryTree = {}
    for key, value in pairs:
        match = _KEY.fullmatch(key) if key.count("[") <= _DEEPEST else None
        parts = [match["name"], *_PART.findall(match["rest"])] if match else [key]
        _place(root, parts, value)
    return {name: _lists(value) for name, value in root.items()}


def _place(at: QueryTree, parts: list[str], value: str) -> None:
    for place, part in enumerate(parts):
        # `[]` is the next item of a list. In a list of objects, `[][a]` belongs to the
        # last object, unless that object already has the key `a`.
        name = part
        if not part:
            name = str(len(at))
            after = parts[place + 1 : place + 2]
            last = at.get(str(len(at) - 1), {})
            if after and at and after[0] not in last:
                name = str(len(at) - 1)
        if place == len(parts) - 1:
            at[name] = value
            return
        below = at.get(name)
        if not isinstance(below, dict):
            below = at[name] = {}
        at = below


def _lists(value: QueryValue) -> QueryValue:
    if not isinstance(value, dict):
        return value
    below = {name: _lists(item) for name, item in value.items()}
    if below and all(_INDEX.fullmatch(name) for name in below):
        return [below[name] for name in sorted(below, key=int)]
    return below


def texts(value: QueryValue) -> list[str]:
    """Return the texts in a value."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [text for item in items for text in texts(item)]


def is_on(value: QueryValue | None) -> bool:
    """Return whether a boolean parameter is true."""
    return value in ("true", "1")


def check_values(query: QueryTree, name: str, values: Sequence[str]) -> None:
    """Raise Refusal 400 if a parameter has a value that is not among these values."""
    if (value := query.get(name, values[0])) not in values:
        raise Refusal(400, f"{name} must be {' or '.join(values)}, not {value!r}")


def tests(api: str, resource: str, query: QueryTree, own: Collection[str]) -> list[Test]:
    """Return the tests that a record must pass to be listed. `own` are the fields that
    a user's file defines.

    Assumption: like providers, ignore parameters that are not fields of the resource.
    """
    made = []
    for name, value in query.items():
        if name in ("and", "or"):
            made += _combined(api, resource, name, value, own)
        elif (field := _field(api, resource, name, own)) and not _means_all(
            api, resource, field, value
        ):
            made.append(field_test([field], value))
    return made


def is_field(api: str, resource: str, name: str) -> bool:
    """Return whether a parameter filters by a field."""
    return _field(api, resource, name) is not None


def _combined(
    api: str, resource: str, name: str, value: QueryValue, own: Collection[str]
) -> list[Test]:
    parts = value if isinstance(value, list) else [value]
    groups = [tests(api, resource, part, own) for part in parts if isinstance(part, dict)]
    if name == "and":
        return [test for group in groups for test in group]
    if not any(groups):
        return []
    return [lambda record: any(all(test(record) for test in group) for group in groups if group)]


def _field(api: str, resource: str, name: str, own: Collection[str] = ()) -> str | None:
    fields = {*fields_of(api, resource), *own}
    if name in fields:
        return name
    # `job_id` is the id of the record that `job` refers to.
    return name[:-3] if name.endswith("_id") and name[:-3] in fields else None


def _means_all(api: str, resource: str, name: str, value: QueryValue) -> bool:
    """Return whether the value means that records are not filtered.

    This is the case for `all`, if `all` is a known value of the parameter, but not of
    the field.
    """
    facts = known(api, resource)
    wanted = next((field.values for field in facts.query.get("list", ()) if field.name == name), ())
    field = next((field.values for field in facts.fields if field.name == name), ())
    return value == "all" and value in wanted and value not in field


def field_test(path: list[str], value: QueryValue) -> Test:
    """Return the test for a field. `value` is a value, several values, or operators
    with values.
    """
    if isinstance(value, dict):
        below = [
            _compare(path, name, item) if name in _OPERATORS else field_test([*path, name], item)
            for name, item in value.items()
        ]
        return lambda record: all(test(record) for test in below)
    return _compare(path, "in" if isinstance(value, list) else "eq", value)


def _compare(path: list[str], operator: str, value: QueryValue) -> Test:
    wanted = texts(value)
    if operator == "in":
        wanted = [part for text in wanted for part in (text.split(",") if "," in text else [text])]
        if len(wanted) > _MOST_VALUES:
            raise Refusal(
                400,
                f"{path[-1]}[in] has {len(wanted):,} values, and at most {_MOST_VALUES:,} are"
                " compared",
            )
    order = _ORDERS.get(operator)

    def test(record: JsonObject) -> bool:
        found = list(_leaves(_at(record, path)))
        if order is not None:
            signs = (_sign(leaf, text) for leaf in found for text in wanted)
            return any(sign is not None and order(sign) for sign in signs)
        same = any(_sign(leaf, text) == 0 for leaf in found for text in wanted) or (
            not found and wanted == [""]
        )
        return same != (operator == "ne")

    return test


def _at(value: Json, path: list[str]) -> Json:
    for name in path:
        if isinstance(value, list):
            value = [item.get(name) for item in value if isinstance(item, dict)]
        else:
            value = value.get(name) if isinstance(value, dict) else None
    return value


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        yield from (
            value[name] for name in ("id", "name", "email", "number", "value") if name in value
        )
    elif value is not None:
        yield value


def _sign(value: Json, text: str) -> int | None:
    """Return -1, 0 or 1 if a value is less than, equal to or greater than a text.

    Returns None if the two cannot be compared.
    """
    if isinstance(value, bool):
        return 0 if text == str(value).lower() else None
    if isinstance(value, (int, float)):
        try:
            number, other = Decimal(str(value)), Decimal(text)
            return (number > other) - (number < other)
        except InvalidOperation:
            return None
    if not isinstance(value, str):
        return None
    left, right = _moment(value), _moment(text)
    if left is not None and right is not None:
        return (left > right) - (left < right)
    return (value > text) - (value < text)


def _moment(text: str) -> "datetime | None":
    if len(text) < 10 or text[4] != "-" or not text[0].isdigit():
        return None

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def sort_key(name: str) -> Callable[[JsonObject], tuple[int, Json]]:
    """Return the key for sorting records by a field.

    Records with numbers come first, then records with texts, then records without the
    field.
    """

    def key(record: JsonObject) -> tuple[int, Json]:
        leaf = next(_leaves(record.get(name)), None)
        if isinstance(leaf, (bool, int, float)):
            return (0, leaf)
        return (2, "") if leaf is None else (1, leaf)

    return key
