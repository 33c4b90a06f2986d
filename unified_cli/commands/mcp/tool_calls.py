"""The state that all calls of tools share: the profiles, their clients, and the request
limit.
"""

import base64
import binascii
import contextlib
import hashlib
import hmac
import secrets
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple

import msgspec

from unified_cli.catalogue import Catalogue, Operation
from unified_cli.cli.options import overrides
from unified_cli.commands.mcp.command import ServeMcpOptions
from unified_cli.commands.mcp.running_calls import RunningCalls
from unified_cli.commands.mcp.write_log import WriteLog
from unified_cli.config import file, known_methods, profiles
from unified_cli.config.file import Config
from unified_cli.config.settings import Settings
from unified_cli.errors import ConfigError, RateLimitError, UnifiedError, UnsafeError, UsageError
from unified_cli.fleet import own_account
from unified_cli.fleet.read import FairReaders
from unified_cli.http import request as requests
from unified_cli.http.client import Client
from unified_cli.http.request import Content, Request
from unified_cli.json_text import typed_json
from unified_cli.plural import named
from unified_cli.runtime import Runtime
from unified_cli.values import JsonObject

# A cursor is part of an answer, so it cannot be larger than the largest answer.
_LONGEST = 256 * 1024
_SIGNATURE_SIZE = 16


class ReadPosition(NamedTuple):
    """The position of a read over several connections.

    `number` is the index of the first connection that was not read yet. `begun` has the
    earlier connections that are not finished, each with its cursor, in the order of
    their turns.
    """

    number: int = 0
    begun: tuple[tuple[int, str | None], ...] = ()


class ReadCursors:
    """Creates and reads the cursors of one server.

    A cursor is signed with its connections, route and query. So the server rejects an
    invented or changed cursor, the cursor of another read, and any cursor from before
    its start.
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)

    def text(self, position: ReadPosition, read_key: Sequence[object]) -> str:
        """Return the cursor as text for the agent."""
        payload = msgspec.json.encode(position)
        return (
            base64.urlsafe_b64encode(self._signature(payload, read_key) + payload)
            .decode("ascii")
            .rstrip("=")
        )

    def position(self, text: str | None, read_key: Sequence[object]) -> ReadPosition:
        """Return the position of a cursor, or the first position without a cursor.

        Raises UsageError if the cursor is invalid, or belongs to a different read.
        """
        if text is None:
            return ReadPosition()
        try:
            padded = text[:_LONGEST] + "=" * (-len(text) % 4)
            found = base64.b64decode(padded, b"-_", validate=True)
        except (binascii.Error, ValueError):
            found = b""
        signature, payload = found[:_SIGNATURE_SIZE], found[_SIGNATURE_SIZE:]
        if not hmac.compare_digest(signature, self._signature(payload, read_key)):
            hint = (
                'pass "next" of the last answer unchanged, with the same operation, profile, id and'
                " query"
            )
            raise UsageError(
                "this server did not return this cursor for this read",
                hint=f"{hint}; or start without a cursor",
            )
        return typed_json.decode(payload, ReadPosition)

    def _signature(self, payload: bytes, read_key: Sequence[object]) -> bytes:
        made_for = hashlib.sha256(repr(read_key).encode("utf-8", "surrogatepass")).digest()
        return hmac.digest(self._key, made_for + payload, "sha256")[:_SIGNATURE_SIZE]


_MINUTE = 60.0

QueryValue = str | int | float | bool | None
_MOST_NAMED = 20


class ServedProfiles:
    """The profiles that the server offers, as read at its start.

    The constructor raises ConfigError if no profile is selected.
    """

    def __init__(self, runtime: Runtime, options: ServeMcpOptions) -> None:
        self._runtime = runtime
        self._config = file.read(runtime)
        self._overrides = overrides(options)
        self.names = (
            profiles.select(self._config, options.profile)
            if options.profile
            else [*self._config.profiles]
        )
        if not self.names:
            raise ConfigError(
                "there is no profile to serve",
                hint="unified profile add NAME; to try things out: -p sandbox",
            )
        tables = {
            name: self._config.profiles[name]
            for name in self.names
            if name in self._config.profiles
        }
        self._identities: dict[str, tuple[str, str | None, str | None]] = {}
        self._fenced = Config(self._config.path, self._config.top, tables)

    @property
    def words(self) -> str:
        """The names, or only the first if there are many."""
        return named(self.names, _MOST_NAMED)

    def select(self, patterns: Sequence[str]) -> list[str]:
        """Return the served profiles that names, globs and tags select.

        Raises UsageError without a pattern, and UnsafeError if a profile is not served.
        """
        if not patterns:
            raise UsageError(f"profile is missing; this server reaches {self.words}")
        for name in patterns:
            if not profiles.is_several([name]) and name not in self.names:
                raise UnsafeError(
                    f'this server does not reach profile "{name}", but only {self.words}'
                )
        try:
            result = profiles.select(self._fenced, patterns)
        except ConfigError as error:
            raise UnsafeError(f"{error.reason}: this server reaches {self.words}") from None
        return result

    def select_one(self, name: str) -> str:
        """Return the name of a single connection.

        Raises UsageError if a pattern may select several, and UnsafeError as `select`
        does.
        """
        if profiles.is_several([name]):
            raise UsageError(
                f"profile {name!r} may be several connections, but a write is for one of them:"
                f" {self.words}"
            )
        return self.select([name])[0]

    def described(self, names: Sequence[str], operation: Operation) -> list[str] | None:
        """Return an operation's parameters as its connection described them.

        Returns None if there are several connections, or no description from the last
        day.
        """
        if len(names) != 1:
            return None
        description = known_methods.recall(self._runtime, self.settings(names[0]), operation)
        return [field.name for field in description.query] if description else None

    def settings(self, name: str) -> Settings:
        """Return the settings of a connection.

        Raises UnifiedError if they do not name a connection.
        """
        result = own_account.resolved(
            self._overrides._replace(profile=name), self._runtime, self._config
        )
        result.reachable()
        return result

    def identity(self, name: str) -> tuple[str, str | None, str | None]:
        """Return a connection's name, address and account, if known."""
        if name not in self._identities:
            address = account = None
            with contextlib.suppress(UnifiedError):
                address, account = self.settings(name).reachable()
            self._identities[name] = (name, str(address) if address else None, account)
        return self._identities[name]


