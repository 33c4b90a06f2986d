"""`get -`, `update -` and `delete -`: run an operation for every id, or record with an id, on standard input.

Where `-p` selects several connections, each record names its own, of those selected.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from unified_cli import signals
from unified_cli.bulk.client_pool import ClientPool
from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.call import Call, builder, dry_run, fan_out, record_output, selected_connections
from unified_cli.call.piped import piped_jobs
from unified_cli.call.piped.piped_jobs import PipedJob, Targets
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli import prompt
from unified_cli.cli.connect import Clients
from unified_cli.cli.options import OperationOptions
from unified_cli.config import file
from unified_cli.errors import IncompleteError, RefusedError, UnifiedError, UnknownError, UsageError
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Request
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import masked
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Progress, progress
from unified_cli.output.progress_line import Work
from unified_cli.plural import counted, named
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.http.client import Client

# So many connections to the network are kept open, for as many connections to products.
_MOST_OPEN = 64


@dataclass(frozen=True, slots=True)
class JobResult:
    """The outcome of a job: the answer's body, or the error."""

    job: PipedJob
    body: bytes = b""
    error: UnifiedError | None = None


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
    select = selected_connections.for_writes if operation.changes else selected_connections.for_reads
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
    _send_all(common, operation, targets, jobs if options.ordered else piped_jobs.spread(jobs))


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
    printer = record_output.printer_for(call, operation, first=first)
    work = Work("line", total=len(jobs))
    with (
        progress(call.runtime, work, to_stdout=True) as shown,
        Clients(call.runtime, call.catalogue) as clients,
    ):
        for profile in dict.fromkeys(job.profile for job in jobs if job.request):
            clients.token(targets[profile])
        _PipedRun(call, targets, clients, printer, shown).all(jobs)


class _PipedRun:
    """Sends jobs with several workers and prints the answers: of one connection in the order of the jobs."""

    def __init__(self, call: Call, targets: Targets, clients: Clients, printer: Printer, shown: Progress) -> None:
        self._runtime = call.runtime
        self._targets = targets
        self._ordered = None in targets or call.options.ordered
        self._printer = printer
        self._shown = shown
        self._workers = call.options.workers
        self._open = clients.open
        self._clients = ClientPool(max(self._workers, min(len(targets), _MOST_OPEN)))
        self._tried = 0
        self._told = 0
        self._failed = Counter[str | None]()
        self._unknown = 0
        self._stopped: dict[str | None, UnifiedError] = {}

    def all(self, jobs: list[PipedJob]) -> None:
        """Send them all, print the answers, and raise the error that sums up the run."""
        try:
            with closing(self._clients), WorkerPool(self._workers, self._send) as pool:
                for done in pool.results(self._until_stopped(jobs), ordered=self._ordered):
                    self._count(done)
                    self._print(done)
        except KeyboardInterrupt as stop:
            self._note_interruption(stop, jobs)
            raise
        self._raise_error(len(jobs))

    def _note_interruption(self, stop: KeyboardInterrupt, jobs: list[PipedJob]) -> None:
        """Add to the signal how many lines are done; those after them were sent, or not, without an answer so far."""
        under_way = self._tried - self._told
        done = f"{self._told} of {counted(len(jobs), 'line')}" + (
            f", {under_way} more {'was' if under_way == 1 else 'were'} sent" if under_way else ""
        )
        if self._told == len(jobs):
            onward = "nothing is left"
        elif self._ordered:
            onward = f"the input from line {jobs[self._told].line} on"
        else:
            onward = "the lines without an answer so far"
        signals.say_how_to_continue(stop, done, onward)

    def _until_stopped(self, jobs: list[PipedJob]) -> Iterator[PipedJob]:
        for job in jobs:
            if job.profile in self._stopped:
                continue
            self._tried += 1
            yield job

    def _send(self, job: PipedJob) -> Generator[JobResult]:
        if job.request is None:
            yield JobResult(job, error=RefusedError(job.wrong, origin="local"))
            return
        with self._clients.lend(lambda: self._client(job.profile), job.profile or "") as client:
            done = _send(client, job, job.request)
        if done.error and done.error.stops_connection:
            # At once, although earlier results may still be pending.
            self._stopped.setdefault(job.profile, done.error)
        yield done

    def _client(self, profile: str | None) -> "Client":
        return self._open(self._targets[profile], name=profile, patience=Patience.ENDLESS)

    def _count(self, done: JobResult) -> None:
        self._told += 1
        self._shown.add(1, failed=done.error is not None)
        self._failed[done.job.profile] += done.error is not None
        self._unknown += isinstance(done.error, UnknownError)

    def _print(self, done: JobResult) -> None:
        profile = done.job.profile
        if done.error is not None:
            key = f"; its key was {done.error.idempotency_key}" if done.error.idempotency_key else ""
            where = f" ({profile})" if profile else ""
            self._runtime.stderr.line(f"line {done.job.line}{where}: {done.error.one_line}{key}")
        elif done.body:
            self._printer.page([msgspec.Raw(done.body)], one_line=False, profile=profile)

    def _raise_error(self, count: int) -> None:
        missing = [] if self._stopped else self._printer.end()
        if self._unknown:
            raise UnknownError(f"{self._unknown} of {count} may or may not have been done")
        if None in self._stopped:
            stopped = self._stopped[None]
            stopped.message = masked(
                f"stopped with {count - self._tried} of {counted(count, 'line')} not tried: {stopped.message}"
            )
            raise stopped
        if failed := self._failed.total():
            missing.append(f"failed: {failed} of {count}{self._by_connection()}")
        if count > self._tried:
            missing.append(f"not tried: {count - self._tried}, as {', '.join(map(str, self._stopped))} failed")
        if missing:
            raise IncompleteError("; ".join(missing))

    def _by_connection(self) -> str:
        """How many failed of each connection, where there are several."""
        found = [f"{name} {number}" for name, number in self._failed.most_common() if name and number]
        return f" ({named(found)})" if found else ""


def _send(client: "Client", job: PipedJob, request: Request) -> JobResult:
    try:
        got: Any = client.send(request)
    except UnifiedError as error:
        return JobResult(job, error=error)
    if got.body is None:
        return JobResult(job, error=IncompleteError(f"{request.path} is {got.content_type}, not a record"))
    return JobResult(job, got.body)
