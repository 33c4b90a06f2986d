"""Send every record of an input once, with a journal that survives whatever ends the process."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import msgspec

from unified_cli.errors import RefusedError, StateError, UnifiedError, UsageError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.input.records import InputItem
from unified_cli.masking import masked
from unified_cli.output.progress import Progress
from unified_cli.stderr import Stderr
from unified_cli.writes import outcome
from unified_cli.writes.entry import IN_DOUBT, EntryState, JournalEntry
from unified_cli.writes.import_journal import ImportJournal
from unified_cli.writes.outcome import WriteAttempt
from unified_cli.writes.sender import FairWriters, Sender, SendWay
from unified_cli.writes.stop_rules import ConnectionStops

# After so many failures of the service in a row the rest would fail too.
_MOST_FAILURES = 10
# Records of a large file are taken up ahead of their turn as far as this many bytes of them.
_AHEAD = 16 * 1024 * 1024
_MOST_TOLD = 10
_SETTLED = (EntryState.OK, EntryState.REFUSED, EntryState.LEFT_OUT)


@dataclass(frozen=True, slots=True)
class ImportTerms:
    """How an import goes: `request_for` an item and its idempotency key, `open_client` for a worker and a profile.

    `window` is for how many seconds the service honours an idempotency key, as far as we know; `wall` is the clock.
    With `several` connections each item names its own.
    """

    request_for: Callable[[InputItem, str], Request]
    open_client: Callable[[str | None], Client]
    wall: Callable[[], float]
    window: float
    several: bool = False
    fail_fast: bool = False
    retry_in_doubt: bool = False


@dataclass(frozen=True, slots=True)
class ImportJob:
    """A request to be sent for an item."""

    item: InputItem
    request: Request
    sent: JournalEntry

    @property
    def profile(self) -> str | None:
        """The connection that it is for, where there are several."""
        return self.item.profile


class ImportProgress:
    """Counts records, and tells on stderr why the first of those that failed did."""

    def __init__(self, progress: Progress, stderr: Stderr) -> None:
        self._progress = progress
        self._stderr = stderr
        self._wrong = 0

    def skip(self) -> None:
        """Count a record that an earlier run dealt with."""
        self._progress.skip(1)

    def count(self, entry: JournalEntry, error: UnifiedError | None, profile: str | None = None) -> None:
        """Count a record, of a profile where there are several, and tell why it failed; only of the first few."""
        self._progress.add(1, failed=error is not None)
        if error is None:
            return
        self._wrong += 1
        if self._wrong <= _MOST_TOLD:
            what = "may or may not have been done" if entry.s is EntryState.UNKNOWN else "failed"
            where = f" ({profile})" if profile else ""
            self._stderr.note(f"line {entry.n}{where} {what}: {entry.why}")
        if self._wrong == _MOST_TOLD:
            self._stderr.note("further failures are not printed here")

    def leave_out(self, profile: str, error: UnifiedError) -> None:
        """Tell that the other records of a profile are not tried."""
        self._stderr.note(f"{profile}: its other records are not tried: {error.reason}")


class Importer:
    """One run over the items; `run` gives the error that stopped it early.

    Where items have profiles, what would stop the import leaves out the items of that profile only.
    """

    def __init__(
        self, journal: ImportJournal, terms: ImportTerms, writers: FairWriters, progress: ImportProgress
    ) -> None:
        self._journal = journal
        self._terms = terms
        self._progress = progress
        self._writers = writers
        self._stops = ConnectionStops(alone=not terms.several, most_in_a_row=_MOST_FAILURES)
        self._left_out = set[str | None]()
        self._broken: UnifiedError | None = None

    def run(self, items: Iterable[InputItem]) -> UnifiedError | None:
        """Send what is to be sent. Raises StateError and StorageError of the journal and of the input.

        After an error of the input the answers that are under way are waited for.
        """
        # The records of one connection keep their order: there is no need to look for others.
        ahead = _AHEAD if self._terms.several else 0
        way = SendWay[InputItem, ImportJob](_profile, self._job, self._terms.open_client, _attempt, ahead, _size)
        sender = Sender(self._writers, self._journal, way, self._stops)
        for job, attempt in sender.outcomes(self._until_broken(items)):
            self._count(attempt, job.profile)
        if self._broken is not None:
            raise self._broken
        return self._stops.error

    def _job(self, item: InputItem) -> ImportJob | None:
        """What is to be sent; the outcome of what cannot be is written down on the way."""
        planned = _plan(item, self._journal, self._terms)
        if isinstance(planned, ImportJob):
            return planned
        if planned is None:
            self._progress.skip()
        else:
            self._journal.add([planned.entry])
            self._count(planned, item.profile)
        return None

    def _until_broken(self, items: Iterable[InputItem]) -> Iterator[InputItem]:
        try:
            yield from items
        except UnifiedError as error:
            self._broken = error

    def _count(self, attempt: WriteAttempt, profile: str | None) -> None:
        error, stops = attempt.error, self._stops
        self._progress.count(attempt.entry, error, profile)
        stops.count(profile, error)
        if error is not None and self._terms.fail_fast:
            stops.end(error)
        if profile is not None and profile in stops.stopped and profile not in self._left_out:
            self._left_out.add(profile)
            self._progress.leave_out(profile, stops.stopped[profile])


def _profile(item: InputItem) -> str | None:
    return item.profile


def _size(item: InputItem) -> int:
    return len(item.record)


def _attempt(client: Client, job: ImportJob) -> WriteAttempt:
    return outcome.attempt(client, job.request, job.item.number, job.item.identifier)


def _plan(item: InputItem, journal: ImportJournal, terms: ImportTerms) -> ImportJob | WriteAttempt | None:
    """The job for an item, or its outcome where nothing can be sent; None where an earlier run has dealt with it.

    Raises StateError where the item is another than the one that was sent.
    """
    state = journal.state(item.number)
    if state in _SETTLED:
        return None
    if item.empty:
        return WriteAttempt(JournalEntry(EntryState.LEFT_OUT, item.number))
    if item.wrong:
        return _refused(item, item.wrong, f"line {item.number} {item.wrong}")
    try:
        request = terms.request_for(item, item.key_for(journal.header.import_id))
    except UsageError as error:
        return _refused(item, error.message, f"line {item.number}: {error.message}")
    entry = JournalEntry(EntryState.SENT, item.number, h=item.hash, k=request.key or "", t=terms.wall())
    before = journal.sent(item.number)
    if before is None:
        return _begin(item, request, entry, terms)
    if before.h not in {item.hash, item.hash_in_0_1}:
        raise StateError(f"line {item.number} is not what it was when it was sent (--restart begins a new import)")
    request = request._replace(key=before.k or None)
    if state not in IN_DOUBT:
        return ImportJob(item, request, msgspec.structs.replace(entry, h=before.h, k=before.k))
    return _repeat(item, request, before, terms)


def _refused(item: InputItem, why: str, message: str) -> WriteAttempt:
    error = RefusedError(message, origin="local")
    code = int(error.code)
    return WriteAttempt(JournalEntry(EntryState.REFUSED, item.number, why=masked(why), code=code), error=error)


def _begin(item: InputItem, request: Request, entry: JournalEntry, terms: ImportTerms) -> ImportJob | WriteAttempt:
    """The job for an item that this import has not sent; it stays in doubt where another one may have done it."""
    if item.in_doubt and item.mark is not None:
        entry = msgspec.structs.replace(entry, t=item.mark.sent or entry.t)
        if not _may_resend(request, entry.t, terms):
            return WriteAttempt(entry)
    return ImportJob(item, request._replace(in_doubt=item.in_doubt), entry)


def _repeat(item: InputItem, request: Request, before: JournalEntry, terms: ImportTerms) -> ImportJob | None:
    """The job for an item that is in doubt, with the key of the first attempt; None where it might be done twice."""
    if not _may_resend(request, before.t, terms):
        return None
    again = JournalEntry(EntryState.SENT, item.number, h=before.h, k=before.k, t=before.t)
    return ImportJob(item, request._replace(in_doubt=True), again)


def _may_resend(request: Request, sent: float, terms: ImportTerms) -> bool:
    """Whether a request in doubt, first sent at that time, may be sent again."""
    return terms.retry_in_doubt or outcome.may_resend(request, terms.wall() - sent, terms.window)
