"""What came of an export, in words and as an exit code."""

from collections.abc import Mapping
from pathlib import Path

from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.errors import IncompleteError, StateError, UnifiedError
from unified_cli.runtime import Runtime

_MOST_TOLD = 3


def report(runtime: Runtime, folder: Path, total: int, summary: ExportSummary) -> None:
    """Say what came of it, and raise the error that it amounts to."""
    for line in _failures(summary.failed):
        runtime.stderr.line(line)
    for said in summary.partial:
        runtime.stderr.line(said)
    absent = f", {summary.not_offered} not offered" if summary.not_offered else ""
    runtime.stderr.note(
        f"wrote {summary.written} files with {summary.records} records to {folder}, "
        f"{summary.unchanged} were complete already{absent}"
    )
    failed = summary.failed
    states = [error for error in failed.values() if isinstance(error, StateError)]
    if states:
        raise states[0]
    kinds = {error.code for error in failed.values()}
    if failed and len(failed) == total and len(kinds) == 1:
        first = next(iter(failed.values()))
        raise type(first)(f"all {total} lists failed", origin=first.origin, status=first.status)
    if failed or summary.partial:
        raise IncompleteError(f"{len(failed) + len(summary.partial)} of {total} files are not complete")


def _failures(failed: Mapping[str, UnifiedError]) -> list[str]:
    """A line for each failure; where much of a connection failed alike, one for all of it."""
    alike: dict[tuple[str, int, int | None], list[str]] = {}
    for name, error in failed.items():
        alike.setdefault((name.partition("/")[0], error.code, error.status), []).append(name)
    lines = []
    for (connection, _, _), names in alike.items():
        first = failed[names[0]].message
        if len(names) > _MOST_TOLD:
            lines.append(f"{connection}: {len(names)} lists failed, the first one so: {first}")
        else:
            lines += [f"{name}: {failed[name].message}" for name in names]
    return lines
