"""A call in a thread of its own, for what neither a deadline nor a signal can end."""

import math
import time
from collections.abc import Callable
from typing import TypeVar

from unified_cli import os_limits, signals

Result = TypeVar("Result")


class UnansweredError(Exception):
    """The call goes on after its deadline; its thread is left to itself."""


def result_of(work: Callable[[], Result], seconds: float = math.inf) -> Result:
    """What the work gives, within so many seconds.

    Raises what the work raises, UnansweredError where it takes longer, StorageError where no thread can be had.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  it is raised in the caller's thread
            errors.append(error)

    thread = os_limits.start_thread(run)
    until = time.monotonic() + seconds
    while thread.is_alive() and (left := until - time.monotonic()) > 0:
        thread.join(min(left, signals.LONGEST_WAIT))
    if errors:
        raise errors[0]
    if not results:
        raise UnansweredError
    return results[0]
