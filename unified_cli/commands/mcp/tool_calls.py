"""What all calls of tools share: the connections, the clients that are kept open, and the bound on requests."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from unified_cli.call import builder
from unified_cli.catalogue import Catalogue, Operation
from unified_cli.commands.mcp.read_position import ReadCursors
from unified_cli.commands.mcp.served_profiles import ServedProfiles
from unified_cli.commands.mcp.serving.running_calls import RunningCalls
from unified_cli.commands.mcp.write_log import WriteLog
from unified_cli.config.settings import Settings
from unified_cli.errors import RateLimitError, UnifiedError, UsageError
from unified_cli.fleet.read import FairReaders
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request
from unified_cli.json_text.values import JsonObject

_MINUTE = 60.0

QueryValue = str | int | float | bool | None


class RequestBudget:
    """At most so many requests in any minute, 0 for no bound; for all threads."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._sent: deque[float] = deque()

    def spend(self) -> None:
        """Count a request. Raises RateLimitError, at once, where there were too many."""
        if not self._most:
            return
        with self._lock:
            now = self._monotonic()
            while self._sent and self._sent[0] <= now - _MINUTE:
                self._sent.popleft()
            if len(self._sent) >= self._most:
                seconds = self._sent[0] + _MINUTE - now
                raise RateLimitError(
                    f"this server sent {self._most} requests in the last minute, the most it may",
                    hint=f"try again in {seconds:.0f} s, or read less",
                )
            self._sent.append(now)


class ToolWorld(NamedTuple):
    """What the tools work with."""

    catalogue: Catalogue
    served: ServedProfiles
    readers: FairReaders
    budget: RequestBudget
    log: WriteLog
    calls: RunningCalls
    cursors: ReadCursors

    @contextmanager
    def client(self, name: str, settings: Settings) -> Iterator[Client]:
        """A client of the connection, for one call."""
        with self.readers.turn(), self.readers.lend(name, lambda: self.readers.clients.open(settings)) as client:
            yield client

    def request(self, settings: Settings, operation: Operation, identifier: str | None, content: Content) -> Request:
        """The request for an operation on a connection. Raises UsageError for what cannot be sent."""
        if identifier is not None and not operation.takes_id:
            raise UsageError(f"{operation.command} takes no id")
        made = requests.for_operation(builder.scope(settings, self.catalogue), operation, identifier, content)
        return made._replace(honoured=settings.idempotency_window > 0)


def pairs(query: Mapping[str, QueryValue | list[QueryValue]]) -> list[tuple[str, str]]:
    """The query parameters: of a list, one for each value."""
    several = [(name, value if isinstance(value, list) else [value]) for name, value in query.items()]
    return [(name, _text(one)) for name, values in several for one in values]


def connection(name: str, settings: Settings) -> JsonObject:
    """What names a connection in a result."""
    address, account = settings.reachable()
    return {"profile": name, "account_id": account, "at": address.origin}


def failure(error: UnifiedError) -> JsonObject:
    """An error in the result of a call that did something all the same."""
    return {"error": error.kind, "message": "; ".join(error.lines)}


def _text(value: QueryValue) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
