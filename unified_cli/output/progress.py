"""The progress of long work, on stderr: a line with a bar that stays the last on a terminal, else a line at times."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from unified_cli import os_limits
from unified_cli.errors import StorageError
from unified_cli.output import progress_line, terminal
from unified_cli.output.progress_line import Screen, Tally, Wait, Work
from unified_cli.runtime import Runtime

_EVERY = 10.0
"""Seconds from one line to the next off a terminal."""
_OFTEN = 0.2
_TICK = 0.5
"""Seconds after which the line on a terminal is drawn although nothing was counted: waits are counted down in it."""


class Progress:
    """Counts what is done, in any thread, and tells it: with `draws` in a status line, else in lines of their own."""

    def __init__(self, runtime: Runtime, work: Work, *, draws: bool) -> None:
        self._runtime = runtime
        self.draws = draws
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._tally = Tally(work)
        self._began = self._shown = runtime.monotonic()

    def start(self) -> None:
        """Draw now and then, whether anything is counted or not."""
        if self.draws:
            # Without a thread to spare the line changes whenever something is counted.
            with suppress(StorageError):
                os_limits.start_thread(self._tick)

    def add(self, units: int = 0, *, pages: int = 0, parts: int = 0, failed: int = 0) -> None:
        """Count what was done, and show it if it is time to."""
        with self._lock:
            tally = self._tally
            tally.units += units
            tally.pages += pages
            tally.parts += parts
            tally.failed += failed
        self.show()

    def skip(self, units: int = 0, *, parts: int = 0) -> None:
        """Count what an earlier run has done, which says nothing about the pace."""
        with self._lock:
            self._tally.units_before += units
            self._tally.parts_before += parts

    def expect(self, units: int | None) -> None:
        """Take this as the total, now that it is known; of work in parts it would be that of one part."""
        with self._lock:
            work = self._tally.work
            self._tally.work = work if work.parts else work._replace(total=units)

    def waiting(self, seconds: float, reason: str) -> None:
        """Show that requests are held back for so long."""
        with self._lock:
            self._tally.wait = Wait(self._runtime.monotonic() + seconds, reason)
        self.show()

    def retried(self) -> None:
        """Count a request that is sent again."""
        with self._lock:
            self._tally.retries += 1

    @property
    def retries(self) -> int:
        """How many requests were sent again."""
        return self._tally.retries

    def show(self) -> None:
        """Show how far it is, if it is time to."""
        with self._lock:
            now = self._runtime.monotonic()
            if self._over.is_set() or now - self._shown < (_OFTEN if self.draws else _EVERY):
                return
            self._shown = now
            seconds, stderr = now - self._began, self._runtime.stderr
            if self.draws:
                stderr.status(progress_line.drawn(self._tally, seconds, now, self._screen()))
            else:
                stderr.note(progress_line.plain(self._tally, seconds, now))

    def so_far(self) -> str:
        """What was done, in words."""
        with self._lock:
            return progress_line.done(self._tally)

    def close(self) -> None:
        """Show nothing any more."""
        with self._lock:
            self._over.set()
        if self.draws:
            self._runtime.stderr.status("")

    def _screen(self) -> Screen:
        """The terminal as it is now; its size may have changed."""
        runtime = self._runtime
        colour = terminal.has_colour(runtime, stderr=True)
        return Screen(runtime.columns or runtime.stderr.columns, colour, runtime.stderr.encoding.lower())

    def _tick(self) -> None:
        while not self._over.wait(_TICK):
            self.show()


@contextmanager
def progress(runtime: Runtime, work: Work, *, to_stdout: bool = False) -> Iterator[Progress]:
    """Progress for as long as the block lasts, silenced by `--quiet`.

    A status line is drawn on a terminal; but where the results go to stdout, only if that is not a terminal as well.
    """
    own = not (to_stdout and runtime.stdout_is_terminal)
    draws = own and runtime.stderr_is_terminal and runtime.environ.get("TERM") != "dumb" and not runtime.stderr.quiet
    shown = Progress(runtime, work, draws=draws)
    runtime.stderr.observer = shown
    shown.start()
    try:
        yield shown
    finally:
        runtime.stderr.observer = None
        shown.close()
