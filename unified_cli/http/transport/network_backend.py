"""The sockets of a connection: each operation, from name look-up on, ends at its deadline and updates its state."""

import re
import select
import socket
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from unified_cli import background_call
from unified_cli.http.transport.connection_state import ConnectionState

_CONNECT = 10.0
_NEXT_ADDRESS = 2.5
_TRANSFER = 60.0
_WRITE_SIZE = 64 * 1024
# So much can be written as soon as anything can, without waiting for the peer to read.
_UPLOAD_SIZE = 16 * 1024
# How long bytes that have arrived may take to come out of TLS, where they may be of no answer.
_PEEK = 0.001
_INFORMATIONAL = re.compile(rb"HTTP/1\.[01] 1")


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
                seconds = self._remaining(_CONNECT if last else _NEXT_ADDRESS)
                stream = self._inner.connect_tcp(address, port, seconds, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
            else:
                self._state.opened()
                return _Stream(stream, self._state)
        raise failure

    def _remaining(self, most: float) -> float:
        return self._state.remaining(most, httpcore.ConnectTimeout)

    def _look_up(self, host: str, port: int) -> list[str]:
        # As bytes, because text goes through a codec that refuses names which no name server has, with another error.
        name = host.encode("ascii")
        try:
            found = background_call.result_of(
                lambda: socket.getaddrinfo(name, port, type=socket.SOCK_STREAM), self._remaining(_CONNECT)
            )
        except background_call.UnansweredError:
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
