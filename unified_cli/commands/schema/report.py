"""How the shapes of connections differ from what was expected: as lines, JSON, JUnit, and as the end of the command."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from unified_cli.catalogue import Operation
from unified_cli.cli.result_table import Drawn, show
from unified_cli.commands.schema.command import SchemaOptions
from unified_cli.commands.schema.difference import ShapeChange, ShapeDifference, compare
from unified_cli.commands.schema.shape import ObservedShape, ShapeNode, remarks
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import masked
from unified_cli.output import junit
from unified_cli.output.junit import JUnitCase, JUnitSuite
from unified_cli.output.screen import Column
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage import output_file

_HEADS = ("connection", "difference", "path", "before", "now")
_MOST_NAMED = 5

Compared = Sequence[ShapeDifference] | UnifiedError | None
"""The differences of a connection, why it could not be read, or None where it has no record to compare."""
Found = Mapping[str, Compared]


def differences(before: ShapeNode, now: ObservedShape) -> Compared:
    """What differs in a connection, what is always a failure first."""
    return sorted(compare(before, now.settled()), key=_order) if now.root.seen else None


def note_cuts(runtime: Runtime, shape: ObservedShape, name: str = "") -> None:
    """Say what of a connection's records the shape leaves out."""
    for remark in remarks(shape.root):
        runtime.stderr.note(f"{name}: {remark}" if name else remark)


def _order(one: ShapeDifference) -> tuple[bool, str, str]:
    return one.kind.strict, one.path, one.kind.value


def print_found(runtime: Runtime, options: SchemaOptions, operation: Operation, found: Found) -> None:
    """Print the differences, and write the file of `--junit`."""
    rows = [(name, one) for name, several in _compared(found).items() for one in several]
    value = [{LABEL: name, **one._asdict(), "kind": one.kind.value} for name, one in rows]
    lines = [(name, one.kind.value, one.path, one.before, one.now) for name, one in rows]
    if lines or options.output == "json":
        # The name of a connection is shortened before a path is broken.
        heads: list[str | Column] = [Column(_HEADS[0], cut=True), *_HEADS[1:]]
        drawn = Drawn(heads, [[masked(cell) for cell in line] for line in lines])
        show(runtime, options.output, _HEADS, lines, value, drawn=drawn)
    if options.junit is not None:
        classname = f"{operation.api}.{operation.resource}"
        suites = [_suite(name, one, classname, options) for name, one in found.items()]
        output_file.write(Path(options.junit), junit.document(suites), force=True)


def finish(runtime: Runtime, found: Found, *, strict: bool) -> None:
    """Raise DifferentError where differences are a failure, IncompleteError where connections could not be read.

    No record in any of them is incomplete, too: a check that has seen nothing does not pass.
    """
    errors = {name: one for name, one in found.items() if isinstance(one, UnifiedError)}
    _tell(runtime, errors, len(found))
    compared = _compared(found)
    missing = [] if compared else ["nothing was compared: there is no record"]
    wrong = {name: [one for one in several if strict or not one.kind.strict] for name, several in compared.items()}
    wrong = {name: several for name, several in wrong.items() if several}
    told = sum(len(several) for several in compared.values())
    conclude(Ending("connection", len(found), errors, missing=missing, different=_summary(wrong)))
    many = counted(len(compared), "connection")
    if empty := [name for name, one in found.items() if one is None]:
        many = f"no record in {', '.join(empty[:_MOST_NAMED])}{' …' if len(empty) > _MOST_NAMED else ''}; {many}"
    runtime.stderr.note(f"{many}: nothing is lost or of another type, {counted(told, 'other difference')}")


def _summary(wrong: Mapping[str, Sequence[ShapeDifference]]) -> list[str]:
    """What differs, in one line; nothing where nothing does."""
    if not wrong:
        return []
    name, several = next(iter(wrong.items()))
    first, number = several[0], sum(map(len, wrong.values()))
    named = ", ".join([*wrong][:_MOST_NAMED]) + (" …" if len(wrong) > _MOST_NAMED else "")
    what = f"{first.kind.value} {first.path} ({first.before or 'nothing'} before, {first.now} now)"
    return [f"{counted(number, 'difference')} in {named}; first {name}: {what}"]


def _compared(found: Found) -> dict[str, Sequence[ShapeDifference]]:
    return {name: one for name, one in found.items() if one is not None and not isinstance(one, UnifiedError)}


def raise_errors(runtime: Runtime, errors: Mapping[str, UnifiedError], number: int) -> None:
    """Raise the error of the only connection, or one that names those that could not be read; tell each."""
    _tell(runtime, errors, number)
    conclude(Ending("connection", number, errors))


def _tell(runtime: Runtime, errors: Mapping[str, UnifiedError], number: int) -> None:
    for name, error in errors.items() if number > 1 else ():
        runtime.stderr.line(f"{name}: {error.one_line}")


def _suite(name: str, found: Compared, classname: str, options: SchemaOptions) -> JUnitSuite:
    """A test for each kind of difference."""
    if isinstance(found, UnifiedError):
        return JUnitSuite(name, [JUnitCase(classname, "read", "error", found.message, found.one_line)])
    if found is None:
        return JUnitSuite(name, [JUnitCase(classname, "read", "skipped", "there is no record to compare")])
    return JUnitSuite(name, [_case(kind, found, classname, strict=options.strict) for kind in ShapeChange])


def _case(kind: ShapeChange, found: Sequence[ShapeDifference], classname: str, *, strict: bool) -> JUnitCase:
    mine = [one for one in found if one.kind is kind]
    if not mine or (kind.strict and not strict):
        return JUnitCase(classname, kind.value)
    lines = "\n".join(f"{one.path}: {one.before or 'nothing'} before, {one.now} now" for one in mine)
    return JUnitCase(classname, kind.value, "failure", f"{kind.about}: {', '.join(one.path for one in mine)}", lines)
