"""How long an unknown window of a limit is: where its end is looked for, and what a found end says."""

from collections.abc import Iterator

# A window's end is looked for at these seconds after its first send.
_CANDIDATES = (0.5, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 45, 60)
MARGIN = 1.02
"""So many times the length of a window is waited, because requests do not all take the same time to arrive."""
LONGEST = _CANDIDATES[-1] * MARGIN
"""The longest window in seconds that is looked for."""
_SHORTEST = 0.05
# Windows have round lengths, and a Retry-After in whole seconds makes a short one look longer than it is.
_ROUND = (60.0, 30.0, 20.0, 15.0, 10.0, 5.0, 4.0, 3.0, 2.0, 1.0)
_ROUNDED_UP = 1.2


def ends(slack: float) -> Iterator[float]:
    """Seconds after the first send of a window at which it may be over; `slack` is what a request takes to arrive."""
    return (seconds * MARGIN + slack for seconds in _CANDIDATES)


def length(seconds: float, *, rounded_up: bool) -> float:
    """The length of a window that was over after so many seconds, which may have been rounded up."""
    found = (size * MARGIN for size in _ROUND if size < seconds < size + _ROUNDED_UP)
    return next(found, seconds) if rounded_up else max(seconds, _SHORTEST)
