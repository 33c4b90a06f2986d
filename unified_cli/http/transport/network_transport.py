"""The one place that opens a connection: to the sandbox in this process, or to the service, over sockets of its own."""

import re
import ssl
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import httpx

from unified_cli.config.address import Address
from unified_cli.http.transport.proxy import ProxySetting, proxy_for
from unified_cli.http.transport.response_reader import ResponseReader
from unified_cli.http.transport.sockets import ConnectionState, DeadlineSocket
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.http.transport.network_errors import NetworkFailure


class BrokenExchange(NamedTuple):
    """How an exchange failed; `stale` if the server had closed the idle connection before the request was sent."""

    failure: "NetworkFailure"
    stale: bool


Describe = Callable[[httpx.TransportError], BrokenExchange]
"""What an error of a transport means; called while the connection is still in the state in which it failed."""


class ReplayedError(httpx.TransportError):
    """The error of an exchange that is answered from a recording."""

    def __init__(self, broken: BrokenExchange) -> None:
        super().__init__(broken.failure.reason)
        self.broken = broken


SandboxTransport = Callable[[], httpx.BaseTransport]

_TOKEN = rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_REQUEST = re.compile(rb"%b [!-~]+ HTTP/1\.1\r\n(?:%b: [\t -~\x80-\xff]*\r\n)*\r\n" % (_TOKEN, _TOKEN))
_PORTS = {"http": 80, "https": 443}


class NetworkTransport(httpx.BaseTransport):
    """One connection to one origin, kept open between requests.

    `context` verifies the service, None without TLS; `proxy` is the proxy to go through, None for none.
    """

    def __init__(
        self, state: ConnectionState, context: ssl.SSLContext | None, proxy: ProxySetting | None = None
    ) -> None:
        self._state = state
        self._context = context
        self._proxy = proxy
        self._connection: DeadlineSocket | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response to the request, its body still to be read. Raises the errors of httpx."""
        connection = self._usable(request.url)
        try:
            # The answer, if there is one, says why the request was not wanted to its end.
            with suppress(httpx.WriteError):
                self._send(connection, request)
            answer = ResponseReader(connection, request.method)
            answer.head()
        except BaseException:
            self.close()
            raise
        self._state.status = answer.status
        told = {"http_version": answer.version, "reason_phrase": answer.reason}
        return httpx.Response(answer.status, headers=answer.headers, stream=answer, extensions=told)

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _usable(self, url: httpx.URL) -> DeadlineSocket:
        """The connection, opened anew where the one there is cannot take another request."""
        if self._connection is not None and self._connection.take():
            return self._connection
        self.close()
        first = self._proxy.url if self._proxy else url
        connection = DeadlineSocket.connected(first.raw_host.decode("ascii"), _port(first), self._state)
        try:
            if self._proxy is not None:
                self._tunnel(connection, self._proxy, url)
            if self._context is not None:
                connection.start_tls(self._context, url.raw_host.decode("ascii"))
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _tunnel(self, connection: DeadlineSocket, proxy: ProxySetting, url: httpx.URL) -> None:
        if proxy.uses_tls and self._context is not None:
            # The authorities of the service verify it too.
            connection.start_tls(self._context, proxy.url.raw_host.decode("ascii"))
        host = b"[%b]" % url.raw_host if b":" in url.raw_host else url.raw_host
        target = b"%b:%d" % (host, _port(url))
        with suppress(httpx.WriteError):
            connection.send(_head(b"CONNECT", target, [(b"Host", target), *proxy.credentials]))
        answer = ResponseReader(connection, "CONNECT")
        answer.head()
        self._state.status = answer.status
        if answer.status // 100 != 2:
            raise httpx.ProxyError(f"{answer.status} {answer.reason.decode('ascii', 'ignore')}")

    def _send(self, connection: DeadlineSocket, request: httpx.Request) -> None:
        head = _head(request.method.encode("ascii"), request.url.raw_path, request.headers.raw)
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101  a request of this program has no other
        if isinstance(request.stream, httpx.ByteStream):
            # One packet, where it may be; httpx has counted its bytes.
            connection.send(b"".join([head, *request.stream]))
            return
        connection.send(head)
        for piece in _counted(request.stream, int(request.headers.get("content-length", "0"))):
            connection.send(piece)


def _port(url: httpx.URL) -> int:
    return url.port or _PORTS[url.scheme]


def _head(method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The head of a request. Raises LocalProtocolError where a part of it would be more than that part."""
    lines = [b"%b %b HTTP/1.1" % (method, target), *(b"%b: %b" % pair for pair in headers), b"", b""]
    head = b"\r\n".join(lines)
    if head.count(b"\n") != len(lines) - 1 or not _REQUEST.fullmatch(head):
        raise httpx.LocalProtocolError("the request is not valid HTTP")
    return head


def _counted(pieces: Iterable[bytes], length: int) -> Iterator[bytes]:
    """The pieces. Raises LocalProtocolError, before one too many is given, where they have not that length."""
    for piece in pieces:
        length -= len(piece)
        if length < 0:
            break
        yield piece
    if length:
        raise httpx.LocalProtocolError("the body has not the length that its headers say")


class TransportFactory(NamedTuple):
    """Opens the transports of one worker, which update `state`; `sandbox` opens one to the sandbox in this process.

    `describe` says what an error of a transport means.
    """

    runtime: Runtime
    ca_bundle: str | None
    state: ConnectionState
    sandbox: SandboxTransport
    describe: Describe

    def open(self, address: Address) -> httpx.BaseTransport:
        """A transport with one connection to the address, or one that answers from a recording.

        Raises ConfigError for proxy and TLS settings that cannot be used.
        """
        exchanges = self.runtime.exchanges
        return exchanges.transport(partial(self._open, address), self.describe) if exchanges else self._open(address)

    def _open(self, address: Address) -> httpx.BaseTransport:
        if self.runtime.transport is not None:
            return self.runtime.transport()
        if address.is_sandbox:
            return self.sandbox()
        proxy = proxy_for(address, self.runtime.environ)
        context = None
        if address.scheme != "http":
            from unified_cli.http.transport.tls import tls_context  # noqa: PLC0415  not for the sandbox on this machine

            context = tls_context(self.ca_bundle, self.runtime.environ)
        return NetworkTransport(self.state, context, proxy)
