"""The outcome of an import, as files that can be imported again, and as a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from unified_cli.bulk.import_.import_items import MARK, LineMark, unmarked
from unified_cli.bulk.import_.input_file import InputFile
from unified_cli.bulk.import_.input_formats import InputLine
from unified_cli.errors import StorageError, UnifiedError
from unified_cli.fleet.conclude import Ending
from unified_cli.storage import atomic_file, output_file, regular_file, state
from unified_cli.storage.output_file import OutputStream
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, EntryState
from unified_cli.writes.journal import Journal

_CHUNK = 1 << 18
_REPORT_BEGINS = b'{"line":'


@dataclass(frozen=True, slots=True)
class ResultGroup:
    """Records with the same outcome: how many, and the file they are in; None where there are none."""

    name: str
    states: tuple[EntryState, ...]
    count: int = 0
    path: Path | None = None


GROUPS = (
    ResultGroup("done", (EntryState.OK,)),
    ResultGroup("failed", NOT_DONE),
    ResultGroup("in doubt", IN_DOUBT),
    ResultGroup("not tried", (EntryState.NEW,)),
)


def path_of(group: ResultGroup, beside: Path) -> Path:
    """The file of a group, beside the input."""
    return beside.with_name(f"{beside.name}.unified-{group.name.replace(' ', '-')}.ndjson")


def ending_of(unit: str, groups: Sequence[ResultGroup], stopped: UnifiedError | None) -> Ending:
    """How the work that these groups are of ends, which `stopped` ended early, if it is given."""
    counts = {group.name: group.count for group in groups}
    return Ending(
        unit,
        sum(counts.values()),
        in_doubt=counts["in doubt"],
        not_tried=counts["not tried"],
        stopped=stopped if counts["not tried"] else None,
        see={group.name: group.path for group in groups},
        unnamed=counts["failed"],
    )


def check(beside: Path, report: str | None) -> None:
    """Raise StateError or StorageError, before anything is sent, where a file of results could not be written."""
    for path in (path_of(group, beside) for group in GROUPS):
        try:
            regular_file.check(path)
        except regular_file.NotRegularError:
            raise state.not_regular(path, "move it away") from None
        output_file.check(path, force=True)
    if report and not output_file.is_stream(Path(report)):
        output_file.check(Path(report), force=True)


def count(source: InputFile, journal: Journal) -> dict[EntryState, int]:
    """How many records there are in each state."""
    counts = dict.fromkeys(EntryState, 0)
    for line in source.lines():
        counts[journal.state(line.number)] += 1
    return counts


def write(source: InputFile, journal: Journal, counts: dict[EntryState, int], beside: Path) -> list[ResultGroup]:
    """Write a file beside the input for each group that has records, and remove what an earlier run left for others.

    Raises StorageError.
    """
    groups = []
    for group in GROUPS:
        number = sum(counts[state] for state in group.states)
        path = path_of(group, beside)
        atomic_file.sweep(path)
        if number:
            lines = (
                _with_outcome(line, journal) for line in source.lines() if journal.state(line.number) in group.states
            )
            output_file.write(path, _chunks(lines), force=True)
        else:
            path.unlink(missing_ok=True)
        groups.append(ResultGroup(group.name, group.states, number, path if number else None))
    return groups


def open_report(name: str, source: Path) -> OutputStream | None:
    """The pipe or device that a report goes to, open before anything is sent; None where it is to be a file.

    Raises StorageError where that would replace anything but an earlier report, and where nobody reads the pipe.
    """
    path = Path(name)
    if stream := output_file.open_stream(path):
        return stream
    output_file.check_folder(path)
    ours = path.is_file() and not path.is_symlink() and path.resolve() != source.resolve() and _is_report(path)
    if path.exists() and not ours:
        raise StorageError(f"{path} exists, and is no report of an import (name another file)")
    return None


def _is_report(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_REPORT_BEGINS)) == _REPORT_BEGINS


def report(source: InputFile, journal: Journal, name: str, stream: OutputStream | None) -> None:
    """Write one line for each record: its number, its outcome, its id, the status and the reason.

    They go to the stream that `open_report` gave, if it gave one.
    """
    lines = _chunks(_report_line(line, journal) for line in source.lines())
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
            "reason": (last and last.why) or None,
        }
    )


def _with_outcome(line: InputLine, journal: Journal) -> bytes:
    """The record with its outcome as its first member."""
    mark = _mark(line, journal)
    record, carried = _record(line)
    if carried is not None and not mark.key and not mark.sent and journal.state(line.number) is not EntryState.OK:
        mark.key, mark.request, mark.sent = carried.key, carried.request, carried.sent
    if record is None:
        mark.text = line.text.decode("utf-8", "backslashreplace")
        record = b"{}"
    rest = record.strip()[1:].lstrip()
    head = b'{"%b":%b' % (MARK.encode(), msgspec.json.encode(mark))
    return head + (rest if rest.startswith(b"}") else b"," + rest)


def _mark(line: InputLine, journal: Journal) -> LineMark:
    """What the journal says about a record; with its key, if it was sent and another time it may be again."""
    state = journal.state(line.number)
    mark = LineMark(line.number)
    if state is not EntryState.NEW:
        last = journal.last(line.number)
        mark.id, mark.status, mark.why = last.id, last.status, last.why
    sent = journal.sent(line.number)
    if sent is not None and state is not EntryState.OK:
        mark.key = sent.k
        if state in IN_DOUBT:
            mark.sent = sent.t
        elif sent.k:
            mark.request = sent.h
    return mark


def _record(line: InputLine) -> tuple[bytes | None, LineMark | None]:
    """The record of a line without the mark it carried, and that mark; no record where the line holds none."""
    if line.bare and not line.wrong:
        return msgspec.json.encode({"id": line.text.decode("utf-8")}), None
    if line.wrong or not line.text.startswith(b"{"):
        return None, None
    try:
        return unmarked(line.text)
    except ValueError:
        return None, None


def _chunks(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines, in chunks that are worth a write."""
    chunk = bytearray()
    for line in lines:
        # A line break within a record is white space: in a string it would be escaped.
        chunk += (line.replace(b"\n", b" ").replace(b"\r", b" ") if b"\n" in line or b"\r" in line else line) + b"\n"
        if len(chunk) > _CHUNK:
            yield bytes(chunk)
            chunk.clear()
    yield bytes(chunk)
