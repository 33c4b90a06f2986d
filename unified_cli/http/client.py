"""Send a request and give its whole answer, or the error that tells how it failed; repeat where that is harmless."""

from typing import TYPE_CHECKING, NoReturn

import httpx

from unified_cli import __version__
from unified_cli.catalogue import Service
from unified_cli.config.address import parse
from unified_cli.config.settings import Settings
from unified_cli.errors import (
    ConfigError,
    NetworkError,
    RateLimitError,
    ServiceError,
    UnifiedError,
    UnknownError,
    UnsafeError,
    UsageError,
)
from unified_cli.http import retry, trace
from unified_cli.http.answer import decoding
from unified_cli.http.answer.reader import Answer, Failed, Reader
from unified_cli.http.byte_range import ByteRange
from unified_cli.http.rate_limit import RateLimit
from unified_cli.http.request import Request
from unified_cli.http.retry import Attempt, Outcome, Quota
from unified_cli.http.transport import redirects
from unified_cli.http.transport.connection_state import ConnectionState
from unified_cli.http.transport.proxy import NetworkRoute, proxy_for
from unified_cli.http.transport.transport_factory import SandboxTransport, TransportFactory
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    from unified_cli.http.transport.network_errors import NetworkFailure

_NO_SEND = "no send is free before the deadline (a larger --timeout, or a higher --rate)"


