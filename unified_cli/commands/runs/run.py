"""`unified runs resume`, `retry` and `remove`: send what a run left open or what
failed; remove journals.
"""

from collections.abc import Iterator

from unified_cli.call import Call, Mode, ModeKind, builder, delivery, run_output
from unified_cli.cli import prompt
from unified_cli.cli.command import CommandContext, yes_or_no
from unified_cli.cli.options import ReadOptions, overrides
from unified_cli.commands.runs.command import RemoveRunsOptions, ResumeRunOptions
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.config.keys import Overrides
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, StateError, StorageError
from unified_cli.fleet import own_account
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import listed_runs, stop_rules, summary as run_summary
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, EntryState, RunKind
from unified_cli.writes.registry import RunRegistry
from unified_cli.writes.run import StoredRun
from unified_cli.writes.run_sender import RunSender, items_of
from unified_cli.writes.sender import FairWriters

_MOST_NAMED = 5


def resume(context: CommandContext, options: ResumeRunOptions) -> None:
    """Send what a run left open."""
    _continue(context, options, retry=False)


def retry(context: CommandContext, options: ResumeRunOptions) -> None:
    """Send what failed in a run again."""
    _continue(context, options, retry=True)


def _continue(context: CommandContext, options: ResumeRunOptions, *, retry: bool) -> None:
    runtime, catalogue = context.runtime, context.catalogue
    config = file.read(runtime)
    wanted = options.run or listed_runs.LAST
    found = listed_runs.last(runtime) if wanted == listed_runs.LAST else wanted
    with StoredRun.open(RunRegistry(runtime), found) as run:
        listed_runs.refuse(run.header)
        kept = run.header
        flags = overrides(options)._replace(
            output=None, base_url=kept.base_url or None, account_id=kept.account_id or None
        )
        if not (options.token_file or options.token_stdin):
            flags = flags._replace(token_file=kept.token_file or None)
        connections = RunConnections(runtime, catalogue, config, flags)
        items = [*items_of(run, _failed(run) if retry else _open(run, connections, runtime.wall()))]
        _note_left(runtime, run, retry=retry, sent=bool(items))
        rules = stop_rules.parse(options, len(items))
        connections.check(run, [item.number for item in items])
        shown = ReadOptions(
            output=options.output,
            columns=options.columns,
            jq=options.jq,
            csv_safe=options.csv_safe,
            bom=options.bom,
        )
        settings = _shown_as(run, runtime, config, options, flags)
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
            RunSender(runtime, run, connections, writers, results).send(items, rules)


def _note_left(runtime: Runtime, run: StoredRun, *, retry: bool, sent: bool) -> None:
    """Say why nothing is sent, where calls are left: what to look at, and what sends them again."""
    doubtful = [number for number in run.journal.numbers() if run.journal.state(number) in IN_DOUBT]
    if sent or not doubtful:
        return
    if retry:
        runtime.stderr.note(
            f"nothing failed: runs resume {run.id} repeats what is in doubt where that is safe"
        )
        return
    calls = [run.journal.call(number).call for number in doubtful]
    names = [*dict.fromkeys(call.profile for call in calls if call and call.profile)]
    again = "those lines again"
    if run.kind is RunKind.FAN_OUT:
        chosen = " ".join(f"-p {name}" for name in names[:_MOST_NAMED])
        again = f"unified {run.header.command} … {chosen}{' …' if names[_MOST_NAMED:] else ''}"
    runtime.stderr.note(
        f"nothing is sent: {counted(len(doubtful), run.kind.unit)} in doubt may have been done, and"
        f" a repeat could do it twice; look at the provider, and send what was not done: {again}"
    )


def _shown_as(
    run: StoredRun, runtime: Runtime, config: Config, options: ResumeRunOptions, flags: Overrides
) -> Settings:
    """The settings that say how the run is shown, as when it was begun: those of its
    only connection, if it has one.
    """
    if run.several:
        names = {call.profile for _, _, call in run.calls() if call.profile}
        found = own_account.shared(runtime, config, overrides(options))
        return builder.of_many(found, runtime, options.jq, config, names)
    profile = next((call.profile for _, _, call in run.calls()), None)
    settings = own_account.resolved(
        flags._replace(profile=profile, output=options.output), runtime, config
    )
    own_account.apply_to_messages(runtime, settings)
    return builder.of_many(settings, runtime, options.jq, config)


def _failed(run: StoredRun) -> Iterator[int]:
    return (number for number in run.journal.numbers() if run.journal.state(number) in NOT_DONE)


def _open(run: StoredRun, connections: RunConnections, wall: float) -> Iterator[int]:
    """What was not tried, and what is in doubt and may be repeated."""
    for number in run.journal.numbers():
        state = run.journal.state(number)
        if state is EntryState.NEW or (
            state in IN_DOUBT and run_summary.may_resume(run, connections, number, wall)
        ):
            yield number


def remove(context: CommandContext, options: RemoveRunsOptions) -> None:
    """Remove the journals of runs. Raises UsageError where that is declined, StateError
    for one that is under way.
    """
    runtime = context.runtime
    registry = RunRegistry(runtime)
    unfinished = [remove for remove in options.runs if _is_open(registry, remove)]
    if unfinished:
        what = (
            f"{counted(len(unfinished), 'run')} with calls that are not done"
            f" ({', '.join(unfinished)})"
        )
        no_input = yes_or_no(runtime, options.no_input, "no_input")
        prompt.confirm(
            runtime, f"remove {what}", "nothing removed", yes=options.yes, no_input=no_input
        )
    for remove in dict.fromkeys(options.runs):
        lock = registry.lock(remove)
        try:
            registry.remove(remove)
        finally:
            lock.release()
    runtime.stderr.note(f"removed {counted(len({*options.runs}), 'run')}")


def _is_open(registry: RunRegistry, remove: str) -> bool:
    try:
        with StoredRun.look(registry, remove) as stored:
            outcomes = stored.journal.outcomes()
            return not stored.header.path and outcomes["done"] < outcomes.total()
    except StateError:
        # A damaged journal can continue nothing.
        return False
    except (ConfigError, StorageError):
        # It may hold work that goes on once its owner, its mode or its disk is mended.
        return True
