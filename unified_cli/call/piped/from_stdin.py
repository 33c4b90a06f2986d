"""`get -`, `update -` and `delete -`: run an operation for every id, or record with an id, on standard input.

Where `-p` selects several connections, each record names its own, of those selected.
"""

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from itertools import count

from unified_cli.bulk.spread_work import spread
from unified_cli.call import Call, builder, dry_run, fan_out, record_output
from unified_cli.call.piped import piped_jobs, piped_journal
from unified_cli.call.piped.piped_jobs import PipedJob, Targets
from unified_cli.call.piped.piped_run import PipedRun
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt
from unified_cli.cli.options import OperationOptions
from unified_cli.config import file
from unified_cli.errors import UsageError
from unified_cli.fleet import selection
from unified_cli.fleet.clients import Clients
from unified_cli.fleet.slots import WorkerSlots
from unified_cli.json_text.record_label import LABEL
from unified_cli.output.progress import progress
from unified_cli.output.progress_line import Work
from unified_cli.plural import counted
from unified_cli.runtime import Runtime


def run(call: Call, operation: Operation) -> None:
    """Send a request for every line to one connection, and print the answers in the order of the lines.

    Raises UsageError before anything is sent if the input or the options are invalid; else an error that says what is
    missing.
    """
    call.settings.reachable()
    _check_options(call.options)
    jobs = piped_jobs.read(call, operation, {None: call.settings})
    if call.options.shows_only:
        _show(call, jobs)
        return
    if jobs[0].request:
        builder.check_writable(call.settings, jobs[0].request)
    if operation.kind == "delete":
        what = f"{counted(len(jobs), 'record')} of {operation.api} {operation.resource}"
        prompt.confirm_delete(call.runtime, call.settings, what, yes=call.options.yes, stdin_holds_data=True)
    _send_all(call, operation, {None: call.settings}, jobs)


def run_several(runtime: Runtime, catalogue: Catalogue, operation: Operation, options: OperationOptions) -> None:
    """Send a request for every line to the connection that its record names, which `-p` must select.

    Raises as `run` does, but a line that cannot be used fails on its own.
    """
    if options.skeleton:
        from unified_cli.call import skeleton  # noqa: PLC0415  only if it is asked for

        skeleton.show(runtime, operation)
        return
    config = file.read(runtime)
    _check_options(options)
    common = Call(runtime, catalogue, fan_out.shared(runtime, config, options), options)
    fan_out.check_output(common)
    select = selection.for_writes if operation.changes else selection.for_reads
    targets: Targets = dict(select(runtime, config, options).items())
    jobs = piped_jobs.read(common, operation, targets)
    if options.shows_only:
        _show(common, jobs)
        return
    if operation.changes:
        found = Counter(job.profile for job in jobs if job.profile and job.request)
        what = f"{operation.name} {counted(found.total(), 'record')} of {operation.api} {operation.resource}"
        if found:
            prompt.confirm_several(runtime, common.settings, what, [*found], yes=options.yes, stdin_holds_data=True)
    _send_all(common, operation, targets, jobs if options.ordered else spread(jobs, lambda job: job.profile))


def _check_options(options: OperationOptions) -> None:
    if options.idempotency_key:
        raise UsageError("--idempotency-key is for one record (each line gets its own key)")
    if options.out:
        raise UsageError("--out is for one answer (use > for many)")


def _show(call: Call, jobs: list[PipedJob]) -> None:
    for job in jobs:
        if job.request:
            dry_run.show_one_of_many(call, job.request)
        else:
            call.runtime.stderr.note(f"line {job.line}: {job.wrong}")


def _send_all(call: Call, operation: Operation, targets: Targets, jobs: list[PipedJob]) -> None:
    first = () if None in targets else (LABEL,)
    printer = record_output.printer_for(call, operation, record_output.program(call.options), first=first)
    work = Work("line", total=len(jobs))
    numbers = count(1)
    jobs = [replace(job, number=next(numbers)) if job.request else job for job in jobs]
    # One worker sends one after the other, and in order a line that waits holds up those after it.
    several = len(targets) > 1 and call.options.workers > 1 and not call.options.ordered
    slots = WorkerSlots(call.options.workers) if several else None
    idle = slots.given_up if slots else nullcontext
    with progress(call.runtime, work, to_stdout=True) as shown, Clients(call.runtime, call.catalogue, idle) as clients:
        for profile in dict.fromkeys(job.profile for job in jobs if job.request):
            clients.token(targets[profile])
        with piped_journal.begin(call, operation, targets, jobs) as stored:
            PipedRun(call, targets, (clients, printer, shown), stored, slots).all(jobs)
