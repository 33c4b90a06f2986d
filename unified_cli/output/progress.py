"""Show the progress of long work on stderr: a status line with a bar on a terminal,
otherwise a line every few seconds.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import product
from typing import NamedTuple

from unified_cli import os_limits
from unified_cli.errors import StorageError
from unified_cli.masking import COLOUR
from unified_cli.output import terminal
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

_EVERY = 10.0
"""The interval between lines without a terminal, in seconds."""
_OFTEN = 0.2
_TICK = 0.5
"""The interval for redrawing the line, in seconds."""
_BARS = ((100, 30), (60, 12))
"""Terminals of at least the first width have a bar of the second width."""
_BYTES = {"byte": "", "byte read": "read "}


class Work(NamedTuple):
    """The work to do.

    The work consists of `total` units, such as records. `total` is None if it is
    unknown. The units may be in `parts`, such as connections. If a part is a file, the
    number of the current file is shown.
    """

    unit: str = "record"
    total: int | None = None
    part: str = ""
    parts: int = 0


class Wait(NamedTuple):
    """A wait before the next request: until when, why, and for how long in total."""

    until: float
    reason: str
    total: float


class Counted(NamedTuple):
    """The units of this run, and the finished parts that did not fail."""

    units: int
    parts: int


class Screen(NamedTuple):
    """The terminal that a line is drawn on."""

    columns: int
    colour: bool
    encoding: str


class Tally:
    """The progress of the work. Units of earlier runs count towards the total, but not
    towards the rate.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.units = self.units_before = self.pages = self.parts = self.parts_before = 0
        self.failed = self.retries = 0
        self.under_way: dict[str, None] = {}
        self.wait: Wait | None = None
        """The last wait, which may have ended."""
        self.reported = 0.0
        """The seconds of waiting that earlier lines have reported."""


def plain(tally: Tally, seconds: float, now: float) -> str:
    """Return a sentence about the progress after this many seconds. It includes the
    waits since the last call.
    """
    waits, wait = _wait_in_words(tally, now)[:1], tally.wait
    if wait is not None:
        until_now = wait.total - max(0.0, wait.until - now)
        waited, tally.reported = until_now - tally.reported, until_now
        if not waits and waited >= 1:
            waits = [f"waited {_of_total(waited, wait)}: {wait.reason}"]
    return ", ".join([*_facts(tally, seconds, now), *_parts_in_words(tally)[:1], *waits])


def done(tally: Tally) -> str:
    """Return what was done, in words."""
    finished, work = tally.parts_before + tally.parts, tally.work
    parts = [f"{finished} of {counted(work.parts, work.part)}"] if work.parts else []
    return ", ".join([*parts, _units(tally)])


def draw(tally: Tally, seconds: float, now: float, screen: Screen) -> str:
    """Return the progress as one line that fits the screen.

    The line has a bar if the total is known.
    """
    # Leave the last column empty, because some terminals would move the cursor to the
    # next line.
    room, share = screen.columns - 1, _share_done(tally)
    size = (
        next((bar for width, bar in _BARS if screen.columns >= width), 0)
        if share is not None
        else 0
    )
    waits = _wait_in_words(tally, now) or [""]
    names = _parts_in_words(tally)
    facts = _facts(tally, seconds, now, pace=not waits[0] and not names)
    numbers, ends = range(len(facts), 0, -1), [(size, waits[0]), *((0, text) for text in waits)]
    # Shorten the bar and the reason of a wait before the remaining time, which is more
    # useful.
    tried = [(facts[:number], end) for number, end in product(numbers, ends)]
    if not waits[0]:
        tried = [(facts[:number], end) for end, number in product(ends, numbers)]
    # Shorten all other parts of the line before the names of running parts.
    named = [([*facts, name], end) for end, name in product(ends, names)]
    for chosen, (bar, wait) in [*named, *tried]:
        before = f"{_bar(share or 0, bar, screen)} {(share or 0) * 100:4.0f} %  " if bar else ""
        bar_width = bar + len("  100 %  ") if bar else 0
        text = ", ".join(filter(None, [*chosen, wait]))
        if len(text) <= room - bar_width:
            return before + text
    return text[:room]


