"""Serve the sandbox on a port of this machine."""

import contextlib
import errno
import logging
import os
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Self

import waitress
from waitress import wasyncore
from waitress.channel import ClientDisconnected, HTTPChannel
from waitress.server import BaseWSGIServer
from waitress.task import ThreadedTaskDispatcher

from unified_cli import os_limits
from unified_cli.config.address import bracketed
from unified_cli.errors import StorageError, UsageError
from unified_cli.masking import cut, masked
from unified_cli.runtime import Runtime
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import ConnectionDropped, Refusal, SandboxResponse
from unified_cli.sandbox.wsgi_application import (
    GREATEST_BODY,
    HostCheck,
    WsgiApplication,
    allow_uploads,
    respond,
)

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

# When to close an idle connection, and how often to check, in seconds.
_IDLE, _SWEEP = 30, 5
_CONNECTIONS = 20_000
# How long `close` waits for pending responses, in seconds. Writes are stored before the
# response, so they are not lost.
_GRACE = 0.3
# With this value of SO_LINGER, closing resets the connection.
_RESET = struct.pack("ii" if os.name == "posix" else "hh", 1, 0)
_FIRST_THREADS = 2
# Enough for a client with 64 workers and slow responses.
_MOST_THREADS = 64
# A request with a longer body is handled by a thread, so that other requests need not
# wait for it.
_SHORT_BODY = 64 * 1024
_LONGEST_LOGGED = 2000
_BACKLOG = 1024


def listen(port: int, host: str | None = None) -> list[socket.socket]:
    """Return sockets that listen on `host`, by default 127.0.0.1 and, if possible, ::1.

    Raises UsageError if the port is invalid or the host unknown, and StorageError if
    the port cannot be used.
    """
    if not 0 <= port <= 65_535:
        raise UsageError(f"there is no port {port} (0 chooses a free port)")
    first = _socket(host or "127.0.0.1", port)
    if host is not None:
        return [first]
    try:
        second = socket.create_server(
            ("::1", first.getsockname()[1]), family=socket.AF_INET6, backlog=_BACKLOG
        )
    except OSError as error:
        # If ::1 cannot be used, 127.0.0.1 is enough.
        if error.errno == errno.EMFILE:
            raise
        return [first]
    return [first, second]


def is_loopback(listening: socket.socket) -> bool:
    """Return whether only this machine can reach the socket."""
    return ip_address(listening.getsockname()[0].partition("%")[0]).is_loopback


def address_of(listening: socket.socket) -> tuple[str, int]:
    """Return the host, as in a URL, and the port that programs on this machine can
    connect to.
    """
    host, port = listening.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  compared, not bound
    return bracketed(host), port


def _socket(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM
        )[0]
    except (OSError, UnicodeError):
        raise UsageError(f"--host {host}: no address of that name is known here") from None
    try:
        return socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        # Python's message repeats the address as a tuple.
        reason = os.strerror(error.errno) if error.errno else str(error)
        hint = (
            "--port 0 chooses a free port"
            if error.errno == errno.EADDRINUSE
            else "is it an address of this machine?"
        )
        raise StorageError(f"cannot listen on {host}, port {port}: {reason}", hint=hint) from error


