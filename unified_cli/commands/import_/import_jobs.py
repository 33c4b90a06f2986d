"""What an import sends for each item, given what its journal knows of earlier runs."""

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from unified_cli.errors import RefusedError, StateError, UsageError
from unified_cli.http.client import Client
from unified_cli.http.request import Request
from unified_cli.input.records import InputItem
from unified_cli.masking import masked
from unified_cli.writes import attempt as attempts
from unified_cli.writes.attempt import WriteAttempt
from unified_cli.writes.entry import IN_DOUBT, EntryState, JournalEntry
from unified_cli.writes.import_journal import ImportJournal

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


def plan(item: InputItem, journal: ImportJournal, terms: ImportTerms) -> ImportJob | WriteAttempt | None:
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
        if not _may_repeat(request, entry.t, terms):
            return WriteAttempt(entry)
    return ImportJob(item, request._replace(in_doubt=item.in_doubt), entry)


def _repeat(item: InputItem, request: Request, before: JournalEntry, terms: ImportTerms) -> ImportJob | None:
    """The job for an item that is in doubt, with the key of the first attempt; None where it might be done twice."""
    if not _may_repeat(request, before.t, terms):
        return None
    again = JournalEntry(EntryState.SENT, item.number, h=before.h, k=before.k, t=before.t)
    return ImportJob(item, request._replace(in_doubt=True), again)


def _may_repeat(request: Request, sent: float, terms: ImportTerms) -> bool:
    """Whether a request in doubt, first sent at that time, may be sent again."""
    return terms.retry_in_doubt or attempts.may_repeat(request, terms.wall() - sent, terms.window)
