"""Send every record of an input once, with a journal that survives whatever ends the process."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing

from unified_cli.bulk.import_ import import_jobs
from unified_cli.bulk.import_.import_items import ImportItem
from unified_cli.bulk.import_.import_jobs import ImportJob, ImportTerms
from unified_cli.bulk.import_.import_journal import ImportJournal
from unified_cli.bulk.import_.import_progress import ImportProgress
from unified_cli.errors import UnifiedError
from unified_cli.fleet.idle_clients import ClientPool
from unified_cli.writes import attempt as write_attempt
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import EntryState
from unified_cli.writes.sender import JournaledSender

# After so many failures of the service in a row the rest would fail too.
_MOST_FAILURES = 10
# So many connections to the network are kept open, for as many connections to products.
_MOST_OPEN = 64


class Importer:
    """One run over the items; `run` gives the error that stopped it early.

    Where items have profiles, what would stop the import leaves out the items of that profile only.
    """

    def __init__(self, journal: ImportJournal, terms: ImportTerms, progress: ImportProgress) -> None:
        self._journal = journal
        self._terms = terms
        self._progress = progress
        self._clients = ClientPool(max(terms.workers, min(terms.connections, _MOST_OPEN)))
        self._sender = JournaledSender(journal, terms.workers, self._send)
        self._stopped: UnifiedError | None = None
        self._left_out = set[str]()
        self._broken: UnifiedError | None = None
        self._failures = Counter[str | None]()

    def run(self, items: Iterable[ImportItem]) -> UnifiedError | None:
        """Send what is to be sent. Raises StateError and StorageError of the journal and of the input.

        After an error of the input the answers that are under way are waited for.
        """
        with closing(self._clients):
            for job, attempt in self._sender.outcomes(self._jobs(items)):
                self._count(attempt, job.item.profile)
        if self._broken is not None:
            raise self._broken
        return self._stopped

    def _jobs(self, items: Iterable[ImportItem]) -> Iterator[ImportJob]:
        """What is to be sent; the outcome of what cannot be is written down on the way."""
        for item in self._until_broken(items):
            if self._stopped is not None:
                return
            if item.profile in self._left_out:
                continue
            planned = import_jobs.plan(item, self._journal, self._terms)
            if planned is None:
                self._progress.skip()
            elif isinstance(planned, WriteAttempt):
                self._journal.add([planned.entry])
                self._count(planned, item.profile)
            else:
                yield planned

    def _until_broken(self, items: Iterable[ImportItem]) -> Iterator[ImportItem]:
        try:
            yield from items
        except UnifiedError as error:
            self._broken = error

    def _send(self, job: ImportJob) -> WriteAttempt:
        profile = job.item.profile
        with self._clients.lend(lambda: self._terms.open_client(profile), profile or "") as client:
            return write_attempt.attempt(client, job.request, job.item.number, job.item.identifier)

    def _count(self, attempt: WriteAttempt, profile: str | None) -> None:
        self._progress.count(attempt.entry, attempt.error, profile)
        self._stop_if_hopeless(attempt, profile)

    def _stop_if_hopeless(self, attempt: WriteAttempt, profile: str | None) -> None:
        error, state = attempt.error, attempt.entry.s
        if error is None:
            self._failures[profile] = 0
            return
        self._failures[profile] = self._failures[profile] + 1 if state in (EntryState.FAILED, EntryState.UNKNOWN) else 0
        hopeless = error.stops_connection or self._failures[profile] >= _MOST_FAILURES
        if self._terms.fail_fast or (hopeless and profile is None):
            self._stopped = self._stopped or error
        elif hopeless and profile is not None and profile not in self._left_out:
            self._left_out.add(profile)
            self._progress.leave_out(profile, error)
