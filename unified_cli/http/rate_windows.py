"""The window of a limit: how its length is found, how long it is kept to, and how a
larger one is tried; for `pace`.
"""

from collections import deque
from typing import NamedTuple

_REDUCTION = 0.85
_GROWTH = 0.05
_CLEAN_WINDOWS = 4
_CLEAN_WINDOWS_AFTER_A_LOSS = 2
_MOST_PATIENCE = 16
# A window that was clean so often in a row was no accident.
_KEPT = 2
_REMEMBERED = 600.0
# Windows that are shorter, as those of a token bucket seem, would be tried too often:
# they count as part of one.
_SHORTEST_GROWN = 1.0
FROM_HEADERS = 2.0
"""So many of its windows is trusted what the headers of an answer said, or what was
found by trying.
"""
FROM_BEFORE = 1.0
"""The same for what an earlier run learned."""
FROM_PAUSE = 0.85
"""The same for what was concluded from a Retry-After alone: the pause and this are at
most twice the pause.
"""
# Windows that are shorter, as those of a token bucket seem, would be doubted too soon.
_SHORTEST_TRUSTED = 1.2
# A window that begins at a fixed time lets twice as much through, half of it before
# that time and half after.
_MOST_FITTING = 2
# A Retry-After is in whole seconds.
_ROUNDED_UP = 1.2
# A window's end is looked for at these seconds after its first send.
_CANDIDATES = (0.5, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 45, 60)
MARGIN = 1.02
"""So many times the length of a window is waited, because requests do not all take the
same time to arrive.
"""
LONGEST = _CANDIDATES[-1] * MARGIN
"""The longest window in seconds that is looked for."""
# After the last of them it is looked for every so many seconds.
_STEP = 10.0
_SHORTEST_FOUND = 0.05
# Windows have round lengths, and a Retry-After in whole seconds makes a short one look
# longer than it is.
_ROUND = (60.0, 30.0, 20.0, 15.0, 10.0, 5.0, 4.0, 3.0, 2.0, 1.0)
SLOWEST = 1.0
"""So many seconds a request may take to arrive, for all that is known."""
_LONGEST_PAUSE = 60.0
# A request after a pause may arrive sooner than the one before it did.
_LATER = 0.05
NEVER = float("inf")


class Window(NamedTuple):
    """So many sends in so many seconds."""

    sends: float
    seconds: float

    @property
    def rate(self) -> float:
        """The sends per second."""
        return self.sends / self.seconds

    def __str__(self) -> str:
        return f"{self.most} requests in {self.seconds:.3g} s"

    @property
    def most(self) -> int:
        """The sends as a whole number, at least one."""
        return max(1, int(self.sends))


class SendLog:
    """The times of the latest sends, in order."""

    def __init__(self) -> None:
        self._times: deque[float] = deque()

    def add(self, at: float) -> None:
        """Note a send. It may be earlier than the last one, because answers arrive in
        another order than requests.
        """
        later = len(self._times)
        while later and self._times[later - 1] > at:
            later -= 1
        self._times.insert(later, at)

    def free(self, window: Window, now: float, flying: int = 0) -> float:
        """When one more send fits into the window beside those that are still in
        flight; NEVER while those fill it.
        """
        left = window.most - flying
        if left <= 0:
            return NEVER
        return now if len(self._times) < left else self._times[-left] + window.seconds

    def count(self, since: float) -> int:
        """The sends after that time."""
        return sum(1 for at in self._times if at > since)

    def latest(self, number: int) -> float:
        """The time of the first of the latest sends, so many of them or as many as are
        remembered.
        """
        return self._times[-min(number, len(self._times))]

    def forget(self, before: float) -> None:
        """Drop the sends before that time."""
        while self._times and self._times[0] < before:
            self._times.popleft()


def length(seconds: float, *, rounded_up: bool) -> float:
    """The length of a window that was over after so many seconds, which may have been
    rounded up.
    """
    found = (size * MARGIN for size in _ROUND if size < seconds < size + _ROUNDED_UP)
    return next(found, seconds) if rounded_up else max(seconds, _SHORTEST_FOUND)


def asked_for(seconds: float | None, now: float) -> float:
    """The end of a pause that the service asks for, which is never without one."""
    return -NEVER if seconds is None else now + min(seconds, _LONGEST_PAUSE) + _LATER


def of_window(known: Window, accepted: SendLog, refused: int, now: float) -> float:
    """The end of a pause where the window is known, after so many probes that were refused."""
    longer = min(known.seconds / 8 * 2.0 ** min(refused, 10), _LONGEST_PAUSE)
    return now + max(longer, min(accepted.free(known, now) - now, _LONGEST_PAUSE))


def of_search(begun: float, fastest: float, now: float) -> float:
    """The end of a pause where the window is looked for whose first send was at `begun`.

    `fastest` is the seconds that a request takes to arrive. A window that begins at a
    fixed time may be over at any of the usual lengths, and after them it is looked for
    at small steps.
    """
    slack = min(fastest, SLOWEST) if fastest < NEVER else 0.0
    ends = (begun + seconds * MARGIN + slack for seconds in _CANDIDATES)
    return next((end for end in ends if end > now), now + _STEP)


