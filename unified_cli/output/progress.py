"""The progress of reading a list, on stderr: one line that is rewritten on a terminal, else a new line at times."""

from collections.abc import Iterator
from contextlib import contextmanager

from unified_cli.runtime import Runtime

_EVERY = 10.0
_OFTEN = 0.2


class ReadProgress:
    """Counts records and pages; with `alive` the line on stderr is rewritten."""

    def __init__(self, runtime: Runtime, *, alive: bool) -> None:
        self._runtime = runtime
        self._alive = alive
        self._began = self._told = runtime.monotonic()
        self._records = 0
        self._pages = 0

    def page(self, records: int) -> None:
        """Count a page, and write the progress if it is time to."""
        self._records += records
        self._pages += 1
        now = self._runtime.monotonic()
        if now - self._told < (_OFTEN if self._alive else _EVERY):
            return
        self._told = now
        said = f"{self._records} records in {self._pages} pages, {self._records / (now - self._began):.0f} per second"
        if self._alive:
            self._runtime.stderr.status(said)
        else:
            self._runtime.stderr.note(said)


@contextmanager
def progress(runtime: Runtime, *, to_file: bool = False) -> Iterator[ReadProgress]:
    """Progress for as long as the block lasts, silenced by `--quiet`.

    A line that changes needs a terminal that nobody else writes to: not one that the records themselves go to.
    """
    own = to_file or not runtime.stdout_is_terminal
    alive = own and runtime.stderr_is_terminal and runtime.environ.get("TERM") != "dumb"
    try:
        yield ReadProgress(runtime, alive=alive)
    finally:
        if alive:
            runtime.stderr.status("")
