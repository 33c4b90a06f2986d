"""Send every record of an input once, with a journal that survives a crash."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import msgspec

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands.import_.command import ImportOptions
from unified_cli.config.file import RESERVED
from unified_cli.config.settings import Settings
from unified_cli.errors import RefusedError, StateError, UnifiedError, UsageError
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request
from unified_cli.json_text.record_label import LABEL
from unified_cli.masking import masked
from unified_cli.output.progress import Progress
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr
from unified_cli.writes import input_records, outcome
from unified_cli.writes.entry import IN_DOUBT, NOT_DONE, EntryState, JournalEntry
from unified_cli.writes.import_journal import ImportJournal
from unified_cli.writes.input_file import InputFile
from unified_cli.writes.input_reading import Reading
from unified_cli.writes.input_records import InputItem, ItemRules, RecordMap
from unified_cli.writes.outcome import WriteAttempt
from unified_cli.writes.sender import FairWriters, Sender, SendWay
from unified_cli.writes.stop_rules import ConnectionStops

# Stop after this many consecutive failures, because the other records would fail too.
_MOST_FAILURES = 10
# How far to read ahead in a large file to find records of other connections, in bytes.
_AHEAD = 16 * 1024 * 1024
_MOST_PRINTED = 10
_SETTLED = (EntryState.OK, EntryState.REFUSED, EntryState.LEFT_OUT)


@dataclass(frozen=True, slots=True)
class ImportTask:
    """An operation, its parameters, and the settings of each profile to import to.

    For a single connection, the only key of `targets` is None. `used` has the number of
    records of each profile. If `kept` is false, the journal is only in memory.
    """

    runtime: Runtime
    catalogue: Catalogue
    targets: Mapping[str | None, Settings]
    operation: Operation
    query: list[tuple[str, str]]
    map: str | None
    kept: bool = True
    used: Mapping[str, int] = field(default_factory=dict)

    @property
    def profiles(self) -> list[str] | None:
        """The profiles that records may name, or None.

        None means that there is only one connection, which records must not name.
        """
        return (
            None
            if None in self.targets
            else [name for name in self.targets if name and name != RESERVED]
        )

    @property
    def target(self) -> list[Any]:
        """The part of the import's identity that is known before the input is read."""
        return self._target(replays=self.runtime.replays)

    def _target(self, *, replays: bool) -> list[Any]:
        # A replay sends nothing, so it must not reuse the journal of a real import.
        replay = ["--replay"] if replays else []
        if only := self.targets.get(None):
            address, account = only.reachable()
            return [
                address.origin + address.path,
                self.operation.command,
                account,
                self.query,
                self.map,
                *replay,
            ]
        return ["several", self.operation.command, self.query, self.map, *replay]

    def choices(self, reading: Reading) -> dict[str, str]:
        """Return the values of the options that change the requests, by option.

        An import can only be resumed with the values in its journal.
        """
        shaped = {} if self.map is None else {"--map": self.map}
        return {"--operation": self.operation.name, **reading.choices, **shaped}

    def identity(self, *, replays: bool) -> list[Any]:
        """Return the values that identify the import. A journal belongs to the import
        only if all of them are equal.
        """
        reached = [(name, *self.targets[name].reachable()) for name in sorted(self.used)]
        named = [
            [name, address.origin + address.path, account] for name, address, account in reached
        ]
        where = self._target(replays=replays)
        return [*where, named] if named else where

    def with_used_profiles(self, source: InputFile) -> Self:
        """Return a copy with the number of records of each profile in the input.

        Raises UsageError if a record names a profile and there is only one connection.
        """
        if self.profiles is not None:
            rules = ItemRules(self.operation, self.catalogue.service, profiles=self.profiles)
            found = input_records.items(source.lines(), rules)
            used = Counter(item.profile for item in found if item.profile)
            if not used and source.count:
                what = f"no record of {source.path} names one of the profiles in {LABEL}"
                raise UsageError(what, hint="-p NAME sends all to one connection")
            return replace(self, used=used)
        if source.labelled:
            raise UsageError(f"{source.path}, line {source.labelled} {input_records.NOT_ASKED_FOR}")
        return self

    def failures(self, source: InputFile, journal: ImportJournal) -> Mapping[str, int]:
        """Return the number of failed records by connection. Empty if there is a single
        connection.
        """
        if len(self.used) < 2:
            return {}
        rules = ItemRules(self.operation, self.catalogue.service, profiles=self.profiles)
        found = input_records.items(source.lines(), rules)
        return Counter(
            item.profile
            for item in found
            if item.profile and journal.state(item.number) in NOT_DONE
        )

    @property
    def used_settings(self) -> list[Settings]:
        """The settings of the connections that have records in the input."""
        return [
            settings for name, settings in self.targets.items() if name is None or name in self.used
        ]

    @property
    def window(self) -> float:
        """How long the service remembers idempotency keys, in seconds, as
        configured.
        """
        return min((settings.idempotency_window for settings in self.used_settings), default=0)

    @property
    def repeats(self) -> bool:
        """Whether sending a record in doubt again is safe, at least for a while."""
        return self.operation.method == "DELETE" or (not self.operation.outward and self.window > 0)

    def request(self, item: InputItem, key: str) -> Request:
        """Return the request for an item.

        Raises UsageError if the id cannot be sent.
        """
        settings = self.targets[item.profile]
        scope = requests.scope_of(settings, self.catalogue.service)
        content = Content(
            self.query, item.body, key if self.operation.method in {"POST", "PATCH"} else None
        )
        return requests.for_operation(scope, self.operation, item.identifier, content)

    def items(self, source: InputFile, *, notes: bool = True) -> Iterator[InputItem]:
        """Return the items to send, one for each record of the file.

        With `notes`, print warnings about the results of --map.
        """
        note = self.runtime.stderr.note if notes else None
        reshape = None if self.map is None else RecordMap(self.map, note=note)
        rules = ItemRules(self.operation, self.catalogue.service, reshape, self.profiles)
        return input_records.items(source.lines(), rules)


