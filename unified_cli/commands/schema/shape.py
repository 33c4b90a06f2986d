"""The shape of any number of records, in bounded memory.

A shape has paths, types and counts, but no personal values. Values are only listed for
paths that the catalogue knows as enumerations, or that have such a name.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from enum import Enum
from typing import Final

from unified_cli.json_text.json_codec import dump
from unified_cli.plural import named
from unified_cli.values import Json, JsonObject

ANY: Final = "*"
"""Replaces the names of members in a path if the names are data."""
_ENUMERATIONS = frozenset(("status", "state", "type", "kind", "priority"))
_WORD = re.compile(r"[A-Za-z][a-z]*")
# A name that is an id or an address is data.
_DATA = re.compile(r".{65,}|.*@.*|[\d.:-]+|(?=.*\d)[0-9a-fA-F-]{16,}", re.DOTALL)
_MOST_MEMBERS = 200
_MOST_PATHS = 5000
_DEEPEST = 32
_MOST_VALUES = 50
_LONGEST_VALUE = 64
_MOST_NAMED = 5
# An object can only be a map if at least this many objects had new names.
_FEWEST_NEW = 5
# In a path, names with these characters are quoted, so that the member `a.b` is not `b`
# in `a`.
_PLAIN = re.compile(r'[^.\[\]"*]+')

_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


class ShapeCut(Enum):
    """A limit of a shape, and the parts that were left out because of it."""

    DEPTH = f"ignored, because it is nested deeper than {_DEEPEST} levels"
    VALUES = (
        f"values are not listed, because some are long or addresses, or more than {_MOST_VALUES}"
    )
    NAMES = f"some members are counted under {ANY}, because there are too many"


class ShapeNode:
    """The values seen at one path: the number of each type, the members of objects, the
    items of arrays, and the listed values.

    `others` is for all members whose names are data. `values` is None if the values are
    not listed.
    """

    __slots__ = (
        "counted",
        "counts",
        "cuts",
        "filled",
        "fresh",
        "items",
        "members",
        "others",
        "present",
        "values",
    )

    def __init__(self, *, values: bool = False) -> None:
        self.counts: Counter[str] = Counter()
        self.counted = True
        """Whether values were counted. Otherwise the counts only tell which types are
        possible.
        """
        self.present: int | None = 0
        """How many objects had this member, or None if they were not counted."""
        self.members: dict[str, ShapeNode] = {}
        self.others: ShapeNode | None = None
        self.filled = 0
        """How many of the objects were not empty."""
        self.fresh = 0
        """How many of the objects had a member that no earlier object had."""
        self.items: ShapeNode | None = None
        self.values: set[str] | None = set() if values else None
        self.cuts: set[ShapeCut] = set()

    @property
    def seen(self) -> int:
        """How many values were seen, null included."""
        return self.counts.total()

    @property
    def kinds(self) -> frozenset[str]:
        """The types without null.

        An integer counts as a number if there are other numbers, too.
        """
        kinds = {name for name, _ in self.counts.items() if name != "null"}
        return frozenset(kinds - {"integer"} if "number" in kinds else kinds)

    @property
    def is_map(self) -> bool:
        """Whether the names of its members are data.

        They are data if most objects have new names, and most names are in only one
        object.
        """
        once = sum(member.present == 1 for member in self.members.values())
        return (
            self.fresh >= _FEWEST_NEW
            and 2 * self.fresh > self.filled
            and 2 * once > len(self.members)
        )

    def all_members(self) -> Iterator[tuple[str, "ShapeNode"]]:
        """Yield the members with their names as in a path, `others` last."""
        yield from ((step(name), member) for name, member in self.members.items())
        if self.others is not None:
            yield ANY, self.others


def step(name: str) -> str:
    """Return the name of a member as written in a path.

    It is in quotes if it could be read as a path or as `others`.
    """
    return name if _PLAIN.fullmatch(name) else dump(name)


class ObservedShape:
    """Collects the shape of records. `enumerations` are additional fields whose values
    are listed.
    """

    def __init__(self, enumerations: Collection[str] = ()) -> None:
        self.root = ShapeNode()
        self._enumerations = frozenset(enumerations)
        self._paths = 0

    def add(self, record: Json) -> None:
        """Add a decoded record."""
        self._add(self.root, record, 0)

    def merge(self, other: "ObservedShape") -> None:
        """Add everything from another shape."""
        self._merge(self.root, other.root)

    def settled(self) -> ShapeNode:
        """Return the final shape, after the last record. If the member names of an
        object are data, its members are merged into `others`.
        """
        for node in self._nodes_below(self.root):
            self._settle(node)
        return self.root

    def _nodes_below(self, node: ShapeNode) -> Iterator[ShapeNode]:
        for inner in (*node.members.values(), node.others, node.items):
            if inner is not None:
                yield inner
                yield from self._nodes_below(inner)

    def _settle(self, node: ShapeNode) -> None:
        if not node.is_map:
            return
        members, node.members = node.members, {}
        for member in members.values():
            node.others = node.others or ShapeNode(values=member.values is not None)
            self._merge(node.others, member)
        if node.others is not None:
            node.others.present = node.filled

    def _add(self, node: ShapeNode, value: Json, depth: int) -> None:
        kind = type(value)
        node.counts[_NAMES[kind]] += 1
        if kind is str:
            if node.values is not None:
                _note_listed_value(node, value)
        elif value and depth >= _DEEPEST and kind in {dict, list}:
            node.cuts.add(ShapeCut.DEPTH)
        elif kind is dict:
            self._add_members(node, value, depth)
        elif kind is list:
            if node.items is None:
                node.items = ShapeNode(values=node.values is not None)
            for inner in value:
                self._add(node.items, inner, depth + 1)

    def _add_members(self, node: ShapeNode, value: JsonObject, depth: int) -> None:
        found, fresh = set(), False
        for name, inner in value.items():
            fresh = fresh or name not in node.members
            member = node.members.get(name) or self._member(node, name)
            found.add(member)
            self._add(member, inner, depth + 1)
        # `found` is a set, so members in `others` count once for each object.
        for member in found:
            member.present = (member.present or 0) + 1
        node.filled += bool(value)
        node.fresh += fresh

    def _member(self, node: ShapeNode, name: str) -> ShapeNode:
        """Return a new member of a node.

        Returns `others` for a name that is data, or if there are too many names.
        """
        many = len(node.members) >= _MOST_MEMBERS or self._paths >= _MOST_PATHS
        if many or _DATA.fullmatch(name):
            node.cuts |= {ShapeCut.NAMES} if many else set()
            self._paths += node.others is None
            node.others = node.others or ShapeNode()
            return node.others
        self._paths += 1
        node.members[name] = ShapeNode(values=name in self._enumerations or _is_enumeration(name))
        return node.members[name]

    def _merge(self, node: ShapeNode, other: ShapeNode) -> None:
        node.counts.update(other.counts)
        node.cuts |= other.cuts
        node.filled += other.filled
        node.fresh += other.fresh
        if other.values is None:
            node.values = None
        for value in other.values or ():
            if node.values is not None:
                _note_listed_value(node, value)
        for name, member in other.members.items():
            self._merge_member(node.members.get(name) or self._member(node, name), member)
        if other.others is not None:
            node.others = node.others or ShapeNode()
            self._merge_member(node.others, other.others)
        if node.others is not None:
            # An object with several such members counts only once.
            node.others.present = min(node.others.present or 0, node.filled)
        if other.items is not None:
            node.items = node.items or ShapeNode(values=other.items.values is not None)
            self._merge(node.items, other.items)

    def _merge_member(self, node: ShapeNode, other: ShapeNode) -> None:
        node.present = (node.present or 0) + (other.present or 0)
        self._merge(node, other)


def paths(node: ShapeNode, path: str = "") -> Iterator[tuple[str, ShapeNode, int]]:
    """Yield each path below a node, in order, with its node and a number.

    The number says how many objects could have the path. It is 0 for the items of an
    array.
    """
    for name, member in node.all_members():
        inner = f"{path}.{name}" if path else name
        yield inner, member, node.counts["object"]
        yield from paths(member, inner)
    if node.items is not None and (node.items.seen or node.items.members):
        yield f"{path}[]", node.items, 0
        yield from paths(node.items, f"{path}[]")


def notes(root: ShapeNode) -> Iterator[str]:
    """Yield the paths of parts that the shape leaves out because of a limit."""
    for cut in ShapeCut:
        where = [
            path or "the records"
            for path, node, _ in (("", root, 0), *paths(root))
            if cut in node.cuts
        ]
        if where:
            yield f"{cut.value}: {named(where, _MOST_NAMED)}"


def _is_enumeration(name: str) -> bool:
    words = _WORD.findall(name)
    return bool(words) and words[-1].lower() in _ENUMERATIONS


def _note_listed_value(node: ShapeNode, value: str) -> None:
    assert node.values is not None  # noqa: S101  the callers look
    if value in node.values:
        return
    if len(value) > _LONGEST_VALUE or "@" in value or len(node.values) >= _MOST_VALUES:
        node.values = None
        node.cuts.add(ShapeCut.VALUES)
    else:
        node.values.add(value)
