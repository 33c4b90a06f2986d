"""Track the running calls. A call stops sending once it is cancelled, or the client is
gone.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from unified_cli.errors import AbandonedError

_CURRENT: ContextVar[threading.Event | None] = ContextVar("_CURRENT", default=None)
"""The event of this thread's call. It is set when the client stops waiting for the
call.
"""
# The process ends within 2 s of its client. This is how long to wait for the responses
# to requests in flight.
_LAST_SECONDS = 0.8


class RunningCalls:
    """Tracks every running call; thread-safe."""

    def __init__(self, monotonic: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._changed = threading.Condition()
        self._calls: set[threading.Event] = set()
        self._working = 0
        self._until: float | None = None
        """When all calls must have ended, after the client is gone."""

    @contextlib.contextmanager
    def register(self) -> Iterator[threading.Event]:
        """Register a call until it is answered or cancelled. The protocol thread calls
        this.
        """
        call = threading.Event()
        with self._changed:
            self._calls.add(call)
            if self._until is not None:
                call.set()
        try:
            yield call
        finally:
            call.set()
            with self._changed:
                self._calls.discard(call)

    @property
    def current(self) -> threading.Event | None:
        """The call that this thread works for, or None."""
        return _CURRENT.get()

    @contextlib.contextmanager
    def work(self, call: threading.Event | None) -> Iterator[None]:
        """Mark this thread as working for a call. Other threads may work for it,
        too.
        """
        known = _CURRENT.set(call)
        with self._changed:
            self._working += 1
        try:
            yield
        finally:
            _CURRENT.reset(known)
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def abandon(self) -> None:
        """Stop all calls from sending, because the client is gone."""
        with self._changed:
            if self._until is None:
                self._until = self._monotonic() + _LAST_SECONDS
            for call in self._calls:
                call.set()

    def close(self) -> None:
        """Abandon all calls, and wait a moment for their end."""
        self.abandon()
        with self._changed:
            left = (self._until or 0.0) - self._monotonic()
            self._changed.wait_for(lambda: not self._working, max(0.0, left))

    def check(self) -> None:
        """Raise AbandonedError if the client no longer waits for the call."""
        call = _CURRENT.get()
        if call is not None and call.is_set():
            raise AbandonedError("the call was cancelled, or the client is gone")

    def sleep(self, seconds: float) -> None:
        """Wait this many seconds.

        Raises AbandonedError as soon as the client no longer waits for the call.
        """
        call = _CURRENT.get()
        if call is None:
            self._sleep(seconds)
        else:
            call.wait(seconds)
            self.check()
