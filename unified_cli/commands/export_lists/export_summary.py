"""The outcome of an export, as messages and as an exit code."""

from collections.abc import Mapping
from pathlib import Path

from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.errors import IncompleteError, StateError, UnifiedError
from unified_cli.runtime import Runtime

_MOST_LINES = 3


def report(runtime: Runtime, folder: Path, total: int, summary: ExportSummary) -> None:
    """Print the outcome, and raise the error that sums it up."""
    for line in (*_failures(summary.failed), *summary.partial):
        runtime.stderr.line(line)
    absent = f", {summary.not_offered} not offered" if summary.not_offered else ""
    runtime.stderr.note(
        f"wrote {summary.written} files with {summary.records} records to {folder}, "
        f"{summary.unchanged} were already complete{absent}"
    )
    failed = summary.failed
    states = [error for error in failed.values() if isinstance(error, StateError)]
    if states:
        raise states[0]
    kinds = {error.code for error in failed.values()}
    if failed and len(failed) == total and len(kinds) == 1:
        raise next(iter(failed.values())).retold(f"all {total} lists failed")
    if failed or summary.partial:
        raise IncompleteError(f"{len(failed) + len(summary.partial)} of {total} files are incomplete")


def _failures(failed: Mapping[str, UnifiedError]) -> list[str]:
    """A line for each failure; one for all if many lists of a connection failed alike."""
    alike: dict[tuple[str, int, int | None], list[str]] = {}
    for name, error in failed.items():
        alike.setdefault((name.partition("/")[0], error.code, error.status), []).append(name)
    lines = []
    for (connection, _, _), names in alike.items():
        first = failed[names[0]].message
        if len(names) > _MOST_LINES:
            lines.append(f"{connection}: {len(names)} lists failed, the first with: {first}")
        else:
            lines += [f"{name}: {failed[name].message}" for name in names]
    return lines
