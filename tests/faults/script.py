"""Listeners that play a script of bytes, pauses and broken connections, and keep every
byte they were sent.
"""

import contextlib
import json
import re
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Wait:
    """Say nothing for this many real seconds."""

    seconds: float


@dataclass(frozen=True)
class Trickle:
    """Send byte after byte with a pause before each."""

    data: bytes
    every: float


@dataclass(frozen=True)
class Stream:
    """Send what `make` yields until the other side has had enough."""

    make: Callable[[], Iterable[bytes]]


@dataclass(frozen=True)
class Call:
    """Do something at this point of the script."""

    action: Callable[[], object]


class Mark:
    """A step without a value."""


CLOSE = Mark()
"""Close the connection in an orderly way."""
RESET = Mark()
"""Break the connection."""
TLS = Mark()
"""Shake hands, and continue in TLS, as a proxy does behind CONNECT."""

_LENGTH = re.compile(rb"Content-Length: (\d+)")

Step = bytes | Wait | Trickle | Stream | Call | Mark


@dataclass(frozen=True)
class Answer:
    """The script of one request; `after` is how much of it is waited for: `all`, its
    `head`, or `nothing`.
    """

    steps: Sequence[Step]
    after: str = "all"


Script = Sequence[Answer | Sequence[Step] | bytes]


def reply(
    body: bytes = b'{"result":[],"next_cursor":null}',
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    kind: str | None = "application/json",
    length: int | None = -1,
) -> bytes:
    """The bytes of an answer; its length is added unless `length` gives another, or
    None to omit it.
    """
    lines = [f"HTTP/1.1 {status} Whatever"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += (
        [f"Content-Length: {len(body) if length == -1 else length}"] if length is not None else []
    )
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", headers: str = "") -> bytes:
    """The bytes of an answer that comes in chunks."""
    head = (
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding:"
        f" chunked\r\n{headers}\r\n"
    )
    return head.encode() + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + end


class Listener:
    """A port of this machine that plays the script: an answer for each request, the
    last one for all that follow.

    `requests` are the bytes of each, `connections` counts also those that asked
    nothing.
    """

    def __init__(
        self,
        script: Script,
        context: ssl.SSLContext | None = None,
        inner: ssl.SSLContext | None = None,
        host: str = "127.0.0.1",
    ) -> None:
        self._answers = [one if isinstance(one, Answer) else _answer(one) for one in script]
        self._context = context
        self._inner = inner
        self._at = 0
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._socket = socket.create_server((host, 0))
        self.words: Mapping[bytes, bytes] = {}
        self.requests: list[bytes] = []
        self.connections = 0
        self.port: int = self._socket.getsockname()[1]

    def start(self, words: Mapping[bytes, bytes]) -> None:
        """Begin to listen; `words` replace the names in the script."""
        self.words = words
        self._run(self._accept)

    def stop(self) -> None:
        """Close everything and wait until it is closed."""
        self._stopped.set()
        self._socket.shutdown(socket.SHUT_RDWR)
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for connection in [self._socket, *self._open]:
            connection.close()

    def _run(self, target: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            self._run(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        going: socket.socket | None = connection
        try:
            if self._context is not None:
                going = self._secured(connection, self._context)
            while going is not None and not self._stopped.is_set():
                going = self._exchange(going)
        except (OSError, ValueError):
            # The other side went away, which is what many a case is about.
            connection.close()

    def _secured(self, connection: socket.socket, context: ssl.SSLContext) -> socket.socket:
        secured = context.wrap_socket(connection, server_side=True)
        self._open.append(secured)
        return secured

    def _exchange(self, connection: socket.socket) -> socket.socket | None:
        """Read one request, play its answer; gives the next connection."""
        after = self._answer(take=False).after
        if after != "nothing":
            request = _read(connection, whole=after == "all")
            if not request:
                connection.close()
                return None
            self.requests.append(request)
        for step in self._answer(take=True).steps:
            if step is CLOSE or step is RESET:
                _close(connection, broken=step is RESET)
                return None
            if step is TLS:
                assert self._inner is not None
                connection = self._secured(connection, self._inner)
            else:
                self._play(connection, step)
        return connection

    def _answer(self, *, take: bool) -> Answer:
        with self._lock:
            answer = self._answers[min(self._at, len(self._answers) - 1)]
            self._at += take
            return answer

    def _play(self, connection: socket.socket, step: Step) -> None:
        if isinstance(step, bytes):
            connection.sendall(self._filled(step))
        elif isinstance(step, Wait):
            self._stopped.wait(step.seconds)
        elif isinstance(step, Call):
            step.action()
        elif isinstance(step, Trickle):
            for byte in step.data:
                if self._stopped.wait(step.every):
                    return
                connection.sendall(bytes([byte]))
        elif isinstance(step, Stream):
            for piece in step.make():
                if self._stopped.is_set():
                    return
                connection.sendall(piece)

    def _filled(self, data: bytes) -> bytes:
        """The bytes with their words replaced, in JSON as JSON wants it, and the length
        they say put right.
        """
        head, found, body = data.partition(b"\r\n\r\n")
        filled = body
        for word, value in self.words.items():
            inside = json.dumps(value.decode())[1:-1].encode() if body.startswith(b"{") else value
            head, filled = head.replace(word, value), filled.replace(word, inside)
        longer = len(filled) - len(body)
        if longer:
            head = _LENGTH.sub(lambda match: b"Content-Length: %d" % (int(match[1]) + longer), head)
        return head + found + filled


def _answer(one: Sequence[Step] | bytes) -> Answer:
    return Answer([one] if isinstance(one, bytes) else one)


def _read(connection: socket.socket, *, whole: bool) -> bytes:
    data = b""
    for piece in _pieces(connection):
        data += piece
        head, found, body = data.partition(b"\r\n\r\n")
        if found and (not whole or len(body) >= _length(head)):
            break
    return data


def _pieces(connection: socket.socket) -> Iterator[bytes]:
    while piece := connection.recv(65536):
        yield piece


def _length(head: bytes) -> int:
    lengths = [
        line.partition(b":")[2]
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    ]
    return int(lengths[0]) if lengths else 0


def _close(connection: socket.socket, *, broken: bool) -> None:
    if broken:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    else:
        connection.shutdown(socket.SHUT_WR)
    connection.close()
