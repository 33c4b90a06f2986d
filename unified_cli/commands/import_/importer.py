"""Send every record of an input once, with a journal that survives whatever ends the process."""

from collections.abc import Iterable, Iterator

from unified_cli.commands.import_ import import_jobs
from unified_cli.commands.import_.import_jobs import ImportJob, ImportTerms
from unified_cli.errors import UnifiedError
from unified_cli.http.client import Client
from unified_cli.input.records import InputItem
from unified_cli.output.progress import Progress
from unified_cli.stderr import Stderr
from unified_cli.writes import attempt as attempts
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import EntryState, JournalEntry
from unified_cli.writes.import_journal import ImportJournal
from unified_cli.writes.sender import FairWriters, Sender, SendWay
from unified_cli.writes.stop_rules import ConnectionStops

# After so many failures of the service in a row the rest would fail too.
_MOST_FAILURES = 10
# Records of a large file are taken up ahead of their turn as far as this many bytes of them.
_AHEAD = 16 * 1024 * 1024
_MOST_TOLD = 10


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
        planned = import_jobs.plan(item, self._journal, self._terms)
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
    return attempts.attempt(client, job.request, job.item.number, job.item.identifier)