class ImportJob(NamedTuple):
    """An item and its request."""

    item: InputItem
    request: Request
    sent: JournalEntry

    @property
    def profile(self) -> str | None:
        """The name of the job's connection. None if there is only one."""
        return self.item.profile


class ImportProgress:
    """Counts records, and prints why the first failures failed to stderr."""

    def __init__(self, progress: Progress, stderr: Stderr) -> None:
        self._progress = progress
        self._stderr = stderr
        self._wrong = 0

    def skip(self) -> None:
        """Count a record that an earlier run has finished."""
        self._progress.skip(1)

    def count(
        self, entry: JournalEntry, error: UnifiedError | None, profile: str | None = None
    ) -> None:
        """Count a record, and print the first failures.

        A failure is printed with its reason. `profile` is None if there is only one
        connection.
        """
        self._progress.add(1, failed=error is not None)
        if error is None:
            return
        self._wrong += 1
        if self._wrong <= _MOST_PRINTED:
            outcome = "may or may not have been done" if entry.s is EntryState.UNKNOWN else "failed"
            where = f" ({profile})" if profile else ""
            self._stderr.note(f"line {entry.n}{where} {outcome}: {entry.reason}")
        if self._wrong == _MOST_PRINTED:
            self._stderr.note("further failures are not printed here")

    def leave_out(self, profile: str, error: UnifiedError) -> None:
        """Print that the remaining records of a profile are skipped."""
        self._stderr.note(f"{profile}: its other records are not tried: {error.reason}")