class RequestBudget:
    """Limits the requests of any minute to `most`, 0 for no limit; thread-safe."""

    def __init__(self, most: int, monotonic: Callable[[], float]) -> None:
        self._most = most
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._sent: deque[float] = deque()

    def spend(self) -> None:
        """Count a request.

        Raises RateLimitError at once, without waiting, if the limit is reached.
        """
        if not self._most:
            return
        with self._lock:
            now = self._monotonic()
            while self._sent and self._sent[0] <= now - _MINUTE:
                self._sent.popleft()
            if len(self._sent) >= self._most:
                seconds = self._sent[0] + _MINUTE - now
                raise RateLimitError(
                    (
                        f"this server sent {self._most} requests in the last minute, which is its"
                        " limit"
                    ),
                    hint=f"try again in {seconds:.0f} s, or read less",
                )
            self._sent.append(now)


class ToolWorld(NamedTuple):
    """The context of the tools."""

    catalogue: Catalogue
    served: ServedProfiles
    readers: FairReaders
    budget: RequestBudget
    log: WriteLog
    calls: RunningCalls
    cursors: ReadCursors

    @contextmanager
    def client(self, name: str, settings: Settings) -> Iterator[Client]:
        """Return a client of the connection, for one call."""
        with self.readers.turn(), self.lend(name, settings) as client:
            yield client

    def lend(self, name: str, settings: Settings) -> AbstractContextManager[Client]:
        """Return a client for a worker, which already has its turn."""
        return self.readers.lend(name, lambda: self.readers.clients.open(settings))

    def request(
        self, settings: Settings, operation: Operation, identifier: str | None, content: Content
    ) -> Request:
        """Return the request for an operation on a connection.

        Raises UsageError if it cannot be sent.
        """
        if identifier is not None and not operation.takes_id:
            raise UsageError(f"{operation.command} takes no id")
        scope = requests.scope_of(settings, self.catalogue.service)
        return requests.for_operation(scope, operation, identifier, content)


def pairs(query: Mapping[str, QueryValue | list[QueryValue]]) -> list[tuple[str, str]]:
    """Return the query parameters, one for each value of a list."""
    several = [
        (name, value if isinstance(value, list) else [value]) for name, value in query.items()
    ]
    return [(name, _text(value)) for name, values in several for value in values]


def connection(name: str, settings: Settings) -> JsonObject:
    """Return the members that identify a connection in a result."""
    address, account = settings.reachable()
    return {"profile": name, "account_id": account, "at": address.origin}


def failure(error: UnifiedError) -> JsonObject:
    """Return an error within the result of a partly successful call."""
    return {"error": error.kind, "message": "; ".join(error.lines)}


def _text(value: QueryValue) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
