"""The sockets of a connection: each operation, from name look-up on, ends at its deadline and updates its state."""

import re
import select
import socket
import ssl
from collections.abc import Callable, Iterable
from typing import Any

import httpcore

from unified_cli import os_limits

_CONNECT = 10.0
_NEXT_ADDRESS = 2.5
_TRANSFER = 60.0
_WRITE_SIZE = 64 * 1024
# So much can be written as soon as anything can, without waiting for the peer to read.
_UPLOAD_SIZE = 16 * 1024
# How long bytes that have arrived may take to come out of TLS, where they may be of no answer.
_PEEK = 0.001
_INFORMATIONAL = re.compile(rb"HTTP/1\.[01] 1")
_ATTEMPT = 60.0
_PREFIX = b"HTTP/1."
_STATUS_LINE = len(b"HTTP/1.1 200")
_HEAD_END = b"\r\n\r\n"
_LARGEST_HEAD = 64 * 1024
_LAST_CHUNK = b"\r\n0\r\n\r\n"


class ConnectionState:
    """The deadline of the current request of a connection, and what has been received for it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._until = float("inf")
        self._start = b""
        self._head = b""
        self._tail = b""
        self._body_at = -1
        self.connections = 0
        """The number of connections opened so far; a request on an open one does not change it."""
        self.handshakes = 0
        """The number of TLS handshakes on the current connection; two through a proxy that uses TLS."""
        self.handshake_seconds = 0.0
        """Seconds that the peer has for the TLS handshake that is under way; 0 outside of one."""
        self.speaks_tls = False
        """A handshake has succeeded, on this connection or an earlier one."""
        self.received = 0
        """The number of bytes received since the request began."""
        self.closed = False
        """The peer has closed the connection since the request began."""
        self.unusable = False
        """The connection must not be used for another request."""
        self.uploads = False
        """The request has a long body, which may be answered before its end."""
        self.answered_early = False
        """It was, or the connection was closed: the rest of the body was not sent."""

    def opened(self) -> None:
        """Note that there is a new connection."""
        self.connections += 1
        self.handshakes = 0
        self.unusable = False

    def secured(self) -> None:
        """Note that a TLS handshake is done: what is received from here on is another stream of bytes."""
        self.handshakes += 1
        self.handshake_seconds = 0.0
        self.speaks_tls = True
        self.restart()

    def start(self, until: float, *, uploads: bool = False) -> None:
        """Begin an attempt, whose deadline is `until`, or in a minute if that is earlier."""
        self.uploads, self.answered_early = uploads, False
        self._until = min(until, self._monotonic() + _ATTEMPT)
        self.handshake_seconds = 0.0
        self.restart()

    def restart(self) -> None:
        """Forget what was received: the next byte is the first of an answer."""
        self._start = self._head = self._tail = b""
        self._body_at = -1
        self.received = 0
        self.closed = False

    def extend(self) -> None:
        """Move the deadline to a minute from now, because a download or an upload makes progress."""
        self._until = self._monotonic() + _ATTEMPT

    def remaining(self, most: float, failure: type[Exception] = httpcore.ReadTimeout) -> float:
        """Seconds to the deadline, at most `most`. Raises `failure` if it has passed."""
        seconds = min(most, self._until - self._monotonic())
        if seconds <= 0:
            raise failure("the deadline has passed")
        return seconds

    @property
    def status(self) -> int:
        """The status of the current answer; 0 before it has arrived."""
        digits = self._start[-3:]
        return int(digits) if len(self._start) == _STATUS_LINE and digits.isdigit() else 0

    def receive(self, data: bytes) -> None:
        """Note received bytes; none of them means that the peer has closed the connection.

        Raises RemoteProtocolError if they are not the beginning of an HTTP answer, or its headers are too large.
        """
        self.closed = not data
        self.received += len(data)
        if len(self._start) < _STATUS_LINE:
            self._start = (self._start + data)[:_STATUS_LINE]
            if not self._start.startswith(_PREFIX[: len(self._start)]):
                raise httpcore.RemoteProtocolError("it does not begin as HTTP does")
        self._tail = self._tail[1 - len(_LAST_CHUNK) :] + data
        if self._body_at < 0:
            self._find_body(data)

    def _find_body(self, data: bytes) -> None:
        self._head += data
        end = self._head.find(_HEAD_END)
        if (len(self._head) if end < 0 else end) > _LARGEST_HEAD:
            # h11 has a bound too, which applies earlier or later, depending on the size of the pieces.
            raise httpcore.RemoteProtocolError("its headers are larger than 64 KiB")
        if end >= 0:
            self._body_at = end + len(_HEAD_END)
            self._head = b""

    def finish(self, length: int | None) -> None:
        """Note that the answer is complete; `length` is its Content-Length, None if it was sent in chunks.

        Bytes after its end would be read as the next answer, so they make the connection unusable.
        """
        if length is not None:
            self.unusable = self.received != self._body_at + length
        else:
            self.unusable = not self._tail.endswith(_LAST_CHUNK) or self._tail.count(_LAST_CHUNK) != 1


class DeadlineBackend(httpcore.NetworkBackend):
    """Wraps the sockets of httpcore: each operation ends at the deadline of `state`, and updates it."""

    def __init__(self, state: ConnectionState) -> None:
        self._state = state
        self._inner = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002  ours is stricter
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of the host that answers, because those of one family may be unreachable."""
        addresses = self._look_up(host, port)
        failure: Exception = httpcore.ConnectError("no address")
        for position, address in enumerate(addresses):
            last = position == len(addresses) - 1
            try:
                seconds = self._state.remaining(_CONNECT if last else _NEXT_ADDRESS, httpcore.ConnectTimeout)
                stream = self._inner.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                self._state.opened()
                return _Stream(stream, self._state)
        raise failure

    def _look_up(self, host: str, port: int) -> list[str]:
        # As bytes, because text goes through a codec that refuses names which no name server has, with another error.
        name = host.encode("ascii")
        seconds = self._state.remaining(_CONNECT, httpcore.ConnectTimeout)
        try:
            found = os_limits.result_of(lambda: socket.getaddrinfo(name, port, type=socket.SOCK_STREAM), seconds)
        except os_limits.UnansweredError:
            raise httpcore.ConnectTimeout("the name server does not answer") from None
        except OSError as error:
            # httpcore takes away the cause of what it passes on, and leaves the context: so it must be raised in here.
            raise httpcore.ConnectError(str(error)) from error
        return list(dict.fromkeys(str(info[4][0]) for info in found))


