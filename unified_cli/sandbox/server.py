"""The sandbox on a port of this machine, for any client."""

import contextlib
import errno
import logging
import os
import secrets
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import waitress
from waitress import wasyncore
from waitress.channel import ClientDisconnected

from unified_cli.catalogue import Catalogue
from unified_cli.errors import StorageError, UsageError
from unified_cli.masking import hide
from unified_cli.runtime import Runtime
from unified_cli.sandbox import host_check
from unified_cli.sandbox.accounts import DEFAULT
from unified_cli.sandbox.application import GREATEST_BODY, Sandbox
from unified_cli.sandbox.fault_plan import Faults
from unified_cli.sandbox.location import own_store
from unified_cli.sandbox.messages import ConnectionDropped, Refusal
from unified_cli.sandbox.store import SandboxStore

# Enough for a client with 64 workers against answers that are slow on purpose.
_THREADS = 64
# An idle connection is closed after so many seconds; every few seconds they are checked.
_IDLE, _SWEEP = 30, 5
_CONNECTIONS = 20_000
# The value of SO_LINGER that makes closing a reset: on, for no second.
_RESET = struct.pack("ii" if os.name == "posix" else "hh", 1, 0)

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


class Server:
    """A served sandbox: it runs until `stop`, which any thread may call."""

    def __init__(self, sandbox: Sandbox, port: int = 0) -> None:
        """Take the port; 0 is any free one. Raises StorageError where it is taken, UsageError where it is none."""
        self._sandbox = sandbox
        self._sockets = _listen(port)
        self._map: dict[int, Any] = {}
        self._stopped = threading.Event()
        self.port: int = self._sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._hosts = frozenset(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))
        # waitress logs overload and broken clients, which does not matter here.
        for name in ("waitress", "waitress.queue"):
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        self._server = waitress.create_server(
            self._guarded,
            map=self._map,
            sockets=self._sockets,
            threads=_THREADS,
            connection_limit=_raised_limit(),
            channel_timeout=_IDLE,
            cleanup_interval=_SWEEP,
            max_request_body_size=GREATEST_BODY,
            asyncore_use_poll=True,
            ident="sandbox",
            clear_untrusted_proxy_headers=True,
        )

    def run(self) -> None:
        """Serve until stopped, or until a signal's exception comes through."""
        try:
            while not self._stopped.is_set():
                wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)
        finally:
            dispatcher = getattr(self._server, "task_dispatcher", None)
            if dispatcher is not None:
                dispatcher.shutdown(timeout=1)
            wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Make `run` return."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            # The loop waits for an event, and a connection is one.
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()

    def _guarded(self, environ: "WSGIEnvironment", respond: "StartResponse") -> Iterable[bytes]:
        try:
            host_check.check(environ, self._hosts)
            return self._sandbox(environ, respond)
        except Refusal as refusal:
            answer = refusal.answer(self._sandbox.service)
            respond(answer.line, [*answer.headers.items(), ("Content-Length", str(len(answer.body)))])
            return [answer.body]
        except ConnectionDropped:
            self._reset((environ["REMOTE_ADDR"], int(environ["REMOTE_PORT"])))
            raise ClientDisconnected from None

    def _reset(self, peer: tuple[str, int]) -> None:
        """Make closing the connection a reset."""
        for channel in list(self._map.values()):
            if getattr(channel, "addr", None) and tuple(channel.addr[:2]) == peer:
                channel.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """What to serve, and where.

    `state` is a file, `:memory:`, or None for the user's own; `faults` a specification, or a file that holds one;
    `records` says how many records of (API, resource) there are.
    """

    port: int = 0
    seed: str | None = None
    state: str | None = None
    faults: str | None = None
    records: Mapping[tuple[str, str], int] = field(default_factory=dict)


def serve(runtime: Runtime, catalogue: Catalogue, announce: Callable[[bytes], None], settings: ServerSettings) -> None:
    """Serve on a loopback port until a signal comes, and announce in three lines how to reach it.

    Raises UsageError for faults that are not understood, StorageError where the port or the state cannot be used.
    """
    seed, state, records = settings.seed, settings.state, settings.records
    faults = Faults.parse(_spec(settings.faults), seed or "")
    if state is None:
        store = own_store(runtime, seed, records)
    else:
        store = SandboxStore.open(None if state == ":memory:" else Path(state), seed, records=records)
    token = secrets.token_urlsafe(24)
    hide(token)
    sandbox = Sandbox(
        catalogue, store, token=token, faults=faults, control=True, wall=runtime.wall, sleep=runtime.sleep
    )
    server = Server(sandbox, settings.port)
    lines = {"UNIFIED_BASE_URL": server.url, "UNIFIED_TOKEN": token, "UNIFIED_ACCOUNT_ID": DEFAULT}
    announce("".join(f"export {name}={value}\n" for name, value in lines.items()).encode())
    runtime.stderr.note(f"the sandbox listens on {server.url}; stop it with Ctrl-C")
    try:
        server.run()
    finally:
        store.close()


def _spec(faults: str | None) -> str:
    if not faults:
        return ""
    try:
        path = Path(faults)
        return path.read_text("utf-8") if path.is_file() else faults
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the faults in {faults}: {error}") from None


def _listen(port: int) -> list[socket.socket]:
    """Sockets on 127.0.0.1 and, where this machine has it, on ::1, both on one port."""
    if not 0 <= port <= 65_535:
        raise UsageError(f"there is no port {port} (0 takes a free one)")
    try:
        first = socket.create_server(("127.0.0.1", port), backlog=1024)
    except OSError as error:
        raise StorageError(f"cannot listen on port {port}: {error.strerror} (--port 0 takes a free one)") from error
    try:
        second = socket.create_server(("::1", first.getsockname()[1]), family=socket.AF_INET6, backlog=1024)
    except OSError as error:
        # Without IPv6, or where the port is taken there, 127.0.0.1 alone is enough.
        if error.errno == errno.EMFILE:
            raise
        return [first]
    return [first, second]


def _raised_limit() -> int:
    """How many connections may be open: as many as the operating system allows files, less some for other files."""
    try:
        import resource  # noqa: PLC0415  not on Windows
    except ImportError:
        return 500
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _CONNECTIONS if hard == resource.RLIM_INFINITY else min(hard, _CONNECTIONS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    usable = wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)
    return max(usable - 100, 50)
