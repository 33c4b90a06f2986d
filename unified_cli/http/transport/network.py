"""Sockets that obey one deadline, from name look-up to the last byte, and notice bytes that nobody asked for."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from typing import Any

import httpcore
from httpcore import SyncBackend

_ATTEMPT = 60.0
_CONNECT = 10.0
_NEXT_ADDRESS = 2.5
_WRITE_SIZE = 64 * 1024
_START = b"HTTP/1."
_HEAD_END = b"\r\n\r\n"
_LARGEST_HEAD = 64 * 1024
_LAST_CHUNK = b"\r\n0\r\n\r\n"


class ConnectionState:
    """The request under way on one worker's connection: when it must be over, and what has come in for it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until = float("inf")
        self._head = b""
        self._tail = b""
        self._body_at = -1
        self._first = b""
        self.connected = 0
        """How many connections were opened so far; a request on an old one leaves it unchanged."""
        self.received = 0
        """How many bytes came in since the request began."""
        self.spoiled = False
        """The connection must not be used again."""
        self.handshakes = 0
        """How many TLS handshakes the connection has behind it; two where a proxy is spoken to in TLS."""

    def start(self, until: float) -> None:
        """Begin an attempt that must be over at `until`, and in a minute."""
        self._until = min(until, self._monotonic() + _ATTEMPT)
        self.restart()

    def restart(self) -> None:
        """Forget what came in so far: an answer begins with the next byte."""
        self._head = self._tail = self._first = b""
        self._body_at = -1
        self.received = 0

    def prolong(self) -> None:
        """Give what is being streamed another minute: it is making progress."""
        self._until = self._monotonic() + _ATTEMPT

    def left(self, most: float, failure: type[Exception] = httpcore.ReadTimeout) -> float:
        """Seconds left, at most `most`; raises `failure` at the deadline."""
        left = min(most, self._until - self._monotonic())
        if left <= 0:
            raise failure("the deadline has passed")
        return left

    def take(self, data: bytes) -> None:
        """Account for bytes that came in.

        Raises RemoteProtocolError, at once, where they begin as no answer does, or its headers have no end.
        """
        self.received += len(data)
        if len(self._first) < len(_START):
            self._first = (self._first + data)[: len(_START)]
            if not _START.startswith(self._first):
                raise httpcore.RemoteProtocolError("it does not begin as HTTP does")
        self._tail = self._tail[1 - len(_LAST_CHUNK) :] + data
        if self._body_at < 0:
            self._head += data
            end = self._head.find(_HEAD_END)
            if (len(self._head) if end < 0 else end) > _LARGEST_HEAD:
                # h11 has a bound too, and meets it sooner or later, depending on how the bytes come in.
                raise httpcore.RemoteProtocolError("its headers are larger than 64 KiB")
            self._body_at = -1 if end < 0 else end + len(_HEAD_END)
            if self._body_at >= 0:
                self._head = b""

    def end(self, length: int | None) -> None:
        """Note that the answer is whole; `length` is its Content-Length, None where it came in chunks.

        Bytes beyond its end would be taken for the beginning of the next answer, so they spoil the connection.
        """
        if length is not None:
            self.spoiled = self.received != self._body_at + length
        else:
            self.spoiled = not self._tail.endswith(_LAST_CHUNK) or self._tail.count(_LAST_CHUNK) != 1


class WatchedBackend(httpcore.NetworkBackend):
    """httpcore's sockets, watched by the exchange."""

    def __init__(self, exchange: ConnectionState) -> None:
        self._exchange = exchange
        self._inner = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  ours is stricter
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers, as addresses of one family may be dead."""
        addresses = self._look_up(host, port)
        failure: Exception = httpcore.ConnectError("no address")
        for position, address in enumerate(addresses):
            last = position == len(addresses) - 1
            try:
                left = self._left(_CONNECT if last else _NEXT_ADDRESS)
                stream = self._inner.connect_tcp(_plain(address), port, left, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                self._exchange.connected += 1
                self._exchange.handshakes = 0
                self._exchange.spoiled = False
                return _Stream(stream, self._exchange)
        raise failure

    def _left(self, most: float) -> float:
        return self._exchange.left(most, httpcore.ConnectTimeout)

    def _look_up(self, host: str, port: int) -> list[str]:
        # getaddrinfo cannot be given a time limit; a thread that may be left behind can.
        answers: list[list[str] | OSError] = []
        answered = threading.Event()

        def ask() -> None:
            try:
                found = socket.getaddrinfo(_plain(host), port, type=socket.SOCK_STREAM)
                answers.append(list(dict.fromkeys(str(info[4][0]) for info in found)))
            except OSError as error:
                answers.append(error)
            finally:
                answered.set()

        threading.Thread(target=ask, daemon=True).start()
        if not answered.wait(self._left(_CONNECT)):
            raise httpcore.ConnectTimeout("the name server does not answer")
        if isinstance(answers[0], list):
            return answers[0]
        try:
            raise answers[0]
        except OSError as error:
            # httpcore takes away the cause of what it passes on, and leaves the context: so it must be raised in here.
            raise httpcore.ConnectError(str(error)) from error


def _plain(name: str) -> Any:
    # Bytes, whatever httpcore's types say: text goes through the idna codec, which takes 2 ms to import. The host of an
    # address is checked to be ASCII.
    return name.encode("ascii")


class _Stream(httpcore.NetworkStream):
    """A connected socket, used by one exchange after another."""

    def __init__(self, stream: httpcore.NetworkStream, exchange: ConnectionState) -> None:
        self._inner = stream
        self._exchange = exchange

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  ours is stricter
        data = self._inner.read(max_bytes, self._exchange.left(_ATTEMPT))
        self._exchange.take(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  as above
        # In pieces, so that a peer that takes byte after byte cannot stretch the deadline without end.
        for start in range(0, len(buffer), _WRITE_SIZE):
            left = self._exchange.left(_ATTEMPT, httpcore.WriteTimeout)
            self._inner.write(buffer[start : start + _WRITE_SIZE], left)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  as above
    ) -> httpcore.NetworkStream:
        left = self._exchange.left(_CONNECT, httpcore.ConnectTimeout)
        secured = self._inner.start_tls(ssl_context, _plain(server_hostname) if server_hostname else None, left)
        self._exchange.handshakes += 1
        self._exchange.restart()
        return _Stream(secured, self._exchange)

    def get_extra_info(self, info: str) -> Any:
        # To httpcore an idle connection that can be read from is one to close, and so is a spoiled one. It asks before
        # a request and behind its answer, where there is nothing new to be found.
        if info == "is_readable" and (self._exchange.spoiled or self._exchange.received):
            return self._exchange.spoiled
        return self._inner.get_extra_info(info)
