"""Create the HTTP clients of a run with their shared state, and keep idle ones."""

import gc
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from unified_cli.catalogue import Catalogue
from unified_cli.config import completion_words
from unified_cli.config.settings import Settings
from unified_cli.fleet.tokens import Tokens
from unified_cli.http.client import Client, Limits
from unified_cli.http.http_connection import HttpContext
from unified_cli.http.rate import Window
from unified_cli.http.rate_limit import Idle, Patience, Quota, RateLimit
from unified_cli.plural import ago
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr
from unified_cli.storage.cache import LIFETIME, Cache

if TYPE_CHECKING:
    from unified_cli.sandbox.in_process import InProcess, OwnSandbox


_MOST_NAMED = 5
# How long to wait at the end for programs that print tokens, in seconds. A keyring that
# hangs cannot be stopped.
_LAST_WAIT = 0.5
_MOST_SENDS = 1e6
_LONGEST = 3600.0
_PACES = "rate"
"""The kind of cached rate limits. Version 0.2.0 cached other values, as "pace"."""


class Clients:
    """Creates clients for any number of connections and threads; a context manager.

    Clients with the same token share a rate limit, and clients of the same connection a
    quota of retries. Each token is read once. On exit, the sandbox is closed, and the
    learned rate limits are cached for the next run.
    """

    def __init__(
        self,
        runtime: Runtime,
        catalogue: Catalogue,
        idle: Idle = nullcontext,
        tokens: Tokens | None = None,
    ) -> None:
        """Set up the clients without opening one.

        A thread that waits to send does so in the context `idle`. `tokens` may already
        have read some tokens.
        """
        if not gc.isenabled():
            # The command may run for long, so enable the garbage collector, which
            # __main__ disabled for a faster start. Freezing the existing objects saves
            # 8 ms in the next collection.
            gc.freeze()
            gc.enable()
        self._runtime = runtime
        self._idle = idle
        self._catalogue = catalogue
        self._lock = threading.RLock()
        self._tokens = tokens or Tokens(runtime)
        self._rate_limits: dict[Any, RateLimit] = {}
        self._quotas: dict[Any, Quota] = {}
        self._paces_are_known = runtime.has_cached(_PACES)
        """Whether an earlier run has cached a rate for any connection."""
        self._bulk: dict[str, Quota] = {}
        """The quotas of connections with bulk work, by name. Their retries are reported
        at the end.
        """
        self._sandbox: OwnSandbox | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._tokens.close(_LAST_WAIT)
        if self._bulk:
            self._tell_retries()
        with self._lock:
            if self._sandbox is not None:
                self._sandbox.close()
            self._keep_paces()

    def token(self, resolved: Settings) -> str:
        """Return the connection's token.

        Other threads can use this thread's slot while it waits. Raises ConfigError if
        there is no token.
        """
        if resolved.token is None:
            raise resolved.no_token_error()
        return self._tokens.get(resolved.token, self._idle)

    def open(
        self,
        resolved: Settings,
        token: str | None = None,
        *,
        name: str | None = None,
        patience: Patience = Patience.TIMEOUT,
    ) -> Client:
        """Return a client for one connection and one thread.

        `name` prefixes its messages.
        """
        token = token or self.token(resolved)
        completion_words.drop_others(self._runtime, resolved)
        address, account = resolved.reachable()
        # The sandbox and replays have no rate limits to learn.
        free = address.is_sandbox or self._runtime.replays
        rates = (0.0, 0.0) if free else (resolved.rate, resolved.token_rate)
        runtime = (
            self._runtime
            if name is None
            else self._runtime._replace(stderr=self._runtime.stderr.named(name))
        )
        with self._lock:
            shared = (address.origin, token)
            rate_limit = self._rate_limits.setdefault(
                (*shared, rates), RateLimit(rates, runtime.monotonic, runtime.sleep, self._idle)
            )
            if self._paces_are_known and not free and (*shared, account) not in self._quotas:
                self._recall_pace(rate_limit, address.origin, account, runtime.stderr)
            quota = self._quotas.setdefault((*shared, account), Quota())
            if patience is Patience.ENDLESS:
                self._bulk[name or ""] = quota
        context = HttpContext(runtime, self._catalogue.service, self._in_process)
        return Client(context, resolved, token, Limits(rate_limit, quota, patience))

    def open_bulk(self, resolved: Settings, name: str | None = None) -> Client:
        """Return a client for bulk work.

        It waits for rate limits as long as needed, and its retries are reported at the
        end.
        """
        return self.open(resolved, name=name, patience=Patience.ENDLESS)

    def recent_sends(self) -> int:
        """Return how many recent requests count towards the tokens' limits."""
        with self._lock:
            return sum(rate_limit.recent() for rate_limit in self._rate_limits.values())

    @cached_property
    def _paces(self) -> Cache:
        return Cache(self._runtime.folder("cache"), _PACES, self._runtime.wall)

    def _recall_pace(
        self, rate_limit: RateLimit, origin: str, account: str, stderr: Stderr
    ) -> None:
        known = _recall(self._paces, origin, account)
        if known is None:
            return
        rate_limit.recall(account, known.window)
        if stderr.verbosity:
            stderr.line(
                f"{ago(known.age)}, {known.window} were accepted; this run begins at this rate"
            )

    def _keep_paces(self) -> None:
        if self._runtime.replays:
            return
        saved = False
        try:
            for (origin, *_), rate_limit in self._rate_limits.items():
                for account in rate_limit.disproved():
                    self._paces.remove(origin, account)
            for (origin, *_), rate_limit in self._rate_limits.items():
                for account, window in rate_limit.learned().items():
                    _keep_window(self._paces, origin, account, window)
                    saved = True
            if saved:
                self._paces.sweep()
        except OSError as error:
            if self._runtime.stderr.verbosity:
                self._runtime.stderr.line(f"cannot cache the learned rate limits: {error.strerror}")

    def _tell_retries(self) -> None:
        if self._runtime.stderr.verbosity:
            return
        with self._lock:
            counts = {
                name: quota.repeats for name, quota in self._bulk.items() if quota.repeats > 1
            }
        if not counts:
            return
        often = sorted(counts, key=counts.__getitem__, reverse=True)
        named = [
            f"{name} {counts[name]}" if name else str(counts[name]) for name in often[:_MOST_NAMED]
        ]
        more = (
            f" and {len(often) - _MOST_NAMED} more connections" if len(often) > _MOST_NAMED else ""
        )
        self._runtime.stderr.note(f"retries: {', '.join(named)}{more}")

    def _in_process(self) -> "InProcess":
        # A call to the service does not need these forty modules, so import them late.
        from unified_cli.sandbox.in_process import OwnSandbox  # noqa: PLC0415

        with self._lock:
            if self._sandbox is None:
                self._sandbox = OwnSandbox(self._runtime, self._catalogue)
            return self._sandbox.transport()


