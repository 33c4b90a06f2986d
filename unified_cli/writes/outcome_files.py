"""Write a file for each outcome beside the input of many writes, and count the
outcomes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unified_cli.cli import result_table
from unified_cli.errors import UnifiedError
from unified_cli.fleet.conclude import Ending
from unified_cli.runtime import Runtime
from unified_cli.storage import atomic_file, output_file, regular_file, state
from unified_cli.values import JsonObject
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, EntryState


@dataclass(frozen=True, slots=True)
class OutcomeGroup:
    """The number of writes with the same outcome. `path` is the file of these writes,
    or None.
    """

    name: str
    states: tuple[EntryState, ...]
    count: int = 0
    path: Path | None = None


GROUPS = (
    OutcomeGroup("done", (EntryState.OK,)),
    OutcomeGroup("failed", NOT_DONE),
    OutcomeGroup("in doubt", IN_DOUBT),
    OutcomeGroup("not tried", (EntryState.NEW,)),
)


def check(beside: Path) -> None:
    """Raise StateError or StorageError if a file of outcomes cannot be written. Call it
    before sending anything.
    """
    for path in (path_of(group.name, beside) for group in GROUPS):
        try:
            regular_file.check(path)
        except regular_file.NotRegularError:
            raise state.not_regular(path, "move it away") from None
        output_file.check(path, force=True)


def write(
    group: OutcomeGroup, beside: Path, count: int, lines: Iterable[bytes] | None
) -> OutcomeGroup:
    """Write the file of a group beside the input.

    If the group is empty, removes the file of an earlier run. Without `lines`, writes
    no file, and only sets the number of writes. Raises StorageError.
    """
    path = path_of(group.name, beside)
    atomic_file.sweep(path)
    if not count or lines is None:
        path.unlink(missing_ok=True)
        return replace(group, count=count)
    output_file.write(path, state.chunks(lines), force=True)
    return replace(group, count=count, path=path)


def path_of(outcome: str, beside: Path) -> Path:
    """Return the path of the file for an outcome beside an input."""
    return beside.with_name(f"{beside.name}.unified-{outcome.replace(' ', '-')}.ndjson")


def show(
    runtime: Runtime,
    output: str | None,
    unit: str,
    groups: Sequence[OutcomeGroup],
    *,
    left_out: int = 0,
) -> None:
    """Print how many writes had each outcome, and their files.

    `unit` is the word for one write. `left_out` counts records without a request.
    """
    rows = [(group.name, str(group.count), str(group.path or "")) for group in groups]
    value: list[JsonObject] = [
        {
            "outcome": group.name,
            f"{unit}s": group.count,
            "file": str(group.path) if group.path else None,
        }
        for group in groups
    ]
    if left_out:
        rows.append(("left out by --map", str(left_out), ""))
        value.append({"outcome": "left out", f"{unit}s": left_out, "file": None})
    result_table.show(runtime, output, ("outcome", f"{unit}s", "file"), rows, value, apart=2)


def ending_of(
    unit: str,
    groups: Sequence[OutcomeGroup],
    stopped: UnifiedError | None,
    failed_by: Mapping[str, int] | None = None,
) -> Ending:
    """Return how the writes of these groups ended.

    `stopped` is the error that ended the writes early, or None. `failed_by` is the
    number of failures of each connection, if there are several.
    """
    counts = {group.name: group.count for group in groups}
    return Ending(
        unit,
        sum(counts.values()),
        in_doubt=counts["in doubt"],
        not_tried=counts["not tried"],
        stopped=stopped if counts["not tried"] else None,
        see={group.name: group.path for group in groups},
        unnamed=counts["failed"],
        failed_by=failed_by or {},
    )
