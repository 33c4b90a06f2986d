"""Run an import: check everything, then send each record and record it in a journal."""

import hashlib
import json
import shlex
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from unified_cli import __version__, os_limits, signals
from unified_cli.call import body_check, builder, dry_run
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import command_words, named_resource, prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.import_ import result_files
from unified_cli.commands.import_.command import ImportOptions
from unified_cli.commands.import_.importer import Importer, ImportProgress, ImportTask
from unified_cli.config import file as config_file, profiles
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import StateError, UnifiedError, UnknownError, UsageError
from unified_cli.exported.exported_lists import ExportedLists
from unified_cli.fleet import own_account, selection
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.fleet.fair_turns import spread
from unified_cli.hints import quoted
from unified_cli.json_text.members import parts
from unified_cli.json_text.record_label import LABEL
from unified_cli.output import stdout
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.storage.output_file import OutputStream
from unified_cli.writes import (
    import_journal,
    input_file,
    input_tables,
    journal as run_journal,
    listed_runs,
    noted_calls,
    outcome_files,
    run_state,
    stdin_copy,
)
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, EntryState, RunKind
from unified_cli.writes.import_journal import Counterpart, ImportHeader, ImportJournal
from unified_cli.writes.input_file import InputFile
from unified_cli.writes.input_reading import ReadingOptions, RecordShape
from unified_cli.writes.input_records import MARK, InputItem
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run_doubts import RunDoubts
from unified_cli.writes.sender import FairWriters
from unified_cli.writes.stdin_copy import StdinCopy

_ON_ANOTHER_DISK = "copy the input to another disk, or pipe it in with - as the file"


def _operation(catalogue: Catalogue, options: ImportOptions) -> Operation:
    """Return the operation to import with.

    Raises UsageError if the operation does not exist or does not write.
    """
    resource, name = options.resource, options.operation
    found = named_resource.find(catalogue, resource, before=("unified import", options.file))
    operation = found.operations.get(name)
    if operation is None or operation.method == "GET":
        able = [other.name for other in found.operations.values() if other.method != "GET"]
        meant = f'did you mean "{name.lower()}"?' if name.lower() in able else ""
        raise UsageError(
            f"{resource} has no operation {name!r} to import with",
            hint=meant or f"choose from: {', '.join(able) or 'none'}",
        )
    return operation


# Read all records of files up to this size into memory, so that all connections are
# busy at once. Send the records of larger files in order.
_LARGEST_SPREAD = 16 * 1024 * 1024


def run(context: CommandContext, options: ImportOptions) -> None:
    """Run the import. Raises an error if a record was not imported."""
    runtime, catalogue = context.runtime, context.catalogue
    stdout.check(runtime)
    targets = _connections(runtime, options)
    operation = _operation(catalogue, options)
    task = ImportTask(
        runtime, catalogue, targets, operation, builder.pairs(options.query), options.map
    )

    piped = options.file == "-"
    with _record_file(task, options) as copy:
        found = _examined(task, copy, options)
    with closing(found) as source:
        if found.warning:
            runtime.stderr.note(found.warning)
        task = task.with_used_profiles(source)
        _warn_of_misspelt_names(task, source, options)
        if options.dry_run:
            _preview(task, source)
            return
        result_files.check(None if copy.not_kept else source.path, options.report)
        _confirm(task, source, yes=options.yes, piped=piped)
        if copy.not_kept:
            runtime.stderr.line(f"this import cannot be resumed: {copy.not_kept.message}")
        _locked_import(replace(task, kept=copy.not_kept is None), source, options)


def _record_file(task: ImportTask, options: ImportOptions) -> AbstractContextManager[StdinCopy]:
    path, runtime = Path(options.file), task.runtime
    if options.file == "-":
        return stdin_copy.copy_stdin(runtime, task.target, options.token_stdin)
    if not path.is_dir():
        return nullcontext(StdinCopy(path))
    lists = ExportedLists(runtime, path, listed_runs.export_words)
    records = lists.newest(lists.only(task.operation))
    name = f"{task.operation.api}/{task.operation.resource} of {path}"
    return stdin_copy.keep_input(runtime, task.target, (record + b"\n" for record in records), name)


def _examined(task: ImportTask, copy: StdinCopy, options: ImportOptions) -> InputFile:
    """Examine the input. If its journal is from version 0.2.0, read it as 0.2.0 did.

    Raises StateError if 0.2.0 did not have one of the options, and the errors of
    `examine`.
    """
    chosen = ReadingOptions(options.format, options.delimiter, options.trim_header)
    chosen.check()
    as_0_2_0 = not options.restart and import_journal.lacks_choices(copy.path)
    if as_0_2_0 and chosen.is_new:
        raise StateError(
            f"{import_journal.path_of(copy.path)} was begun by an older version, which read its"
            " input without --delimiter, --trim-header and --format tsv",
            hint="leave them out to resume it; --restart discards it and sends everything again",
        )
    shape = RecordShape.from_operation(task.operation, task.catalogue.service)
    found = input_file.examine(copy.path, shape, chosen, shown=copy.shown, as_0_2_0=as_0_2_0)
    if found.reading.is_ids and task.operation.method in {"PATCH", "PUT"} and not options.map:
        found.close()
        line = f"unified {task.operation.command} - -F NAME=JSON --yes < {quoted(options.file)}"
        raise UsageError(f"{options.file} has only ids, and no fields to send", hint=line)
    return found


