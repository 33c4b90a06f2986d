"""Decide which command to suggest next for a run. All commands print the same
suggestion.
"""

import shlex
from collections.abc import Sequence
from typing import NamedTuple


class WorkLeft(NamedTuple):
    """The calls of a run that are not done, counted by outcome.

    `repeats` says whether a resume repeats any call in doubt. `check_command` is the
    command that shows whether calls in doubt were done. `corrected` is the command for
    failed calls that must be corrected first.
    """

    run: str
    not_tried: int
    failed: int
    in_doubt: int
    repeats: bool = False
    check_command: str | None = None
    corrected: Sequence[str] = ()


def next_step(left: WorkLeft, after: str = "") -> str | None:
    """Return the next command, or None if everything is done.

    `after` is the subcommand of `runs` that just ended, or "". The next command always
    differs from the command that just ended.
    """
    # After a retry, a resume would not help: the calls in doubt are the calls that the
    # retry sent.
    resumable = left.not_tried or (left.repeats and after != "retry")
    if resumable and after != "resume":
        return f"unified runs resume {left.run}"
    if left.failed and not left.corrected and after != "retry":
        return f"unified runs retry {left.run}"
    if left.in_doubt:
        if left.check_command:
            return left.check_command
        return retry_in_doubt(left.run) if after == "show" else f"unified runs show {left.run}"
    if left.failed and left.corrected:
        return shlex.join(["unified", *left.corrected])
    return f"unified runs show {left.run}" if left.failed or left.not_tried else None


def retry_in_doubt(run: str) -> str:
    """Return the command that repeats the calls in doubt of a run."""
    return f"unified runs resume {run} --retry-in-doubt"


def remove(run: str) -> str:
    """Return the command that removes a run."""
    return f"unified runs remove {run}"
