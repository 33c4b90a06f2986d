"""Records that say they changed later than the service's clock shows: each run reads them again, and they are told."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from threading import Lock
from typing import NamedTuple

from unified_cli.json_text.change_time import Instant, changed_at
from unified_cli.json_text.members import Record, parts, text
from unified_cli.masking import excerpt
from unified_cli.plural import counted

# A Date header is cut to seconds.
_EXACTNESS = timedelta(seconds=1)
_LONGEST_ID = 40


class _Ahead(NamedTuple):
    records: int
    at: Instant
    identity: str


class RecordsAhead:
    """Counts such records of each list; used by many threads."""

    def __init__(self) -> None:
        self._found: dict[str, _Ahead] = {}
        self._lock = Lock()

    def note(self, name: str, records: Iterable[Record], clock: datetime) -> None:
        """Count those of a page that was served at this time."""
        ahead = [(at, record) for record in records if (at := changed_at(record)) and at.at >= clock + _EXACTNESS]
        if not ahead:
            return
        at, record = max(ahead, key=lambda one: one[0])
        last = _Ahead(0, at, text((parts(record) or {}).get("id")))
        with self._lock:
            before = self._found.get(name, last)
            latest = max(before, last, key=lambda one: one.at)
            self._found[name] = latest._replace(records=before.records + len(ahead))

    def lines(self) -> list[str]:
        """What was found, a line for each list."""
        return [
            f"{counted(one.records, 'record')} in {name}, the last with id "
            f"{excerpt(one.identity, _LONGEST_ID)}: {one.at.text}"
            for name, one in sorted(self._found.items())
        ]
