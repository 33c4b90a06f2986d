"""Read the time at which a record changed, and filter records by this time."""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from unified_cli.json_text.members import Record, member, string

FIELD = "updated_at"
# Finds the digits after the microseconds, which datetime cannot represent.
_BEYOND = re.compile(r"\d[.,]\d{6}(\d+)", re.ASCII)
_AGO = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_WRITTEN_OUT = re.compile(
    r"-?(\d{1,4}) *([smhdw])(ec(ond)?|in(ute)?|(ou)?r|ay|eek)?s?( ago)?", re.ASCII | re.IGNORECASE
)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class Instant(NamedTuple):
    """A time in UTC with all its digits.

    `rest` has the digits after the microseconds, without trailing zeros, so that
    instants can be compared.
    """

    at: datetime
    rest: str = ""

    @property
    def text(self) -> str:
        """The time in ISO 8601 format."""
        return timestamp(self.at).replace("Z", f"{self.rest}Z")


def changed_at(record: Record | bytes) -> Instant | None:
    """Return when the record changed, or None if it has no ISO 8601 time.

    Assumption: a time without an offset is in UTC.
    """
    value = member(bytes(record), FIELD)
    if value is None or not value.startswith(b'"'):
        return None
    try:
        return parse(string(value))
    except (ValueError, OverflowError):
        return None


def parse(text: str) -> Instant:
    """Parse an ISO 8601 time. Raises ValueError and OverflowError."""
    # RFC 3339 allows a small z.
    found = datetime.fromisoformat(text.upper() if text.endswith("z") else text)
    at = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    beyond = _BEYOND.search(text)
    return Instant(at, beyond[1].rstrip("0") if beyond else "")


def earlier(at: datetime, seconds: float) -> datetime:
    """Return the time this many seconds earlier, or the earliest possible time."""
    try:
        return at - timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def timestamp(at: datetime) -> str:
    """Return the time in ISO 8601 format, in UTC with microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class ChangeFilter(NamedTuple):
    """A filter for records that changed after a time. `text` is the typed time."""

    text: str
    after: Instant

    @property
    def query(self) -> tuple[str, str]:
        """The query parameter of the filter.

        The parameter has only microseconds, so the service may return a few records
        that `keeps` does not keep.
        """
        return f"{FIELD}[gt]", timestamp(self.after.at)

    def keeps(self, record: Record) -> bool:
        """Return whether the record changed after the filter's time, or has no time of
        change.

        Assumption: a provider may ignore the query parameter.
        """
        at = changed_at(record)
        return at is None or at > self.after


def meant(text: str) -> str | None:
    """Return the short form of an age such as `2 hours`, or None."""
    found = _WRITTEN_OUT.fullmatch("1 day" if text.lower() == "yesterday" else text)
    return f"{found[1]}{found[2].lower()}" if found else None


def since(text: str, wall: float) -> ChangeFilter:
    """Parse a typed time or age. Raises ValueError and OverflowError."""
    if match := _AGO.fullmatch(text):
        ago = timedelta(**{_UNITS[match[2]]: int(match[1])})
        return ChangeFilter(text, Instant(datetime.fromtimestamp(wall, UTC) - ago))
    return ChangeFilter(text, parse(text))
