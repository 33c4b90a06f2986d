"""Show plans like a diff, and tell what became of their calls: counted, and written to files beside the plans."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from unified_cli.commands.move.apply_options import ApplyOptions
from unified_cli.commands.move.plan_check import CheckedPlan
from unified_cli.commands.move.plan_format import PlannedCall
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError
from unified_cli.fleet.conclude import conclude
from unified_cli.json_text.json_codec import encoded
from unified_cli.json_text.members import one_line, parts
from unified_cli.masking import masked, visible
from unified_cli.output import stdout, terminal
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome_files
from unified_cli.writes.apply_journal import ApplyJournal
from unified_cli.writes.entry import EntryState
from unified_cli.writes.outcome_files import GROUPS, OutcomeGroup

_SIGNS = {"create": "+", "update": "~", "delete": "-"}
_COLOURS = {"+": "\x1b[32m", "~": "\x1b[33m", "-": "\x1b[31m"}
_RESET = "\x1b[0m"


def preview(runtime: Runtime, plans: Sequence[CheckedPlan], options: ApplyOptions) -> None:
    """Print what the plans would do; nothing is sent."""
    colour = terminal.has_colour(runtime)
    for plan in plans:
        for _, call in plan.calls():
            if options.only in {None, call.operation}:
                text = "".join(_coloured(line, colour=colour) for line in _lines(plan.file.header.resource, call))
                if runtime.stdout_is_terminal or colour:
                    stdout.show(runtime, [terminal.styled(text)])
                else:
                    stdout.write(runtime, [text.encode("utf-8", "backslashreplace")])


def _lines(resource: str, call: PlannedCall) -> Iterator[str]:
    """A line for the call, and one for each value; secrets are masked, and nothing controls a terminal."""
    named = call.source if call.operation == "create" else call.id
    head = f"{_SIGNS[call.operation]} {resource} {'' if named is None else named}".rstrip()
    yield f"{head}  ({call.why})"
    before = parts(call.seen) or {}
    after = parts(call.body) or {}
    for name in {**before, **after}:
        for sign, members in (("-", before), ("+", after)):
            if name in members:
                yield f"{sign}   {name}: {one_line(members[name]).decode('utf-8')}"


def _coloured(line: str, *, colour: bool) -> str:
    shown = visible(masked(line))
    return f"{_COLOURS[line[0]]}{shown}{_RESET}\n" if colour else f"{shown}\n"


def write(plans: Sequence[tuple[CheckedPlan, ApplyJournal]]) -> list[OutcomeGroup]:
    """Write a file beside each plan for each outcome that is not `done`, and remove those of earlier runs.

    The groups are of all plans; the file that one names is that of the first plan that has one. Raises StorageError.
    """
    totals = [*GROUPS]
    for plan, journal in plans:
        for at, group in enumerate(GROUPS):
            numbers = [n for n in plan.numbers if journal.journal.state(n) in group.states]
            lines = None if EntryState.OK in group.states else _outcome_lines(plan, journal, numbers)
            written, total = outcome_files.write(group, plan.file.path, len(numbers), lines), totals[at]
            totals[at] = replace(total, count=total.count + written.count, path=total.path or written.path)
    return totals


def _outcome_lines(plan: CheckedPlan, journal: ApplyJournal, numbers: Sequence[int]) -> Iterator[bytes]:
    for number in numbers:
        last = None if journal.journal.state(number) is EntryState.NEW else journal.journal.last(number)
        told = {"line": number, "status": (last and last.status) or None, "why": (last and last.why) or None}
        yield b'{"outcome":' + encoded(told) + b"," + msgspec.json.encode(plan.call(number))[1:]


def raise_for(groups: Sequence[OutcomeGroup], stopped: UnifiedError | None, *, partly: bool) -> None:
    """Raise the error that sums up the run; `partly` says that only some calls were to be made."""
    ending = outcome_files.ending_of("call", groups, stopped)
    if partly and stopped is None:
        ending = ending._replace(not_tried=0)
    try:
        conclude(ending)
    except UnknownError as error:
        error.add_hint("the same command does them again where that is safe; a new plan shows what is left")
        raise
    except IncompleteError as error:
        if ending.not_tried:
            error.add_hint("what is not tried refers to records that were not created")
        raise
