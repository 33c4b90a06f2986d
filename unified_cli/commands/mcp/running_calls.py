"""The calls that are going on: none of them sends anything more when it was cancelled,
or when the client is gone.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from unified_cli.errors import AbandonedError

_CURRENT: ContextVar[threading.Event | None] = ContextVar("_CURRENT", default=None)
"""Set when the call of this thread is over for its client."""
# A client that closes its end waits for the process about so long before it kills it.
_PATIENCE = 1.0


class RunningCalls:
    """Knows every call that is going on; for all threads."""

    def __init__(self, monotonic: Callable[[], float], sleep: Callable[[float], None]) -> None:
        self._monotonic = monotonic
        self._sleep = sleep
        self._changed = threading.Condition()
        self._calls: set[threading.Event] = set()
        self._working = 0
        self._gone = False
        self._hurry_at: float | None = None

    @property
    def any(self) -> bool:
        """Whether a call is going on, or waits for a thread."""
        with self._changed:
            return bool(self._calls)

    @property
    def hurried(self) -> bool:
        """Whether nobody asks any more, and a call should come to its end with what it has."""
        return self._hurry_at is not None and self._monotonic() >= self._hurry_at

    @contextlib.contextmanager
    def begun(self) -> Iterator[threading.Event]:
        """A call, until it was answered or cancelled: for the thread of the protocol."""
        call = threading.Event()
        with self._changed:
            self._calls.add(call)
            if self._gone:
                call.set()
        try:
            yield call
        finally:
            call.set()
            with self._changed:
                self._calls.discard(call)

    @property
    def current(self) -> threading.Event | None:
        """The call that this thread works for; None where it is no call's."""
        return _CURRENT.get()

    @contextlib.contextmanager
    def work(self, call: threading.Event | None) -> Iterator[None]:
        """A thread that works for a call, one of several perhaps."""
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

    def input_ended(self) -> None:
        """Nobody will ask any more; who asked is still answered."""
        self._hurry_at = self._monotonic() + _PATIENCE

    def close(self, seconds: float) -> None:
        """Let no call send anything more, and wait for them, but not longer than so
        many seconds.
        """
        with self._changed:
            self._gone = True
            for call in self._calls:
                call.set()
            self._changed.wait_for(lambda: not self._working, seconds)

    def check(self) -> None:
        """Raise AbandonedError where nobody waits for the answer to this thread's call."""
        call = _CURRENT.get()
        if call is not None and call.is_set():
            raise AbandonedError("the call was cancelled, or the client is gone")

    def sleep(self, seconds: float) -> None:
        """Wait so long. Raises AbandonedError as soon as nobody waits for the answer."""
        call = _CURRENT.get()
        if call is None:
            self._sleep(seconds)
        else:
            call.wait(seconds)
            self.check()
