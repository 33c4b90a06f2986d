"""The shape of any number of records in bounded memory: paths, types and how often, and no value of a person.

Values are kept only of paths that the catalogue knows as an enumeration, or whose name says that they are one.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from unified_cli.json_text.values import Json

ANY: Final = "*"
"""Stands for the names of members that are data themselves."""
_ENUMERATIONS = frozenset(("status", "state", "type", "kind", "priority"))
_WORD = re.compile(r"[A-Za-z][a-z]*")
# An id or an address as the name of a member is data.
_DATA = re.compile(r".{65,}|.*@.*|[\d.:-]+|(?=.*\d)[0-9a-fA-F-]{16,}", re.DOTALL)
_MOST_MEMBERS = 200
_MOST_PATHS = 5000
_DEEPEST = 32
_MOST_VALUES = 50
_LONGEST_VALUE = 64

_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class ShapeNode:
    """What was seen at one path: how often each type, the members of objects, the items of arrays, the values.

    `values` is None where they are not listed.
    """

    __slots__ = ("counted", "counts", "items", "members", "values")

    def __init__(self, *, values: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self.counted = True
        """The counts are how often something was seen; else only that there may be such a type."""
        self.members: dict[str, ShapeNode] = {}
        self.items: ShapeNode | None = None
        self.values: set[str] | None = set() if values else None

    @property
    def seen(self) -> int:
        """How many values were seen, null included."""
        return self.counts.total()

    @property
    def kinds(self) -> frozenset[str]:
        """The types without null; an integer is a number where there are other numbers too."""
        kinds = {name for name, _ in self.counts.items() if name != "null"}
        return frozenset(kinds - {"integer"} if "number" in kinds else kinds)

    def share(self, name: str) -> tuple[int, int]:
        """In how many of how many objects a member is present."""
        return self.members[name].seen, self.counts["object"]


class ObservedShape:
    """Takes records one after the other; `enumerations` are the names of fields whose values are listed too."""

    def __init__(self, enumerations: Collection[str] = ()) -> None:
        self.root = ShapeNode()
        self._enumerations = frozenset(enumerations)
        self._paths = 0

    def add(self, record: Json) -> None:
        """Take a decoded record."""
        self._add(self.root, record, 0)

    def merge(self, other: "ObservedShape") -> None:
        """Take all that another shape has seen."""
        self._merge(self.root, other.root)

    def _add(self, node: ShapeNode, value: Json, depth: int) -> None:
        kind = type(value)
        node.counts[_NAMES[kind]] += 1
        if kind is str:
            if node.values is not None:
                _list(node, value)
        elif kind is dict:
            if depth < _DEEPEST:
                members = node.members
                for name, inner in value.items():
                    self._add(members.get(name) or self._member(node, name), inner, depth + 1)
        elif kind is list and depth < _DEEPEST:
            if node.items is None:
                node.items = ShapeNode(values=node.values is not None)
            for inner in value:
                self._add(node.items, inner, depth + 1)

    def _member(self, node: ShapeNode, name: str) -> ShapeNode:
        """A new member of a node; ANY for a name that is data, or one too many."""
        if len(node.members) >= _MOST_MEMBERS or self._paths >= _MOST_PATHS or _DATA.fullmatch(name):
            name = ANY
        if name not in node.members:
            self._paths += 1
            node.members[name] = ShapeNode(values=name in self._enumerations or _is_enumeration(name))
        return node.members[name]

    def _merge(self, node: ShapeNode, other: ShapeNode) -> None:
        node.counts.update(other.counts)
        if other.values is None:
            node.values = None
        for value in other.values or ():
            if node.values is not None:
                _list(node, value)
        for name, member in other.members.items():
            self._merge(node.members.get(name) or self._member(node, name), member)
        if other.items is not None:
            node.items = node.items or ShapeNode(values=other.items.values is not None)
            self._merge(node.items, other.items)


def paths(node: ShapeNode, path: str = "", of: int = 0) -> Iterator[tuple[str, ShapeNode, int]]:
    """Each path below a node in the order it was seen, with the node there, and in how many objects it could be."""
    for name, member in node.members.items():
        inner = f"{path}.{name}" if path else name
        yield inner, member, node.counts["object"]
        yield from paths(member, inner)
    if node.items is not None and (node.items.seen or node.items.members):
        yield f"{path}[]", node.items, of
        yield from paths(node.items, f"{path}[]")


def _is_enumeration(name: str) -> bool:
    words = _WORD.findall(name)
    return bool(words) and words[-1].lower() in _ENUMERATIONS


def _list(node: ShapeNode, value: str) -> None:
    """List a value, unless it shows that these values are no enumeration."""
    assert node.values is not None  # noqa: S101  the callers look
    if value in node.values:
        return
    if len(value) > _LONGEST_VALUE or "@" in value or len(node.values) >= _MOST_VALUES:
        node.values = None
    else:
        node.values.add(value)
