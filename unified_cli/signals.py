"""SIGINT and SIGTERM: the first stops the program in order, the second ends it at once."""

import os
import signal
from typing import NoReturn

from unified_cli.errors import Terminated

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


def handle_signals() -> None:
    """Handle both signals from now on."""
    for number in _CODES:
        # A process started to survive in the background ignores them, and continues to do so.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def exit_code(stop: KeyboardInterrupt) -> int:
    """The exit code for a program that was stopped."""
    return _CODES[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


def _stop(number: int, _frame: object) -> NoReturn:
    for other in _CODES:
        signal.signal(other, _end)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _end(number: int, _frame: object) -> NoReturn:
    os._exit(_CODES[signal.Signals(number)])
