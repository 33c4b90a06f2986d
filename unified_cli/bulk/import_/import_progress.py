"""How an import is getting on: its progress, and the reasons of the first failures."""

from unified_cli.errors import UnifiedError
from unified_cli.output.progress import Progress
from unified_cli.stderr import Stderr
from unified_cli.writes.entry import EntryState, JournalEntry

_MOST_TOLD = 10


class ImportProgress:
    """Counts records, and tells on stderr why the first of those that failed did."""

    def __init__(self, progress: Progress, stderr: Stderr) -> None:
        self._progress = progress
        self._stderr = stderr
        self._wrong = 0

    def skip(self) -> None:
        """Count a record that an earlier run dealt with."""
        self._progress.skip(1)

    def count(self, entry: JournalEntry, error: UnifiedError | None, profile: str | None = None) -> None:
        """Count a record, of a profile where there are several, and tell why it failed; only of the first few."""
        self._progress.add(1, failed=error is not None)
        if error is None:
            return
        self._wrong += 1
        if self._wrong <= _MOST_TOLD:
            what = "may or may not have been done" if entry.s is EntryState.UNKNOWN else "failed"
            where = f" ({profile})" if profile else ""
            self._stderr.note(f"line {entry.n}{where} {what}: {entry.why}")
        if self._wrong == _MOST_TOLD:
            self._stderr.note("further failures are not printed here")

    def leave_out(self, profile: str, error: UnifiedError) -> None:
        """Tell that the other records of a profile are not tried."""
        self._stderr.note(f"{profile}: its other records are not tried: {error.reason}")
