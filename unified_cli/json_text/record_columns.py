"""Find the columns of a record by path.

The path `a.b` means the member `b` of the object `a` or, if `a` is a list, of each of
its items. The path `a[0]` means the first item of `a`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import Parts, Record, items, parts

_NULL = b"null"
_ITEMS = re.compile(r"(?P<key>.+?)(?P<items>(\[\d{0,9}\])+)")


class _PathStep(NamedTuple):
    """A possible first step of a path.

    It consists of a key, the numbers of the items in nested lists (None for all items),
    and the remaining path.
    """

    key: str
    items: tuple[int | None, ...]
    rest: str


def pick(members: Parts, column: str) -> bytes | None:
    """Return the value of a column, or None if the record does not have the column.

    A key that is spelled like the column takes precedence. Returns JSON null instead of
    None if a parent is null, or if a list is too short, because other records may have
    the column.
    """
    value = members.get(column)
    if value is not None or ("." not in column and not column.endswith("]")):
        return value
    for key, wanted, rest in _steps(column):
        if (found := members.get(key)) is not None:
            return _items_or_path(found, wanted, rest)
    return None


@lru_cache(maxsize=256)
def _steps(column: str) -> Sequence[_PathStep]:
    """Return the possible first steps of a path, beginning with the shortest key.

    There may be several first steps, because a key may contain dots and brackets.
    """
    return [*_splits(column)]


def _splits(column: str) -> Iterator[_PathStep]:
    dots = [at for at, letter in enumerate(column) if letter == "."]
    for end in (*dots, len(column)):
        head, rest = column[:end], column[end + 1 :]
        if rest:
            yield _PathStep(head, (), rest)
        if found := _ITEMS.fullmatch(head):
            numbers = found["items"][1:-1].split("][")
            yield _PathStep(
                found["key"], tuple(int(number) if number else None for number in numbers), rest
            )


def _items_or_path(value: bytes, wanted: Sequence[int | None], rest: str) -> bytes | None:
    if wanted and value.startswith(b"["):
        number, *more = wanted
        if number is None:
            return _value_of_each(value, more, rest)
        found = items(value)
        return _items_or_path(bytes(found[number]), more, rest) if number < len(found) else _NULL
    if value == _NULL or not (wanted or rest):
        return value
    if not wanted and value.startswith(b"["):
        return _value_of_each(value, (), rest)
    members = None if wanted else parts(value)
    return None if members is None else pick(members, rest)


def _value_of_each(value: bytes, wanted: Sequence[int | None], rest: str) -> bytes | None:
    found = [_items_or_path(bytes(item), wanted, rest) for item in items(value)]
    if found and all(value is None for value in found):
        return None
    return b"[" + b",".join(one or _NULL for one in found) + b"]"


def project(record: Record, columns: Sequence[str]) -> Record:
    """Return a record with only these columns; missing columns are null.

    A value that is not an object is returned unchanged.
    """
    members = parts(record)
    if members is None:
        return record
    pairs = (dump(column).encode() + b":" + (pick(members, column) or _NULL) for column in columns)
    return Record(b"{" + b",".join(pairs) + b"}")


def paths(members: Parts) -> Iterator[str]:
    """Yield the column names of a record, such as `status`, `status.name` and
    `tags.name`.

    The names are at most one level deep: they do not include `status.owner.name`.
    """
    for key, value in members.items():
        yield key
        first = next(iter(items(value)), None) if value.startswith(b"[") else value
        if first is not None:
            yield from (f"{key}.{name}" for name in parts(bytes(first)) or ())