class RequestLog:
    """Logs requests and responses to stderr, with `-v`."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def start(self) -> float:
        """Return the start time of a request."""
        return self._runtime.monotonic()

    def write(
        self, environ: "WSGIEnvironment", answer: SandboxResponse | None, start: float
    ) -> None:
        """Log a request with its response. None means that the connection was reset."""
        stderr = self._runtime.stderr
        if not stderr.verbosity:
            return
        moment = time.strftime("%H:%M:%S", time.localtime(self._runtime.wall()))
        target = str(environ.get("REQUEST_URI", environ.get("PATH_INFO", "")))
        took = f"{(self._runtime.monotonic() - start) * 1000:.1f} ms"
        end = "connection reset" if answer is None else f"{answer.line}, {answer.size} bytes"
        lines = [f"{moment} {environ['REQUEST_METHOD']} {cut(masked(target))} -> {end}, {took}"]
        if answer is not None and stderr.verbosity > 1:
            lines += [f"    {name}: {value}" for name, value in answer.headers.items()]
            if "content-encoding" not in answer.headers:
                body = answer.body.decode("utf-8", "backslashreplace")
                lines.append(f"    {cut(masked(body), _LONGEST_LOGGED)}")
        stderr.block(lines)


class ThreadCount:
    """Doubles the number of threads when the last free thread becomes busy. `start` is
    called with the new number.

    The threads do not all start at once, because switching between 64 threads makes the
    processor's caches useless.
    """

    def __init__(self, start: Callable[[int], object]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._count, self._busy = _FIRST_THREADS, 0

    def __enter__(self) -> Self:
        with self._lock:
            self._busy += 1
            if self._busy == self._count < _MOST_THREADS:
                self._count *= 2
                self._start(self._count)
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._busy -= 1

    def close(self) -> None:
        """Start no more threads."""
        with self._lock:
            self._count = _MOST_THREADS


class LoopTasks:
    """Distributes requests. A request that the loop's thread has read may be handled in
    this thread. Other requests are passed to worker threads.
    """

    def __init__(self, threads: ThreadedTaskDispatcher) -> None:
        self._threads = threads
        self.loop: int | None = None
        """The thread that runs the loop, if any."""
        self.arrived: deque[HTTPChannel] = deque()

    def add_task(self, task: HTTPChannel) -> None:
        """Accept the next request of a channel. The caller must hold the channel's
        lock.
        """
        if threading.get_ident() == self.loop:
            self.arrived.append(task)
        else:
            self._threads.add_task(task)


class Server:
    """A sandbox server that runs until `stop`, which any thread may call."""

    def __init__(
        self, sandbox: Sandbox, sockets: Sequence[socket.socket] = (), *, names: Sequence[str] = ()
    ) -> None:
        """Serve on these sockets, by default on a free loopback port.

        `names` are other names of this host.
        """
        self._application = WsgiApplication(sandbox)
        self._sockets = list(sockets) or listen(0)
        self._map: dict[int, Any] = {}
        self._stopped = threading.Event()
        host, self.port = address_of(self._sockets[0])
        self.url = f"http://{host}:{self.port}"
        self.others = not all(is_loopback(listener) for listener in self._sockets)
        """Whether other machines can reach the server."""
        self._hosts = HostCheck(self.port, [f"{host}:{self.port}", *names], others=self.others)
        self.log: RequestLog | None = None
        # Ignore the logs of waitress about overload and broken clients.
        for name in ("waitress", "waitress.queue"):
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        self._server = waitress.create_server(
            self._guarded,
            map=self._map,
            sockets=self._sockets,
            threads=_FIRST_THREADS,
            connection_limit=_connection_limit(),
            channel_timeout=_IDLE,
            cleanup_interval=_SWEEP,
            max_request_body_size=GREATEST_BODY,
            asyncore_use_poll=True,
            ident="sandbox",
            clear_untrusted_proxy_headers=True,
        )
        allow_uploads(self._map.values(), sandbox.service)
        self._dispatcher = self._server.task_dispatcher
        self._threads = ThreadCount(self._dispatcher.set_thread_count)
        self._tasks = LoopTasks(self._dispatcher)
        for channel in self._map.values():
            if isinstance(channel, BaseWSGIServer):
                channel.task_dispatcher = self._tasks

    def run(self) -> None:
        """Serve until stopped. A signal may raise an exception."""
        self._tasks.loop = threading.get_ident()
        arrived = self._tasks.arrived
        while not self._stopped.is_set():
            wasyncore.loop(timeout=0 if arrived else 1, use_poll=True, map=self._map, count=1)
            for _ in range(len(arrived)):
                channel = arrived.popleft()
                # Passing a request to a thread takes longer than most responses.
                (self._dispatcher.add_task if self._may_wait(channel) else HTTPChannel.service)(
                    channel
                )

    def close(self) -> None:
        """Close all sockets, after a short wait for pending responses."""
        self._threads.close()
        self._dispatcher.shutdown(timeout=_GRACE)
        for channel in list(self._map.values()):
            # `handle_close` also closes the file of a large pending response.
            if isinstance(channel, HTTPChannel):
                channel.handle_close()
        wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Make `run` return."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            # A connection wakes the loop, which waits for an event.
            socket.create_connection(self._sockets[0].getsockname()[:2], timeout=1).close()

    def _may_wait(self, channel: HTTPChannel) -> bool:
        """Return whether the channel's next response may be delayed.

        The cause may be a fault, a client that reads slowly, or a long body.
        """
        request = channel.requests[0]
        if len(channel.requests) > 1 or channel.total_outbufs_len:
            return True
        if request.body_rcv is not None and len(request.body_rcv) > _SHORT_BODY:
            return True
        # An invalid request has no target, and is refused.
        target = getattr(request, "request_uri", "")
        return self._application.sandbox.may_wait(target, request.headers.get("AUTHORIZATION", ""))

    def _guarded(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        start = self.log.start() if self.log else 0.0
        answer: SandboxResponse | None = None
        try:
            self._hosts.check(environ)
            if threading.get_ident() == self._tasks.loop:
                answer = self._application.answer(environ)
            else:
                with self._threads:
                    answer = self._application.answer(environ)
        except Refusal as refusal:
            answer = refusal.answer(self._application.sandbox.service)
        except ConnectionDropped:
            self._reset((environ["REMOTE_ADDR"], int(environ["REMOTE_PORT"])))
            raise ClientDisconnected from None
        finally:
            if self.log:
                self.log.write(environ, answer, start)
        return respond(answer, environ, start_response)

    def _reset(self, peer: tuple[str, int]) -> None:
        """Let the connection end with a reset when it is closed."""
        for channel in list(self._map.values()):
            if getattr(channel, "addr", None) and tuple(channel.addr[:2]) == peer:
                channel.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


def _connection_limit() -> int:
    """Return how many connections may be open at a time.

    This is the number of files that may be open, minus a reserve for other files.
    """
    allowed = os_limits.raise_open_files(_CONNECTIONS)
    return max(min(allowed, _CONNECTIONS) - 100, 50)
