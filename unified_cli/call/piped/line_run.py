"""The run of piped lines: its journal holds the request of each line before the first is sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from unified_cli.call import Call
from unified_cli.call.piped.piped_jobs import PipedJob
from unified_cli.catalogue import Operation
from unified_cli.cli.flags import part
from unified_cli.cli.options import ReadOptions
from unified_cli.errors import UsageError
from unified_cli.writes import attempt, run_sender
from unified_cli.writes.entry import EntryState, JournalEntry, RunCall
from unified_cli.writes.header import RunKind
from unified_cli.writes.registry import RunHeader, RunRegistry
from unified_cli.writes.run import StoredRun


@contextmanager
def begin(call: Call, operation: Operation, jobs: Sequence[PipedJob]) -> Iterator[StoredRun]:
    """The run of these jobs, told on stderr; in memory for reads, and for a single write, which cannot be resumed."""
    runtime, options = call.runtime, call.options
    header = RunHeader("", operation.command, runtime.wall(), selection=options.profile, calls=len(jobs))
    header.kind, header.ordered = RunKind.LINES, part(options, ReadOptions).ordered
    header.account_id = options.account_id or ""
    header.base_url = options.base_url or ""
    header.token_file = str(Path(options.token_file).absolute()) if options.token_file else ""

    def entries() -> Iterator[JournalEntry]:
        for number, job in enumerate(jobs, 1):
            yield from _entries(call, operation, number, job)

    if operation.changes and sum(job.request is not None for job in jobs) > 1:
        run, not_kept = StoredRun.begin(RunRegistry(runtime.folder("data"), runtime.wall), header, entries)
        with run:
            run_sender.announce(runtime, run, not_kept)
            yield run
    else:
        with StoredRun.in_memory(header, entries) as run:
            yield run


def _entries(call: Call, operation: Operation, number: int, job: PipedJob) -> Iterator[JournalEntry]:
    """The lines about a job: what is to be sent, or why it cannot be; and that it may have been done before."""
    request, name = job.request, job.profile or call.settings.profile
    if request is None:
        # An id that cannot be sent may be one that cannot be written either.
        identifier = (job.identifier or "").encode("utf-8", "backslashreplace").decode() or None
        planned = RunCall(job.profile, "", "", operation.command, identifier, line=job.line)
        yield JournalEntry(EntryState.NEW, number, call=planned)
        yield attempt.entry_of(UsageError(job.wrong), number, EntryState.REFUSED)
        return
    body = None if request.body is None else request.body.decode("utf-8")
    address, query = str(request.address), tuple(request.own_query)
    planned = RunCall(name, address, request.account, operation.command, job.identifier, query, body, job.line)
    key = request.key or ""
    yield JournalEntry(EntryState.NEW, number, k=key, call=planned)
    if request.in_doubt:
        yield JournalEntry(EntryState.SENT, number, k=key, t=job.sent)
