"""Report the result of an export or of `--verify`."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from unified_cli import os_limits
from unified_cli.cli import command_words
from unified_cli.cli.flags import names_of
from unified_cli.cli.option_parts import MessageOptions
from unified_cli.cli.result_table import show
from unified_cli.commands.export.options import ExportOptions
from unified_cli.commands.export.plan import ExportPlan
from unified_cli.errors import (
    IncompleteError,
    RefusedError,
    StateError,
    UnifiedError,
    UsageError,
)
from unified_cli.exported import export_state, exported_lists, gone_ids, manifest
from unified_cli.exported.checkpoint import REPLACE, REPLACE_ALL, START_ANEW, UNFILTERED
from unified_cli.exported.destination import Destination
from unified_cli.exported.exported_lists import lists_done
from unified_cli.exported.list_export import TakenOverError
from unified_cli.exported.manifest import ManifestEntry
from unified_cli.fleet.conclude import Ending, conclude, own_failure
from unified_cli.masking import excerpt
from unified_cli.output import formats
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime
from unified_cli.storage import object_store
from unified_cli.writes import listed_runs

_MOST_LINES = 3
_HEADS = ("profile", "address", "account", "list", "to")
# Options to leave out of the command that continues an export.
_OF_ONE_RUN = frozenset({*names_of(MessageOptions), "record", "dry_run", "restart"})
_ASK = "unified profile test says whether the account is right"


@dataclass(slots=True)
class ExportSummary:
    """The result of an export: counts of files, failures by file, and connections
    `without_lists`.

    `changes` are the later files of lists. `ahead` describes records with a time in the
    future, and `unseen` has the chosen columns that no list has. `read_whole` has the
    lists that `--incremental` could not continue, by the reason. `old` has the read
    times of lists that were already complete, and `gone` the number of ids that are no
    longer found, by list.
    """

    written: int = 0
    unchanged: int = 0
    records: int = 0
    not_offered: int = 0
    partial: dict[str, str] = field(default_factory=dict)
    ahead: list[str] = field(default_factory=list)
    read_whole: dict[str, list[str]] = field(default_factory=dict)
    unseen: list[str] = field(default_factory=list)
    changes: list[str] = field(default_factory=list)
    old: dict[str, str] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    failed: dict[str, UnifiedError] = field(default_factory=dict)
    without_lists: dict[str, list[ManifestEntry]] = field(default_factory=dict)

    def add(self, other: "ExportSummary") -> None:
        """Add another result to this one."""
        self.written += other.written
        self.unchanged += other.unchanged
        self.records += other.records
        self.not_offered += other.not_offered
        self.partial |= other.partial
        self.ahead += other.ahead
        for why, files in other.read_whole.items():
            self.read_whole.setdefault(why, []).extend(files)
        self.changes += other.changes
        self.old |= other.old
        self.gone |= other.gone
        self.failed |= other.failed
        self.without_lists |= other.without_lists


def continuing(options: ExportOptions) -> str:
    """Return the command that continues an export."""
    words = command_words.words_of(["unified", "export"], options, without=_OF_ONE_RUN)
    return shlex.join(words)


@contextmanager
def ending(options: ExportOptions, total: int, done: Callable[[], int | None]) -> Iterator[None]:
    """Add the progress, and the command that continues the export, to errors in the
    block.

    `done` returns None until the export has begun.
    """
    # Build the command now: the working directory, which relative paths need, may be
    # removed.
    again = continuing(options)
    try:
        yield
    except KeyboardInterrupt as stop:
        message = lists_done(_number(done) or 0, total)
        stop.add_note(f"{message}; to continue: {again}")
        raise
    except TakenOverError:
        raise
    except UnifiedError as caught:
        # First add the hint about the cause of the failure.
        error = os_limits.with_next_step(caught)
        number = _number(done)
        if number is not None and _same_command_continues(error):
            error.add_hint(lists_done(number, total))
            error.next_command = again
        raise error from caught.__cause__


def _number(done: Callable[[], int | None]) -> int | None:
    # Ignore an unreadable destination, which is the reason of the main error.
    with suppress(UnifiedError):
        return done()
    return None


def _same_command_continues(error: UnifiedError) -> bool:
    names_another = isinstance(error, StateError | UsageError) and error.hint
    anew = any(hint in error.message for hint in (START_ANEW, REPLACE, REPLACE_ALL, UNFILTERED))
    return not names_another and not anew


def preview(plan: ExportPlan) -> None:
    """Print each list with its connection and its file.

    Raises ConfigError if a connection has no address, or if a package or credential for
    the destination is missing.
    """
    runtime, to = plan.context.runtime, plan.options.to or ""
    url = object_store.parse_url(to)
    if url is not None:
        object_store.check(runtime.environ)
    rows = []
    for planned in plan.lists:
        address, account = plan.connections.resolve(planned.connection).reachable()
        file = PurePosixPath(planned.file)
        if plan.form is formats.DELTA:
            where = f"{url or to}/{planned.operation.api}/{planned.operation.resource}"
        else:
            where = f"{url}/{file.with_suffix('')}/" if url else str(PurePosixPath(to) / file)
        rows.append(
            (
                planned.connection,
                str(address),
                account,
                f"{planned.operation.api}/{planned.operation.resource}",
                where,
            )
        )
    show(runtime, None, _HEADS, rows, None)
    connections = counted(len({planned.connection for planned in plan.lists}), "connection")
    runtime.stderr.note(
        f"would write {counted(len(rows), 'list')} of {connections} to {url or to}; nothing was"
        " sent or written"
    )


def report(
    runtime: Runtime, destination: str, total: int, summary: ExportSummary, options: ExportOptions
) -> None:
    """Print the outcome, failures last, and raise the error that summarises it."""
    for note in _notes(runtime, destination, total, summary, options):
        runtime.stderr.note(note)
    for name, entries in summary.without_lists.items():
        runtime.stderr.line(
            f"{name}: none of its {counted(len(entries), 'list')} is offered, the first with:"
            f" {entries[0].why}"
        )
    last = own_failure(summary.failed.values())
    # The last line reports this failure, so do not print it twice.
    reported = {
        name: error
        for name, error in summary.failed.items()
        if last is None or error.one_line != last.one_line
    }
    partial = _grouped_by_connection(runtime, summary.partial, "partial file")
    for line in (*partial, *_failures(reported)):
        runtime.stderr.line(line)
    try:
        _raise_error(summary, total)
    except UnifiedError as error:
        if _same_command_continues(error):
            error.next_command = continuing(options)
        raise


def _changes_note(file: str, destination: str) -> str:
    where = "unified help engines shows how to read the newest state of each record"
    if not object_store.parse_url(destination):
        reader = f"unified sql --from {shlex.quote(destination)}"
        where = (
            f"{reader} reads the newest state of each record (other readers: unified help engines)"
        )
    return f"changes are in separate files, such as {file}; {where}"


def _notes(
    runtime: Runtime, destination: str, total: int, summary: ExportSummary, options: ExportOptions
) -> Iterator[str]:
    for why, files in summary.read_whole.items():
        yield from _read_whole_notes(runtime, why, sorted(files))
    absent = f", {summary.not_offered} not offered" if summary.not_offered else ""
    thing = "list" if options.form is formats.DELTA else "file"
    yield (
        f"wrote {counted(summary.written, thing)} with {counted(summary.records, 'record')} to"
        f" {destination}, {summary.unchanged} already complete{absent};"
        f" {lists_done(total - len(summary.failed) - len(summary.partial), total)}"
    )
    if summary.changes:
        yield _changes_note(min(summary.changes), destination)
    if summary.old and not options.incremental:
        yield f"{_old_lists_note(summary.old)}; {_ways_to_reread(options)}"
    if summary.gone:
        yield _gone_ids_note(summary.gone)
    if summary.ahead:
        others = len(summary.ahead) - 1
        more = (
            f", and {'another list' if others == 1 else f'{others} other lists'}" if others else ""
        )
        yield (
            "records with a time in the future, which incremental runs read again until then:"
            f" {summary.ahead[0]}{more}"
        )
    for column in summary.unseen:
        yield f'no record that was written has the column "{excerpt(column)}"'


def _read_whole_notes(runtime: Runtime, why: str, files: Sequence[str]) -> Iterator[str]:
    if len(files) > _MOST_LINES and not runtime.stderr.verbosity:
        yield f"{counted(len(files), 'list')}, such as {files[0]} (-v names them): {why}"
    else:
        yield from (f"{file}: {why}" for file in files)


def _old_lists_note(old: Mapping[str, str]) -> str:
    found = sorted((at, str(PurePosixPath(file).with_suffix(""))) for file, at in old.items())
    if len(found) <= _MOST_LINES:
        return f"not read again: {', '.join(f'{name} (read {at})' for at, name in found)}"
    (oldest, first), (newest, last) = found[0], found[-1]
    return (
        f"not read again: {len(found)} lists, read between {oldest} ({first}) and {newest} ({last})"
    )


def _ways_to_reread(options: ExportOptions) -> str:
    ways = ["--incremental adds the changes since then"] if options.form.increments else []
    if not (options.task or options.engine):
        ways.append("--restart reads everything again")
    return ", ".join(ways) or "an export to another folder reads them again"


def _gone_ids_note(gone: Mapping[str, int]) -> str:
    files = [gone_ids.file_beside(file) for file in sorted(gone)]
    more = f" and {len(files) - 1} more such files" if len(files) > 1 else ""
    return (
        f"no longer found: {counted(sum(gone.values()), 'id')} of earlier reads, listed in"
        f" {files[0]}{more}"
    )


def _raise_error(summary: ExportSummary, total: int) -> None:
    """Raise the error that summarises the export, if anything failed or is missing."""
    if summary.not_offered == total > 0:
        raise RefusedError(
            "nothing could be read: no connection offers any of the lists", hint=_ASK, status=404
        )
    missing = []
    if summary.partial:
        missing.append(f"{len(summary.partial)} of {counted(total, 'list')} partial")
    if summary.without_lists:
        missing.append(f"nothing could be read from {named([*summary.without_lists])}")
    conclude(Ending("list", total, dict(sorted(summary.failed.items())), missing=missing))


def _failures(failed: Mapping[str, UnifiedError]) -> Iterator[str]:
    """Yield a line for each failure. Many lists with the same error share a line."""
    alike: dict[tuple[int, int | None], dict[str, list[str]]] = {}
    for name, error in failed.items():
        connections = alike.setdefault((error.code, error.status), {})
        connections.setdefault(name.partition("/")[0], []).append(name)
    for connections in alike.values():
        if len(connections) > _MOST_LINES:
            names = sorted(name for found in connections.values() for name in found)
            what = f"{counted(len(names), 'list')} of {counted(len(connections), 'connection')}"
            first = f"the error of {names[0]}: {failed[names[0]].one_line}"
            yield f"{what} failed for similar reasons ({', '.join(sorted(connections))}); {first}"
            continue
        for connection, names in connections.items():
            if len(names) > _MOST_LINES or len({failed[name].one_line for name in names}) < len(
                names
            ):
                yield (
                    f"{connection}: {counted(len(names), 'list')} failed, the first with:"
                    f" {failed[names[0]].one_line}"
                )
            else:
                yield from (f"{name}: {failed[name].one_line}" for name in names)


def _grouped_by_connection(
    runtime: Runtime, reasons: Mapping[str, str], word: str
) -> Iterator[str]:
    """Yield a line for each file with its reason. Many files of a connection share a
    line, unless the command is verbose.
    """
    files: dict[str, list[str]] = {}
    for file in reasons:
        files.setdefault(file.partition("/")[0], []).append(file)
    for connection, names in files.items():
        if len(names) > _MOST_LINES and not runtime.stderr.verbosity:
            first = f"the first {names[0]}: {reasons[names[0]]}"
            yield f"{connection}: {counted(len(names), word)} (-v names them), {first}"
        else:
            yield from (f"{name}: {reasons[name]}" for name in names)


def verify(runtime: Runtime, destination: Destination) -> None:
    """Compare the files with the manifests, and print the differences. Raises the error
    that summarises them.
    """
    verdict = export_state.verify(destination)
    unfinished = [f"{name}: the export is not finished" for name in verdict.unfinished]
    if verdict.unfinished == [manifest.NAME]:
        # The error of the command says this, so do not print it twice.
        unfinished = []
    gaps = _grouped_by_connection(runtime, verdict.gaps, "missing file")
    for line in (*verdict.differences, *unfinished, *gaps, *verdict.missing):
        runtime.stderr.line(line)
    if verdict.differences:
        raise StateError(
            f"{destination} does not match its manifest:"
            f" {counted(len(verdict.differences), 'difference')}",
            hint=START_ANEW,
        )
    done = lists_done(verdict.done, verdict.lists)
    if verdict.gaps or verdict.missing or verdict.unfinished:
        missing = counted(len(verdict.gaps) + len(verdict.missing), "file")
        error = (
            exported_lists.unfinished_error(destination, done)
            if verdict.unfinished
            else IncompleteError(f"{destination} is incomplete: {missing} missing; {done}")
        )
        words = listed_runs.export_words(runtime, str(destination))
        raise exported_lists.with_command(error, words)
    matched = counted(verdict.compared, "file")
    runtime.stderr.note(f"{destination}: the manifest matches {matched}; {done}")
