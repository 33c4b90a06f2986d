"""The next step of a run of any kind: the one rule for every place that prints it."""

import shlex
from collections.abc import Sequence
from typing import NamedTuple


class WorkLeft(NamedTuple):
    """The number of calls of a run that are not done, by outcome.

    `repeats` says whether a resume repeats any call in doubt, and `look` is the command
    that shows whether the first of them was done. `corrected` is the command for the
    failed calls, if they fail again unless a person corrects them.
    """

    run: str
    not_tried: int
    failed: int
    in_doubt: int
    repeats: bool = False
    look: str | None = None
    corrected: Sequence[str] = ()


def next_step(left: WorkLeft, after: str = "") -> str | None:
    """Return the next command, or None if nothing is left.

    `after` is the word after `runs` in the command that just ended, if any. The next
    command is never that one again.
    """
    # After a retry, the calls that a resume repeats were repeated before, or are in
    # doubt anew.
    resumable = left.not_tried or (left.repeats and after != "retry")
    if resumable and after != "resume":
        return f"unified runs resume {left.run}"
    if left.failed and not left.corrected and after != "retry":
        return f"unified runs retry {left.run}"
    if left.in_doubt:
        if left.look:
            return left.look
        return retry_in_doubt(left.run) if after == "show" else f"unified runs show {left.run}"
    if left.failed and left.corrected:
        return shlex.join(["unified", *left.corrected])
    return f"unified runs show {left.run}" if left.failed or left.not_tried else None


def retry_in_doubt(run: str) -> str:
    """Return the command that repeats the calls in doubt of a run after a question."""
    return f"unified runs resume {run} --retry-in-doubt"


def remove(run: str) -> str:
    """Return the command that closes a run whose calls in doubt were all done."""
    return f"unified runs remove {run}"
