"""Sockets with deadlines.

Each operation, including the name lookup, ends at the deadline of the request at the
latest, and updates the state of the connection. The sockets do not block, so that
received bytes are read without waiting and without setting a timeout.
"""

import re
import select
import socket
import ssl
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import httpx

from unified_cli import os_limits

_CONNECT = 10.0
_NEXT_ADDRESS = 2.5
_IDLE = 30.0
_READ_SIZE = 64 * 1024
# A writable socket accepts this many bytes without waiting for the peer.
_UPLOAD_SIZE = 16 * 1024
_INTERIM = re.compile(rb"HTTP/1\.[01] 1")
_ATTEMPT = 60.0
T = TypeVar("T")


class ConnectionState:
    """The state of a connection's current request: its deadline, and which steps it has
    completed.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.now = monotonic
        self.handshakes = 0
        """The number of TLS handshakes on the current connection: two with a proxy that
        uses TLS.
        """
        self.speaks_tls = False
        """Whether a handshake has succeeded, on this connection or an earlier one."""
        self.received = 0
        self.speaks_http = False
        """Whether the peer has responded to an earlier request. Such a peer does not
        expect TLS.
        """
        self.start(float("inf"))

    def start(self, until: float, *, uploads: bool = False) -> None:
        """Begin an attempt. It ends at `until`, or after a minute if `until` is
        later.
        """
        self._until = min(until, self.now() + _ATTEMPT)
        self.speaks_http = self.speaks_http or self.received > 0
        self.reused = False
        """Whether the connection was opened for an earlier request."""
        self.handshake_seconds = 0.0
        """How long the current TLS handshake may take, in seconds, or 0."""
        self.tunnelling = False
        """Whether the request is waiting for the proxy to connect to the service."""
        self.status = 0
        """The status of the response, or 0 before it arrives."""
        self.received = 0
        """The number of bytes received since the request began."""
        self.closed = False
        """Whether the peer has closed the connection since the request began."""
        self.uploads = uploads
        """Whether the request has a long body, which the peer may refuse before its
        end.
        """
        self.answered_early = False
        """Whether the peer responded or closed the connection before the whole body was
        sent.
        """

    def extend(self) -> None:
        """Allow another minute after progress of a transfer."""
        self._until = self.now() + _ATTEMPT

    def seconds(self, most: float = _ATTEMPT) -> float:
        """Return how many seconds the next step may take. This is never more than
        `most`.

        Raises TimeoutError if the deadline has passed.
        """
        left = self._until - self.now()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return min(left, most)


class DeadlineSocket:
    """A connected socket, used for one request after another."""

    def __init__(self, plain: socket.socket, state: ConnectionState) -> None:
        self._socket: socket.socket | _Nested = plain
        self._plain = plain
        self._state = state
        self._idle_until = 0.0
        self._early: bytes | None = None
        """Bytes that arrived before the request was complete."""

    def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Start TLS. If the connection already uses TLS, the new TLS is nested in it.

        Raises OSError. Raises ValueError if a part of the host's name is empty or too
        long. This happens only with a proxy: without a proxy, the name lookup has
        already failed.
        """
        seconds = self._state.handshake_seconds = self._state.seconds(_CONNECT)
        # The ssl module also encodes the name, but leaves the socket open if that
        # fails.
        host.encode("idna")
        if isinstance(self._plain, ssl.SSLSocket):
            self._socket = nested = _Nested(self._plain, context, host, self._in_time)
            self._in_time(nested.do_handshake, select.POLLIN, seconds)
        else:
            # Set the timeout first, because `wrap_socket` performs the handshake. With
            # truststore, `wrap_socket` also checks the certificate.
            self._plain.settimeout(seconds)
            self._socket = self._plain = context.wrap_socket(self._plain, server_hostname=host)
            self._plain.setblocking(False)
        self._state.handshakes += 1
        self._state.speaks_tls = True
        self._state.handshake_seconds = 0.0
        # TLS starts a new stream of bytes.
        self._state.status = self._state.received = 0

    def receive(self) -> bytes:
        """Return the next bytes, or empty bytes at the end of the stream. Raises
        ReadTimeout and ReadError.
        """
        data, self._early = self._early, None
        if data is None:
            try:
                data = self._in_time(partial(self._socket.recv, _READ_SIZE), select.POLLIN)
            except TimeoutError as error:
                raise httpx.ReadTimeout(str(error)) from None
            except OSError as error:
                raise httpx.ReadError(str(error)) from error
        self._state.closed = not data
        self._state.received += len(data)
        return data

    def send(self, data: bytes) -> None:
        """Send the bytes. Raises WriteTimeout and WriteError. Raises WriteError, too,
        if the peer responds before the end of a long body.
        """
        rest = memoryview(data)
        while rest:
            try:
                if self._state.uploads:
                    self._check_unanswered()
                piece = rest[:_UPLOAD_SIZE] if self._state.uploads else rest
                rest = rest[self._in_time(partial(self._socket.send, piece), select.POLLOUT) :]
            except TimeoutError as error:
                raise httpx.WriteTimeout(str(error)) from None
            except OSError as error:
                self._state.answered_early = self._state.uploads
                raise httpx.WriteError(str(error)) from error

    def _check_unanswered(self) -> None:
        """Wait until the socket is writable.

        Raises WriteError if the peer responds or closes the connection first.
        """
        if (
            not self._polled(select.POLLIN | select.POLLOUT, self._state.seconds())
            & ~select.POLLOUT
        ):
            return
        try:
            data = self._socket.recv(_READ_SIZE)
        except (BlockingIOError, ssl.SSLWantReadError):
            # The received bytes are data of TLS itself, such as session tickets.
            return
        except OSError as error:
            raise httpx.ReadError(str(error)) from error
        self._early = (self._early or b"") + data
        if not data or not _INTERIM.match(self._early):
            self._state.answered_early = True
            raise httpx.WriteError("answered before the end of the request")

    def keep(self) -> None:
        """Mark the connection as free, because the response is complete."""
        self._idle_until = self._state.now() + _IDLE

    def take(self) -> bool:
        """Return whether the connection can be reused, and mark it as busy.

        It cannot be reused if the peer has closed the connection or sent anything.
        """
        idle = self._state.now() < self._idle_until
        self._idle_until = 0.0
        unread = isinstance(self._socket, _Nested) and self._socket.incoming.pending > 0
        self._state.reused = idle and not unread and not self._polled(select.POLLIN, 0)
        return self._state.reused

    def close(self) -> None:
        """Close the connection."""
        self._plain.close()

    def _in_time(self, act: Callable[[], T], events: int, most: float = _ATTEMPT) -> T:
        """Call `act` when the socket is ready. Raises TimeoutError after the
        deadline.
        """
        until = self._state.now() + self._state.seconds(most)
        while True:
            try:
                return act()
            except ssl.SSLWantReadError:
                events = select.POLLIN
            except ssl.SSLWantWriteError:
                events = select.POLLOUT
            except BlockingIOError:
                pass
            left = until - self._state.now()
            if left <= 0 or not self._polled(events, left):
                raise TimeoutError("the deadline has passed")

    def _polled(self, events: int, seconds: float) -> int:
        """Wait for events of the socket, and return them.

        Waits at most this many seconds, then returns 0.
        """
        poller = select.poll()
        poller.register(self._plain, events)
        found = poller.poll(seconds * 1000)
        return found[0][1] if found else 0