class _Recalled(NamedTuple):
    """The rate that an earlier run learned, and its age in seconds."""

    window: Window
    age: float


def _recall(cache: Cache, origin: str, account: str) -> _Recalled | None:
    fact = cache.read(origin, account)
    if fact is None:
        return None
    match fact.value:
        case [float() | int() as sends, float() | int() as seconds] if not isinstance(sends, bool):
            pass
        case _:
            return None
    believable = (
        1 <= sends <= _MOST_SENDS and 0 < seconds <= _LONGEST and math.isfinite(sends / seconds)
    )
    return _Recalled(Window(sends, seconds), fact.age) if believable else None


def _keep_window(cache: Cache, origin: str, account: str, window: Window) -> None:
    known = _recall(cache, origin, account)
    # To save writes, replace the cached value only after half of its lifetime.
    if known is None or known.window != window or known.age > LIFETIME / 2:
        cache.write([window.sends, window.seconds], origin, account)


class ClientPool:
    """Lends each client to one job at a time; thread-safe. Keeps at most `most_idle`
    idle clients.
    """

    def __init__(self, most_idle: int) -> None:
        self._most_idle = most_idle
        self._lock = threading.Lock()
        self._idle: list[tuple[str, Client]] = []
        self._closed = False

    @contextmanager
    def lend(self, make: Callable[[], Client], name: str = "") -> Iterator[Client]:
        """Lend an idle client, or a new one.

        `name` is the connection, if the pool serves several.
        """
        client = self._take(name) or make()
        try:
            yield client
        finally:
            self._give_back(name, client)

    def close(self) -> None:
        """Close the idle clients, and the others when they are returned."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, client in idle:
            client.close()

    def _take(self, name: str) -> Client | None:
        with self._lock:
            for position, (owner, client) in enumerate(self._idle):
                if owner == name:
                    del self._idle[position]
                    return client
        return None

    def _give_back(self, name: str, client: Client) -> None:
        with self._lock:
            self._idle.append((name, client))
            too_many = self._closed or len(self._idle) > self._most_idle
            oldest = self._idle.pop(0)[1] if too_many else None
        if oldest:
            oldest.close()
