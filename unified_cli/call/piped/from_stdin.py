"""`get -`, `update -` and `delete -`: run an operation for every id, or record with an id, on standard input.

Where `-p` selects several connections, each record names its own, of those selected.
"""

from collections import Counter
from collections.abc import Sequence

from unified_cli.call import Call, Mode, builder, dry_run, run_output
from unified_cli.call.piped import line_run, piped_jobs
from unified_cli.call.piped.piped_jobs import PipedJob, Targets
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt
from unified_cli.cli.flags import part
from unified_cli.cli.options import ConfirmOptions, OperationOptions, ReadOptions, SendOptions, overrides
from unified_cli.config import file
from unified_cli.config.file import Config
from unified_cli.errors import UsageError
from unified_cli.fleet import selection
from unified_cli.fleet.fair_turns import spread
from unified_cli.plural import counted
from unified_cli.runtime import Runtime
from unified_cli.writes.connections import RunConnections
from unified_cli.writes.run_sender import CallItem, RunSender
from unified_cli.writes.sender import FairWriters
from unified_cli.writes.stop_rules import StopRules


def run(runtime: Runtime, catalogue: Catalogue, operation: Operation, options: OperationOptions, mode: Mode) -> None:
    """Send a request for every line, and print the answers in the order of the lines.

    It goes to the only connection, and UsageError is raised before anything is sent if the input or the options are
    invalid; or to the one that its record names, which `-p` must select, and a line that cannot be used fails on its
    own. Raises an error that says what is missing.
    """
    if mode.several:
        _run_several(runtime, catalogue, operation, options, mode)
        return
    call = builder.resolve(runtime, catalogue, options, mode)
    call.settings.reachable()
    _check_options(options)
    jobs = piped_jobs.read(call, operation, {None: call.settings})
    if mode.shown:
        _show(call, jobs)
        return
    if jobs[0].request:
        builder.check_writable(call.settings, jobs[0].request)
    if operation.kind == "delete":
        what = f"{counted(len(jobs), 'record')} of {operation.api} {operation.resource}"
        yes = part(options, ConfirmOptions).yes
        prompt.confirm_delete(runtime, call.settings, what, yes=yes, stdin_holds_data=True)
    _send_all(call, file.read(runtime), operation, {None: call.settings}, jobs)


def _run_several(
    runtime: Runtime, catalogue: Catalogue, operation: Operation, options: OperationOptions, mode: Mode
) -> None:
    config = file.read(runtime)
    _check_options(options)
    common = builder.common(runtime, catalogue, config, options, mode)
    builder.check_labelled(common.settings.output)
    select = selection.for_writes if operation.changes else selection.for_reads
    targets: Targets = dict(select(runtime, config, options).items())
    jobs = piped_jobs.read(common, operation, targets)
    if mode.shown:
        _show(common, jobs)
        return
    if operation.changes:
        found = Counter(job.profile for job in jobs if job.profile and job.request)
        what = f"{operation.name} {counted(found.total(), 'record')} of {operation.api} {operation.resource}"
        if found:
            yes = part(options, ConfirmOptions).yes
            prompt.confirm_several(runtime, common.settings, what, [*found], yes=yes, stdin_holds_data=True)
    ordered = part(options, ReadOptions).ordered
    _send_all(common, config, operation, targets, jobs if ordered else spread(jobs, lambda job: job.profile))


def _check_options(options: OperationOptions) -> None:
    if part(options, SendOptions).idempotency_key:
        raise UsageError("--idempotency-key is for one record (each line gets its own key)")
    if options.out:
        raise UsageError("--out is for one answer (use > for many)")


def _show(call: Call, jobs: list[PipedJob]) -> None:
    for job in jobs:
        if job.request:
            dry_run.show_one_of_many(call, job.request)
        else:
            call.runtime.stderr.note(f"line {job.line}: {job.wrong}")


def _send_all(call: Call, config: Config, operation: Operation, targets: Targets, jobs: Sequence[PipedJob]) -> None:
    """Send the requests as a run, and tell of each line; a run of writes is kept, so that it can be resumed."""
    runtime, catalogue, settings, options, mode = call
    workers = part(options, OperationOptions).workers
    known = {name or settings.profile: target for name, target in targets.items()}
    connections = RunConnections(runtime, catalogue, config, overrides(options), known)
    ordered = part(options, ReadOptions).ordered or not mode.several
    with FairWriters(runtime, catalogue, workers, connections=len(targets), ordered=ordered) as writers:
        for profile in dict.fromkeys(job.profile for job in jobs if job.request):
            writers.clients.token(targets[profile])
        with line_run.begin(call, operation, jobs) as run:
            results = run_output.lines(call, run, connections)
            for job in jobs:
                if job.wrong:
                    results.tell(job.line, job.profile, job.wrong)
            items = [
                CallItem(number, job.profile or settings.profile) for number, job in enumerate(jobs, 1) if job.request
            ]
            RunSender(runtime, run, connections, writers, results).send(items, StopRules())