def duration(seconds: float) -> str:
    """Return a duration in words."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _facts(tally: Tally, seconds: float, now: float, *, pace: bool = True) -> list[str]:
    work = tally.work
    result = [done(tally)]
    if work.part == "file":
        # Count the current part, because one large file may take most of the time.
        at = min(tally.parts_before + tally.parts + 1, work.parts)
        result = [f"file {at} of {work.parts}", _units(tally)]
    if tally.failed:
        result.append(f"{tally.failed} failed")
    rate = tally.units / max(seconds, 0.001)
    if pace:
        # Leave the rate out during a wait, to have room for the remaining time.
        digits = 0 if rate >= 10 else 1
        is_size = work.unit in _BYTES
        result.append(f"{_size(rate)}/s" if is_size else f"{rate:.{digits}f} per second")
    if (left := _seconds_left(tally, seconds, now)) is not None:
        result.append(f"about {duration(left)} left")
    if tally.retries:
        result.append(counted(tally.retries, "retry"))
    return result


def _parts_in_words(tally: Tally) -> list[str]:
    """Return several descriptions of the running parts, the longest first."""
    if not tally.under_way:
        return []
    first, *others = tally.under_way
    more = f" and {len(others)} more" if others else ""
    return [f"reading {first}{more}", f"{first}{more}", f"{first.rpartition('/')[2]}{more}"]


def _wait_in_words(tally: Tally, now: float) -> list[str]:
    """Return several descriptions of the wait, the longest first."""
    if tally.wait is None or tally.wait.until <= now:
        return []
    left = max(1, tally.wait.until - now)
    return [
        f"waiting {_of_total(left, tally.wait)}: {tally.wait.reason}",
        f"waiting {duration(left)}: {tally.wait.reason}",
        f"waiting {duration(left)}",
    ]


def _of_total(seconds: float, wait: Wait) -> str:
    total = f" ({duration(wait.total)} in total)" if wait.total >= seconds + 1 else ""
    return f"{duration(seconds)}{total}"


def _units(tally: Tally) -> str:
    number, total, unit = tally.units_before + tally.units, tally.work.total, tally.work.unit
    if unit in _BYTES:
        return _BYTES[unit] + _size(number) + (f" of {_size(total)}" if total else "")
    if total is not None:
        return f"{number} of {counted(total, unit)}"
    return counted(number, unit) + (
        f" in {counted(tally.pages, 'page')}" if tally.pages and not tally.work.parts else ""
    )


def _size(number: float) -> str:
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.0f} kB"


def _share_done(tally: Tally) -> float | None:
    work = tally.work
    if work.parts:
        return min(1.0, (tally.parts_before + tally.parts) / work.parts)
    return min(1.0, (tally.units_before + tally.units) / work.total) if work.total else None


def _seconds_left(tally: Tally, seconds: float, now: float) -> float | None:
    """Return how many seconds the remaining work will take at the speed so far, or None
    if this is unknown.
    """
    work = tally.work
    # Count the wait as part of the time that the finished work took.
    wait = max(0.0, tally.wait.until - now) if tally.wait else 0.0
    if work.parts:
        finished, left = tally.parts, work.parts - tally.parts_before - tally.parts
    else:
        finished, left = tally.units, (work.total or 0) - tally.units_before - tally.units
    return (
        wait + (seconds + wait) * left / finished
        if finished > 0 and left > 0 and (work.parts or work.total)
        else None
    )


def _bar(share: float, size: int, screen: Screen) -> str:
    from rich.progress_bar import ProgressBar  # noqa: PLC0415  rich is for terminals only

    bar = ProgressBar(1.0, share, size, style="dim", complete_style="green", finished_style="green")
    made = terminal.rendered(bar, colour=screen.colour, encoding=screen.encoding, width=size)
    # Without colours, rich draws only the finished part, so fill up the width.
    return made + " " * (size - len(COLOUR.sub("", made)))


class Progress:
    """Counts finished work, and reports it in a status line (`draws`) or in separate
    lines.

    Thread-safe. With `silent`, it only counts.
    """

    def __init__(self, runtime: Runtime, work: Work, *, draws: bool, silent: bool = False) -> None:
        self._runtime = runtime
        self._silent = silent
        self.draws = draws
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._tally = Tally(work)
        self._began = self._shown = runtime.monotonic()

    def start(self) -> None:
        """Start to redraw the status line at intervals."""
        # If no thread can be started, the line changes only when something is counted.
        if self.draws:
            with suppress(StorageError):
                os_limits.start_thread(self._tick)

    def add(self, units: int = 0, *, pages: int = 0, parts: int = 0, failed: int = 0) -> None:
        """Count work, and show the progress when it is due."""
        tally = self._tally
        with self._lock:
            tally.units += units
            tally.pages += pages
            tally.parts += parts
            tally.failed += failed
        self.show()

    def restart(self) -> None:
        """Reset the progress and the rate, because the work starts again."""
        with self._lock:
            self._tally.units = 0
            self._began = self._runtime.monotonic()

    def skip(self, units: int = 0, *, parts: int = 0) -> None:
        """Count the work of an earlier run, which does not affect the rate."""
        with self._lock:
            self._tally.units_before += units
            self._tally.parts_before += parts

    def expect(self, units: int | None) -> None:
        """Set the total when it becomes known.

        For work in parts, `units` is the total of a single part, and is ignored.
        """
        with self._lock:
            work = self._tally.work
            self._tally.work = work if work.parts else work._replace(total=units)

    @contextmanager
    def under_way(self, name: str) -> Iterator[None]:
        """Show the name of a part during the block."""
        with self._lock:
            self._tally.under_way[name] = None
        try:
            yield
        finally:
            with self._lock:
                self._tally.under_way.pop(name, None)

    def waiting(self, seconds: float, reason: str, total: float) -> None:
        """Show a wait before the next request."""
        with self._lock:
            self._tally.wait = Wait(self._runtime.monotonic() + seconds, reason, total)
        self.show()

    def retried(self) -> None:
        """Count a retried request."""
        with self._lock:
            self._tally.retries += 1

    @property
    def retries(self) -> int:
        """The number of retried requests."""
        return self._tally.retries

    def show(self) -> None:
        """Show the progress if it is time to do so."""
        with self._lock:
            now = self._runtime.monotonic()
            if (
                self._silent
                or self._over.is_set()
                or now - self._shown < (_OFTEN if self.draws else _EVERY)
            ):
                return
            if not self._runtime.stderr.is_free():
                return
            self._shown = now
            seconds, stderr = now - self._began, self._runtime.stderr
            if self.draws:
                stderr.status(draw(self._tally, seconds, now, self._current_screen()))
            else:
                stderr.note(plain(self._tally, seconds, now))

    @property
    def counted(self) -> Counted:
        """The units of this run and the finished parts."""
        with self._lock:
            tally = self._tally
            return Counted(tally.units, tally.parts_before + tally.parts - tally.failed)

    def so_far(self) -> str:
        """Return what was done, in words."""
        with self._lock:
            return done(self._tally)

    def close(self) -> None:
        """Stop showing the progress."""
        with self._lock:
            self._over.set()
        if self.draws:
            self._runtime.stderr.status("")

    def _current_screen(self) -> Screen:
        runtime = self._runtime
        colour = runtime.has_colour(stderr=True)
        return Screen(
            runtime.columns or runtime.stderr.columns, colour, runtime.stderr.encoding.lower()
        )

    def _tick(self) -> None:
        while not self._over.wait(_TICK):
            self.show()


@contextmanager
def progress(runtime: Runtime, work: Work, *, to_stdout: bool = False) -> Iterator[Progress]:
    """Show the progress during the block, unless `--quiet`.

    Draws a status line on a terminal, unless the results go to the same terminal or
    another program writes to it.
    """
    own = not (to_stdout and runtime.stdout_is_terminal)
    draws = (
        own
        and runtime.stderr_is_terminal
        and runtime.environ.get("TERM") != "dumb"
        and not runtime.stderr.quiet
    )
    silent = runtime.shares_terminal or (to_stdout and runtime.stderr.goes_to(runtime.stdout))
    shown = Progress(runtime, work, draws=draws and not silent, silent=silent)
    runtime.stderr.observer = shown
    shown.start()
    try:
        yield shown
    finally:
        runtime.stderr.observer = None
        shown.close()
