"""`unified runs resume`, `retry` and `remove`.

A resume sends the calls that were not sent, a retry sends failed calls again, and a
removal deletes journals.
"""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from unified_cli.call import Call, Mode, ModeKind, builder, delivery, run_output
from unified_cli.cli import command_words, prompt
from unified_cli.cli.command import CommandContext, yes_or_no
from unified_cli.cli.options import ReadOptions, overrides
from unified_cli.commands.runs.command import RemoveRunsOptions, ResumeRunOptions
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.fleet import own_account
from unified_cli.output import stdout
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import (
    listed_runs,
    noted_calls,
    run_doubts,
    run_state,
    selection as run_selection,
    state_words,
    stdin_copy,
    stop_rules,
)
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, EntryState, RunCall, RunKind
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_sender import CallItem, RunSender, items_of
from unified_cli.writes.run_state import KnownRun
from unified_cli.writes.sender import FairWriters

_OWN = ("run", "retry_in_doubt", "yes")
"""Options that a resume does not pass on to the command of an import."""


def resume(context: CommandContext, options: ResumeRunOptions) -> None:
    """Send the calls of a run that were not sent, and those in doubt that may be
    repeated.
    """
    _send_rest(context, options, retry=False)


def retry(context: CommandContext, options: ResumeRunOptions) -> None:
    """Send the failed calls of a run again."""
    _send_rest(context, options, retry=True)


def _send_rest(context: CommandContext, options: ResumeRunOptions, *, retry: bool) -> None:
    stdout.check(context.runtime)
    found = _run_to_send(context, options, retry=retry)
    if found is None:
        return
    with StoredRun.open(RunRegistry(context.runtime), found) as run:
        header = run.header
        if not header.path:
            _send_calls(context, options, run, retry=retry)
            return
    # The command locks the run itself.
    _run_again(context, options, header, retry=retry)


def _run_to_send(context: CommandContext, options: ResumeRunOptions, *, retry: bool) -> str | None:
    if options.run not in (None, listed_runs.LAST):
        return options.run or ""
    found = listed_runs.list_runs(context.runtime, context.catalogue)
    if listed_runs.is_nothing_left(context.runtime, "retry" if retry else "resume", found):
        return None
    if retry:
        return listed_runs.choose_run(context.runtime, "retry", _has_failures, found=found)
    return listed_runs.choose_run(
        context.runtime,
        "resume",
        lambda run: _is_resumable(options, run) and _has_its_input(context, run),
        lambda run: _is_resumable(options, run),
        lambda run: run.can_continue and run.state == state_words.IN_DOUBT,
        found=found,
    )


def _has_failures(run: KnownRun) -> bool:
    return (
        run.can_continue
        and listed_runs.is_open(run)
        and bool(run.counts["failed"] if run.counts else run.state == state_words.FAILED)
    )


def _is_resumable(options: ResumeRunOptions, run: KnownRun) -> bool:
    doubtful = run.state == state_words.IN_DOUBT and (options.retry_in_doubt or run.repeats)
    return run.can_continue and (doubtful or run.state == state_words.INTERRUPTED)


def _has_its_input(context: CommandContext, run: KnownRun) -> bool:
    """Return whether the input and the plans of a run are unchanged. Otherwise the run
    cannot continue.
    """
    try:
        with StoredRun.open_to_read(RunRegistry(context.runtime), run.id) as stored:
            if stored.kind is RunKind.EXPORT:
                return True
            with noted_calls.opened(context.catalogue, stored) as calls:
                next(calls, None)
    except UnifiedError:
        return False
    return True


def _connections_of_run(
    context: CommandContext, options: ResumeRunOptions, run: StoredRun
) -> RunConnections:
    config = file.read(context.runtime)
    result = RunConnections(context.runtime, context.catalogue, config, _flags(options, run.header))
    result.find_renamed(run)
    return result


def _flags(options: ResumeRunOptions, header: RunHeader) -> Overrides:
    flags = overrides(options)._replace(
        output=None, base_url=header.base_url or None, account_id=header.account_id or None
    )
    if options.token_file or options.token_stdin:
        return flags
    return flags._replace(token_file=header.token_file or None)


def _run_again(
    context: CommandContext, options: ResumeRunOptions, header: RunHeader, *, retry: bool
) -> None:
    kind = header.command.partition(" ")[0]
    if not header.words:
        raise UsageError(
            f"run {header.run} was begun by version {header.version}, which did not record the"
            f" whole command; its state is in {header.path}",
            hint=f"run that command again to continue: unified {header.command}",
        )
    if kind == "apply":
        _check_targets(context, header)
    line = shlex.join(["unified", *header.words])
    context.runtime.stderr.note(f"run {header.run} continues with: {line}")
    words = command_words.words_of(header.words, options, without=_OWN)
    if kind != "export":
        words += _continuation_words(context, options, kind, retry=retry)
    try:
        context.again(words)
    except UnifiedError as error:
        if error.next_command and error.next_command.endswith(header.run):
            # The same command again would make no progress.
            error.next_command = f"unified runs show {header.run}"
        raise


def _check_targets(context: CommandContext, header: RunHeader) -> None:
    """Raise StateError if a profile of a plan now names another connection."""
    config = file.read(context.runtime)
    flags = Overrides()
    for name, base_url, account in header.targets:
        settings = own_account.resolved(flags._replace(profile=name), context.runtime, config)
        address, now = settings.reachable()
        if (str(address), now) != (base_url, account):
            raise run_selection.moved_error(RunCall(name, base_url, account, ""), settings)


