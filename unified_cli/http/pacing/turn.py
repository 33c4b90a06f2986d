"""A request that a limit let through."""

from dataclasses import dataclass


@dataclass(slots=True)
class Turn:
    """A request that was let through; `round` is that of the limit at that time, which changes with each 429."""

    at: float
    round: int
    probe: bool
