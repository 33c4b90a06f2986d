"""Send requests to the service, and read the heads of its answers, over sockets of our
own.
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
    """One connection to one origin, kept open between requests.

    `context` verifies the service, None without TLS; `proxy` is the proxy to use, or
    None.
    """

    def __init__(
        self, state: ConnectionState, context: ssl.SSLContext | None, proxy: ProxySetting | None
    ) -> None:
        self._state = state
        self._context = context
        self._proxy = proxy
        self._connection: DeadlineSocket | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, whose body is still to be read.

        Raises the errors of httpx.
        """
        try:
            connection = self._usable_connection(request)
            # An early answer, if any, says why the rest of the request was refused.
            with suppress(httpx.WriteError):
                self._send(connection, request)
            answer = ResponseReader(connection, request.method)
        except BaseException:
            self.close()
            raise
        self._state.status = answer.status
        facts = {"http_version": answer.version, "reason_phrase": answer.reason}
        return httpx.Response(
            answer.status, headers=answer.headers, stream=answer, extensions=facts
        )

    def close(self) -> None:
        """Close the connection; the next request opens another."""
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
            # The proxy's certificate is verified like the service's.
            connection.start_tls(self._context, proxy.url.raw_host.decode("ascii"))
        target = f"{bracketed(url.raw_host.decode('ascii'))}:{port_of(url)}".encode("ascii")
        headers = [(b"Host", target)]
        if proxy.url.userinfo:
            pair = f"{proxy.url.username}:{proxy.url.password}".encode()
            headers.append((b"Proxy-Authorization", b"Basic " + b64encode(pair)))
        self._state.tunnelling = True
        with suppress(httpx.WriteError):
            connection.send(_head(b"CONNECT", target, headers))
        answer = ResponseReader(connection, "CONNECT")
        self._state.status = answer.status
        if answer.status // 100 != 2:
            raise httpx.ProxyError(
                f"{answer.status} {answer.reason.decode('ascii', 'ignore')}".rstrip()
            )
        self._state.tunnelling = False

    def _send(self, connection: DeadlineSocket, request: httpx.Request) -> None:
        head = _head(request.method.encode("ascii"), request.url.raw_path, request.headers.raw)
        # Requests of this program have no other stream.
        assert isinstance(request.stream, httpx.SyncByteStream)  # noqa: S101
        if isinstance(request.stream, httpx.ByteStream):
            # Head and body are sent as one packet if possible; httpx has counted the
            # bytes of the body.
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
            raise httpx.LocalProtocolError("the body has not the length that its headers say")


def _head(method: bytes, target: bytes, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the head of a request.

    Raises LocalProtocolError if a part would be read as several parts.
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
