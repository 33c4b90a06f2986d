"""Write the outcome of an import: files that can be imported again, and a report."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import msgspec

from unified_cli import os_limits
from unified_cli.errors import StorageError
from unified_cli.storage import output_file, state
from unified_cli.storage.output_file import OutputStream
from unified_cli.writes import outcome_files
from unified_cli.writes.entry import IN_DOUBT, EntryState
from unified_cli.writes.input_file import InputFile
from unified_cli.writes.input_formats import InputLine
from unified_cli.writes.input_records import MARK, LineMark, split_mark
from unified_cli.writes.journal import Journal
from unified_cli.writes.outcome_files import GROUPS, OutcomeGroup

_REPORT_BEGINS = b'{"line":'


def check(beside: Path | None, report: str | None) -> None:
    """Raise StateError or StorageError if a result file cannot be written.

    Call it before sending anything. `beside` is the input file, or None if no result
    files are written beside it.
    """
    if beside is not None:
        outcome_files.check(beside)
    if report and not output_file.is_stream(Path(report)):
        output_file.check(Path(report), force=True)


def count(source: InputFile, journal: Journal) -> dict[EntryState, int]:
    """Return the number of records in each state."""
    counts = journal.counts()
    return {**counts, EntryState.NEW: source.count - sum(counts.values())}


def write(
    source: InputFile, journal: Journal, counts: Mapping[EntryState, int], *, beside: bool
) -> list[OutcomeGroup]:
    """Write a file beside the input for each outcome, and remove outdated files.

    Without `beside`, only count the records. Raises StorageError.
    """
    if not beside:
        return [
            replace(group, count=sum(counts[state] for state in group.states)) for group in GROUPS
        ]
    return [_write(group, source, journal, counts) for group in GROUPS]


def _write(
    group: OutcomeGroup, source: InputFile, journal: Journal, counts: Mapping[EntryState, int]
) -> OutcomeGroup:
    lines = (
        _with_outcome(line, journal)
        for line in source.lines()
        if journal.state(line.number) in group.states
    )
    return outcome_files.write(
        group, source.path, sum(counts[state] for state in group.states), lines
    )


def open_report(name: str, source: Path) -> OutputStream | None:
    """Open a report that is a pipe or a device. Returns None if it is a regular file.

    Raises StorageError if the file exists and is not an earlier report, or if the pipe
    has no reader.
    """
    path = Path(name)
    if stream := output_file.open_stream(path):
        return stream
    output_file.check_folder(path)
    ours = (
        path.is_file()
        and not path.is_symlink()
        and os_limits.resolve_path(path) != os_limits.resolve_path(source)
        and _is_report(path)
    )
    if path.exists() and not ours:
        raise StorageError(f"{path} exists and is not a report of an import (name another file)")
    return None


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_REPORT_BEGINS)) == _REPORT_BEGINS


def report(source: InputFile, journal: Journal, name: str, stream: OutputStream | None) -> None:
    """Write one line for each record.

    Each line has the number of its record in the input, the outcome, the id, the status
    of the response, and the reason of a failure. The lines go to `stream`, which
    `open_report` returned, or to the file `name`.
    """
    lines = state.chunks(_report_line(line, journal) for line in source.lines())
    if stream:
        output_file.write_stream(stream, lines)
    else:
        output_file.write(Path(name), lines, force=True)


def _report_line(line: InputLine, journal: Journal) -> bytes:
    state = journal.state(line.number)
    last = None if state is EntryState.NEW else journal.last(line.number)
    name = next((group.name for group in GROUPS if state in group.states), state.value)
    return msgspec.json.encode(
        {
            "line": line.number,
            "outcome": name,
            "id": (last and last.id) or None,
            "status": (last and last.status) or None,
            "reason": (last and last.reason) or None,
        }
    )


def _with_outcome(line: InputLine, journal: Journal) -> bytes:
    mark = _mark(line, journal)
    record, carried = _record(line)
    if (
        carried is not None
        and not mark.key
        and not mark.sent
        and journal.state(line.number) is not EntryState.OK
    ):
        mark.key, mark.request, mark.sent = carried.key, carried.request, carried.sent
    if record is None:
        mark.text = line.text.decode("utf-8", "backslashreplace")
        record = b"{}"
    rest = record.strip()[1:].lstrip()
    head = b'{"%b":%b' % (MARK.encode(), msgspec.json.encode(mark))
    return head + (rest if rest.startswith(b"}") else b"," + rest)


def _mark(line: InputLine, journal: Journal) -> LineMark:
    """Return the member `_import` that a result file adds to a record.

    Its values come from the journal. They include the idempotency key if a later import
    may send the record again.
    """
    state = journal.state(line.number)
    mark = LineMark(line.number)
    if state is not EntryState.NEW:
        last = journal.last(line.number)
        mark.id, mark.status, mark.why = last.id, last.status, last.reason
    sent = None if state is EntryState.OK else journal.sent(line.number)
    if sent is not None:
        mark.key = sent.k
        if state in IN_DOUBT:
            mark.sent = sent.t
        elif sent.k:
            mark.request = sent.h
    return mark


def _record(line: InputLine) -> tuple[bytes | None, LineMark | None]:
    """Return the record of a line without its member `_import`, and this member.

    The record is None if the line is not a valid record.
    """
    if line.bare and not line.wrong:
        return msgspec.json.encode({"id": line.text.decode("utf-8")}), None
    if line.wrong or not line.text.startswith(b"{"):
        return None, None
    try:
        return split_mark(line.text)
    except ValueError:
        return None, None
