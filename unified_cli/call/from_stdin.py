"""`get -`, `update -` and `delete -`: run an operation for every id, or record with an id, on standard input."""

import uuid
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from unified_cli import signals
from unified_cli.bulk.client_pool import ClientPool
from unified_cli.bulk.import_ import input_file
from unified_cli.bulk.import_.import_items import ImportItem, items
from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.call import Call, builder, dry_run, record_output
from unified_cli.catalogue import Operation
from unified_cli.cli import prompt
from unified_cli.cli.connect import Clients
from unified_cli.errors import IncompleteError, UnifiedError, UnknownError, UsageError
from unified_cli.http import request as requests, request_body as bodies
from unified_cli.http.rate_limit import Patience
from unified_cli.http.request import Content, Request
from unified_cli.http.request_body import BodyField
from unified_cli.masking import masked
from unified_cli.output.printer import Printer
from unified_cli.output.progress import Progress, progress
from unified_cli.output.progress_line import Work
from unified_cli.plural import counted
from unified_cli.storage import input_bounds

if TYPE_CHECKING:
    from unified_cli.http.client import Client

_STDIN = "standard input"
_LARGE_INPUT = "split it; unified import takes files of any size, with --operation update or delete"


@dataclass(frozen=True, slots=True)
class PipedJob:
    """A request and its position in the input."""

    position: int
    line: int
    request: Request


@dataclass(frozen=True, slots=True)
class JobResult:
    """The outcome of a job: the answer's body, or the error."""

    job: PipedJob
    body: bytes = b""
    error: UnifiedError | None = None


def run(call: Call, operation: Operation) -> None:
    """Send a request for every line, and print the answers in the order of the lines.

    Raises UsageError before anything is sent if the input or the options are invalid; else an error that says what is
    missing.
    """
    runtime, catalogue, settings, options = call
    settings.reachable()
    if options.idempotency_key:
        raise UsageError("--idempotency-key is for one record (each line gets its own key)")
    if options.out:
        raise UsageError("--out is for one answer (use > for many)")
    jobs = _jobs(call, operation)
    if options.shows_only:
        for job in jobs:
            dry_run.show_one_of_many(call, job.request)
        return
    builder.check_writable(settings, jobs[0].request)
    if operation.kind == "delete":
        what = f"{counted(len(jobs), 'record')} of {operation.api} {operation.resource}"
        prompt.confirm_delete(runtime, settings, what, yes=options.yes, stdin_holds_data=True)
    printer = record_output.printer_for(call, operation)
    work = Work("line", total=len(jobs))
    with progress(runtime, work, to_stdout=True) as shown, Clients(runtime, catalogue) as clients:
        _PipedRun(call, clients, printer, shown).all(jobs)


def _jobs(call: Call, operation: Operation) -> list[PipedJob]:
    """The requests, all checked before the first is sent."""
    catalogue, settings = call.catalogue, call.settings
    fields = bodies.fields(call.options.raw_field, call.options.field)
    piped = _read(call, fields)
    scope = builder.scope(settings, catalogue)
    query = builder.pairs(call.options.query)
    jobs = []
    lines = input_file.ids_or_records(piped, _STDIN, catalogue.service.items, call.options.format)
    for position, item in enumerate(items(lines, operation, catalogue.service, None)):
        if position >= input_bounds.MOST_REQUESTS:
            raise UsageError(f"{_STDIN} holds more than {input_bounds.MOST_REQUESTS:,} lines", hint=_LARGE_INPUT)
        if item.wrong:
            raise UsageError(f"{_STDIN}, line {item.number} {item.wrong}")
        try:
            key = (item.key or str(uuid.uuid4())) if operation.method == "PATCH" else None
            content = Content(query, _body(call, item, operation, fields), key)
            made = requests.for_operation(scope, operation, item.identifier, content)
        except UsageError as error:
            raise UsageError(f"{_STDIN}, line {item.number}: {error.message}") from None
        made = made._replace(honoured=settings.idempotency_window > 0, in_doubt=item.in_doubt)
        jobs.append(PipedJob(position, item.number, made))
    if not jobs:
        raise UsageError(f"no ids on {_STDIN}", hint="one id, or one record with an id, on each line")
    return jobs


