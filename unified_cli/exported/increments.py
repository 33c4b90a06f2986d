"""The changes in a list since its last export: the time to ask from, and the new
records of the answer.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import NamedTuple

from unified_cli.http import rate_headers
from unified_cli.json_text.change_time import FIELD, Instant, changed_at, earlier, parse, timestamp
from unified_cli.json_text.members import Record, one_line, parts, text
from unified_cli.masking import excerpt
from unified_cli.plural import counted

# More records than these in the last seconds of a list are written once more by the
# next run.
_MOST_RECENT = 1000
# A Date header is cut to seconds.
_EXACTNESS = timedelta(seconds=1)
_LONGEST_ID = 40
READ_WHOLE = f"no record has {FIELD}, so the list is read whole again"


class Mark(NamedTuple):
    """How far an export came: the `newest` time of change, empty where no record has
    one.

    It is never later than the service's clock was when the list was begun: a record
    with a time to come would hide all changes until then. `recent` are the digests of
    the records that the next run will see again, because it looks back a little, and
    because of their times to come.
    """

    newest: str = ""
    recent: tuple[str, ...] = ()


class Increment(NamedTuple):
    """The reading of the next run: records that changed after `since` (None: all),
    except the `known` ones.
    """

    since: datetime | None
    known: frozenset[str]

    @property
    def begin(self) -> str:
        """The time as text; empty where all is read."""
        return timestamp(self.since) if self.since else ""

    @property
    def query(self) -> list[tuple[str, str]]:
        """The filter, as a query parameter."""
        return [(f"{FIELD}[gt]", self.begin)] if self.since else []

    def new(self, records: Sequence[Record]) -> Sequence[Record]:
        """Return the records that changed and are not known.

        One without a time of change counts as changed.

        Assumption: a provider may ignore the filter.
        """
        return [record for record in records if self._is_new(record)]

    def _is_new(self, record: Record) -> bool:
        at = changed_at(record)
        unchanged = at is not None and self.since is not None and at <= Instant(self.since)
        return not unchanged and _digest(record) not in self.known


def clock(date: str | None, wall: Callable[[], float]) -> datetime:
    """Return the clock of a service whose answer has this Date header.

    Without one that of this machine.
    """
    seconds = rate_headers.http_date(date)
    return datetime.fromtimestamp(wall() if seconds is None else seconds, UTC)


def check_times(mark: Mark | None, *texts: str) -> None:
    """Raise ValueError if a stored time is invalid.

    An empty one means that none exists.
    """
    for one in (mark.newest if mark else "", *texts):
        try:
            parse(one or "2026-01-01")
        except OverflowError:
            raise ValueError(one) from None


def mark_of(records: Callable[[], Iterable[bytes]], lag: float, clock: datetime) -> Mark:
    """Return the mark of these records, which are gone through twice.

    The service's `clock` stood there before they were read.

    `lag` is how many seconds the next run looks back.
    """
    newest = _newest(
        (at.at for record in records() if (at := changed_at(record)) is not None), clock
    )
    if newest is None:
        return Mark()
    since = Instant(earlier(newest, lag))
    recent = []
    for record in records():
        if (at := changed_at(record)) is not None and at > since:
            recent.append(_digest(record))
            if len(recent) > _MOST_RECENT:
                return Mark(timestamp(newest))
    return Mark(timestamp(newest), tuple(recent))


def merged(marks: Sequence[Mark], lag: float, clock: datetime) -> Mark:
    """Return the mark of records in several parts, from that of each."""
    timed = [(parse(mark.newest).at, mark) for mark in marks if mark.newest]
    newest = _newest((at for at, _ in timed), clock)
    if newest is None:
        return Mark()
    since = earlier(newest, lag)
    recent = {digest: None for at, mark in timed if at >= since for digest in mark.recent}
    return Mark(timestamp(newest), tuple(recent) if len(recent) <= _MOST_RECENT else ())


def after(marks: Iterable[Mark], lag: float) -> Increment:
    """Return what comes after exports with these marks."""
    found = [mark for mark in marks if mark.newest]
    if not found:
        return Increment(None, frozenset())
    newest = max(parse(mark.newest).at for mark in found)
    return Increment(earlier(newest, lag), frozenset(one for mark in found for one in mark.recent))


def _newest(times: Iterable[datetime], clock: datetime) -> datetime | None:
    """Return the newest of the times that are not to come.

    The clock where all of them are.
    """
    newest, ahead = None, False
    for at in times:
        # The mark of a part in which all times are to come is the clock itself.
        if at >= clock:
            ahead = True
        elif newest is None or at > newest:
            newest = at
    return newest or (clock if ahead else None)


def _digest(record: Record | bytes) -> str:
    line = bytes(record)
    line = one_line(line) if b"\n" in line or b"\r" in line else line
    return hashlib.blake2b(line, digest_size=8).hexdigest()


class _Ahead(NamedTuple):
    records: int
    at: Instant
    identity: str


class RecordsAhead:
    """Counts the records of each list that say they changed later than the service's
    clock shows; for many threads.

    Each run reads them again, and they are reported.
    """

    def __init__(self) -> None:
        self._found: dict[str, _Ahead] = {}
        self._lock = Lock()

    def note(self, name: str, records: Iterable[Record], clock: datetime) -> None:
        """Count those of a page that was served at this time."""
        ahead = [
            (at, record)
            for record in records
            if (at := changed_at(record)) and at.at >= clock + _EXACTNESS
        ]
        if not ahead:
            return
        at, record = max(ahead, key=lambda one: one[0])
        last = _Ahead(0, at, text((parts(record) or {}).get("id")))
        with self._lock:
            before = self._found.get(name, last)
            latest = max(before, last, key=lambda one: one.at)
            self._found[name] = latest._replace(records=before.records + len(ahead))

    def lines(self) -> list[str]:
        """Return what was found, a line for each list."""
        return [
            f"{counted(one.records, 'record')} in {name}, the last with id "
            f"{excerpt(one.identity, _LONGEST_ID)}: {one.at.text}"
            for name, one in sorted(self._found.items())
        ]