def _connections(runtime: Runtime, options: ImportOptions) -> Mapping[str | None, Settings]:
    config = config_file.read(runtime)
    # --output is the format of the summary, not of the records.
    options = replace(options, output=None)
    if profiles.is_several(options.profile):
        own_account.common_settings(runtime, config, overrides(options))
        return dict(selection.for_writes(runtime, config, options).items())
    resolved = own_account.resolved(
        overrides(options, profiles.single_name(options.profile)), runtime, config
    )
    own_account.apply_to_messages(runtime, resolved)
    resolved.reachable()
    return {None: resolved}


def _warn_of_misspelt_names(task: ImportTask, source: InputFile, options: ImportOptions) -> None:
    names = [input_tables.member(head) for head in source.columns]
    if task.map is not None or not names:
        body = next((item.body for item in task.items(source, notes=False) if item.body), None)
        names = [*(parts(body) or ())] if body else []
    names = [name for name in names if name not in {LABEL, MARK}]
    body_check.check_names(task.runtime, task.operation, names, strict=options.strict)


def _preview(task: ImportTask, source: InputFile) -> None:
    for item in task.items(source):
        if item.wrong:
            task.runtime.stderr.note(f"line {item.number} {item.wrong}")
        elif not item.empty:
            dry_run.print_line(task.runtime, task.request(item, item.key or "…"))


def _confirm(task: ImportTask, source: InputFile, *, yes: bool, piped: bool) -> None:
    """Ask for confirmation.

    Raises UnsafeError if a profile is read-only, and UsageError if --yes is needed.
    """
    operation = task.operation
    what = f"of {operation.api} {operation.resource}"
    if only := task.targets.get(None):
        builder.check_writable(only, task.request(InputItem(0, b"", "1", b"{}"), "k"))
        if operation.kind == "delete":
            what = f"{counted(source.count, 'record')} {what}"
            prompt.confirm_change(
                task.runtime, only, "delete", what, yes=yes, stdin_holds_data=piped
            )
    elif task.used:
        what = f"{operation.name} {counted(sum(task.used.values()), 'record')} {what}"
        common = task.targets[next(iter(task.used))]
        prompt.confirm_several(
            task.runtime, common, what, [*task.used], yes=yes, stdin_holds_data=piped
        )


def _locked_import(task: ImportTask, source: InputFile, options: ImportOptions) -> None:
    report = result_files.open_report(options.report, source.path) if options.report else None
    with report or nullcontext():
        _with_report(task, source, options, report)


@contextmanager
def _opened_journal(
    task: ImportTask, source: InputFile, options: ImportOptions
) -> Iterator[tuple[ImportJournal, RunHeader]]:
    header, path = _header(task, source), import_journal.path_of(source.path)
    run = _run_header(task, source, options, path)
    if not task.kept:
        yield ImportJournal.in_memory(header, highest=source.last), run
        return
    run_journal.check_owner(path)
    lock = import_journal.lock_of(source.path, _ON_ANOTHER_DISK)
    lock.take(str(path))
    try:
        replays = task.runtime.replays
        other = Counterpart(_fingerprint(task, replays=not replays), is_replay=not replays)
        journal = ImportJournal.open(
            path, header, other, highest=source.last, restart=options.restart
        )
        listed = RunRegistry(task.runtime).listed(run)
        with closing(journal), listed as work:
            if options.format:
                journal.check_choice_matters()
            if work.run:
                task.runtime.stderr.begin_run(work.run)
            run.run = task.runtime.stderr.run
            yield journal, run
    finally:
        lock.release()


def _run_header(
    task: ImportTask, source: InputFile, options: ImportOptions, journal: Path
) -> RunHeader:
    known = _with_file_and_connection(task, source, options)
    return RunHeader(
        "",
        f"import {options.resource} {options.file}",
        task.runtime.wall(),
        selection=known.profile,
        account_id=options.account_id or "",
        base_url=options.base_url or "",
        targets=tuple(map(_identity, task.used_settings)),
        inputs=(str(os_limits.absolute(source.path)),),
        query=tuple(task.query),
        path=str(os_limits.absolute(journal)),
        kind=RunKind.IMPORT,
        calls=source.count,
        words=tuple(command_words.words_of(["import"], known)),
        corrected=tuple(_command_for_failed(known, source)),
    )


def _identity(settings: Settings) -> tuple[str, str, str]:
    address, account = settings.reachable()
    return settings.profile or "", str(address), account


def _with_file_and_connection(
    task: ImportTask, source: InputFile, options: ImportOptions
) -> ImportOptions:
    known = replace(options, file=str(source.path))
    if (only := task.targets.get(None)) and only.profile:
        known = replace(known, profile=(only.profile,))
    return known


