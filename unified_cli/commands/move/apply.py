"""Apply plans: check everything, ask for confirmation, and send the remaining calls."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import msgspec

from unified_cli import __version__, os_limits, signals
from unified_cli.cli import command_words, prompt
from unified_cli.cli.command import CommandContext
from unified_cli.cli.options import overrides
from unified_cli.commands.move import delete_limit, id_file, plan_preview, sender, targets
from unified_cli.commands.move.command import ApplyOptions
from unified_cli.commands.move.id_file import IdFile, IdHeader, IdMap
from unified_cli.commands.move.order import CallOrder, CallStep
from unified_cli.commands.move.plan_file import OPERATIONS, PlanFile
from unified_cli.commands.move.plan_validation import CheckedPlan, PlanCheck
from unified_cli.commands.move.sender import PlanSender
from unified_cli.commands.move.sources import printable
from unified_cli.commands.move.targets import PlanTarget
from unified_cli.config import file as config_file
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError, UsageError
from unified_cli.fleet import own_account
from unified_cli.fleet.conclude import Ending, conclude
from unified_cli.http import request as requests
from unified_cli.http.request import Scope
from unified_cli.json_text.json_codec import encoded
from unified_cli.output import stdout
from unified_cli.output.progress import Work, progress
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes import outcome_files, run_state
from unified_cli.writes.apply_journal import ApplyHeader, ApplyJournal
from unified_cli.writes.entry import NOT_DONE, EntryState, RunKind
from unified_cli.writes.outcome_files import GROUPS, OutcomeGroup
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.sender import FairWriters
from unified_cli.writes.stop_rules import ConnectionStops

Applied = Sequence[tuple[CheckedPlan, ApplyJournal]]


def run(context: CommandContext, options: ApplyOptions) -> None:
    """Apply the plans. Raises an error with the counts if a call was not done."""
    runtime, shows_only = context.runtime, options.dry_run
    stdout.check(runtime)
    config = config_file.read(runtime)
    common = own_account.common_settings(runtime, config, overrides(options)._replace(output=None))
    with ExitStack() as stack:
        files = [
            stack.enter_context(PlanFile(Path(name), context.catalogue)) for name in options.plans
        ]
        at_terminal = prompt.at_terminal(runtime, no_input=common.no_input)
        found = targets.find(
            runtime, config, options, files, profile_is_optional=shows_only or at_terminal
        )
        lanes = [_lane(context, target, options) for target in found]
        if options.ids and len(lanes) > 1:
            raise UsageError(
                "nothing was sent: the file of --ids is for one connection, but these plans are for"
                f" {len(lanes)} connections",
                hint="apply the plans of each connection separately, with a file of their own",
            )
        if shows_only:
            for lane in lanes:
                CallOrder(lane.plans, partial(_is_chosen, lane.plans, options), lane.ids)
            plan_preview.show(
                runtime, [plan for lane in lanes for plan in lane.plans], options.only
            )
            return
        for lane in lanes:
            lane.applied = [*_journals(runtime, lane.plans, stack)]
        _apply(context, lanes, options)


@dataclass
class PlanLane:
    """The checked plans of one connection, their journals, and the new ids that are
    known.
    """

    target: PlanTarget
    scope: Scope
    plans: Sequence[CheckedPlan]
    ids: IdMap
    applied: Applied = ()

    def is_due(self, options: ApplyOptions, at: int, number: int) -> bool:
        """Return whether the call must still be sent."""
        return _is_chosen(self.plans, options, at, number) and not self.applied[at][1].done(number)

    @property
    def failed(self) -> int:
        """The number of calls that failed."""
        states = (
            journal.state(number) for plan, journal in self.applied for number in plan.numbers
        )
        return sum(state in NOT_DONE for state in states)

    def counts(self, options: ApplyOptions) -> Counter[str]:
        """Return the number of calls of each kind that will be sent."""
        return Counter(
            plan.operation(number)
            for at, plan in enumerate(self.plans)
            for number in plan.numbers
            if self.is_due(options, at, number)
        )


def _lane(context: CommandContext, target: PlanTarget, options: ApplyOptions) -> PlanLane:
    settings = target.settings
    scope = requests.scope_of(settings, context.catalogue.service)
    check = PlanCheck(scope, reads_first=not options.overwrite_changed)
    plans = [check.run(file) for file in target.files]
    _check_sources(plans, options)
    if options.ids is None:
        return PlanLane(target, scope, plans, IdMap())
    asking = prompt.asking(context.runtime, settings)
    return PlanLane(
        target, scope, plans, id_file.read(Path(options.ids), _ids_header(plans), asking)
    )


def _check_sources(plans: Sequence[CheckedPlan], options: ApplyOptions) -> None:
    """Raise UsageError if the plans refer to ids of different connections."""
    first, *others = plans
    other = next((plan for plan in others if _ids_header([plan]) != _ids_header([first])), None)
    if other and (options.ids or any(plan.waits for plan in plans)):
        raise UsageError(
            f"nothing was sent: the plans are for different connections: {first.file.path} is"
            f" {_ids_header([first]).in_words}, but {other.file.path} is"
            f" {_ids_header([other]).in_words}",
            hint="apply the plans one after the other, each with its own file for --ids",
        )


def _ids_header(plans: Sequence[CheckedPlan]) -> IdHeader:
    header = plans[0].file.header
    return IdHeader.from_sides(header.source, header.target)


def _is_chosen(plans: Sequence[CheckedPlan], options: ApplyOptions, at: int, number: int) -> bool:
    return options.only in {None, plans[at].operation(number)}


def _journals(
    runtime: Runtime, plans: Sequence[CheckedPlan], stack: ExitStack
) -> Iterator[tuple[CheckedPlan, ApplyJournal]]:
    """Open and yield the journals of the plans.

    Raises StateError if a journal is in use or damaged.
    """
    for plan in plans:
        outcome_files.check(plan.file.path)
        header = ApplyHeader(
            plan.file.sha256, printable(plan.file.path), runtime.wall(), len(plan), __version__
        )
        journal, not_kept = ApplyJournal.open(runtime.folder("data"), header)
        stack.enter_context(closing(journal))
        if not_kept is not None:
            runtime.stderr.line(f"this run cannot be resumed: {not_kept.message}")
        yield plan, journal


def _apply(context: CommandContext, lanes: Sequence[PlanLane], options: ApplyOptions) -> None:
    runtime = context.runtime
    applied = [plan for lane in lanes for plan in lane.applied]
    if options.ids is None and any(plan.file.header.ids for plan, _ in applied):
        raise UsageError(
            "the plan was made with --ids, so apply needs it, too", hint="add --ids FILE"
        )
    error: UnifiedError | None = None
    with ExitStack() as stack:
        writers = stack.enter_context(
            FairWriters(runtime, context.catalogue, options.workers, connections=len(lanes))
        )
        senders = [
            _sender(runtime, lane, options, writers, stack, several=len(lanes) > 1)
            for lane in lanes
        ]
        work = [
            (sender, CallOrder(lane.plans, partial(lane.is_due, options), lane.ids).steps())
            for sender, lane in zip(senders, lanes, strict=True)
        ]
        busy = [lane for lane in lanes if lane.counts(options)]
        if busy:
            writers.check_tokens(lane.target.settings for lane in busy)
            for sender, lane in zip(senders, lanes, strict=True):
                wanted = partial(lane.is_due, options)
                delete_limit.check(sender, lane.plans, wanted, options.max_deletes)
            _confirm(runtime, busy, options)
            stack.enter_context(_in_list_of_runs(runtime, lanes, options))
            total = sum(lane.counts(options).total() for lane in busy)
            error = _send(runtime, work, writers, total, overwrite=options.overwrite_changed).error
        else:
            _say_already(runtime, applied)
    groups = _outcomes_written(applied)
    outcome_files.show(runtime, options.output, "call", groups)
    failed_by = {lane.target.name: lane.failed for lane in lanes if lane.failed}
    ending = outcome_files.ending_of("call", groups, error, failed_by if len(lanes) > 1 else {})
    if options.only is not None and error is None:
        # --only skips the other calls on purpose, so do not report them as not tried.
        ending = ending._replace(not_tried=0)
    _raise_for(context, ending)


def _sender(
    runtime: Runtime,
    lane: PlanLane,
    options: ApplyOptions,
    writers: FairWriters,
    stack: ExitStack,
    *,
    several: bool,
) -> PlanSender:
    # A replay creates no records, so it must not write ids to the file.
    named = None if runtime.replays else options.ids
    ids_file = stack.enter_context(IdFile(Path(named), _ids_header(lane.plans))) if named else None
    sender = PlanSender(
        lane.applied,
        runtime,
        lane.target.settings,
        lane.scope,
        writers,
        options.overwrite_changed,
        lane.ids,
        ids_file,
        options.retry_in_doubt,
        lane.target.name if several else None,
    )
    sender.learn()
    return sender


def _send(
    runtime: Runtime,
    work: Sequence[tuple[PlanSender, Iterator[CallStep]]],
    writers: FairWriters,
    total: int,
    *,
    overwrite: bool,
) -> ConnectionStops:
    with progress(runtime, Work("call", total=total)) as shown:
        try:
            stops = sender.run(work, writers, shown, overwrite=overwrite)
        except KeyboardInterrupt as stop:
            run = runtime.stderr.run
            onward = f"unified runs resume {run}" if run else signals.RUN_AGAIN
            signals.say_how_to_continue(stop, writers.so_far(shown.so_far()), onward)
            raise
    for name, error in stops.stopped.items() if len(work) > 1 else ():
        runtime.stderr.line(f"{name}: its other calls are not tried: {error.reason}")
    return stops


@contextmanager
def _in_list_of_runs(
    runtime: Runtime, lanes: Sequence[PlanLane], options: ApplyOptions
) -> Iterator[None]:
    applied = [plan for lane in lanes for plan in lane.applied]
    if not all(journal.lock for _, journal in applied):
        yield
        return
    first, *others = [journal.path for _, journal in applied]
    profile = options.profile or tuple(lane.target.name for lane in lanes)
    header = RunHeader(
        "",
        f"apply {' '.join(str(plan.file.path) for plan, _ in applied)}",
        runtime.wall(),
        path=str(first),
        paths=tuple(map(str, others)),
        kind=RunKind.APPLY,
        calls=sum(
            options.only in {None, plan.operation(number)}
            for plan, _ in applied
            for number in plan.numbers
        ),
        words=tuple(command_words.words_of(["apply"], replace(options, profile=profile))),
        targets=tuple(lane.target.identity for lane in lanes),
        inputs=tuple(str(os_limits.absolute(plan.file.path)) for plan, _ in applied),
        selection=profile,
    )
    with RunRegistry(runtime).listed(header) as work:
        if work.run:
            runtime.stderr.begin_run(work.run)
        yield


def _say_already(runtime: Runtime, applied: Applied) -> None:
    for plan, journal in applied:
        if all(journal.done(number) for number in plan.numbers):
            where = f", according to {journal.path}" if len(plan) else ": it holds no calls"
            runtime.stderr.note(f"already applied: {plan.file.path}{where}")


def _confirm(runtime: Runtime, lanes: Sequence[PlanLane], options: ApplyOptions) -> None:
    counts = sum((lane.counts(options) for lane in lanes), Counter[str]())
    what = ", ".join(counted(counts[name], name) for name in OPERATIONS if counts[name])
    settings = lanes[0].target.settings
    where = f'to profile "{settings.profile}" (account {settings.account_id})'
    if len(lanes) > 1:
        names = ", ".join(lane.target.name for lane in lanes)
        where = f"to {counted(len(lanes), 'connection')} ({names})"
    prompt.confirm(
        runtime, f"apply {what} {where}", "not applied", yes=options.yes, no_input=settings.no_input
    )


def _outcomes_written(plans: Sequence[tuple[CheckedPlan, ApplyJournal]]) -> list[OutcomeGroup]:
    """Write a file beside each plan for each outcome.

    Writes no file for `done` calls, and removes the files of earlier runs. Each
    returned group counts the calls of all plans, and names the file of the first plan
    with such calls. Raises StorageError.
    """
    totals = [*GROUPS]
    for plan, journal in plans:
        for at, group in enumerate(GROUPS):
            numbers = [n for n in plan.numbers if journal.state(n) in group.states]
            lines = (
                None if EntryState.OK in group.states else _outcome_lines(plan, journal, numbers)
            )
            written, total = (
                outcome_files.write(group, plan.file.path, len(numbers), lines),
                totals[at],
            )
            totals[at] = replace(
                total, count=total.count + written.count, path=total.path or written.path
            )
    return totals


def _outcome_lines(
    plan: CheckedPlan, journal: ApplyJournal, numbers: Sequence[int]
) -> Iterator[bytes]:
    for number in numbers:
        last = None if journal.state(number) is EntryState.NEW else journal.last(number)
        facts = {
            "line": number,
            "status": (last and last.status) or None,
            "why": (last and last.reason) or None,
        }
        yield b'{"outcome":' + encoded(facts) + b"," + msgspec.json.encode(plan.call(number))[1:]


def _raise_for(context: CommandContext, ending: Ending) -> None:
    """Raise the error that summarises the run, if a call was not done."""
    try:
        conclude(ending)
    except UnifiedError as error:
        ended = run_state.of_this_process(context.runtime, context.catalogue)
        error.next_command = ended.next_command if ended else None
        if isinstance(error, UnknownError):
            if ended:
                ended.show_doubts(context.runtime)
            error.add_hint(
                "the same command repeats the calls that are safe to repeat; a new plan shows which"
                " differences are left"
            )
        elif isinstance(error, IncompleteError) and ending.not_tried:
            error.add_hint("the calls that were not tried refer to records that were not created")
        raise
