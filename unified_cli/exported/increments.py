"""Find the changes in a list since its last export: from which time to request, and
which records are new.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import NamedTuple

from unified_cli.http import rate_headers
from unified_cli.json_text.change_time import FIELD, Instant, changed_at, earlier, parse, timestamp
from unified_cli.json_text.members import Record, one_line, parts, text
from unified_cli.masking import excerpt
from unified_cli.plural import counted

# If more records than this changed in the last seconds of a list, the next run writes
# the records beyond this number again.
_MOST_RECENT = 1000
# The precision of a Date header.
_EXACTNESS = timedelta(seconds=1)
_LONGEST_ID = 40
_DAY = 86_400.0
_FIRST, _LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
_UNMARKED = "an older version recorded no mark, so the whole list is read once"
_UNTIMED = f"no record had an {FIELD} older than --lag, so the whole list is read again"


class Mark(NamedTuple):
    """How far a list was read: the `newest` change before a bound, or "".

    The bound is one lag before the first request was sent, or before the Date of its
    response if that is earlier. `recent` has the digests of records that the next run
    will read again. `written` is this machine's time when the mark was written; version
    0.2.0 did not record it.
    """

    newest: str = ""
    recent: tuple[str, ...] = ()
    written: str = ""

    def begin(self, lag: float, now: datetime) -> datetime | None:
        """Return the time from which the next run requests changes.

        Returns None without a mark, and if the mark is later than `written`, because
        changes before the mark would be lost.
        """
        if not self.newest:
            return None
        at = parse(self.newest).at
        if at > (parse(self.written).at if self.written else now):
            return None
        return earlier(at, lag if self.written else max(lag, _DAY))


class Increment(NamedTuple):
    """The part of a list to read: records that changed after `since` (None means all)
    and are not `known`.

    `why` says why the part does not begin at the last mark, if it does not.
    """

    since: datetime | None
    known: frozenset[str]
    why: str = ""

    @property
    def begin(self) -> str:
        """The time as text, or "" for the whole list."""
        return timestamp(self.since) if self.since else ""

    @property
    def query(self) -> list[tuple[str, str]]:
        """The filter as a query parameter."""
        return [(f"{FIELD}[gt]", self.begin)] if self.since else []

    def new(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the records that changed and are not known, including records without
        a time.

        Assumption: a provider may ignore the filter.
        """
        return [record for record in records if self._is_new(record)]

    def _is_new(self, record: Record) -> bool:
        at = changed_at(record)
        unchanged = at is not None and self.since is not None and at <= Instant(self.since)
        return not unchanged and _digest(record) not in self.known


def local(wall: float) -> str:
    """Return this machine's time as text."""
    return timestamp(datetime.fromtimestamp(wall, UTC))


def date_of(header: str | None) -> str:
    """Return a Date header as an ISO 8601 time, or ""."""
    seconds = rate_headers.http_date(header)
    return "" if seconds is None else local(seconds)


def clock(header: str | None, wall: float) -> datetime:
    """Return the earlier of the time in a Date header and this machine's time."""
    here = local(wall)
    return min(parse(time).at for time in (here, date_of(header) or here))


def check_times(mark: Mark | None, *texts: str) -> None:
    """Raise ValueError if a stored time is invalid. "" means that there is no time."""
    for time in (mark.newest if mark else "", mark.written if mark else "", *texts):
        try:
            parse(time or "2026-01-01")
        except OverflowError:
            raise ValueError(time) from None


def after(marks: Sequence[Mark], lag: float, now: datetime) -> Increment:
    """Return the increment that follows earlier reads with these marks. `now` is this
    machine's time.
    """
    begins = [begin for mark in marks if (begin := mark.begin(lag, now))]
    since = max(begins, default=None)
    doubted = [mark.newest for mark in marks if mark.newest and not mark.begin(lag, now)]
    if doubted:
        where = f"from {timestamp(since)} on" if since else "whole"
        why = (
            f"the mark {doubted[-1]} is later than the time of the run that wrote it, so the list"
            f" is read {where}"
        )
    else:
        why = "" if since else _UNTIMED if marks else _UNMARKED
    # Each read includes the recent records of the previous read again.
    return Increment(since, frozenset(marks[-1].recent if marks else ()), why)


class MarkReader:
    """Finds the newest change in the pages of a list, beginning with the mark of
    earlier pages.

    `bound` is the latest possible mark, and `lag` how many seconds the next run looks
    back.
    """

    def __init__(self, before: Mark | None, bound: datetime, lag: float) -> None:
        self._bound = bound
        self._lag = lag
        self._newest = parse(before.newest).at if before and before.newest else None
        # A mark does not have the times of its recent records, so treat them as the
        # latest.
        self._recent = dict.fromkeys(before.recent if before else (), _LAST)

    def note(self, records: Iterable[Record]) -> Mark:
        """Return the mark after these records."""
        timed = [(at.at, record) for record in records if (at := changed_at(record))]
        if passed := [at for at, _ in timed if at <= self._bound]:
            self._newest = max([*passed, self._newest or passed[0]])
        since = earlier(self._newest, self._lag) if self._newest else _FIRST
        recent = {_digest(record): at for at, record in timed if at > since}
        recent = {digest: at for digest, at in {**self._recent, **recent}.items() if at > since}
        if len(recent) > _MOST_RECENT:
            recent = dict(sorted(recent.items(), key=lambda item: item[1])[-_MOST_RECENT:])
        self._recent = recent
        return Mark(timestamp(self._newest) if self._newest else "", tuple(recent))


def _digest(record: Record | bytes) -> str:
    line = bytes(record)
    line = one_line(line) if b"\n" in line or b"\r" in line else line
    return hashlib.blake2b(line, digest_size=8).hexdigest()


class _Ahead(NamedTuple):
    records: int
    at: Instant
    identity: str


class RecordsAhead:
    """Counts the records of each list that claim a change in the future; thread-safe.

    Every run reads them again until that time, so report them.
    """

    def __init__(self) -> None:
        self._found: dict[str, _Ahead] = {}
        self._lock = Lock()

    def note(self, name: str, records: Iterable[Record], clock: datetime) -> None:
        """Count the records of a page that claim a change after the page was served, at
        `clock`.
        """
        ahead = [
            (at, record)
            for record in records
            if (at := changed_at(record)) and at.at >= clock + _EXACTNESS
        ]
        if not ahead:
            return
        at, record = max(ahead, key=lambda pair: pair[0])
        last = _Ahead(0, at, text((parts(record) or {}).get("id")))
        with self._lock:
            before = self._found.get(name, last)
            latest = max(before, last, key=lambda time: time.at)
            self._found[name] = latest._replace(records=before.records + len(ahead))

    def lines(self) -> list[str]:
        """Return a line for each list."""
        return [
            f"{counted(counted_list.records, 'record')} in {name}, the last with id "
            f"{excerpt(counted_list.identity, _LONGEST_ID)}: {counted_list.at.text}"
            for name, counted_list in sorted(self._found.items())
        ]
