"""Show plans like a diff, without applying them."""

from collections.abc import Iterator, Sequence

from unified_cli import text_width
from unified_cli.commands.move.plan_file import PlannedCall
from unified_cli.commands.move.plan_validation import CheckedPlan
from unified_cli.json_text.members import one_line, parts
from unified_cli.masking import masked, visible
from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime

_SIGNS = {"create": "+", "update": "~", "delete": "-"}
_COLOURS = {"+": "\x1b[32m", "~": "\x1b[35m", "-": "\x1b[31m"}
_RESET = "\x1b[0m"
_INDENT = "      "


def show(runtime: Runtime, plans: Sequence[CheckedPlan], only: str | None) -> None:
    """Print the calls of the plans, or only the calls of the kind `only`."""
    colour = runtime.has_colour()
    for plan in plans:
        for _, call in plan.calls():
            if only in {None, call.operation}:
                text = "".join(
                    _coloured(runtime, line, colour=colour)
                    for line in _lines(plan.file.header.resource, call)
                )
                if runtime.stdout_is_terminal or colour:
                    stdout.show(runtime, [terminal.styled(text)])
                else:
                    stdout.write(runtime, [text.encode("utf-8", "backslashreplace")])


def _lines(resource: str, call: PlannedCall) -> Iterator[str]:
    """Yield a line for the call and for each value.

    Secrets are masked and control characters escaped.
    """
    named = call.source if call.operation == "create" else call.id
    head = f"{_SIGNS[call.operation]} {resource} {'' if named is None else named}".rstrip()
    yield f"{head}  ({call.why})"
    before = parts(call.seen) or {}
    after = parts(call.body) or {}
    for name in {**before, **after}:
        for sign, members in (("-", before), ("+", after)):
            if name in members:
                yield f"{sign}   {name}: {one_line(members[name]).decode('utf-8')}"


def _coloured(runtime: Runtime, line: str, *, colour: bool) -> str:
    """Return the line. On a terminal, it may continue on indented lines of the same
    colour.
    """
    shown = visible(masked(line))
    pieces = [shown]
    if runtime.stdout_is_terminal:
        pieces = text_width.wrapped(shown, runtime.width, indent=_INDENT, fold=True)
    begin, end = (_COLOURS[line[0]], _RESET) if colour else ("", "")
    return "".join(f"{begin}{piece}{end}\n" for piece in pieces)
