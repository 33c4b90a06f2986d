"""The outcome of an import, as a table and as an exit code."""

from collections.abc import Mapping, Sequence

from unified_cli.bulk.import_.result_files import ResultGroup, ending_of
from unified_cli.cli.result_table import TableFormat, show
from unified_cli.errors import UnifiedError, UnknownError
from unified_cli.fleet.conclude import conclude
from unified_cli.runtime import Runtime
from unified_cli.writes.entry import EntryState


def show_outcome(
    runtime: Runtime, output: TableFormat | None, groups: Sequence[ResultGroup], counts: Mapping[EntryState, int]
) -> None:
    """Print the number of records for each outcome, and the file that lists them."""
    rows = [(group.name, str(group.count), str(group.path or "")) for group in groups]
    value = [
        {"outcome": group.name, "records": group.count, "file": str(group.path) if group.path else None}
        for group in groups
    ]
    if counts[EntryState.LEFT_OUT]:
        rows.append(("left out by --map", str(counts[EntryState.LEFT_OUT]), ""))
        value.append({"outcome": "left out", "records": counts[EntryState.LEFT_OUT], "file": None})
    show(runtime, output, ("outcome", "records", "file"), rows, value)


def raise_for(groups: Sequence[ResultGroup], stopped: UnifiedError | None, *, repeats: bool) -> None:
    """Raise the error that sums up the import; `repeats` says that the same command sends again what is in doubt."""
    try:
        conclude(ending_of("record", groups, stopped))
    except UnknownError as error:
        error.add_hint(
            "the same command retries them where that is safe; --retry-in-doubt sends them again"
            if repeats
            else "look whether they were done: only --retry-in-doubt sends them again, which may do them twice"
        )
        raise
