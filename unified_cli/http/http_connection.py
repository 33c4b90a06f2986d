"""A network connection to the service that sends each request once."""

from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import httpx

from unified_cli import PRODUCT
from unified_cli.catalogue import Service
from unified_cli.config.address import Address, parse
from unified_cli.config.settings import Settings
from unified_cli.errors import (
    ConfigError,
    NetworkError,
    ServiceError,
    UnifiedError,
    UnsafeError,
    UsageError,
)
from unified_cli.http import attempt, decoding
from unified_cli.http.attempt import Attempt, NetworkFailure, Outcome
from unified_cli.http.request import ByteRange, Request
from unified_cli.http.response import Expected, Failed, Reader, Response
from unified_cli.http.trace import Trace
from unified_cli.http.transport import network_errors
from unified_cli.http.transport.network_transport import NetworkTransport
from unified_cli.http.transport.proxy import NetworkRoute, proxy_for
from unified_cli.http.transport.sockets import ConnectionState
from unified_cli.http.transport.tls import tls_context
from unified_cli.plural import counted
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.http.upload import UploadBody

_MOST_REDIRECTS = 3
_REDIRECTS = {301, 302, 303, 307, 308}
_WITH_LENGTH = {"POST", "PUT", "PATCH"}


class ReplayedError(httpx.TransportError):
    """The error of a recorded exchange."""

    def __init__(self, failure: NetworkFailure) -> None:
        super().__init__(failure.reason)
        self.failure = failure


class RedirectError(Exception):
    """A refused redirect: its status and the error to report."""

    def __init__(self, status: int, meaning: UnifiedError) -> None:
        super().__init__(meaning.message)
        self.status = status
        self.meaning = meaning


# All creates of a connection have the same URL, and httpx needs long to parse one.
@lru_cache
def _url(text: str) -> httpx.URL:
    try:
        return httpx.URL(text)
    except httpx.InvalidURL as error:
        raise UsageError(f"the request's URL cannot be sent: {str(error).lower()}") from None


def _host(address: Address) -> str:
    """Return the Host header for this address. Raises ConfigError if the name is
    invalid.
    """
    url = _url(address.origin)
    try:
        _ = url.host
    except ValueError:
        # The name has an invalid xn-- form.
        raise ConfigError(f"the host {address.host} has an invalid name") from None
    return url.netloc.decode("ascii")


def _http_request(
    request: Request, headers: httpx.Headers, body: "bytes | UploadBody"
) -> httpx.Request:
    """Return the request for a transport.

    Raises UsageError if the URL cannot be sent unchanged.
    """
    url = _url(request.url)
    if url.raw_path != request.target.encode("ascii"):
        raise UsageError(f"cannot safely send this path and query: {request.target}")
    extensions = {"unified_body": request.upload.description} if request.upload else None
    stream = httpx.ByteStream(body) if isinstance(body, bytes) else None
    content = body if stream is None else None
    return httpx.Request(
        request.method, url, headers=headers, stream=stream, content=content, extensions=extensions
    )


class HttpContext(NamedTuple):
    """The settings that all connections of a run share.

    `sandbox` opens a transport to the sandbox in this process.
    """

    runtime: Runtime
    service: Service
    sandbox: Callable[[], httpx.BaseTransport]


