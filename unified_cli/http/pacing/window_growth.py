"""How windows larger than the known one are tried, and what is known after one was refused."""

from unified_cli.http.pacing.send_log import Window

_REDUCTION = 0.85
_GROWTH = 0.05
_CLEAN_WINDOWS = 4
_CLEAN_WINDOWS_AFTER_A_LOSS = 2
_MOST_PATIENCE = 16
# A window that was clean so often in a row was no accident.
_KEPT = 2
_REMEMBERED = 600.0
# Windows that are shorter, as those of a token bucket seem, would be tried too often: they count as part of one.
_SHORTEST = 1.0


class WindowGrowth:
    """Counts the clean windows that were used to the full, and says when to try a larger one, and which.

    After four of them the window grows by a twentieth, at least by one send, and twice as much after each success. A
    refused trial ends it, and the next one comes half as soon. What was lost in the last ten minutes is tried again at
    every second one, because a limit that is lowered for a while comes back.
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
        lost = self._best if self._best and now < self._forget_at and self._best.rate > known.rate else None
        enough = _CLEAN_WINDOWS_AFTER_A_LOSS if lost else _CLEAN_WINDOWS * self._patience
        if self._clean < enough * max(1.0, _SHORTEST / known.seconds):
            return known
        self._before, self._clean, self._kept = known, 0, 0
        return lost or Window(known.sends + self._step, known.seconds)


def _step(known: Window) -> float:
    return max(1.0, known.sends * _GROWTH)
