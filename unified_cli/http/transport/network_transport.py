"""Send requests to the service over our own sockets, and read the heads of the
responses.
"""

import re
import ssl
from base64 import b64encode
from collections.abc import Iterable
from contextlib import suppress

import httpx

from unified_cli.config.address import bracketed
from unified_cli.http.transport.proxy import ProxySetting, port_of
from unified_cli.http.transport.response_reader import ResponseReader
from unified_cli.http.transport.sockets import ConnectionState, DeadlineSocket, connected

_TOKEN = rb"[-!#$%&'*+.^_`|~0-9A-Za-z]+"
_REQUEST = re.compile(
    rb"%b [!-~]+ HTTP/1\.1\r\n(?:%b: [\t -~\x80-\xff]*\r\n)*\r\n" % (_TOKEN, _TOKEN)
)


class NetworkTransport(httpx.BaseTransport):
    """One connection to an origin, kept open between requests.

    `context` verifies the service, and is None without TLS.
    """

    def __init__(
        self, state: ConnectionState, context: ssl.SSLContext | None, proxy: ProxySetting | None
    ) -> None:
        self._state = state
        self._context = context
        self._proxy = proxy
        self._connection: DeadlineSocket | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, with an unread body. Raises the errors of httpx."""
        try:
            connection = self._usable_connection(request)
            # If the peer refuses the rest of the request, read its early response.
            with suppress(httpx.WriteError):
                self._send(connection, request)
            response = ResponseReader(connection, request.method)
        except BaseException:
            self.close()
            raise
        self._state.status = response.status
        facts = {"http_version": response.version, "reason_phrase": response.reason}
        return httpx.Response(
            response.status, headers=response.headers, stream=response, extensions=facts
        )

    def close(self) -> None:
        """Close the connection. The next request opens a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _usable_connection(self, request: httpx.Request) -> DeadlineSocket:
        if self._connection is not None and self._connection.take():
            return self._connection
        self.close()
        url = request.url
        first = self._proxy.url if self._proxy else url
        try:
            self._connection = connection = connected(
                first.raw_host.decode("ascii"), port_of(first), self._state
            )
            if self._proxy is not None:
                self._tunnel(connection, self._proxy, url)
            if self._context is not None:
                connection.start_tls(self._context, url.raw_host.decode("ascii"))
        except TimeoutError as error:
            raise httpx.ConnectTimeout(str(error)) from error
        except (OSError, ValueError) as error:
            raise httpx.ConnectError(str(error)) from error
        return connection

    def _tunnel(self, connection: DeadlineSocket, proxy: ProxySetting, url: httpx.URL) -> None:
        if proxy.url.scheme == "https" and self._context is not None:
            # Verify the certificate of the proxy in the same way as the certificate of
            # the service.
            connection.start_tls(self._context, proxy.url.raw_host.decode("ascii"))
        target = f"{bracketed(url.raw_host.decode('ascii'))}:{port_of(url)}".encode("ascii")
        headers = [(b"Host", target)]
        if proxy.url.userinfo:
            pair = f"{proxy.url.username}:{proxy.url.password}".encode()
            headers.append((b"Proxy-Authorization", b"Basic " + b64encode(pair)))
        self._state.tunnelling = True
        with suppress(httpx.WriteError):
            connection.send(_head(b"CONNECT", target, headers))
        response = ResponseReader(connection, "CONNECT")
        self._state.status = response.status
        if response.status // 100 != 2:
            raise httpx.ProxyError(
                f"{response.status} {response.reason.decode('ascii', 'ignore')}".rstrip()
            )
        self._state.tunnelling = False

    def _send(self, connection: DeadlineSocket, request: httpx.Request) -> None:
        head = _head(request.method.encode("ascii"), request.url.raw_path, request.headers.raw)
        # All requests of this program have a synchronous stream.
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101
        if isinstance(request.stream, httpx.ByteStream):
            # Send head and body in one packet if possible.
            connection.send(b"".join([head, *request.stream]))
            return
        connection.send(head)
        left = int(request.headers.get("content-length", "0"))
        for piece in request.stream:
            left -= len(piece)
            if left < 0:
                break
            connection.send(piece)
        if left:
            raise httpx.LocalProtocolError(
                "the length of the request body differs from its Content-Length header"
            )


def _head(method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the head of a request.

    Raises LocalProtocolError if the head is not valid HTTP, because a server could
    parse an invalid head differently.
    """
    lines = [
        b"%b %b HTTP/1.1" % (method, target),
        *[b"%b: %b" % pair for pair in headers],
        b"",
        b"",
    ]
    head = b"\r\n".join(lines)
    if head.count(b"\n") != len(lines) - 1 or not _REQUEST.fullmatch(head):
        raise httpx.LocalProtocolError("the request is not valid HTTP")
    return head
