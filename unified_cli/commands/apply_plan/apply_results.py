"""What became of the calls of plans: counted, and written to files beside the plans."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from unified_cli.bulk.apply.apply_journal import ApplyJournal
from unified_cli.bulk.apply.plan_check import CheckedPlan
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError
from unified_cli.fleet.conclude import conclude
from unified_cli.json_text.json_codec import encoded
from unified_cli.writes import outcome_files
from unified_cli.writes.entry import EntryState
from unified_cli.writes.outcome_files import GROUPS, OutcomeGroup


def write(plans: Sequence[tuple[CheckedPlan, ApplyJournal]]) -> list[OutcomeGroup]:
    """Write a file beside each plan for each outcome that is not `done`, and remove those of earlier runs.

    The groups are of all plans; the file that one names is that of the first plan that has one. Raises StorageError.
    """
    totals = [*GROUPS]
    for plan, journal in plans:
        for at, group in enumerate(GROUPS):
            numbers = [n for n in plan.numbers if journal.journal.state(n) in group.states]
            lines = None if EntryState.OK in group.states else _lines(plan, journal, numbers)
            written, total = outcome_files.write(group, plan.file.path, len(numbers), lines), totals[at]
            totals[at] = replace(total, count=total.count + written.count, path=total.path or written.path)
    return totals


def _lines(plan: CheckedPlan, journal: ApplyJournal, numbers: Sequence[int]) -> Iterator[bytes]:
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
