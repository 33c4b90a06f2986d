"""How long an unknown window of a limit is, what a found end says, and how long a limit is left alone after a 429."""

from unified_cli.http.pacing.send_log import NEVER, SendLog, Window

# A window's end is looked for at these seconds after its first send.
_CANDIDATES = (0.5, 1, 1.5, 2, 3, 4, 5, 7.5, 10, 15, 20, 30, 45, 60)
MARGIN = 1.02
"""So many times the length of a window is waited, because requests do not all take the same time to arrive."""
LONGEST = _CANDIDATES[-1] * MARGIN
"""The longest window in seconds that is looked for."""
# After the last of them it is looked for every so many seconds.
_STEP = 10.0
_SHORTEST = 0.05
# Windows have round lengths, and a Retry-After in whole seconds makes a short one look longer than it is.
_ROUND = (60.0, 30.0, 20.0, 15.0, 10.0, 5.0, 4.0, 3.0, 2.0, 1.0)
_ROUNDED_UP = 1.2
SLOWEST = 1.0
"""So many seconds a request may take to arrive, for all that is known."""
_LONGEST_PAUSE = 60.0
# A request after a pause may arrive sooner than the one before it did.
_LATER = 0.05


def next_look(begun: float, now: float, slack: float) -> float:
    """When to look next whether a window is over whose first send was at `begun`.

    `slack` is the seconds that a request takes to arrive. A window that begins at a fixed time may be over at any of
    them, and after the usual lengths it is looked for at small steps.
    """
    ends = (begun + seconds * MARGIN + slack for seconds in _CANDIDATES)
    return next((end for end in ends if end > now), now + _STEP)


def length(seconds: float, *, rounded_up: bool) -> float:
    """The length of a window that was over after so many seconds, which may have been rounded up."""
    found = (size * MARGIN for size in _ROUND if size < seconds < size + _ROUNDED_UP)
    return next(found, seconds) if rounded_up else max(seconds, _SHORTEST)


def asked_for(seconds: float | None, now: float) -> float:
    """The end of a pause that the service asks for, which is never without one."""
    return -NEVER if seconds is None else now + min(seconds, _LONGEST_PAUSE) + _LATER


def of_window(known: Window, accepted: SendLog, refused: int, now: float) -> float:
    """The end of a pause where the window is known, after so many probes that were refused."""
    longer = min(known.seconds / 8 * 2.0 ** min(refused, 10), _LONGEST_PAUSE)
    return now + max(longer, min(accepted.free(known, now) - now, _LONGEST_PAUSE))


def of_search(begun: float, fastest: float, now: float) -> float:
    """The end of a pause where the window is looked for whose first send was at `begun`."""
    return next_look(begun, now, min(fastest, SLOWEST) if fastest < NEVER else 0.0)
