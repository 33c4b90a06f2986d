"""The outcome of an import, as a table and as an exit code."""

from collections.abc import Mapping, Sequence

from unified_cli.bulk.import_.result_files import ResultGroup
from unified_cli.cli.result_table import TableFormat, show
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError
from unified_cli.masking import masked
from unified_cli.plural import counted
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
    """Raise the error that sums up the import: records in doubt, then what stopped it, then failed ones.

    `repeats` says that the same command sends again what is in doubt.
    """
    counts = {group.name: group.count for group in groups}
    paths = {group.name: group.path for group in groups}
    total = counted(sum(counts.values()), "record")
    ended = f"stopped with {counts['not tried']} of {total} not tried: {stopped.message}" if stopped else ""
    if counts["in doubt"]:
        raise UnknownError(
            "; ".join(
                filter(
                    None,
                    (f"in doubt: {counts['in doubt']} of {total}, see {paths['in doubt']}", ended),
                )
            ),
            hint="the same command retries them where that is safe; --retry-in-doubt sends them again"
            if repeats
            else "look whether they were done: only --retry-in-doubt sends them again, which may do them twice",
        )
    if stopped is not None:
        stopped.message = masked(ended)
        raise stopped
    # What is not tried belongs to connections that failed, while others were done.
    missing = [
        f"{name}: {counts[name]} of {total}, see {paths[name]}" for name in ("failed", "not tried") if counts[name]
    ]
    if missing:
        raise IncompleteError("; ".join(missing))