class WindowTrust:
    """Until when the known window counts; then sends go on without it, until a refusal
    shows whether it was true.
    """

    def __init__(self) -> None:
        self.until = NEVER
        self.doubted: Window | None = None
        """The window that is not kept to any more, while nothing was refused since."""
        self._begun = 0.0
        """When that window began last."""
        self._guessed = False
        """It was concluded from a Retry-After alone."""

    def begin(self, window: Window, at: float, windows: float) -> None:
        """Trust a window that an answer showed at that time, or that is used from then on."""
        self._guessed = windows == FROM_PAUSE
        shortest = 0 if self._guessed else _SHORTEST_TRUSTED
        self.until, self.doubted = at + windows * max(window.seconds, shortest), None

    def confirm(self) -> None:
        """A refusal showed that there is a limit."""
        self.until, self.doubted = NEVER, None

    def doubt(self, window: Window, begun: float) -> None:
        """Keep to the window no longer, which began at that time."""
        self.until, self.doubted, self._begun = NEVER, window, begun

    @property
    def flying(self) -> float:
        """How many may be in flight at first without the window; its refusal is
        likelier where it was no guess.
        """
        return 2.0 if self._guessed else 1.0

    def is_tried(self, accepted: SendLog) -> bool:
        """Whether what was accepted does not show yet that there is no such limit, so
        that few should fly.
        """
        most = _MOST_FITTING if self._guessed else 2 * _MOST_FITTING
        return self.doubted is not None and accepted.count(self._begun) <= most * self.doubted.sends

    def refused(self, accepted: SendLog, now: float, reopens: float) -> Window | None:
        """What holds after a refusal that ends at that time: the window that was
        doubted, or None where it is another.

        It is where far more was accepted than it allows, or where the end of the
        refusal is far behind its own.
        """
        window = self.doubted
        self.confirm()
        if window is None or accepted.count(now - window.seconds) > _MOST_FITTING * window.sends:
            return None
        late = reopens > self._begun + window.seconds + _ROUNDED_UP
        return None if self._guessed and late else window


class WindowGrowth:
    """Counts the clean windows that were used to the full, and says when to try a
    larger one, and which.

    After four of them the window grows by a twentieth, at least by one send, and twice
    as much after each success. A refused trial ends it, and the next one comes half as
    soon. What was lost in the last ten minutes is tried again at every second one,
    because a limit that is lowered for a while comes back.
    """

    def __init__(self, known: Window | None) -> None:
        """`known` is the window to begin with."""
        self._before: Window | None = None
        """The window to go back to while a larger one is tried."""
        self._step = _step(known) if known else 1.0
        self._patience = 1
        self._clean = 0
        self._kept = 0
        """The clean windows with what is known now."""
        self._best: Window | None = None
        """The largest window that was kept, until `_forget_at`."""
        self._forget_at = 0.0

    def restart(self, known: Window) -> None:
        """Begin anew with a window that was just learned."""
        self._step, self._clean, self._kept = _step(known), 0, 0

    def proven(self, known: Window) -> Window:
        """The window to go back to if the trial that may be going on fails."""
        return self._before or known

    def refused(self, known: Window, fitted: int, now: float) -> Window:
        """The window to keep to after a refusal; `fitted` sends were accepted in the latest one."""
        if self._before:
            return self.trial_failed(self._before)
        if self._kept >= _KEPT and (self._best is None or known.rate > self._best.rate):
            self._best, self._forget_at = known, now + _REMEMBERED
        smaller = Window(max(1.0, min(_REDUCTION * known.sends, fitted)), known.seconds)
        self.restart(smaller)
        return smaller

    def trial_failed(self, kept: Window) -> Window:
        """The window that was kept before a trial, which was refused."""
        self._before = None
        self._patience = min(_MOST_PATIENCE, self._patience * 2)
        self.restart(kept)
        self._kept = _KEPT
        return kept

    def passed(self, known: Window, now: float, *, full: bool) -> Window:
        """The window to keep to after one that had no refusal; `full` if it let no more through."""
        if not full:
            self._clean = 0
            return known
        if self._before:
            self._before, self._patience, self._step = None, 1, self._step * 2
        self._clean += 1
        self._kept += 1
        lost = (
            self._best
            if self._best and now < self._forget_at and self._best.rate > known.rate
            else None
        )
        enough = _CLEAN_WINDOWS_AFTER_A_LOSS if lost else _CLEAN_WINDOWS * self._patience
        if self._clean < enough * max(1.0, _SHORTEST_GROWN / known.seconds):
            return known
        self._before, self._clean, self._kept = known, 0, 0
        return lost or Window(known.sends + self._step, known.seconds)


def _step(known: Window) -> float:
    return max(1.0, known.sends * _GROWTH)