class Importer:
    """Sends the items of an import.

    If items name profiles, an error that would stop the import skips only the other
    items of that profile.
    """

    def __init__(
        self,
        task: ImportTask,
        options: ImportOptions,
        journal: ImportJournal,
        writers: FairWriters,
        progress: ImportProgress,
    ) -> None:
        self._task = task
        self._window = task.window
        self._options = options
        self._journal = journal
        self._progress = progress
        self._writers = writers
        self._stops = ConnectionStops(alone=None in task.targets, most_in_a_row=_MOST_FAILURES)
        self._left_out = set[str | None]()
        self._broken: UnifiedError | None = None

    def run(self, items: Iterable[InputItem]) -> UnifiedError | None:
        """Send the remaining records. Returns the error that stopped the import early,
        if any.

        Raises StateError and StorageError of the journal and the input, after the
        responses to pending requests have arrived.
        """
        # Records of one connection keep their order, so reading ahead would not help.
        ahead = 0 if None in self._task.targets else _AHEAD
        way = SendWay[InputItem, ImportJob](
            lambda item: item.profile,
            self._job,
            self._open_client,
            _attempt,
            ahead,
            lambda item: len(item.record),
        )
        sender = Sender(self._writers, self._journal, way, self._stops)
        for job, attempt in sender.outcomes(self._until_error(items)):
            self._count(attempt, job.profile)
        if self._broken is not None:
            raise self._broken
        return self._stops.error

    def _open_client(self, name: str | None) -> Client:
        return self._writers.clients.open_bulk(self._task.targets[name], name=name)

    def _job(self, item: InputItem) -> ImportJob | None:
        """Return the job for an item, or None if there is nothing to send.

        If the item cannot be sent, records the reason in the journal.
        """
        planned = self._plan(item)
        if isinstance(planned, ImportJob):
            return planned
        if planned is None:
            self._progress.skip()
        else:
            self._journal.add([planned.entry])
            self._count(planned, item.profile)
        return None

    def _until_error(self, items: Iterable[InputItem]) -> Iterator[InputItem]:
        try:
            yield from items
        except UnifiedError as error:
            self._broken = error

    def _count(self, attempt: WriteAttempt, profile: str | None) -> None:
        error, stops = attempt.error, self._stops
        self._progress.count(attempt.entry, error, profile)
        stops.count(profile, error)
        if error is not None and self._options.fail_fast:
            stops.end(error)
        if profile is not None and profile in stops.stopped and profile not in self._left_out:
            self._left_out.add(profile)
            self._progress.leave_out(profile, stops.stopped[profile])

    def _plan(self, item: InputItem) -> ImportJob | WriteAttempt | None:
        """Return the job for an item.

        Returns its outcome if it cannot be sent, and None if an earlier run finished
        it. Raises StateError if the item has changed since it was sent.
        """
        state = self._journal.state(item.number)
        refused_again = state is EntryState.REFUSED and self._options.retry_failed
        if state in _SETTLED and not refused_again:
            if self._journal.header.choices is None:
                # Older journals do not say how the input was read, so the line with
                # this number may now be another record.
                self._check_same(item, self._journal.sent(item.number))
            return None
        if item.empty:
            return WriteAttempt(JournalEntry(EntryState.LEFT_OUT, item.number))
        if item.wrong:
            return _refused(item, item.wrong, f"line {item.number} {item.wrong}")
        try:
            request = self._task.request(item, item.key_for(self._journal.header.import_id))
        except UsageError as error:
            return _refused(item, error.message, f"line {item.number}: {error.message}")
        entry = JournalEntry(
            EntryState.SENT,
            item.number,
            h=item.hash,
            k=request.key or "",
            t=self._task.runtime.wall(),
        )
        before = self._journal.sent(item.number)
        if before is None:
            return self._begin(item, request, entry)
        self._check_same(item, before)
        request = request._replace(key=before.k or None)
        if state not in IN_DOUBT:
            return ImportJob(item, request, msgspec.structs.replace(entry, h=before.h, k=before.k))
        return self._repeat(item, request, before)

    def _check_same(self, item: InputItem, before: JournalEntry | None) -> None:
        """Raise StateError if an item has changed since it was sent."""
        if before is not None and before.h not in {item.hash, item.hash_in_0_1}:
            raise StateError(
                f"line {item.number} has changed since it was sent (--restart begins a new import)"
            )

    def _begin(
        self, item: InputItem, request: Request, entry: JournalEntry
    ) -> ImportJob | WriteAttempt:
        """Return the job for an item that this import has not sent.

        Returns an outcome in doubt if another import may have sent the item and sending
        it again is not safe.
        """
        if item.in_doubt and item.mark is not None:
            entry = msgspec.structs.replace(entry, t=item.mark.sent or entry.t)
            if not self._may_resend(request, entry.t):
                return WriteAttempt(entry)
        return ImportJob(item, request._replace(in_doubt=True) if item.in_doubt else request, entry)

    def _repeat(self, item: InputItem, request: Request, before: JournalEntry) -> ImportJob | None:
        """Return the job for an item in doubt, or None.

        The job has the original key. None means that sending it again is not safe.
        """
        if not self._may_resend(request, before.t):
            return None
        again = JournalEntry(EntryState.SENT, item.number, h=before.h, k=before.k, t=before.t)
        return ImportJob(item, request._replace(in_doubt=True), again)

    def _may_resend(self, request: Request, sent: float) -> bool:
        age = self._task.runtime.wall() - sent
        return self._options.retry_in_doubt or outcome.may_resend(request, age, self._window)


def _attempt(client: Client, job: ImportJob) -> WriteAttempt:
    return outcome.attempt(client, job.request, job.item.number, job.item.identifier)


def _refused(item: InputItem, why: str, message: str) -> WriteAttempt:
    error = RefusedError(message, origin="local")
    code = int(error.code)
    return WriteAttempt(
        JournalEntry(EntryState.REFUSED, item.number, why=masked(why), code=code), error=error
    )
