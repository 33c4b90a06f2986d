"""Keep what was learned about the limits of connections for the next run."""

import math
from typing import NamedTuple

from unified_cli.http.pacing.send_log import Window
from unified_cli.storage.cache import LIFETIME, Cache

_MOST_SENDS = 1e6
_LONGEST = 3600.0
# What is known already is written again only when it is half as old as it may get.
_REFRESH = LIFETIME / 2


class Recalled(NamedTuple):
    """What an earlier run learned, and how many seconds ago."""

    window: Window
    age: float


def recall(cache: Cache, origin: str, account: str) -> Recalled | None:
    """What is known about a connection; None where nothing is."""
    fact = cache.read(origin, account)
    if fact is None:
        return None
    match fact.value:
        case [float() | int() as sends, float() | int() as seconds] if not isinstance(sends, bool):
            pass
        case _:
            return None
    believable = 1 <= sends <= _MOST_SENDS and 0 < seconds <= _LONGEST and math.isfinite(sends / seconds)
    return Recalled(Window(sends, seconds), fact.age) if believable else None


def forget(cache: Cache, origin: str, account: str) -> None:
    """Forget what a run disproved. Raises OSError."""
    cache.remove(origin, account)


def keep(cache: Cache, origin: str, account: str, window: Window) -> None:
    """Keep what a run learned about a connection. Raises OSError."""
    known = recall(cache, origin, account)
    if known is None or known.window != window or known.age > _REFRESH:
        cache.write([window.sends, window.seconds], origin, account)
