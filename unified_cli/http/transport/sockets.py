"""The sockets of a connection: each operation, from name look-up on, ends at its deadline and updates its state."""

import re
import select
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

import httpx

from unified_cli import os_limits

_CONNECT = 10.0
_NEXT_ADDRESS = 2.5
_TRANSFER = 60.0
_IDLE = 30.0
_AT_ONCE = float("-inf")
# None would be no bound on a connection that is not made yet.
_SOON = 0.001
_READ_SIZE = 64 * 1024
# So much of an upload can be written as soon as anything can, without waiting for the peer to read.
_UPLOAD_SIZE = 16 * 1024
_INTERIM = re.compile(rb"HTTP/1\.[01] 1")
_ATTEMPT = 60.0
T = TypeVar("T")


class ConnectionState:
    """The deadline of the current request of a connection, and what has been received for it."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.now = monotonic
        self._until = float("inf")
        self.connections = 0
        """The number of connections opened so far; a request on an open one does not change it."""
        self.handshakes = 0
        """The number of TLS handshakes on the current connection; two through a proxy that uses TLS."""
        self.handshake_seconds = 0.0
        """Seconds that the peer has for the TLS handshake that is under way; 0 outside of one."""
        self.speaks_tls = False
        """A handshake has succeeded, on this connection or an earlier one."""
        self.status = 0
        """The status of the current answer; 0 before it has arrived."""
        self.received = 0
        """The number of bytes received since the request began."""
        self.closed = False
        """The peer has closed the connection since the request began."""
        self.uploads = False
        """The request has a long body, which may be answered before its end."""
        self.answered_early = False
        """It was, or the connection was closed: the rest of the body was not sent."""

    def opened(self) -> None:
        """Note that there is a new connection."""
        self.connections += 1
        self.handshakes = 0

    def secured(self) -> None:
        """Note that a TLS handshake is done: what is received from here on is another stream of bytes."""
        self.handshakes += 1
        self.handshake_seconds = 0.0
        self.speaks_tls = True
        self._restart()

    def start(self, until: float, *, uploads: bool = False) -> None:
        """Begin an attempt, whose deadline is `until`, or in a minute if that is earlier."""
        self.uploads, self.answered_early = uploads, False
        self._until = min(until, self.now() + _ATTEMPT)
        self.handshake_seconds = 0.0
        self._restart()

    def _restart(self) -> None:
        self.status = self.received = 0
        self.closed = False

    def extend(self) -> None:
        """Move the deadline to a minute from now, because a download or an upload makes progress."""
        self._until = self.now() + _ATTEMPT

    def end(self, most: float, late: type[httpx.TimeoutException] = httpx.ReadTimeout) -> float:
        """When what begins now must have ended: in `most` seconds, or at the deadline. Raises `late` if that passed."""
        now = self.now()
        if now >= self._until:
            raise late("the deadline has passed")
        return min(self._until, now + most)

    def left(self, end: float) -> float:
        """Seconds until then, none once it has passed."""
        return max(0.0, end - self.now())

    def receive(self, data: bytes) -> None:
        """Note received bytes; none of them means that the peer has closed the connection."""
        self.closed = not data
        self.received += len(data)


class _Errors(NamedTuple):
    """What an operation waits for, and raises where it fails and where it takes too long."""

    event: int
    failure: type[httpx.TransportError]
    late: type[httpx.TimeoutException]


_CONNECTING = _Errors(select.POLLIN, httpx.ConnectError, httpx.ConnectTimeout)
_READING = _Errors(select.POLLIN, httpx.ReadError, httpx.ReadTimeout)
_WRITING = _Errors(select.POLLOUT, httpx.WriteError, httpx.WriteTimeout)


class DeadlineSocket:
    """A connected socket, used for one request after another; each operation raises the errors of httpx."""

    def __init__(self, plain: socket.socket, state: ConnectionState) -> None:
        self._socket: socket.socket | _Nested = plain
        self._plain = plain
        self._state = state
        self._idle_until = 0.0
        self._early: bytes | None = None
        """What came before the end of the request."""

    @classmethod
    def connected(cls, host: str, port: int, state: ConnectionState) -> "DeadlineSocket":
        """One to the first address of the host that answers, because those of one family may be unreachable."""
        failure: httpx.TransportError = httpx.ConnectError("no address")
        found = _look_up(host, port, state)
        for position, (family, address) in enumerate(found):
            end = state.end(_NEXT_ADDRESS if position + 1 < len(found) else _CONNECT, httpx.ConnectTimeout)
            try:
                plain = socket.socket(family, socket.SOCK_STREAM)
                try:
                    plain.settimeout(state.left(end) or _SOON)
                    plain.connect(address)
                    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    plain.setblocking(False)
                except BaseException:
                    plain.close()
                    raise
                state.opened()
                return cls(plain, state)
            except OSError as error:
                kind = httpx.ConnectTimeout if isinstance(error, TimeoutError) else httpx.ConnectError
                failure = kind(str(error))
                failure.__cause__ = error
        raise failure

    def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Go on in TLS, with a peer of that name; within TLS if that is spoken already."""
        end = self._state.end(_CONNECT, httpx.ConnectTimeout)
        self._state.handshake_seconds = self._state.left(end) or _SOON
        try:
            # As the ssl module does it, which leaves the socket open where it fails.
            host.encode("idna")
            if isinstance(self._plain, ssl.SSLSocket):
                self._socket = _Nested(self._plain, context, host)
                self._when_ready(self._socket.do_handshake, end, _CONNECTING)
            else:
                # In one call, because the one of truststore looks at the certificate before it returns.
                self._plain.settimeout(self._state.handshake_seconds)
                self._socket = self._plain = context.wrap_socket(self._plain, server_hostname=host)
                self._plain.setblocking(False)
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except (OSError, ValueError) as error:
            # A ValueError: only a proxy looked the name up, of which a part is empty or longer than 63 characters.
            raise httpx.ConnectError(str(error)) from error
        self._state.secured()

    def receive(self) -> bytes:
        """The next bytes; none at the end."""
        data, self._early = self._early, None
        if data is None:
            data = self._when_ready(partial(self._socket.recv, _READ_SIZE), self._state.end(_TRANSFER), _READING)
        self._state.receive(data)
        return data

    def send(self, data: bytes) -> None:
        """Send the bytes. Raises WriteError where a long body is answered before its end, which says why."""
        rest = memoryview(data)
        while rest:
            end = self._state.end(_TRANSFER, httpx.WriteTimeout)
            piece = rest
            if self._state.uploads:
                piece = rest[:_UPLOAD_SIZE]
                self._check_unanswered(end)
            try:
                rest = rest[self._when_ready(partial(self._socket.send, piece), end, _WRITING) :]
            except httpx.WriteError:
                self._state.answered_early = self._state.uploads
                raise

    def _check_unanswered(self, end: float) -> None:
        """Wait until there is room to write. Raises WriteError where an answer or the end is read before."""
        if not self._polled(select.POLLIN | select.POLLOUT, end) & ~select.POLLOUT:
            return
        try:
            data = self._socket.recv(_READ_SIZE)
        except (BlockingIOError, ssl.SSLWantReadError):
            # It was of TLS itself, such as its tickets.
            return
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        self._early = (self._early or b"") + data
        if not data or not _INTERIM.match(self._early):
            self._state.answered_early = True
            raise httpx.WriteError("answered before the end of the request")

    def keep(self) -> None:
        """Note that the answer is complete, and the connection free for another request."""
        self._idle_until = self._state.now() + _IDLE

    def take(self) -> bool:
        """Whether the connection is free and the peer has neither closed it nor said anything; it is in use then."""
        free = self._state.now() < self._idle_until
        self._idle_until = 0.0
        return free and not self._polled(select.POLLIN, _AT_ONCE)

    def close(self) -> None:
        """Close the connection."""
        self._idle_until = 0.0
        self._plain.close()

    def _when_ready(self, act: Callable[[], T], end: float, errors: _Errors) -> T:
        """What the act gives that would block at first."""
        while True:
            try:
                return act()
            except BlockingIOError:
                wanted = errors.event
            except ssl.SSLWantReadError:
                wanted = select.POLLIN
            except ssl.SSLWantWriteError:
                wanted = select.POLLOUT
            except OSError as error:
                raise errors.failure(str(error)) from error
            if not self._polled(wanted, end):
                raise errors.late("the time for it has passed")

    def _polled(self, events: int, end: float) -> int:
        """Those of the events that there are, or the first ones before the end; 0 for none."""
        poller = select.poll()
        poller.register(self._plain, events)
        return next((found for _, found in poller.poll(self._state.left(end) * 1000)), 0)


