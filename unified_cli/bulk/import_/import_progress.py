"""How a long run is getting on: counts, a line every few seconds, and the reasons of the first failures."""

from collections.abc import Callable

from unified_cli.bulk.import_.import_journal import EntryState, JournalEntry
from unified_cli.errors import UnifiedError
from unified_cli.stderr import Stderr

_SECONDS = 5.0
_MOST_TOLD = 10


class ImportProgress:
    """Tells on stderr about a run over `total` records."""

    def __init__(self, total: int, stderr: Stderr, monotonic: Callable[[], float]) -> None:
        self._total = total
        self._stderr = stderr
        self._monotonic = monotonic
        self._began = self._shown = monotonic()
        self._done = 0
        self._skipped = 0
        self._wrong = 0

    def skip(self) -> None:
        """Count a record that an earlier run dealt with."""
        self._skipped += 1

    def count(self, entry: JournalEntry, error: UnifiedError | None) -> None:
        """Count a record, and tell why it failed if it did; only of the first few."""
        self._done += 1
        if error is None:
            return
        self._wrong += 1
        if self._wrong <= _MOST_TOLD:
            what = "may or may not have been done" if entry.s is EntryState.UNKNOWN else "failed"
            self._stderr.note(f"line {entry.n} {what}: {entry.why}")
        if self._wrong == _MOST_TOLD:
            self._stderr.note("further failures are not told one by one")

    def tell(self) -> None:
        """Say how far it is, if it is time to."""
        now = self._monotonic()
        if now - self._shown < _SECONDS:
            return
        self._shown = now
        rate = self._done / (now - self._began)
        left = self._total - self._skipped - self._done
        ends = f", about {_span(left / rate)} left" if rate else ""
        self._stderr.note(f"{self._skipped + self._done} of {self._total} records, {rate:.1f} per second{ends}")


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
