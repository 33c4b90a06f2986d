"""A fake service on a real socket, which remembers requests and gives the chosen
answers.
"""

import json
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Seen:
    """A request as the server decoded it."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def segments(self) -> list[str]:
        return [unquote(part, errors="strict") for part in self.path.strip("/").split("/")]

    @property
    def query(self) -> list[tuple[str, str]]:
        return parse_qsl(urlsplit(self.target).query, keep_blank_values=True, errors="strict")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """An answer; the length and the type of a JSON body are added."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})


class Service:
    """The fixture's value: `reply` decides each answer, `seen` has the requests."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.reply: Callable[[Seen], Reply] = lambda _: Reply()
        self.url = ""
        self.clock: Callable[[], float] | None = time.time
        """The Date header; without a clock it is left out."""
        self.over = threading.Event()
        """The test is over: no client waits for an answer any more."""

    @property
    def environ(self) -> dict[str, str]:
        return {
            "UNIFIED_BASE_URL": self.url,
            "UNIFIED_TOKEN": "t-0123456789",
            "UNIFIED_ACCOUNT_ID": "acct-1",
        }


class QuietServer(ThreadingHTTPServer):
    """Says nothing of clients that are killed or leave early, which is what some tests
    are about.
    """

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Service]:
    """A service that speaks TLS where it is given a context."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body leave in two writes, and the second would wait for the first to
        # be acknowledged.
        disable_nagle_algorithm = True

        def do_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            seen = Seen(self.command, self.path, headers, body)
            service.seen.append(seen)
            reply = service.reply(seen)
            self.send_response_only(reply.status)
            if service.clock:
                self.send_header("Date", formatdate(service.clock(), usegmt=True))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            if reply.status != 204:
                self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            if reply.status != 204:
                self.wfile.write(reply.body)

        do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = do_any  # noqa: N815  http.server's own names

        def log_message(self, *_: object) -> None:
            pass

    server = QuietServer(("127.0.0.1", 0), Handler)
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    service.url = f"{'https' if context else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield service
    finally:
        service.over.set()
        server.shutdown()
        thread.join()
        server.server_close()
