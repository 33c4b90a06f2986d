"""What changed in a list since it was last exported: from when on it is asked for, and what of the answer is new."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from unified_cli.json_text.change_time import FIELD, Instant, changed_at, timestamp
from unified_cli.json_text.members import Record, one_line

# More records than these in the last seconds of a list are written once more by the next run.
_MOST_RECENT = 1000


class Mark(NamedTuple):
    """How far an export came: the `newest` time of change, empty where no record has one.

    `recent` are the digests of the records that the next run will see again, because it looks back a little.
    """

    newest: str = ""
    recent: tuple[str, ...] = ()


class Increment(NamedTuple):
    """What the next run is to read: records that changed after `since`, all if that is None, but the `known` ones."""

    since: datetime | None
    known: frozenset[str]

    @property
    def query(self) -> list[tuple[str, str]]:
        """The filter, as a query parameter."""
        return [(f"{FIELD}[gt]", timestamp(self.since))] if self.since else []

    def new(self, records: Sequence[Record]) -> Sequence[Record]:
        """The records that changed and are not known; one without a time of change counts as changed.

        Assumption: a provider may ignore the filter.
        """
        return [record for record in records if self._is_new(record)]

    def _is_new(self, record: Record) -> bool:
        at = changed_at(record)
        unchanged = at is not None and self.since is not None and at <= Instant(self.since)
        return not unchanged and _digest(record) not in self.known


def mark_of(records: Callable[[], Iterable[bytes]], lag: float) -> Mark:
    """The mark of these records, which are gone through twice; `lag` is how many seconds the next run looks back."""
    newest, text = None, ""
    for record in records():
        if (at := changed_at(record)) is not None and (newest is None or at.at > newest):
            newest, text = at.at, timestamp(at.at)
    if newest is None:
        return Mark()
    since = newest - timedelta(seconds=lag)
    recent = []
    for record in records():
        if (at := changed_at(record)) is not None and at > Instant(since):
            recent.append(_digest(record))
            if len(recent) > _MOST_RECENT:
                return Mark(text)
    return Mark(text, tuple(recent))


def merged(marks: Sequence[Mark], lag: float) -> Mark:
    """The mark of records in several parts, from that of each."""
    newest = max((mark.newest for mark in marks), key=_time, default="")
    if not newest:
        return Mark()
    since = _time(newest) - timedelta(seconds=lag)
    recent = {digest: None for mark in marks if mark.newest and _time(mark.newest) > since for digest in mark.recent}
    return Mark(newest, tuple(recent) if len(recent) <= _MOST_RECENT else ())


def after(marks: Iterable[Mark], lag: float) -> Increment:
    """What comes after exports with these marks."""
    found = [mark for mark in marks if mark.newest]
    if not found:
        return Increment(None, frozenset())
    newest = max(datetime.fromisoformat(mark.newest) for mark in found)
    return Increment(newest - timedelta(seconds=lag), frozenset(one for mark in found for one in mark.recent))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text) if text else datetime.min.replace(tzinfo=UTC)


def _digest(record: Record | bytes) -> str:
    line = bytes(record)
    line = one_line(line) if b"\n" in line or b"\r" in line else line
    return hashlib.blake2b(line, digest_size=8).hexdigest()
