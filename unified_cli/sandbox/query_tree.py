"""Query parameters with brackets as a tree: `a[b]=1`, `a[]=x`, `a[0]=x`, in the spellings official clients send."""

import re
from collections.abc import Iterable
from typing import Union

QueryValue = Union[str, list["QueryValue"], dict[str, "QueryValue"]]  # noqa: UP007  it contains itself
"""The value of a parameter: text, or what brackets made of several parameters."""

QueryTree = dict[str, QueryValue]

_KEY = re.compile(r"(?P<name>[^\[\]]+)(?P<rest>(\[[^\[\]]*\])*)")
_INDEX = re.compile("[0-9]{1,9}")
_DEEPEST = 20
_PART = re.compile(r"\[([^\[\]]*)\]")


def tree(pairs: Iterable[tuple[str, str]]) -> QueryTree:
    """The values by name: text, lists made of `[]` and `[0]`, or trees.

    Brackets that do not close, as in `a[b`, or are too deep are part of the name. Of a name given twice the last holds.
    """
    root: QueryTree = {}
    for key, value in pairs:
        match = _KEY.fullmatch(key) if key.count("[") <= _DEEPEST else None
        parts = [match["name"], *_PART.findall(match["rest"])] if match else [key]
        _place(root, parts, value)
    return {name: _lists(value) for name, value in root.items()}


def _place(at: QueryTree, parts: list[str], value: str) -> None:
    for place, part in enumerate(parts):
        # `[]` is the next item; in an array of objects, `[][a]` belongs to the last one until it has that key.
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
    """The texts in a value, whichever way it is spelled."""
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [text for item in items for text in texts(item)]


def is_on(value: QueryValue | None) -> bool:
    """Whether a switch is on."""
    return value in ("true", "1")
