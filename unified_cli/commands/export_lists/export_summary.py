"""The outcome of an export, as messages and as an exit code."""

from collections.abc import Iterator, Mapping

from unified_cli.bulk.export.folder_export import ExportSummary
from unified_cli.errors import RefusedError, UnifiedError
from unified_cli.fleet.conclude import Ending, conclude, own_failure
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

_MOST_LINES = 3
_ASK = "unified profile test says whether the account is right"


def report(runtime: Runtime, destination: str, total: int, summary: ExportSummary) -> None:
    """Print the outcome, failures last, and raise the error that sums it up."""
    absent = f", {summary.not_offered} not offered" if summary.not_offered else ""
    runtime.stderr.note(
        f"wrote {counted(summary.written, 'file')} with {counted(summary.records, 'record')} to {destination}, "
        f"{summary.unchanged} already complete{absent}"
    )
    if summary.ahead:
        others = len(summary.ahead) - 1
        more = f", and {'another list' if others == 1 else f'{others} other lists'}" if others else ""
        runtime.stderr.note(
            f"stamped later than the service's clock, so that each run reads them again: {summary.ahead[0]}{more}"
        )
    for name, entries in summary.without_lists.items():
        runtime.stderr.line(
            f"{name}: none of its {counted(len(entries), 'list')} is offered, the first with: {entries[0].why}"
        )
    last = own_failure(summary.failed.values())
    # What the last line says is not said before.
    told = {name: error for name, error in summary.failed.items() if last is None or error.one_line != last.one_line}
    for line in (*summary.partial, *_failures(told)):
        runtime.stderr.line(line)
    _raise_error(summary, total)


def _raise_error(summary: ExportSummary, total: int) -> None:
    """Raise the error that sums up the export, if anything failed or is missing."""
    if summary.not_offered == total > 0:
        raise RefusedError("nothing could be read: no connection offers any of the lists", hint=_ASK, status=404)
    missing = []
    if summary.partial:
        missing.append(f"{len(summary.partial)} of {counted(total, 'list')} partial")
    if summary.without_lists:
        missing.append(f"nothing could be read from {named([*summary.without_lists])}")
    conclude(Ending("list", total, dict(sorted(summary.failed.items())), missing=missing))


def _failures(failed: Mapping[str, UnifiedError]) -> Iterator[str]:
    """A line for each failure; one for all if many lists of a connection, or of many connections, failed alike."""
    alike: dict[tuple[int, int | None], dict[str, list[str]]] = {}
    for name, error in failed.items():
        connections = alike.setdefault((error.code, error.status), {})
        connections.setdefault(name.partition("/")[0], []).append(name)
    for connections in alike.values():
        if len(connections) > _MOST_LINES:
            names = sorted(name for found in connections.values() for name in found)
            what = f"{counted(len(names), 'list')} of {counted(len(connections), 'connection')}"
            yield f"failed alike: {what}, the first ({names[0]}) with: {failed[names[0]].one_line}"
            continue
        for connection, names in connections.items():
            if len(names) > _MOST_LINES or len({failed[name].one_line for name in names}) < len(names):
                yield f"{connection}: {counted(len(names), 'list')} failed, the first with: {failed[names[0]].one_line}"
            else:
                yield from (f"{name}: {failed[name].one_line}" for name in names)
