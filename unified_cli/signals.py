"""Handle SIGINT and SIGTERM.

The first signal stops the program in order. A second signal ends it at once.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NoReturn

from unified_cli.errors import Terminated

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}

LONGEST_WAIT = 0.5
"""The longest uninterrupted wait of the main thread for another thread, in seconds.

Python handles a signal when the signal interrupts a wait. A signal that comes just
before the wait, while the thread releases the interpreter lock, does not interrupt the
wait.
"""


_MOMENT = 0.02
"""How long to wait before sending a lost signal again, in seconds."""

_SAME = 0.25
"""For how many seconds another signal is ignored as a copy of the first: the program
`timeout` of coreutils sends a signal both to the process and to its group.
"""


def handle_signals() -> None:
    """Handle both signals from now on."""
    sys.unraisablehook = _send_again
    for number in _CODES:
        # A background process may have been started with these signals ignored, and
        # must continue to ignore them.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


@contextlib.contextmanager
def ending_at_once() -> Iterator[None]:
    """Let both signals end the process at once during the block. A shell sees the same
    exit codes.

    Use this context manager for libraries that run long and block Python's handlers,
    such as jq, and only for work that can be killed at any time. It does nothing
    outside the main thread, because only the main thread can change handlers. It also
    does nothing in the first process of a container, for which the system ignores
    signals without a handler.
    """
    if threading.current_thread() is not threading.main_thread() or os.getpid() == 1:
        yield
        return
    handlers = {number: signal.getsignal(number) for number in _CODES}
    # A handler that Python did not set cannot be restored.
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    try:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def interrupts_left_to_others() -> Iterator[None]:
    """Ignore SIGINT during the block, because another program has the terminal and
    handles it.

    The other program still receives SIGINT. Does nothing outside the main thread.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    # Use a Python handler, because child processes would inherit an ignored signal.
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


RUN_AGAIN = "run the same command again"
"""The next step for work that has a journal."""


def say_how_to_continue(stop: BaseException, done: str, onward: str) -> None:
    """Add a note with the progress and the next step to a signal.

    `done` is the progress, and `onward` the next step. The last line on stderr shows
    the note.
    """
    stop.add_note(f"stopped after {done}; to continue: {onward}")


@contextlib.contextmanager
def with_progress(so_far: Callable[[], str]) -> Iterator[None]:
    """Add a note with the progress and the next step to a signal that comes during the
    block.

    `so_far` is called when the signal comes, and returns the progress. Use this context
    manager for work that writes nothing and starts from the beginning when it runs
    again.
    """
    try:
        yield
    except KeyboardInterrupt as stop:
        say_how_to_continue(stop, so_far(), f"{RUN_AGAIN}, which starts again")
        raise


def exit_code(stop: KeyboardInterrupt) -> int:
    """Return the exit code of a stopped program."""
    return _CODES[signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT]


def find_stop(error: Exception) -> KeyboardInterrupt | None:
    """Return the signal that caused an error, or None.

    Before version 3.12, Python wraps an exception that is raised in `__set_name__`.
    """
    return error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else None


def _stop(number: int, _frame: object) -> NoReturn:
    for other in _CODES:
        signal.signal(other, partial(_end, time.monotonic()))
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def share_terminal() -> None:
    """Let only the first Ctrl-C stop the program, and ignore further ones.

    They are for another program that uses the same terminal.
    """
    if (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is _stop
    ):
        signal.signal(signal.SIGINT, _stop_once)


def _stop_once(number: int, _frame: object) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, partial(_end, time.monotonic()))
    raise KeyboardInterrupt


def _send_again(lost: "sys.UnraisableHookArgs") -> None:
    stop = lost.exc_value
    if not isinstance(stop, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    handle_signals()
    number = signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT
    # Send the signal from another thread, after this thread has left the callback.
    again = threading.Timer(_MOMENT, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _end(first: float, number: int, _frame: object) -> None:
    if time.monotonic() - first > _SAME:
        os._exit(_CODES[signal.Signals(number)])