class _Stream(httpcore.NetworkStream):
    """A connected socket, used for one request after another."""

    def __init__(self, stream: httpcore.NetworkStream, state: ConnectionState) -> None:
        self._inner = stream
        self._state = state
        self._early: bytes | None = None
        """What came before the end of the request."""

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002  ours is stricter
        data, self._early = self._early, None
        if data is None:
            data = self._inner.read(max_bytes, self._state.remaining(_TRANSFER))
        self._state.receive(data)
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002  as above
        if self._state.uploads:
            self._upload(buffer)
            return
        # In pieces, so that a peer that reads slowly cannot exceed the deadline.
        for start in range(0, len(buffer), _WRITE_SIZE):
            seconds = self._state.remaining(_TRANSFER, httpcore.WriteTimeout)
            self._inner.write(buffer[start : start + _WRITE_SIZE], seconds)

    def _upload(self, buffer: bytes) -> None:
        """Write a part of a long body, unless the answer comes first, which says why no more of it is wanted."""
        for start in range(0, len(buffer), _UPLOAD_SIZE):
            if self._is_answered(self._state.remaining(_TRANSFER, httpcore.WriteTimeout)):
                self._state.answered_early = True
                # After this error httpcore goes on to read the answer.
                raise httpcore.WriteError("answered before the end of the request")
            seconds = self._state.remaining(_TRANSFER, httpcore.WriteTimeout)
            try:
                self._inner.write(buffer[start : start + _UPLOAD_SIZE], seconds)
            except httpcore.WriteError:
                self._state.answered_early = True
                raise

    def _is_answered(self, seconds: float) -> bool:
        """Wait until there is something to read or room to write; whether an answer or the end was read."""
        poller = select.poll()
        poller.register(self._inner.get_extra_info("socket"), select.POLLIN | select.POLLOUT)
        if not any(event & ~select.POLLOUT for _, event in poller.poll(seconds * 1000)):
            return False
        try:
            data = self._inner.read(_WRITE_SIZE, _PEEK)
        except httpcore.ReadTimeout:
            # It was of TLS itself, such as its tickets.
            return False
        self._early = (self._early or b"") + data
        return not data or not _INFORMATIONAL.match(self._early)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002  as above
    ) -> httpcore.NetworkStream:
        try:
            # As the ssl module does it, which leaves the socket open where it fails.
            (server_hostname or "").encode("idna")
        except UnicodeError as error:
            # Only a proxy looked the name up, of which a part is empty or longer than 63 characters.
            raise httpcore.ConnectError(str(error)) from error
        seconds = self._state.remaining(_CONNECT, httpcore.ConnectTimeout)
        self._state.handshake_seconds = seconds
        secured = self._inner.start_tls(ssl_context, server_hostname, seconds)
        self._state.secured()
        return _Stream(secured, self._state)

    def get_extra_info(self, info: str) -> Any:
        # httpcore closes an idle connection that is readable; it must close an unusable one too. It asks before a
        # request and after its answer, when the socket need not be asked again.
        if info == "is_readable" and (self._state.unusable or self._state.received):
            return self._state.unusable
        return self._inner.get_extra_info(info)
