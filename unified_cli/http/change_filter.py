"""The records of a list that changed since some time."""

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from unified_cli.errors import UsageError
from unified_cli.json_text import change_time
from unified_cli.json_text.change_time import FIELD, Instant
from unified_cli.json_text.members import Record

_AGO = re.compile(r"(\d{1,9})([smhdw])", re.ASCII)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


class ChangeFilter(NamedTuple):
    """Those that changed after a time, which was typed as `text`."""

    text: str
    after: Instant

    @property
    def query(self) -> tuple[str, str]:
        """The query parameter that asks for them, and for a few more: it is cut to microseconds."""
        return f"{FIELD}[gt]", change_time.timestamp(self.after.at)

    def keeps(self, record: Record) -> bool:
        """Whether the record changed after that time, or does not say when it did.

        Assumption: a provider may ignore the filter.
        """
        at = change_time.changed_at(record)
        return at is None or at > self.after


def since(text: str, wall: float) -> ChangeFilter:
    """The filter that is typed as a time, or as how long ago it is. Raises UsageError for anything else."""
    try:
        if match := _AGO.fullmatch(text):
            ago = timedelta(**{_UNITS[match[2]]: int(match[1])})
            return ChangeFilter(text, Instant(datetime.fromtimestamp(wall, UTC) - ago))
        return ChangeFilter(text, change_time.parse(text))
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since takes a time, or how long ago it is, not {text!r}", hint="2026-01-31, 2026-01-31T08:00Z, 7d, 12h"
        ) from None