def _command_for_failed(known: ImportOptions, source: InputFile) -> list[str]:
    failed = str(outcome_files.path_of("failed", source.path))
    plain = replace(known, file=failed, format=None, delimiter=None, trim_header=False, report=None)
    return command_words.words_of(["import"], plain)


def _with_report(
    task: ImportTask, source: InputFile, options: ImportOptions, report: OutputStream | None
) -> None:
    items = task.items(source)
    with _opened_journal(task, source, options) as (journal, header):
        before = result_files.count(source, journal)
        stopped = _send_all(task, items, journal, source, options)
        counts = result_files.count(source, journal)
        groups = result_files.write(source, journal, counts, beside=task.kept)
        failed_by = task.failures(source, journal)
        ending = outcome_files.ending_of("record", groups, stopped, failed_by)
        doubts = None if header.run else _doubts(task, source, journal, header)
        if options.report:
            result_files.report(source, journal, options.report, report)
    if before == counts and not any(group.count for group in groups[1:]):
        task.runtime.stderr.line(
            f"already imported, according to {journal.path} (--restart sends everything again)"
        )
    outcome_files.show(
        task.runtime, options.output, "record", groups, left_out=counts[EntryState.LEFT_OUT]
    )
    if options.file != "-":
        source.file.check_name()
    ended = run_state.of_this_process(task.runtime, task.catalogue)
    if ended:
        ended.show_doubts(task.runtime)
    elif doubts:
        doubts.show(task.runtime, closes=False)
    try:
        _raise_for_outcome(ending, task)
    except UnifiedError as error:
        refused = counts[EntryState.REFUSED] and not counts[EntryState.FAILED]
        check = doubts.check_command if doubts else None
        error.next_command = ended.next_command if ended else check
        if refused and task.kept and not stopped and not any(group.count for group in groups[2:]):
            words = _command_for_failed(_with_file_and_connection(task, source, options), source)
            error.add_hint("correct the records in that file")
            error.next_command = shlex.join(["unified", *words])
        raise


def _send_all(
    task: ImportTask,
    items: Iterator[InputItem],
    journal: ImportJournal,
    source: InputFile,
    options: ImportOptions,
) -> UnifiedError | None:
    """Send the records that the journal does not list as done.

    Returns the error that stopped the import early, if any.
    """
    runtime, reached = task.runtime, task.used_settings
    fair = FairWriters(runtime, task.catalogue, options.workers, connections=len(reached))
    with progress(runtime, Work(total=source.count)) as shown, fair as writers:
        writers.check_tokens(reached)
        if len(reached) > 1 and source.file.size <= _LARGEST_SPREAD:
            items = iter(spread(items, lambda item: item.profile))
        try:
            return Importer(
                task, options, journal, writers, ImportProgress(shown, runtime.stderr)
            ).run(items)
        except KeyboardInterrupt as stop:
            onward = f"{signals.RUN_AGAIN} (its journal is {journal.path})"
            if run := runtime.stderr.run:
                onward = f"unified runs resume {run}"
            elif not task.kept:
                onward = "pipe in the records that are left"
            signals.say_how_to_continue(stop, writers.so_far(shown.so_far()), onward)
            raise


def _raise_for_outcome(ending: Ending, task: ImportTask) -> None:
    try:
        conclude(ending)
    except UnknownError as error:
        if not task.kept:
            error.add_hint(
                "check whether they were done: records that are piped in again are sent again"
            )
            raise
        run = task.runtime.stderr.run
        repeating = f"unified runs resume {run} --retry-in-doubt" if run else "--retry-in-doubt"
        error.add_hint(
            "the same command repeats what is safe to repeat; --retry-in-doubt repeats all of them"
            if task.repeats
            else f"check first: only {repeating} sends them again, which may do them twice"
        )
        raise


def _doubts(
    task: ImportTask, source: InputFile, journal: ImportJournal, header: RunHeader
) -> RunDoubts:
    known = {**task.targets, **{settings.profile: settings for settings in task.used_settings}}
    nothing_else = config_file.Config(None)
    connections = RunConnections(task.runtime, task.catalogue, nothing_else, Overrides(), known)
    result = RunDoubts(header, connections, task.runtime.wall())
    items = task.items(source, notes=False) if any(map(journal.counts().get, IN_DOUBT)) else ()
    for call in noted_calls.of_import(items, journal, header, task.operation):
        if call.state in IN_DOUBT:
            result.add(call)
    return result


def _header(task: ImportTask, source: InputFile) -> ImportHeader:
    fingerprint = _fingerprint(task, replays=task.runtime.replays)
    return ImportHeader(
        str(uuid.uuid4()),
        fingerprint,
        source.file.size,
        source.file.sha256,
        __version__,
        choices=task.choices(source.reading),
    )


def _fingerprint(task: ImportTask, *, replays: bool) -> str:
    return hashlib.sha256(json.dumps(task.identity(replays=replays)).encode()).hexdigest()