class Client:
    """One worker's way to the service: one network connection, used for one request after another.

    Pace and quota are shared by all workers of a run. Nothing is sent anywhere but to the settings' own origin.
    """

    def __init__(
        self,
        settings: Settings,
        token: str,
        runtime: Runtime,
        service: Service,
        sandbox: SandboxTransport,
        *,
        pace: RateLimit,
        quota: Quota,
    ) -> None:
        address, _ = settings.reachable()
        self.service = service
        self._settings = settings
        self._token = token
        self._runtime = runtime
        self._pace = pace
        self._quota = quota
        self._address = address
        self._elsewhere: httpx.BaseTransport | None = None
        self._state = ConnectionState(runtime.monotonic)
        self._transports = TransportFactory(runtime, settings.ca_bundle, self._state, sandbox)
        self._transport = self._transports.open(address)
        proxy = None if address.is_sandbox else proxy_for(address, runtime.environ)
        self._route = NetworkRoute(address, proxy)
        self._reader = Reader(self._state, service, runtime.stderr, self._drop, self._explain)

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()
        self._close_elsewhere()

    def send(
        self, request: Request, *, any_type: bool = False, part: ByteRange | None = None, page: bool = False
    ) -> Answer:
        """The answer to the request, which is repeated as long as that is harmless and the deadline allows.

        `any_type` lets HTML pass, which is otherwise taken for a gateway's page; `part` asks for a file, which may be
        at another place; with `page` the answer's `page` has the records. Raises the errors of `failure`, and
        NetworkError, ServiceError or, where a write may have been done, UnknownError.
        """
        if request.address.origin != self._address.origin:
            raise UnsafeError(f"the request goes to {request.address.origin}, and the token to {self._address.origin}")
        until = self._runtime.monotonic() + self._settings.timeout
        number, doubtful, spare = 1, False, True
        late: UnifiedError = RateLimitError(_NO_SEND)
        while True:
            if not self._pace.wait(request.account, until):
                _give_up(request, late, doubtful=doubtful)
            result = self._attempt(request, until, any_type=any_type, part=part, page=page)
            if isinstance(result, Answer):
                self._quota.earn()
                return result
            if doubtful and request.method == "DELETE" and result.attempt.status in {404, 410}:
                self._runtime.stderr.note("already gone: an earlier attempt deleted it")
                return Answer(204, httpx.Headers(), b"")
            doubtful = (doubtful and not retry.settles(result.attempt)) or retry.leaves_doubt(request, result.attempt)
            if result.stale and spare and retry.may_repeat(request, result.attempt):
                spare = False
                continue
            self._pause(request, number, result, until, doubtful=doubtful)
            number, late = number + 1, result.error

    def _pause(self, request: Request, number: int, failed: Failed, until: float, *, doubtful: bool) -> None:
        """Wait as long as this failure asks for, or raise its error where nothing more is to be tried."""
        attempt = failed.attempt
        wait = retry.pause(number, attempt, self._runtime.uniform)
        limited = attempt.status == 429
        if limited:
            # A provider limits its own connection; only the service's word is for all that share the token.
            self._pace.pause(min(wait, retry.LONGEST_WAIT), request.account if attempt.remote else None)
        if not retry.may_repeat(request, attempt) or number > self._settings.retries:
            _give_up(request, failed.error, doubtful=doubtful)
        asked = attempt.retry_after or 0
        if asked > retry.LONGEST_WAIT or self._runtime.monotonic() + wait >= until:
            _give_up(request, _too_long(failed.error, asked) if asked else failed.error, doubtful=doubtful)
        if not self._quota.spend(attempt.outcome):
            _give_up(request, failed.error, doubtful=doubtful)
        total = self._settings.retries
        self._runtime.stderr.note(f"retry {number} of {total} in {wait:.1f} s: {failed.error.message}")
        if not limited:
            self._runtime.sleep(wait)

    def _attempt(
        self, request: Request, until: float, *, any_type: bool, part: ByteRange | None, page: bool
    ) -> Answer | Failed:
        outgoing = self._outgoing(request, part)
        opened = self._state.connections
        self._state.start(until)
        trace.request(self._runtime.stderr, outgoing, request.body)
        started = self._runtime.monotonic()
        try:
            elsewhere = self._open_elsewhere if part else None
            response = redirects.follow(self._transport, outgoing, request, self._state, elsewhere)
            result = self._reader.read(request, response, any_type=any_type, part=part, page=page)
        except httpx.TransportError as error:
            found = self._explain(error)
            self._drop()
            kind = ServiceError if found.malformed else NetworkError
            late = isinstance(error, httpx.TimeoutException)
            stale = bool(opened) and opened == self._state.connections and not self._state.received and not late
            retryable = found.outcome is not Outcome.PERMANENT
            result = Failed(Attempt(found.outcome), kind(found.message, retryable=retryable), stale=stale)
        except decoding.DamageError as error:
            self._drop()
            message = f"{error} ({request.method} {request.path})"
            result = Failed(Attempt(Outcome.DAMAGED), ServiceError(message))
        except redirects.RedirectError as error:
            self._drop()
            result = Failed(Attempt(Outcome.ANSWERED, error.status), error.meaning)
        except KeyboardInterrupt as stop:
            if request.writes:
                stop.add_note(_in_doubt(request))
            raise
        seconds = self._runtime.monotonic() - started
        failed = result.error.message if isinstance(result, Failed) else None
        status = result.attempt.status if isinstance(result, Failed) else result.status
        trace.outcome(self._runtime.stderr, request, status, failed, seconds)
        return result

    def _explain(self, error: httpx.TransportError) -> "NetworkFailure":
        from unified_cli.http.transport import network_errors  # noqa: PLC0415  most attempts are none

        return network_errors.failure_of(error, self._route, self._state)

    def _open_elsewhere(self, origin: str) -> httpx.BaseTransport:
        """A way to another origin than ours, for one file that a redirect leads to; it knows no token."""
        self._close_elsewhere()
        try:
            other = parse(origin, "a redirect")
        except ConfigError as error:
            raise httpx.RemoteProtocolError(f"it redirects to a strange place: {error.message}") from None
        self._elsewhere = self._transports.open(other)
        return self._elsewhere

    def _close_elsewhere(self) -> None:
        if self._elsewhere is not None:
            self._elsewhere.close()
            self._elsewhere = None

    def _outgoing(self, request: Request, part: ByteRange | None) -> httpx.Request:
        headers = {
            **request.headers,
            "Accept-Encoding": "gzip",
            **(part.headers if part else {}),
            "User-Agent": f"unified-cli/{__version__}",
            "Authorization": f"Bearer {self._token}",
        }
        try:
            outgoing = httpx.Request(request.method, request.url, headers=headers, content=request.body)
        except httpx.InvalidURL as error:
            raise UsageError(f"the request's URL cannot be sent: {str(error).lower()}") from None
        except ValueError:
            # A name in its ASCII form that is no name in any other.
            raise ConfigError(f"the host {self._address.host} has no name that can be called") from None
        if outgoing.url.raw_path != request.target.encode("ascii"):
            raise UsageError(f"these words cannot be put into a URL safely: {request.target}")
        return outgoing

    def _drop(self) -> None:
        """Let go of the connection: what is left on it belongs to no answer."""
        if self._runtime.transport is None and not self._address.is_sandbox:
            self._transport.close()


def _too_long(error: UnifiedError, asked: float) -> UnifiedError:
    hours, minutes = divmod(round(asked / 60), 60)
    span = f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{asked:.0f} s"
    message = f"{error.message} (it asks to wait {span}, longer than this run may)"
    return RateLimitError(message, origin=error.origin, status=error.status)


def _give_up(request: Request, error: UnifiedError, *, doubtful: bool) -> NoReturn:
    if not doubtful:
        error.idempotency_key = request.key
        raise error
    raise UnknownError(
        f"{error.message}; {_in_doubt(request)}", origin=error.origin, status=error.status, idempotency_key=request.key
    )


def _in_doubt(request: Request) -> str:
    known = ""
    if request.key:
        known = "; its key was" if request.outward else "; to try again safely: --idempotency-key"
        known = f"{known} {request.key}"
    return f"{request.method} {request.path} may or may not have been done{known}"
