"""Send every record of an input once, with a journal that survives whatever ends the process."""

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import msgspec

from unified_cli.bulk.client_pool import ClientPool
from unified_cli.bulk.import_.import_items import ImportItem
from unified_cli.bulk.import_.import_journal import IN_DOUBT, EntryState, Journal, JournalEntry
from unified_cli.bulk.import_.import_progress import ImportProgress
from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.catalogue import Service
from unified_cli.errors import RefusedError, ServiceError, StateError, UnifiedError, UnknownError, UsageError
from unified_cli.http.client import Client
from unified_cli.http.request import Request

# So many failures of the service one after the other, and the rest would fare no better.
_PATIENCE = 10
_SYNC_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A request to be sent for an item; `doubtful` when an earlier run may have done it."""

    item: ImportItem
    request: Request
    sent: JournalEntry
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What came of an item, as the journal is told, and the error if there was one."""

    entry: JournalEntry
    error: UnifiedError | None = None


@dataclass(frozen=True, slots=True)
class ImportTerms:
    """How a run goes: `window` is for how many seconds the service honours an idempotency key, as far as we know."""

    workers: int
    window: float
    fail_fast: bool = False
    retry_in_doubt: bool = False


class Importer:
    """One run over the items; `run` gives the error that stopped it early, None where all were tried."""

    def __init__(
        self,
        journal: Journal,
        request_for: Callable[[ImportItem, str], Request],
        client: Callable[[], Client],
        terms: ImportTerms,
        progress: ImportProgress,
        *,
        wall: Callable[[], float],
    ) -> None:
        self._journal = journal
        self._request_for = request_for
        self._terms = terms
        self._progress = progress
        self._wall = wall
        self._client = client
        self._clients = ClientPool(terms.workers)
        self._workers = WorkerPool(terms.workers, self._send)
        self._stopped: UnifiedError | None = None
        self._failures = 0

    def run(self, items: Iterable[ImportItem]) -> UnifiedError | None:
        """Send what is to be sent. Raises StateError and StorageError of the journal."""
        jobs = self._jobs(items)
        with closing(self._clients), self._workers:
            while True:
                batch = [*islice(jobs, self._workers.free)]
                if batch:
                    self._journal.send([job.sent for job in batch])
                    for job in batch:
                        self._workers.submit(job)
                if not self._workers.busy:
                    break
                self._take()
            self._journal.sync()
        return self._stopped

    def _send(self, job: ImportJob) -> Generator[ImportOutcome]:
        with self._clients.lend(self._client) as client:
            yield attempt(client, job)

    def _take(self) -> None:
        outcomes = self._workers.take(_SYNC_EVERY)
        if outcomes:
            self._settle(outcomes)
        else:
            self._journal.sync()
        self._progress.tell()

    def _settle(self, outcomes: list[ImportOutcome]) -> None:
        self._journal.settle([outcome.entry for outcome in outcomes])
        for outcome in outcomes:
            self._progress.count(outcome.entry, outcome.error)
            self._weigh(outcome)

    def _weigh(self, outcome: ImportOutcome) -> None:
        """Decide whether this outcome ends the run."""
        error, state = outcome.error, outcome.entry.s
        if error is None:
            self._failures = 0
            return
        self._failures = self._failures + 1 if state in (EntryState.FAILED, EntryState.UNKNOWN) else 0
        refused = self._terms.fail_fast and state is not EntryState.UNKNOWN
        if error.stops_connection or refused or self._failures >= _PATIENCE:
            self._stopped = self._stopped or error

    def _jobs(self, items: Iterable[ImportItem]) -> Iterator[ImportJob]:
        """What is to be sent; what cannot be is settled on the way."""
        for item in items:
            if self._stopped is not None:
                return
            state = self._journal.state(item.number)
            if state in (EntryState.OK, EntryState.REFUSED, EntryState.LEFT_OUT):
                self._progress.skip()
            elif item.empty:
                self._settle([ImportOutcome(JournalEntry(EntryState.LEFT_OUT, item.number))])
            elif item.wrong:
                error = RefusedError(f"line {item.number} {item.wrong}", origin="local")
                self._settle([ImportOutcome(JournalEntry(EntryState.REFUSED, item.number, why=item.wrong), error)])
            elif job := self._job(item, state):
                yield job

    def _job(self, item: ImportItem, state: EntryState) -> ImportJob | None:
        key = item.key_for(self._journal.header.import_id)
        try:
            request = self._request_for(item, key)
        except UsageError as error:
            refusal = RefusedError(f"line {item.number}: {error.message}", origin="local")
            self._settle([ImportOutcome(JournalEntry(EntryState.REFUSED, item.number, why=error.message), refusal)])
            return None
        entry = JournalEntry(EntryState.SENT, item.number, h=item.hash, k=request.key or "", t=self._wall())
        if state is EntryState.NEW:
            return ImportJob(item, request, entry)
        before = self._journal.sent(item.number)
        if before.h != entry.h:
            raise StateError(f"line {item.number} is not what it was when it was sent (--restart begins a new import)")
        if state not in IN_DOUBT:
            return ImportJob(item, request, entry)
        if not self._may_repeat(request, before):
            self._progress.skip()
            return None
        request = request._replace(key=before.k or None)
        return ImportJob(
            item, request, JournalEntry(EntryState.SENT, item.number, h=before.h, k=before.k, t=before.t), doubtful=True
        )

    def _may_repeat(self, request: Request, before: JournalEntry) -> bool:
        """Whether a record in doubt can be sent again without being done twice."""
        if self._terms.retry_in_doubt or request.method == "DELETE":
            return True
        return not request.outward and 0 <= self._wall() - before.t < self._terms.window


def attempt(client: Client, job: ImportJob) -> ImportOutcome:
    """Send one item's request, and read what came of it."""
    number, request = job.item.number, job.request
    try:
        answer = client.send(request)
    except UnifiedError as error:
        if job.doubtful and request.method == "DELETE" and error.status == 404:
            return ImportOutcome(JournalEntry(EntryState.OK, number, id=job.item.identifier or "", why="already gone"))
        state = _state(error, request)
        if job.doubtful and state is EntryState.FAILED:
            # This time it was not done; the time before nobody knows.
            state = EntryState.UNKNOWN
        return ImportOutcome(JournalEntry(state, number, status=error.status or 0, why=error.message), error)
    identifier = identifier_of(answer.body or b"", client.service) or job.item.identifier or ""
    return ImportOutcome(JournalEntry(EntryState.OK, number, id=identifier, status=answer.status))


def _state(error: UnifiedError, request: Request) -> EntryState:
    if isinstance(error, UnknownError):
        return EntryState.UNKNOWN
    if isinstance(error, RefusedError) and not error.retryable:
        return EntryState.REFUSED
    # An answer that makes no sense, or a failure of something that is felt outside: it may have been done all the same.
    unsure = isinstance(error, ServiceError) and (error.status is None or request.outward)
    return EntryState.UNKNOWN if unsure else EntryState.FAILED


def identifier_of(body: bytes, service: Service) -> str | None:
    """The id of the record in an answer, which may stand in an envelope; None where there is none to be seen."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return None
    if isinstance(found, dict) and "id" not in found and isinstance(found.get(service.items), dict):
        found = found[service.items]
    identifier = found.get("id") if isinstance(found, dict) else None
    return str(identifier) if isinstance(identifier, (str, int)) and not isinstance(identifier, bool) else None
