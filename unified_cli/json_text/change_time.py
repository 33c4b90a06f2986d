"""When a record changed, as it says itself."""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from unified_cli.json_text.members import Record, parts, string

FIELD = "updated_at"
# What a datetime cannot hold: the digits after the microseconds of a time of day.
_BEYOND = re.compile(r"\d[.,]\d{6}(\d+)", re.ASCII)


class Instant(NamedTuple):
    """A time in UTC, with all its digits: `rest` are those after the microseconds, without zeros at the end.

    So it compares as a time does.
    """

    at: datetime
    rest: str = ""

    @property
    def text(self) -> str:
        """The time as ISO 8601 writes it."""
        return timestamp(self.at).replace("Z", f"{self.rest}Z")


def changed_at(record: Record | bytes) -> Instant | None:
    """When the record changed; None where it does not say so as ISO 8601 does.

    Assumption: a time without an offset is in UTC.
    """
    value = (parts(record) or {}).get(FIELD)
    if value is None or not value.startswith(b'"'):
        return None
    try:
        return parse(string(value))
    except (ValueError, OverflowError):
        return None


def parse(text: str) -> Instant:
    """The time that is written as in ISO 8601, in UTC. Raises ValueError, OverflowError."""
    # RFC 3339 allows small letters.
    found = datetime.fromisoformat(text.upper() if text.endswith("z") else text)
    at = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    beyond = _BEYOND.search(text)
    return Instant(at, beyond[1].rstrip("0") if beyond else "")


def earlier(at: datetime, seconds: float) -> datetime:
    """The time so many seconds earlier; the first of all times where there is none."""
    try:
        return at - timedelta(seconds=seconds)
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def timestamp(at: datetime) -> str:
    """The time as ISO 8601 writes it, in UTC, cut to microseconds."""
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
