"""The shape of records as a terminal shows it: a tree of their members, with how often each is there, and examples."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unified_cli.catalogue.known import KnownField
from unified_cli.commands.schema.shape import ShapeNode, paths
from unified_cli.masking import masked
from unified_cli.output import layout, screen
from unified_cli.output.layout import STEP, Branch
from unified_cli.output.screen import Bar, Cell, Look, Word
from unified_cli.output.terminal import TerminalText
from unified_cli.output.text_columns import GAP
from unified_cli.runtime import Runtime

_BAR = 8
_SHARE = len("99.9 %")
_LEAST_NAME, _LEAST_EXAMPLE = 12, 15
_WIDEST_TYPE = 24
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
    names = max([_LEAST_NAME, *(_name_width(one, 1) for one in branches)])
    types = min(_WIDEST_TYPE, max([0, *map(_type_width, branches)]))
    fixed = _BAR + _SHARE + types + GAP * 4
    name = min(names, runtime.width - fixed - _LEAST_EXAMPLE)
    widths = [name, _BAR, _SHARE, types, max(_LEAST_EXAMPLE, runtime.width - fixed - name)]
    yield layout.tree(runtime, Word(masked(title), Look.STRONG), widths, branches)
    signs = (screen.sign(runtime, look) for look in (Look.GOOD, Look.DOUBT, Look.OPEN))
    said = ", ".join(f"{sign} {word}" for sign, word in zip(signs, ("there", "null", "not there"), strict=True))
    yield layout.lines(runtime, [masked(f"{said}; only values of enumerations are from records")])


def _name_width(one: Branch, depth: int) -> int:
    """How wide the names below here are, with the lines that lead to them."""
    return max([STEP * depth + screen.cell_size(one.cells[0]), *(_name_width(inner, depth + 1) for inner in one.below)])


def _type_width(one: Branch) -> int:
    return max([screen.cell_size(one.cells[3]), *map(_type_width, one.below)])


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
