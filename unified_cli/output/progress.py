"""The progress of reading a list, on stderr: one line that is rewritten on a terminal, else a new line at times."""

from collections.abc import Iterator
from contextlib import contextmanager

from unified_cli.runtime import Runtime

_EVERY = 10.0
_OFTEN = 0.2


class ReadProgress:
    """Counts records and pages; with `rewrite` one line on stderr is rewritten, else lines are added."""

    def __init__(self, runtime: Runtime, *, rewrite: bool) -> None:
        self._runtime = runtime
        self._rewrite = rewrite
        self._started = self._written = runtime.monotonic()
        self._records = 0
        self._pages = 0

    def page(self, records: int) -> None:
        """Count a page, and write the progress if it is time to."""
        self._records += records
        self._pages += 1
        now = self._runtime.monotonic()
        if now - self._written < (_OFTEN if self._rewrite else _EVERY):
            return
        self._written = now
        line = f"{self._records} records in {self._pages} pages, {self._records / (now - self._started):.0f} per second"
        if self._rewrite:
            self._runtime.stderr.status(line)
        else:
            self._runtime.stderr.note(line)


@contextmanager
def progress(runtime: Runtime, *, to_file: bool = False) -> Iterator[ReadProgress]:
    """Progress for as long as the block lasts, silenced by `--quiet`.

    A line is rewritten only on a terminal that the records are not written to.
    """
    own = to_file or not runtime.stdout_is_terminal
    rewrite = own and runtime.stderr_is_terminal and runtime.environ.get("TERM") != "dumb"
    try:
        yield ReadProgress(runtime, rewrite=rewrite)
    finally:
        if rewrite:
            runtime.stderr.status("")
