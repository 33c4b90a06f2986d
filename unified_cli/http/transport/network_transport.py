"""The one place that opens a connection: to the sandbox in this process, or to the service, over httpcore."""

import logging
import ssl
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import httpcore
import httpx

from unified_cli.config.address import Address
from unified_cli.http.transport.network_backend import ConnectionState, DeadlineBackend
from unified_cli.http.transport.proxy import proxy_for
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


# Their logs contain headers, also credentials, so they never reach handlers of the root logger.
for _name in ("httpcore", "httpx"):
    logging.getLogger(_name).propagate = False

SandboxTransport = Callable[[], httpx.BaseTransport]

_IDLE = 30.0

# What httpcore raises, and what httpx calls it.
_ERRORS: dict[type[Exception], type[httpx.TransportError]] = {
    httpcore.ConnectTimeout: httpx.ConnectTimeout,
    httpcore.ReadTimeout: httpx.ReadTimeout,
    httpcore.WriteTimeout: httpx.WriteTimeout,
    httpcore.PoolTimeout: httpx.PoolTimeout,
    httpcore.ConnectError: httpx.ConnectError,
    httpcore.ReadError: httpx.ReadError,
    httpcore.WriteError: httpx.WriteError,
    httpcore.ProxyError: httpx.ProxyError,
    httpcore.UnsupportedProtocol: httpx.UnsupportedProtocol,
    httpcore.LocalProtocolError: httpx.LocalProtocolError,
    httpcore.RemoteProtocolError: httpx.RemoteProtocolError,
}
_RAISED = tuple(_ERRORS)


class NetworkTransport(httpx.BaseTransport):
    """One connection to one origin, kept open between requests.

    `backend` opens the sockets; `context` verifies the service, None without TLS; `proxy` is the proxy to
    go through, None for none.
    """

    def __init__(
        self, backend: httpcore.NetworkBackend, context: ssl.SSLContext | None, proxy: httpcore.Proxy | None = None
    ) -> None:
        self._backend = backend
        self._context = context
        self._proxy = proxy
        self._connection: httpcore.HTTPConnection | httpcore.ConnectionPool | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response to the request, its body still to be read. Raises the errors of httpx."""
        url = request.url
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101  a request of this program has no other
        outgoing = httpcore.Request(
            request.method, target, headers=request.headers.raw, content=request.stream, extensions=request.extensions
        )
        try:
            response = self._usable(target.origin).handle_request(outgoing)
        except _RAISED as error:
            raise _error_of_httpx(error) from error
        return httpx.Response(
            response.status,
            headers=response.headers,
            stream=_ResponseStream(response),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _usable(self, origin: httpcore.Origin) -> httpcore.HTTPConnection | httpcore.ConnectionPool:
        """The connection, opened anew where the one there is cannot take another request."""
        found = self._connection
        if isinstance(found, httpcore.HTTPConnection) and (not found.is_available() or found.has_expired()):
            self.close()
        if self._connection is None and self._proxy is None:
            # A pool of one does the same, for a tenth more processor time a request.
            self._connection = httpcore.HTTPConnection(
                origin, ssl_context=self._context, keepalive_expiry=_IDLE, network_backend=self._backend
            )
        elif self._connection is None:
            self._connection = httpcore.ConnectionPool(
                ssl_context=self._context,
                proxy=self._proxy,
                max_connections=1,
                max_keepalive_connections=1,
                keepalive_expiry=_IDLE,
                network_backend=self._backend,
            )
        return self._connection


class _ResponseStream(httpx.SyncByteStream):
    """The body of a response, as it comes in."""

    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_stream()
        except _RAISED as error:
            raise _error_of_httpx(error) from error

    def close(self) -> None:
        try:
            self._response.close()
        except _RAISED as error:
            raise _error_of_httpx(error) from error


def _error_of_httpx(error: Exception) -> httpx.TransportError:
    kind = next(kind for theirs, kind in _ERRORS.items() if isinstance(error, theirs))
    return kind(str(error))


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
        return NetworkTransport(DeadlineBackend(self.state), context, proxy.for_httpcore(context) if proxy else None)
