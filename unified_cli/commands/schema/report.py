"""Print shapes and differences, and raise the error of the command.

A shape is printed as a tree or lines, differences as lines, JSON or JUnit.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from unified_cli import text_width
from unified_cli.catalogue import Operation
from unified_cli.cli.result_table import TerminalTable, show
from unified_cli.commands.schema import document
from unified_cli.commands.schema.command import SchemaOptions
from unified_cli.commands.schema.difference import ShapeChange, ShapeDifference, compare
from unified_cli.commands.schema.shape import ObservedShape, ShapeNode, notes, paths
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude, failure_lines
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import masked, visible
from unified_cli.output import formats, junit, layout, screen
from unified_cli.output.junit import JUnitCase
from unified_cli.output.layout import STEP, Branch
from unified_cli.output.screen import Bar, Cell, Column, Look, Word
from unified_cli.output.terminal import TerminalText, narrow
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file

_SHAPE_HEADS = ("path", "types", "present", "null", "values")
_HEADS = ("connection", "difference", "path", "before", "now")

Compared = Sequence[ShapeDifference] | UnifiedError | None
"""The differences of a connection, or the error of its read.

None if there are no records to compare.
"""
Found = Mapping[str, Compared]


def differences(before: ShapeNode, now: ObservedShape) -> Compared:
    """Return the differences of a connection, those that always fail first."""
    return sorted(compare(before, now.settled()), key=_order) if now.root.seen else None


def note_cuts(runtime: Runtime, shape: ObservedShape, name: str = "") -> None:
    """Print a note on each part of the records that the shape leaves out."""
    for note in notes(shape.root):
        runtime.stderr.note(f"{name}: {note}" if name else note)


def _order(difference: ShapeDifference) -> tuple[bool, str, str]:
    return difference.kind.strict, difference.path, difference.kind.value


def print_found(
    runtime: Runtime,
    options: SchemaOptions,
    operation: Operation,
    found: Found,
    seconds: Mapping[str, float],
) -> None:
    """Print the differences, and write the file of `--junit`.

    `seconds` has the duration of each connection's read.
    """
    rows = [(name, change) for name, several in _compared(found).items() for change in several]
    value = [{LABEL: name, **change._asdict(), "kind": change.kind.value} for name, change in rows]
    lines = [
        (name, change.kind.value, change.path, change.before, change.now) for name, change in rows
    ]
    if lines or options.output == formats.JSON.name:
        # Cut the names of connections, so that paths are not broken.
        heads: list[str | Column] = [Column(_HEADS[0], cut=True), *_HEADS[1:]]
        table = TerminalTable(heads, [[masked(cell) for cell in line] for line in lines])
        show(runtime, options.output, _HEADS, lines, value, on_terminal=table)
    if options.junit is not None:
        classname = f"{operation.api}.{operation.resource}"
        suites = [
            junit.suite(
                name,
                _timed(_test_cases(one, classname, options), seconds.get(name, 0.0)),
                several=len(found) > 1,
            )
            for name, one in found.items()
        ]
        output_file.write(Path(options.junit), junit.document(suites), force=True)


def finish(runtime: Runtime, found: Found, *, strict: bool) -> None:
    """Raise an error if the comparison has failed.

    Raises DifferentError if any difference counts as a failure, and IncompleteError if
    connections could not be read. Also raises IncompleteError if no connection has a
    record: a comparison of nothing must not pass.
    """
    errors = {name: changes for name, changes in found.items() if isinstance(changes, UnifiedError)}
    _tell(runtime, errors, len(found))
    compared = _compared(found)
    missing = [] if compared else ["nothing was compared: there is no record"]
    wrong = {
        name: [change for change in several if strict or not change.kind.strict]
        for name, several in compared.items()
    }
    wrong = {name: several for name, several in wrong.items() if several}
    differing = sum(len(several) for several in compared.values())
    conclude(
        Ending(
            "connection", len(found), errors, missing=missing, different=_difference_summary(wrong)
        )
    )
    many = counted(len(compared), "connection")
    if empty := [name for name, changes in found.items() if changes is None]:
        many = f"no record in {named(empty)}; {many}"
    runtime.stderr.note(
        f"{many}: no path is missing or has another type, {counted(differing, 'other difference')}"
    )


def _difference_summary(wrong: Mapping[str, Sequence[ShapeDifference]]) -> list[str]:
    if not wrong:
        return []
    name, several = next(iter(wrong.items()))
    first, number = several[0], sum(map(len, wrong.values()))
    what = f"{first.kind.value} {first.path} ({first.before or 'nothing'} before, {first.now} now)"
    return [f"{counted(number, 'difference')} in {named([*wrong])}; first {name}: {what}"]


def _compared(found: Found) -> dict[str, Sequence[ShapeDifference]]:
    return {
        name: error
        for name, error in found.items()
        if error is not None and not isinstance(error, UnifiedError)
    }


def raise_errors(runtime: Runtime, errors: Mapping[str, UnifiedError], number: int) -> None:
    """Raise the error of the only connection. For several connections, print each
    error, and raise an error that names the connections.
    """
    _tell(runtime, errors, number)
    conclude(Ending("connection", number, errors))


def _tell(runtime: Runtime, errors: Mapping[str, UnifiedError], number: int) -> None:
    for line in failure_lines(errors) if number > 1 else ():
        runtime.stderr.line(line)


def _test_cases(found: Compared, classname: str, options: SchemaOptions) -> list[JUnitCase]:
    if isinstance(found, UnifiedError):
        return [JUnitCase(classname, "read", "error", found.message, found.one_line)]
    if found is None:
        return [JUnitCase(classname, "read", "skipped", "there is no record to compare")]
    return [_case(kind, found, classname, strict=options.strict) for kind in ShapeChange]


def _timed(cases: Sequence[JUnitCase], seconds: float) -> list[JUnitCase]:
    return [case._replace(seconds=0.0 if at else seconds) for at, case in enumerate(cases)]


def _case(
    kind: ShapeChange, found: Sequence[ShapeDifference], classname: str, *, strict: bool
) -> JUnitCase:
    mine = [difference for difference in found if difference.kind is kind]
    if not mine or (kind.strict and not strict):
        return JUnitCase(classname, kind.value)
    lines = "\n".join(
        f"{change.path}: {change.before or 'nothing'} before, {change.now} now" for change in mine
    )
    return JUnitCase(
        classname,
        kind.value,
        "failure",
        f"{kind.about}: {', '.join(change.path for change in mine)}",
        lines,
    )


_BAR = 8
_SHARE = len("99.9 %")
_LEAST_NAME, _LEAST_EXAMPLE = 12, 15
_NAME, _TYPE, _EXAMPLE = 0, 3, 4
# Members below this level are listed by their path, because deeper lines of the tree
# need too much room.
_DEEPEST = 4


class ShownMember(NamedTuple):
    """A member of an object: its name or its path below the object, its values, and the
    number of objects.
    """

    name: str
    node: ShapeNode
    of: int


def print_shape(
    runtime: Runtime, options: SchemaOptions, operation: Operation, root: ShapeNode
) -> None:
    """Print the shape of records.

    It is a tree on a terminal, a line for each path, or a JSON Schema.
    """
    rows = [
        (
            path,
            ", ".join(sorted(node.kinds)) or "null",
            _percent(node.present or 0, of) if of else "",
            _percent(node.counts["null"], node.seen) if node.counts["null"] else "",
            ", ".join(sorted(node.values or ())),
        )
        for path, node, of in paths(root)
    ]
    title = f"{operation.api}/{operation.resource}"
    value = document.document(root, title)
    show(
        runtime,
        options.output,
        _SHAPE_HEADS,
        rows,
        value,
        on_terminal=lambda: _shape_tree(runtime, title, root),
    )


def _percent(number: int, total: int) -> str:
    return f"{100 * number / total:.3g} %"


def _shape_tree(runtime: Runtime, title: str, root: ShapeNode) -> Iterator[TerminalText]:
    branches = [*_branches(root, 1)]
    widths = _widths(branches, runtime.width)
    yield layout.tree(runtime, Word(masked(title), Look.STRONG), widths, branches)
    signs = (screen.sign(runtime, look) for look in (Look.GOOD, Look.DOUBT, Look.OPEN))
    message = ", ".join(
        f"{sign} {word}" for sign, word in zip(signs, ("there", "null", "not there"), strict=True)
    )
    yield layout.lines(runtime, [masked(f"{message}; values are only shown for enumerations")])


def _widths(branches: Sequence[Branch], room: int) -> list[int]:
    """Return the widths of the columns.

    The first column includes the lines of the tree. Words stay whole if there is room.
    """
    rows = [
        (STEP * depth, [_visible(cell) for cell in branch.cells])
        for depth, branch in _all(branches, 1)
    ]
    names = [indent + text_width.width(cells[_NAME]) for indent, cells in rows]
    types, examples = (
        [text_width.width(cells[at]) for _, cells in rows] for at in (_TYPE, _EXAMPLE)
    )
    words = [
        max((text_width.longest_piece(cells[at]) for _, cells in rows), default=0)
        for at in (_TYPE, _EXAMPLE)
    ]
    result = [*(max(column, default=0) for column in (names, [_BAR], [_SHARE], types, examples))]
    shortest = max(
        (indent + min(_LEAST_NAME, text_width.width(cells[_NAME])) for indent, cells in rows),
        default=0,
    )
    for least in (
        [result[0], _BAR, _SHARE, *words],
        [shortest, _BAR, _SHARE, words[0], min(words[1], _LEAST_EXAMPLE)],
    ):
        result = narrow(result, least, room)
    return result


def _visible(cell: Cell) -> str:
    return visible(cell) if isinstance(cell, str) else ""


def _all(branches: Sequence[Branch], depth: int) -> Iterator[tuple[int, Branch]]:
    for branch in branches:
        yield depth, branch
        yield from _all(branch.below, depth + 1)


def _branches(node: ShapeNode, depth: int) -> Iterator[Branch]:
    for member in _members(node, depth):
        below = () if depth >= _DEEPEST else [*_branches(_without_arrays(member.node), depth + 1)]
        yield Branch(_cells(member), below)


def _members(node: ShapeNode, depth: int) -> Iterator[ShownMember]:
    if depth >= _DEEPEST:
        yield from (ShownMember(path, inner, of) for path, inner, of in paths(node))
        return
    for name, member in node.all_members():
        yield ShownMember(name, member, node.counts["object"])


def _without_arrays(node: ShapeNode) -> ShapeNode:
    while node.items is not None and not node.members:
        node = node.items
    return node


def _cells(member: ShownMember) -> Sequence[Cell]:
    node, of = member.node, member.of
    count = min(node.present or 0, of)
    nulls = round(count * node.counts["null"] / node.seen) if node.seen else 0
    bar = Bar([(count - nulls, Look.GOOD), (nulls, Look.DOUBT), (of - count, Look.OPEN)], _BAR)
    share = _percent(count, of) if of else ""
    return (
        masked(member.name),
        bar,
        masked(share),
        masked(_types_in_words(node)),
        masked(_listed_values(node)),
    )


def _types_in_words(node: ShapeNode) -> str:
    kinds = [_array(node) if kind == "array" else kind for kind in sorted(node.kinds)] or ["null"]
    nulls = (
        f", {_percent(node.counts['null'], node.seen)} null"
        if node.counts["null"] and node.kinds
        else ""
    )
    return f"{' or '.join(kinds)}{nulls}"


def _array(node: ShapeNode) -> str:
    inner = node.items
    return f"array of {_types_in_words(inner)}" if inner is not None and inner.seen else "array"


def _listed_values(node: ShapeNode) -> str:
    return ", ".join(sorted(_without_arrays(node).values or ()))