class _Nested:
    """A TLS connection within the TLS connection to a proxy. It has only the socket
    methods that this module calls.

    If there is no data, `do_handshake` and `recv` raise SSLWantReadError, like the
    methods of the outer socket.
    """

    def __init__(
        self,
        outer: ssl.SSLSocket,
        context: ssl.SSLContext,
        host: str,
        in_time: Callable[[Callable[[], int], int], int],
    ) -> None:
        self._outer = outer
        self._in_time = in_time
        self.incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self.incoming, self._outgoing, server_hostname=host)
        self.do_handshake = partial(self._exchange, self._tls.do_handshake)

    def recv(self, size: int) -> bytes:
        return self._exchange(partial(self._tls.read, size))

    def send(self, data: memoryview) -> int:
        return self._exchange(partial(self._tls.write, data[:_UPLOAD_SIZE]))

    def _exchange(self, act: Callable[[], T]) -> T:
        while True:
            try:
                result = act()
            except ssl.SSLWantReadError:
                self._flush()
                data = self._outer.recv(_READ_SIZE)
                self.incoming.write(data) if data else self.incoming.write_eof()
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        unsent = self._outgoing.read()
        while unsent:
            # Encrypted bytes must be sent exactly once, so wait here.
            unsent = unsent[self._in_time(partial(self._outer.send, unsent), select.POLLOUT) :]


def connected(host: str, port: int, state: ConnectionState) -> DeadlineSocket:
    """Connect to the first address that responds.

    Tries all addresses of the host, because an address family may be unreachable.
    Raises OSError if the lookup fails, or if the last address cannot be reached.
    """
    # Pass bytes, because Python would encode text with IDNA, which raises UnicodeError
    # instead of OSError for some names.
    name = host.encode("ascii")
    look_up = partial(socket.getaddrinfo, name, port, type=socket.SOCK_STREAM)
    found = os_limits.run_with_timeout(look_up, state.seconds(_CONNECT))
    addresses = [*dict.fromkeys((family, address) for family, _, _, _, address in found)]
    while True:
        family, address = addresses.pop(0)
        try:
            plain = _connected(
                family, address, state.seconds(_NEXT_ADDRESS if addresses else _CONNECT)
            )
        except OSError:
            if not addresses:
                raise
        else:
            state.handshakes = 0
            return DeadlineSocket(plain, state)


def _connected(family: int, address: Any, seconds: float) -> socket.socket:
    plain = socket.socket(family, socket.SOCK_STREAM)
    try:
        plain.settimeout(seconds)
        plain.connect(address)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        plain.setblocking(False)
    except BaseException:
        plain.close()
        raise
    return plain