def _read(call: Call, fields: list[BodyField]) -> bytes:
    runtime = call.runtime
    if bodies.reads_stdin(call.options.data, fields) or call.options.token_stdin:
        raise UsageError("the ids come from standard input, so nothing else can be read from it")
    if runtime.stdin is None:
        raise UsageError("standard input is closed, so there are no ids")
    if runtime.stdin_is_terminal:
        runtime.stderr.note("reading ids, one per line; end with Ctrl-D")
    return input_bounds.whole(runtime.stdin, _STDIN, hint=_LARGE_INPUT)


def _body(call: Call, item: ImportItem, operation: Operation, fields: list[BodyField]) -> bytes | None:
    """The record without its id, or `-d`, with the fields of `-f` and `-F`."""
    if not operation.takes_body:
        return None
    own = item.body if item.body not in (None, b"{}") else None
    if own is not None and call.options.data is not None:
        raise UsageError("the record is the body, so -d cannot be used (-f and -F change its fields)")
    text = own.decode("utf-8") if own is not None else call.options.data
    found = bodies.compose(text, fields, call.runtime)
    if found is None and operation.name == "update":
        raise UsageError("nothing to change (use records with fields, or -d, -f, -F)")
    return found


class _PipedRun:
    """Sends jobs with several workers and prints the answers in the order of the jobs."""

    def __init__(self, call: Call, clients: Clients, printer: Printer, shown: Progress) -> None:
        self._runtime = call.runtime
        self._printer = printer
        self._shown = shown
        self._workers = call.options.workers
        self._open = lambda: clients.open(call.settings, patience=Patience.ENDLESS)
        self._clients = ClientPool(self._workers)
        self._tried = 0
        self._told = 0
        self._failed = 0
        self._unknown = 0
        self._stopped: UnifiedError | None = None

    def all(self, jobs: list[PipedJob]) -> None:
        """Send them all, print the answers, and raise the error that sums up the run."""
        try:
            with closing(self._clients), WorkerPool(self._workers, self._send) as pool:
                for done in pool.results(self._until_stopped(jobs), ordered=True):
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
        onward = f"the input from line {jobs[self._told].line} on" if self._told < len(jobs) else "nothing is left"
        signals.say_how_to_continue(stop, done, onward)

    def _until_stopped(self, jobs: list[PipedJob]) -> Iterator[PipedJob]:
        for job in jobs:
            if self._stopped:
                return
            self._tried += 1
            yield job

    def _send(self, job: PipedJob) -> Generator[JobResult]:
        with self._clients.lend(self._open) as client:
            done = _send(client, job)
            if done.error and done.error.stops_connection:
                # At once, although earlier results may still be pending.
                self._stopped = self._stopped or done.error
            yield done

    def _count(self, done: JobResult) -> None:
        self._told += 1
        self._shown.add(1, failed=done.error is not None)
        self._failed += done.error is not None
        self._unknown += isinstance(done.error, UnknownError)

    def _print(self, done: JobResult) -> None:
        if done.error is not None:
            key = f"; its key was {done.error.idempotency_key}" if done.error.idempotency_key else ""
            self._runtime.stderr.line(f"line {done.job.line}: {done.error.one_line}{key}")
        elif done.body:
            self._printer.page([msgspec.Raw(done.body)], one_line=False)

    def _raise_error(self, count: int) -> None:
        missing = [] if self._stopped else self._printer.end()
        if self._unknown:
            raise UnknownError(f"{self._unknown} of {count} may or may not have been done")
        if self._stopped:
            self._stopped.message = masked(
                f"stopped with {count - self._tried} of {counted(count, 'line')} not tried: {self._stopped.message}"
            )
            raise self._stopped
        if self._failed:
            missing.append(f"failed: {self._failed} of {count}")
        if missing:
            raise IncompleteError("; ".join(missing))


def _send(client: "Client", job: PipedJob) -> JobResult:
    try:
        got: Any = client.send(job.request)
    except UnifiedError as error:
        return JobResult(job, error=error)
    if got.body is None:
        return JobResult(job, error=IncompleteError(f"{job.request.path} is {got.content_type}, not a record"))
    return JobResult(job, got.body)
