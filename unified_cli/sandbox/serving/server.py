"""The sandbox on a port of this machine, for any client."""

import contextlib
import logging
import os
import socket
import struct
import threading
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import waitress
from waitress import wasyncore
from waitress.channel import ClientDisconnected

from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import ConnectionDropped, Refusal, SandboxResponse
from unified_cli.sandbox.serving.host_check import HostCheck
from unified_cli.sandbox.serving.listener import address_of, is_loopback, listen
from unified_cli.sandbox.serving.request_log import RequestLog
from unified_cli.sandbox.serving.thread_count import FIRST, ThreadCount
from unified_cli.sandbox.serving.wsgi_application import GREATEST_BODY, WsgiApplication, respond

# An idle connection is closed after so many seconds; every few seconds they are checked.
_IDLE, _SWEEP = 30, 5
_CONNECTIONS = 20_000
# How long the end waits for answers on their way: what was written is stored before it is answered.
_GRACE = 0.3
# The value of SO_LINGER that makes closing a reset: on, for no second.
_RESET = struct.pack("ii" if os.name == "posix" else "hh", 1, 0)

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment


class Server:
    """A served sandbox: it runs until `stop`, which any thread may call."""

    def __init__(self, sandbox: Sandbox, sockets: Sequence[socket.socket] = (), *, names: Sequence[str] = ()) -> None:
        """Serve on these sockets, by default on a free loopback port; `names` are other names of this host."""
        self._application = WsgiApplication(sandbox)
        self._sockets = list(sockets) or listen(0)
        self._map: dict[int, Any] = {}
        self._stopped = threading.Event()
        host, self.port = address_of(self._sockets[0])
        self.url = f"http://{host}:{self.port}"
        self.others = not all(is_loopback(one) for one in self._sockets)
        """Whether other machines reach it."""
        self._hosts = HostCheck(self.port, [f"{host}:{self.port}", *names], others=self.others)
        self.log: RequestLog | None = None
        # waitress logs overload and broken clients, which does not matter here.
        for name in ("waitress", "waitress.queue"):
            logging.getLogger(name).addHandler(logging.NullHandler())
            logging.getLogger(name).propagate = False
        self._server = waitress.create_server(
            self._guarded,
            map=self._map,
            sockets=self._sockets,
            threads=FIRST,
            connection_limit=_raised_limit(),
            channel_timeout=_IDLE,
            cleanup_interval=_SWEEP,
            max_request_body_size=GREATEST_BODY,
            asyncore_use_poll=True,
            ident="sandbox",
            clear_untrusted_proxy_headers=True,
        )
        self._dispatcher = self._server.task_dispatcher
        self._threads = ThreadCount(self._dispatcher.set_thread_count)

    def run(self) -> None:
        """Serve until stopped, or until a signal's exception comes through."""
        while not self._stopped.is_set():
            wasyncore.loop(timeout=1, use_poll=True, map=self._map, count=1)

    def close(self) -> None:
        """Close all sockets; answers on their way have a moment to get out."""
        self._threads.close()
        self._dispatcher.shutdown(timeout=_GRACE)
        wasyncore.close_all(self._map)

    def stop(self) -> None:
        """Make `run` return."""
        self._stopped.set()
        with contextlib.suppress(OSError):
            # The loop waits for an event, and a connection is one.
            socket.create_connection(self._sockets[0].getsockname()[:2], timeout=1).close()

    def _guarded(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        start = self.log.start() if self.log else 0.0
        answer: SandboxResponse | None = None
        try:
            self._hosts.check(environ)
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
        """Make closing the connection a reset."""
        for channel in list(self._map.values()):
            if getattr(channel, "addr", None) and tuple(channel.addr[:2]) == peer:
                channel.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)


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