def _continuation_words(
    context: CommandContext, options: ResumeRunOptions, kind: str, *, retry: bool
) -> list[str]:
    words = ["--yes"]
    if options.retry_in_doubt:
        _confirm_doubtful(context, options, "the calls in doubt", f"the {kind}")
        words.append("--retry-in-doubt")
    if retry and kind == "import":
        words.append("--retry-failed")
    return words


def _confirm_doubtful(
    context: CommandContext, options: ResumeRunOptions, what: str, where: str
) -> None:
    runtime = context.runtime
    prompt.confirm(
        runtime,
        f"repeat {what} of {where} (whatever was already done would be done twice)",
        "nothing was sent",
        yes=options.yes,
        no_input=yes_or_no(runtime, options.no_input, "no_input"),
    )


def _counted_with_names(items: Sequence[CallItem]) -> str:
    names = dict.fromkeys(item.profile or "the environment" for item in items)
    return f"{counted(len(items), 'call')} ({', '.join(names)})"


def _send_calls(
    context: CommandContext, options: ResumeRunOptions, run: StoredRun, *, retry: bool
) -> None:
    runtime, catalogue = context.runtime, context.catalogue
    config = file.read(runtime)
    flags = _flags(options, run.header)
    connections = _connections_of_run(context, options, run)
    numbers = _failed(run) if retry else _calls_left(run, connections, runtime.wall(), options)
    items = [*items_of(run, numbers)]
    doubtful = [item for item in items if run.journal.state(item.number) in IN_DOUBT]
    if options.retry_in_doubt and doubtful and not retry:
        _confirm_doubtful(context, options, _counted_with_names(doubtful), run.header.command)
    rules = stop_rules.parse(options, len(items))
    connections.check(run, [item.number for item in items])
    shown = ReadOptions(
        output=options.output,
        columns=options.columns,
        jq=options.jq,
        csv_safe=options.csv_safe,
        bom=options.bom,
    )
    settings = _shown_as(run, runtime, config, options, flags, connections)
    mode = Mode(ModeKind.LINES, run.several)
    call = delivery.with_delivery(Call(runtime, catalogue, settings, shown, mode), None)
    runtime.stderr.begin_run(run.id)
    names = dict.fromkeys(item.profile for item in items)
    with FairWriters(
        runtime, catalogue, options.workers, connections=len(names), ordered=run.ordered
    ) as writers:
        if run.kind is RunKind.LINES:
            writers.check_tokens(map(connections.settings, names))
        results = run_output.results(call, run, connections)
        verb = "retry" if retry else "resume"
        RunSender(runtime, run, connections, writers, results, verb).send(items, rules)


def _shown_as(
    run: StoredRun,
    runtime: Runtime,
    config: Config,
    options: ResumeRunOptions,
    flags: Overrides,
    connections: RunConnections,
) -> Settings:
    """Return the settings for the output of a continued run.

    As when the run began, these are the settings of its only connection, or the
    settings that all its connections share.
    """
    if run.several:
        names = {
            connections.current_name(call.profile) for _, _, call in run.calls() if call.profile
        }
        found = own_account.common_settings(runtime, config, overrides(options))
        return builder.settings_for_many(found, runtime, options.jq, config, names)
    profile = next((call.profile for _, _, call in run.calls()), None)
    profile = profile and connections.current_name(profile)
    settings = own_account.resolved(
        flags._replace(profile=profile, output=options.output), runtime, config
    )
    own_account.apply_to_messages(runtime, settings)
    return builder.settings_for_many(settings, runtime, options.jq, config)


def _failed(run: StoredRun) -> Iterator[int]:
    return (number for number in run.journal.numbers() if run.journal.state(number) in NOT_DONE)


def _calls_left(
    run: StoredRun, connections: RunConnections, wall: float, options: ResumeRunOptions
) -> Iterator[int]:
    left = (EntryState.NEW, *IN_DOUBT)
    with noted_calls.opened(connections.catalogue, run, left) as calls:
        for call in calls:
            chosen = call.state is EntryState.NEW or options.retry_in_doubt
            if chosen or run_doubts.may_repeat(call, connections, wall, run.body):
                yield call.number


def remove(context: CommandContext, options: RemoveRunsOptions) -> None:
    """Remove the journals of runs.

    Raises UsageError if the user declines, and StateError if one of the runs is under
    way.
    """
    runtime = context.runtime
    registry = RunRegistry(runtime)
    names = [*dict.fromkeys(options.runs)]
    if not names or names == [listed_runs.LAST]:
        found = listed_runs.list_runs(runtime)
        names = [listed_runs.choose_run(runtime, "remove", _is_removable, found=found)]
    runs = [run_state.load(runtime, registry, name) for name in names]
    unfinished = [run.id for run in runs if _holds_work(run)]
    with ExitStack() as locks:
        # Take all locks before the question, so that a run that is still running is
        # reported first.
        for name in names:
            locks.callback(registry.lock(name).release)
        if unfinished:
            what = (
                f"{counted(len(unfinished), 'run')} with calls that are not done"
                f" ({', '.join(unfinished)})"
            )
            no_input = yes_or_no(runtime, options.no_input, "no_input")
            prompt.confirm(
                runtime, f"remove {what}", "nothing removed", yes=options.yes, no_input=no_input
            )
        for run in runs:
            stdin_copy.remove_unlisted(runtime, run.header.path if run.header else "")
            registry.remove(run.id)
    runtime.stderr.note(f"removed {counted(len(names), 'run')}")


def _is_removable(run: KnownRun) -> bool:
    return run.state != state_words.RUNNING


def _holds_work(run: KnownRun) -> bool:
    """Return whether removing the run could lose work.

    Work could be lost if calls are not done, or if the run can continue after the owner
    or mode of its journal is corrected.
    """
    return listed_runs.is_open(run) or run.foreign or run.closed
