"""How long a limit stays closed after a refusal."""

from unified_cli.http.pacing import window_search
from unified_cli.http.pacing.send_log import NEVER, SendLog, Window

SLOWEST = 1.0
"""So many seconds a request may take to arrive, for all that is known."""
_LONGEST = 60.0
# A request after a pause may arrive sooner than the one before it did.
_LATER = 0.05


def asked_for(seconds: float | None, now: float) -> float:
    """The end of a pause that the service asks for, which is never without one."""
    return -NEVER if seconds is None else now + min(seconds, _LONGEST) + _LATER


def of_window(known: Window, accepted: SendLog, refused: int, now: float) -> float:
    """The end of a pause where the window is known, after so many probes that were refused."""
    longer = min(known.seconds / 8 * 2.0 ** min(refused, 10), _LONGEST)
    return now + max(longer, min(accepted.free(known, now) - now, _LONGEST))


def of_search(begun: float, fastest: float, now: float) -> float:
    """The end of a pause where the window is looked for whose first send was at `begun`."""
    return window_search.next_look(begun, now, min(fastest, SLOWEST) if fastest < NEVER else 0.0)
