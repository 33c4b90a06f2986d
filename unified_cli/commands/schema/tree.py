"""The shape of records as a terminal shows it: a tree of their members, with how often each is there, and examples."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unified_cli import text_width
from unified_cli.catalogue.known import KnownField
from unified_cli.commands.schema.shape import ShapeNode, paths
from unified_cli.masking import masked, visible
from unified_cli.output import layout, screen
from unified_cli.output.layout import STEP, Branch
from unified_cli.output.screen import Bar, Cell, Look, Word
from unified_cli.output.terminal import TerminalText, narrowed
from unified_cli.runtime import Runtime

_BAR = 8
_SHARE = len("99.9 %")
_LEAST_NAME, _LEAST_EXAMPLE = 12, 15
_NAME, _TYPE, _EXAMPLE = 0, 3, 4
_EXAMPLES = {"string": '"text"', "integer": "42", "number": "1.5", "boolean": "true"}
_TIME = "2026-01-31T09:00Z"
# Deeper members are named by their path, so that there is room beside the lines of the tree.
_DEEPEST = 4


class ShownMember(NamedTuple):
    """A member of an object, by its name or its path below it, what was seen there, and of how many objects."""

    name: str
    node: ShapeNode
    of: int


def drawn(runtime: Runtime, title: str, root: ShapeNode) -> Iterator[TerminalText]:
    """The screen of the shape of these records."""
    branches = [*_branches(root, 1)]
    widths = _widths(branches, runtime.width)
    yield layout.tree(runtime, Word(masked(title), Look.STRONG), widths, branches)
    signs = (screen.sign(runtime, look) for look in (Look.GOOD, Look.DOUBT, Look.OPEN))
    said = ", ".join(f"{sign} {word}" for sign, word in zip(signs, ("there", "null", "not there"), strict=True))
    yield layout.lines(runtime, [masked(f"{said}; only values of enumerations are from records")])


def _widths(branches: Sequence[Branch], room: int) -> list[int]:
    """The widths of the columns, the first with the lines that lead to a name; words stay whole where there is room."""
    rows = [(STEP * depth, [_visible(cell) for cell in one.cells]) for depth, one in _all(branches, 1)]
    names = [indent + text_width.width(cells[_NAME]) for indent, cells in rows]
    types, examples = ([text_width.width(cells[at]) for _, cells in rows] for at in (_TYPE, _EXAMPLE))
    words = [max((text_width.longest_piece(cells[at]) for _, cells in rows), default=0) for at in (_TYPE, _EXAMPLE)]
    found = [*(max(column, default=0) for column in (names, [_BAR], [_SHARE], types, examples))]
    shortest = max((indent + min(_LEAST_NAME, text_width.width(cells[_NAME])) for indent, cells in rows), default=0)
    for least in ([found[0], _BAR, _SHARE, *words], [shortest, _BAR, _SHARE, words[0], min(words[1], _LEAST_EXAMPLE)]):
        found = narrowed(found, least, room)
    return found


def _visible(cell: Cell) -> str:
    return visible(cell) if isinstance(cell, str) else ""


def _all(branches: Sequence[Branch], depth: int) -> Iterator[tuple[int, Branch]]:
    for one in branches:
        yield depth, one
        yield from _all(one.below, depth + 1)


def _branches(node: ShapeNode, depth: int) -> Iterator[Branch]:
    for one in _members(node, depth):
        below = () if depth >= _DEEPEST else [*_branches(_within(one.node), depth + 1)]
        yield Branch(_cells(one), below)


def _members(node: ShapeNode, depth: int) -> Iterator[ShownMember]:
    """The members of an object; of the deepest also what is within them, by its path."""
    if depth >= _DEEPEST:
        yield from (ShownMember(path, inner, of) for path, inner, of in paths(node))
        return
    for name, member in node.all_members():
        yield ShownMember(name, member, node.counts["object"])


def _within(node: ShapeNode) -> ShapeNode:
    """The node whose members stand below: of an array that of its items."""
    while node.items is not None and not node.members:
        node = node.items
    return node


def _cells(one: ShownMember) -> Sequence[Cell]:
    node, of = one.node, one.of
    there = min(node.present or 0, of)
    nulls = round(there * node.counts["null"] / node.seen) if node.seen else 0
    bar = Bar([(there - nulls, Look.GOOD), (nulls, Look.DOUBT), (of - there, Look.OPEN)], _BAR)
    share = f"{100 * there / of:.3g} %" if of else ""
    return (masked(one.name), bar, masked(share), masked(_type(node)), masked(_example(one.name, node)))


def _type(node: ShapeNode) -> str:
    """The types, of arrays with those of their items, and how many of the values are null."""
    kinds = [_array(node) if kind == "array" else kind for kind in sorted(node.kinds)] or ["null"]
    nulls = f", {100 * node.counts['null'] / node.seen:.3g} % null" if node.counts["null"] and node.kinds else ""
    return f"{' or '.join(kinds)}{nulls}"


def _array(node: ShapeNode) -> str:
    inner = node.items
    return f"array of {_type(inner)}" if inner is not None and inner.seen else "array"


def _example(name: str, node: ShapeNode) -> str:
    """The values that were seen where they are listed, else something of that type: no other value is kept."""
    inner = _within(node)
    if inner.values:
        return ", ".join(sorted(inner.values))
    if KnownField(name.rpartition(".")[2]).is_time and "string" in inner.kinds:
        return _TIME
    return " or ".join(_EXAMPLES[kind] for kind in sorted(inner.kinds) if kind in _EXAMPLES)