class _Nested:
    """TLS within the TLS of a proxy: like a socket that does not block, over one."""

    def __init__(self, outer: ssl.SSLSocket, context: ssl.SSLContext, host: str) -> None:
        self._outer = outer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_hostname=host)
        self._unsent = b""

    def do_handshake(self) -> None:
        self._exchange(self._tls.do_handshake)
        self._flush()

    def recv(self, size: int) -> bytes:
        return self._exchange(partial(self._tls.read, size))

    def send(self, data: memoryview) -> int:
        # What it becomes is sent before anything else is done, such as waiting for the answer.
        return self._exchange(partial(self._tls.write, data[:_UPLOAD_SIZE]))

    def _exchange(self, act: Callable[[], T]) -> T:
        while True:
            self._flush()
            try:
                return act()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._outer.recv(_READ_SIZE)
                self._incoming.write(data) if data else self._incoming.write_eof()

    def _flush(self) -> None:
        self._unsent += self._outgoing.read()
        while self._unsent:
            self._unsent = self._unsent[self._outer.send(self._unsent) :]


def _look_up(host: str, port: int, state: ConnectionState) -> list[tuple[int, Any]]:
    """The addresses of a host, each with its family."""
    # As bytes, because text goes through a codec that refuses names which no name server has, with another error.
    name = host.encode("ascii")
    seconds = state.left(state.end(_CONNECT, httpx.ConnectTimeout))
    try:
        found = os_limits.result_of(lambda: socket.getaddrinfo(name, port, type=socket.SOCK_STREAM), seconds)
    except os_limits.UnansweredError:
        raise httpx.ConnectTimeout("the name server does not answer") from None
    except OSError as error:
        raise httpx.ConnectError(str(error)) from error
    return list(dict.fromkeys((family, address) for family, _, _, _, address in found))
