"""Read the token of each connection once.

Some tokens are printed by programs. These programs run in parallel.
"""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from unified_cli import signals
from unified_cli.config import token as secrets
from unified_cli.config.token import TokenSource
from unified_cli.errors import ConfigError, UnifiedError
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    # Import httpx only when a request is sent.
    from unified_cli.http.rate_limit import Idle

_COMMANDS = 8
# If a program failed to print a token, run it again only after this time. An MCP server
# runs for days, so it must try again at some point.
_FAILED_SECONDS = 10.0


class _TokenRead:
    """One read of a token source. After `done` is set, it has a token or an error."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.token = ""
        self.error: UnifiedError | None = None
        self.stale_at = 0.0
        """When to try again after an error."""


class Tokens:
    """Reads the tokens of a run; thread-safe.

    At most eight programs that print a token run at a time. Tokens from other sources
    are read one after another, because a keyring may ask for its password.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._commands = threading.Semaphore(_COMMANDS)
        self._others = threading.Semaphore()
        self._changed = threading.Condition()
        self._reads: dict[Any, _TokenRead] = {}
        self._running = 0
        self._is_closed = False

    def get(self, source: TokenSource, idle: "Idle" = nullcontext) -> str:
        """Return the token of a source.

        Enters the context `idle` while this thread reads the token, or while it waits
        for another thread that reads the same source.

        Raises ConfigError if the token cannot be read, or after `close`.
        """
        # Read sources with the same key only once.
        profile = source.profile if source.kind == "keyring" else None
        key = (source.kind, repr(source.detail), source.origin, profile)
        with self._changed:
            read = self._reads.get(key)
            is_new = read is None or (
                read.error is not None and self._runtime.monotonic() >= read.stale_at
            )
            if read is None or is_new:
                read = self._reads[key] = _TokenRead()
        if not read.done.is_set():
            with idle(math.inf):
                if is_new:
                    self._read(read, source)
                while not read.done.wait(signals.LONGEST_WAIT):
                    self._check()
        if read.error:
            raise read.error
        return read.token

    def close(self, seconds: float) -> None:
        """Stop the programs that print a token.

        Waits at most this many seconds.
        """
        with self._changed:
            self._is_closed = True
            self._changed.wait_for(lambda: not self._running, seconds)

    def _read(self, read: _TokenRead, source: TokenSource) -> None:
        turns = self._commands if source.kind == "token_command" else self._others
        failure: UnifiedError | None = _ended()
        try:
            with self._turn(turns):
                read.token = secrets.read(source, self._runtime, self._check)
            failure = None
        except UnifiedError as error:
            failure = error
            if turns is self._commands:
                read.stale_at = self._runtime.monotonic() + _FAILED_SECONDS
        finally:
            read.error = failure
            read.done.set()

    @contextmanager
    def _turn(self, turns: threading.Semaphore) -> Iterator[None]:
        while not turns.acquire(timeout=signals.LONGEST_WAIT):
            self._check()
        with self._changed:
            self._running += 1
        try:
            self._check()
            yield
        finally:
            turns.release()
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def _check(self) -> None:
        if self._is_closed:
            raise _ended()


def _ended() -> ConfigError:
    return ConfigError("the token was not read, because this command has ended")
