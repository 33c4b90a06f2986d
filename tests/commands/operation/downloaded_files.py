"""A server of files on a real socket that breaks off, changes its mind, and remembers
what it was asked.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Turn:
    """One answer: `send` bytes of it go out (None: all), then the connection ends."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    send: int | None = None
    length: bool = True
    chunked: bool = False


@dataclass
class FileServer:
    """Answers turn by turn, the last one for ever; `asked` is each request's method,
    target and headers.
    """

    turns: list[Turn] = field(default_factory=list)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    @property
    def environ(self) -> dict[str, str]:
        return {
            "UNIFIED_BASE_URL": self.url,
            "UNIFIED_TOKEN": "t-0123456789",
            "UNIFIED_ACCOUNT_ID": "acct-1",
        }

    def ranges(self) -> list[tuple[str | None, str | None]]:
        """The part of the file that each request wanted."""
        return [(headers.get("range"), headers.get("if-range")) for _, _, headers in self.asked]


@contextmanager
def serving_files(context: Any = None) -> Iterator[FileServer]:
    """A running server; over TLS with an SSL context."""
    state = FileServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_any(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            state.asked.append(
                (
                    self.command,
                    self.path,
                    {name.lower(): text for name, text in self.headers.items()},
                )
            )
            turn = state.turns.pop(0) if len(state.turns) > 1 else state.turns[0]
            self.send_response(turn.status)
            for name, value in turn.headers.items():
                self.send_header(name, value)
            if turn.chunked:
                self.send_header("Transfer-Encoding", "chunked")
            elif turn.length and turn.status != 204:
                self.send_header("Content-Length", str(len(turn.body)))
            self.end_headers()
            body = turn.body if turn.send is None else turn.body[: turn.send]
            if turn.chunked and body:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(body), body))
            else:
                self.wfile.write(body)
            if turn.chunked and turn.send is None:
                self.wfile.write(b"0\r\n\r\n")
            self.close_connection = turn.send is not None or not (turn.length or turn.chunked)

        do_GET = do_POST = do_any  # noqa: N815  http.server's own names

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    scheme = "http"
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        scheme = "https"
    state.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
