"""What became of the calls of plans: counted, told, and written to files beside the plans."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import msgspec

from unified_cli.bulk.apply.apply_journal import ApplyJournal
from unified_cli.bulk.apply.plan_check import CheckedPlan
from unified_cli.bulk.import_ import result_files
from unified_cli.bulk.import_.result_files import GROUPS, ResultGroup, ending_of
from unified_cli.cli import result_table
from unified_cli.cli.result_table import TableFormat
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError
from unified_cli.fleet.conclude import conclude
from unified_cli.json_text.json_codec import encoded
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, output_file
from unified_cli.writes.entry import EntryState

_CHUNK = 64 * 1024


class ApplyResults:
    """The outcomes of the calls of several plans, from their journals."""

    def __init__(self, plans: Sequence[tuple[CheckedPlan, ApplyJournal]]) -> None:
        self._plans = plans

    def write(self) -> list[ResultGroup]:
        """Write a file beside each plan for each outcome that is not `done`, and remove those of earlier runs.

        The file that a group names is that of the first plan that has one. Raises StorageError.
        """
        totals = [replace(group, count=0) for group in GROUPS]
        for plan, journal in self._plans:
            for at, group in enumerate(GROUPS):
                numbers = [n for n in plan.numbers if journal.journal.state(n) in group.states]
                path = result_files.path_of(group, plan.file.path)
                atomic_file.sweep(path)
                if numbers and EntryState.OK not in group.states:
                    output_file.write(path, _chunks(plan, journal, numbers), force=True)
                else:
                    path.unlink(missing_ok=True)
                there = path if numbers and EntryState.OK not in group.states else None
                totals[at] = replace(totals[at], count=totals[at].count + len(numbers), path=totals[at].path or there)
        return totals

    def show(self, runtime: Runtime, output: TableFormat | None, groups: Sequence[ResultGroup]) -> None:
        """Print how many calls there are of each outcome, and the file that lists them."""
        rows = [(group.name, str(group.count), str(group.path or "")) for group in groups]
        value = [
            {"outcome": group.name, "calls": group.count, "file": str(group.path) if group.path else None}
            for group in groups
        ]
        result_table.show(runtime, output, ("outcome", "calls", "file"), rows, value)


def _chunks(plan: CheckedPlan, journal: ApplyJournal, numbers: Sequence[int]) -> Iterator[bytes]:
    chunk = bytearray()
    for number in numbers:
        last = None if journal.journal.state(number) is EntryState.NEW else journal.journal.last(number)
        told = {"line": number, "status": (last and last.status) or None, "why": (last and last.why) or None}
        line = msgspec.json.encode(plan.call(number)).replace(b"\n", b" ").replace(b"\r", b" ")
        chunk += b'{"outcome":' + encoded(told) + b"," + line[1:] + b"\n"
        if len(chunk) > _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)


def raise_for(groups: Sequence[ResultGroup], stopped: UnifiedError | None, *, partly: bool) -> None:
    """Raise the error that sums up the run; `partly` says that only some calls were to be made."""
    ending = ending_of("call", groups, stopped)
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
