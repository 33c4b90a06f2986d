"""The run of piped writes: its journal holds the request of each line before the first is sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unified_cli.call import Call, run_sending
from unified_cli.call.piped.piped_jobs import PipedJob, Targets
from unified_cli.catalogue import Operation
from unified_cli.http.request import Request
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun


@contextmanager
def begin(call: Call, operation: Operation, targets: Targets, jobs: Sequence[PipedJob]) -> Iterator[StoredRun | None]:
    """The run of these jobs, told on stderr; None for reads. A single write is none that could be resumed.

    The journal numbers the jobs that have a request, in their order.
    """
    if not operation.changes:
        yield None
        return
    requests = [(job, job.request) for job in jobs if job.request]
    header = RunHeader("", operation.command, call.runtime.wall(), selection=call.options.profile, calls=len(requests))
    header.account_id = call.options.account_id or ""
    header.base_url = call.options.base_url or ""
    header.token_file = str(Path(call.options.token_file).absolute()) if call.options.token_file else ""

    def entries() -> Iterator[JournalEntry]:
        for number, (job, request) in enumerate(requests, 1):
            name = job.profile or targets[job.profile].profile
            yield JournalEntry(EntryState.NEW, number, k=request.key or "", call=_call(name, operation, job, request))

    if len(requests) > 1:
        registry = RunRegistry(call.runtime.folder("data"), call.runtime.wall)
        run, not_kept = StoredRun.begin(registry, header, entries)
        with run:
            run_sending.announce(call, run, not_kept)
            yield run
    else:
        with StoredRun.in_memory(header, entries) as run:
            yield run


def _call(name: str | None, operation: Operation, job: PipedJob, request: Request) -> RunCall:
    body = None if request.body is None else request.body.decode("utf-8")
    address = str(request.address)
    return RunCall(
        name, address, request.account, operation.command, job.identifier, tuple(request.own_query), body, job.line
    )