class HttpConnection:
    """A connection to the origin in the settings. No other origin gets the token.

    The constructor raises ConfigError if the address or the proxy or TLS settings are
    invalid.
    """

    def __init__(self, context: HttpContext, settings: Settings, token: str) -> None:
        runtime = context.runtime
        self._runtime = runtime
        self._token = token
        self._address, _ = settings.reachable()
        self._host = _host(self._address)
        self._state = ConnectionState(runtime.monotonic)
        self._ca_bundle = settings.ca_bundle
        self._sandbox = context.sandbox
        self._transport = self._new_transport(self._address)
        self._other: httpx.BaseTransport | None = None
        self._body: UploadBody | None = None
        """The file of the current request, if it has one."""
        self._named: dict[str, str] = {}
        """The headers of the latest request. `_headers` has them encoded."""
        self._headers = httpx.Headers()
        proxy = None if self._address.is_sandbox else proxy_for(self._address, runtime.environ)
        self._route = NetworkRoute(self._address, proxy, settings.values["base_url"].source)
        self._trace = Trace(runtime.stderr, context.service)
        words = settings.token.words if settings.token else "this run"
        self._reader = Reader(
            self._state,
            context.service,
            self._trace,
            self._disconnect,
            self._failure_of,
            words,
            settings.leading_profile,
        )

    def _new_transport(self, address: Address) -> httpx.BaseTransport:
        exchanges = self._runtime.exchanges
        return (
            exchanges.transport(partial(self._direct, address), self._broken)
            if exchanges
            else self._direct(address)
        )

    def _direct(self, address: Address) -> httpx.BaseTransport:
        environ = self._runtime.environ
        if self._runtime.transport is not None:
            return self._runtime.transport()
        if address.is_sandbox:
            return self._sandbox()
        context = None
        if address.scheme != "http":
            context = tls_context(self._ca_bundle, environ)
        return NetworkTransport(self._state, context, proxy_for(address, environ))

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()
        if self._other is not None:
            self._other.close()

    @property
    def lost(self) -> Outcome:
        """How far the attempt got if its connection is lost now."""
        return (
            Outcome.UNFINISHED
            if self._body is not None and not self._body.finished
            else Outcome.LOST
        )

    def attempt(self, request: Request, until: float, expected: Expected) -> Response | Failed:
        """Send the request once, and return the response or the failure.

        Stops at the time `until`. Raises UsageError or ConfigError if the request
        cannot be sent.
        """
        self._body = request.upload.body(self._state.extend) if request.upload else None
        outgoing = self._outgoing(request, expected.part)
        self._trace.request(request, outgoing)
        self._state.start(until, uploads=self._body is not None)
        started = self._runtime.monotonic()
        result = self._exchange(request, outgoing, expected)
        seconds = self._runtime.monotonic() - started
        status = result.attempt.status if isinstance(result, Failed) else result.status
        self._trace.outcome(
            request, status, seconds, result.error.message if isinstance(result, Failed) else None
        )
        return result

    def _exchange(
        self, request: Request, outgoing: httpx.Request, expected: Expected
    ) -> Response | Failed:
        try:
            response = self._followed(request, outgoing, file=expected.part is not None)
            return self._reader.read(request, response, expected)
        except httpx.TransportError as error:
            failure = self._broken(error)
            self._disconnect()
            kind = ServiceError if failure.malformed else NetworkError
            retryable = failure.outcome is not Outcome.PERMANENT
            return Failed(
                Attempt(failure.outcome, doubt=failure.doubt),
                kind(failure.reason, hint=failure.hint, retryable=retryable),
                stale=failure.stale,
            )
        except decoding.DamageError as error:
            self._disconnect()
            return Failed(
                Attempt(Outcome.DAMAGED), ServiceError(f"{error} ({request.method} {request.path})")
            )
        except RedirectError as error:
            self._disconnect()
            return Failed(Attempt(Outcome.ANSWERED, error.status), error.meaning)

    def _followed(self, request: Request, outgoing: httpx.Request, *, file: bool) -> httpx.Response:
        """Send the request, follow redirects, and return the response.

        Only a GET is redirected: within its origin, or to another origin for a `file`,
        with only the headers for the file. Raises RedirectError for any other redirect,
        before anything is sent to its target, and for a loop.
        """
        transport = self._transport
        response = transport.handle_request(outgoing)
        for _ in range(_MOST_REDIRECTS):
            if response.status_code not in _REDIRECTS or "location" not in response.headers:
                return response
            try:
                target = attempt.redirect_target(
                    outgoing.url, response.headers["location"], request, file=file
                )
            except UnsafeError as error:
                raise RedirectError(response.status_code, error) from None
            foreign = attempt.is_foreign(outgoing.url, target)
            # Close the connection instead of reading the body of the redirect.
            response.close()
            if foreign:
                transport = self._open_other_origin(f"https://{target.netloc.decode()}")
            outgoing = httpx.Request(
                "GET", target, headers=attempt.redirected_headers(outgoing.headers, foreign=foreign)
            )
            response = transport.handle_request(outgoing)
        if response.status_code in _REDIRECTS:
            often = ServiceError(
                f"the service redirected {request.method} {request.path} more than"
                f" {_MOST_REDIRECTS} times"
            )
            raise RedirectError(response.status_code, often)
        return response

    def _broken(self, error: httpx.TransportError) -> NetworkFailure:
        failure = self._failure_of(error)
        if isinstance(error, ReplayedError):
            return failure
        if self._body is not None and failure.outcome is Outcome.LOST:
            so_far = f"{self._body.sent} of {counted(self._body.size, 'byte')} were sent"
            failure = failure._replace(outcome=self.lost, reason=f"{failure.reason}; {so_far}")
        late = isinstance(error, httpx.TimeoutException)
        return failure._replace(stale=self._state.reused and not self._state.received and not late)

    def _failure_of(self, error: httpx.TransportError) -> NetworkFailure:
        if isinstance(error, ReplayedError):
            return error.failure

        return network_errors.failure_of(error, self._route, self._state)

    def _open_other_origin(self, origin: str) -> httpx.BaseTransport:
        if self._other is not None:
            self._other.close()
        try:
            address = parse(origin, "a redirect")
        except ConfigError as error:
            raise httpx.RemoteProtocolError(
                f"it redirects to an address that cannot be used: {error.message}"
            ) from None
        self._other = self._new_transport(address)
        return self._other

    def _outgoing(self, request: Request, part: ByteRange | None) -> httpx.Request:
        body = self._body or request.body or b""
        size = self._body.size if self._body else len(request.body or b"")
        headers = {
            "Host": self._host,
            **request.headers,
            "Accept-Encoding": "gzip",
            **(part.headers if part else {}),
            **({"Content-Length": str(size)} if size or request.method in _WITH_LENGTH else {}),
            "User-Agent": PRODUCT,
            "Authorization": f"Bearer {self._token}",
        }
        # The requests of a list have the same headers, and comparing is faster than
        # encoding.
        if headers.keys() != self._named.keys():
            self._headers = httpx.Headers(headers)
        elif changed := {
            name: value for name, value in headers.items() if value != self._named[name]
        }:
            self._headers = httpx.Headers(self._headers)
            for name, value in changed.items():
                self._headers[name] = value
        self._named = headers
        return _http_request(request, self._headers, body)

    def _disconnect(self) -> None:
        if self._runtime.transport is None and not self._address.is_sandbox:
            self._transport.close()
