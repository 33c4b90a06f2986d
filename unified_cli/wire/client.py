"""Send a request and give its whole answer, or the error that tells how it failed; repeat where that is harmless."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

import httpx

from unified_cli import __version__
from unified_cli.catalogue import Service
from unified_cli.config.settings import Settings
from unified_cli.errors import (
    NetworkError,
    RateLimitError,
    ServiceError,
    UnifiedError,
    UnknownError,
    UnsafeError,
    UsageError,
)
from unified_cli.runtime import Runtime
from unified_cli.wire import decode, failure, redirect, retry, trace, trouble
from unified_cli.wire.pace import Pace
from unified_cli.wire.request import Request
from unified_cli.wire.retry import Attempt, Outcome, Quota
from unified_cli.wire.sockets import Exchange
from unified_cli.wire.transport import Sandbox, open_transport, proxy_for

_LARGEST_ERROR = 2 * 1024 * 1024
_ATTACHMENT = re.compile(r"\s*attachment\b", re.IGNORECASE)


@dataclass(slots=True)
class Answer:
    """A success. JSON is in `body`, whole and checked; anything else comes chunk by chunk from `chunks`, once."""

    status: int
    headers: httpx.Headers
    body: bytes | None
    chunks: Iterator[bytes] = field(default=iter(()), repr=False)

    @property
    def content_type(self) -> str:
        """The Content-Type, empty where there is none."""
        return str(self.headers.get("content-type", ""))


@dataclass(frozen=True, slots=True)
class _Failed:
    attempt: Attempt
    error: UnifiedError
    stale: bool = False
    """The connection was an old one and had been closed meanwhile."""


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
        sandbox: Sandbox,
        *,
        pace: Pace,
        quota: Quota,
    ) -> None:
        address, _ = settings.reachable()
        self._settings = settings
        self._token = token
        self._runtime = runtime
        self._service = service
        self._pace = pace
        self._quota = quota
        self._address = address
        self._exchange = Exchange(runtime.monotonic)
        self._transport = open_transport(settings, address, runtime, self._exchange, sandbox)
        proxy = None if address.is_sandbox else proxy_for(address, runtime.environ)
        self._proxy = httpx.URL(proxy[1]).host if proxy else None

    def close(self) -> None:
        """Close the connection."""
        self._transport.close()

    def send(self, request: Request, *, any_type: bool = False) -> Answer:
        """The answer to the request, which is repeated as long as that is harmless and the deadline allows.

        `any_type` lets HTML pass, which is otherwise taken for a gateway's page. Raises the errors of `failure`, and
        NetworkError, ServiceError or, where a write may have been done, UnknownError.
        """
        if request.address.origin != self._address.origin:
            raise UnsafeError(f"the request goes to {request.address.origin}, and the token to {self._address.origin}")
        until = self._runtime.monotonic() + self._settings["timeout"]
        number, doubtful, spare = 1, False, True
        while True:
            if not self._pace.wait(request.account, until):
                raise RateLimitError("no send is free before the deadline (a larger --timeout, or a higher --rate)")
            result = self._attempt(request, until, any_type=any_type)
            if isinstance(result, Answer):
                self._quota.earn()
                return result
            if doubtful and request.method == "DELETE" and result.attempt.status == 404:
                self._runtime.talk.note("already gone: an earlier attempt deleted it")
                return Answer(204, httpx.Headers(), b"")
            lost = result.attempt.outcome in {Outcome.LOST, Outcome.DAMAGED}
            doubtful = doubtful or (lost and request.writes)
            if result.stale and spare and retry.may_repeat(request, result.attempt):
                spare = False
                continue
            self._pause(request, number, result, until, doubtful=doubtful)
            number += 1

    def _pause(self, request: Request, number: int, failed: _Failed, until: float, *, doubtful: bool) -> None:
        """Wait as long as this failure asks for, or raise its error where nothing more is to be tried."""
        attempt = failed.attempt
        wait = retry.pause(number, attempt, self._runtime.uniform)
        limited = attempt.status == 429
        if limited:
            # A provider limits its own connection; only the service's word is for all that share the token.
            self._pace.pause(min(wait, retry.LONGEST_WAIT), request.account if attempt.remote else None)
        if not retry.may_repeat(request, attempt) or number > self._settings["retries"]:
            _give_up(request, failed.error, doubtful=doubtful)
        asked = attempt.retry_after or 0
        if asked > retry.LONGEST_WAIT or self._runtime.monotonic() + wait >= until:
            _give_up(request, _too_long(failed.error, asked) if asked else failed.error, doubtful=doubtful)
        if not self._quota.spend(attempt.outcome):
            _give_up(request, failed.error, doubtful=doubtful)
        total = self._settings["retries"]
        self._runtime.talk.note(f"retry {number} of {total} in {wait:.1f} s: {failed.error.message}")
        if not limited:
            self._runtime.sleep(wait)

    def _attempt(self, request: Request, until: float, *, any_type: bool) -> Answer | _Failed:
        outgoing = self._outgoing(request)
        opened = self._exchange.connected
        self._exchange.start(until)
        trace.request(self._runtime.talk, outgoing, request.body)
        started = self._runtime.monotonic()
        try:
            response = redirect.follow(self._transport, outgoing, request, self._exchange)
            result = self._read(request, response, any_type=any_type)
        except (httpx.TransportError, httpx.DecodingError) as error:
            found = trouble.read(error, self._address.host, self._proxy, self._exchange.received)
            self._drop()
            kind = ServiceError if found.malformed else NetworkError
            stale = bool(opened) and opened == self._exchange.connected and not self._exchange.received
            retryable = found.outcome is not Outcome.HOPELESS
            result = _Failed(Attempt(found.outcome), kind(found.message, retryable=retryable), stale=stale)
        except decode.DamageError as error:
            self._drop()
            message = f"{error} ({request.method} {request.path})"
            result = _Failed(Attempt(Outcome.DAMAGED), ServiceError(message))
        seconds = self._runtime.monotonic() - started
        failed = result.error.message if isinstance(result, _Failed) else None
        status = result.attempt.status if isinstance(result, _Failed) else result.status
        trace.outcome(self._runtime.talk, request, status, failed, seconds)
        return result

    def _outgoing(self, request: Request) -> httpx.Request:
        headers = {
            **request.headers,
            "Accept-Encoding": "gzip",
            "User-Agent": f"unified-cli/{__version__}",
            "Authorization": f"Bearer {self._token}",
        }
        outgoing = httpx.Request(request.method, request.url, headers=headers, content=request.body)
        if outgoing.url.raw_path != request.target.encode("ascii"):
            raise UsageError(f"these words cannot be put into a URL safely: {request.target}")
        return outgoing

    def _read(self, request: Request, response: httpx.Response, *, any_type: bool) -> Answer | _Failed:
        trace.answer(self._runtime.talk, response)
        if response.status_code // 100 != 2:
            return self._refused(request, response)
        if response.status_code == 206:
            raise decode.DamageError("the answer is a part (206) that nobody asked for")
        kind = response.headers.get("content-type", "")
        if kind and not decode.is_json(kind):
            if kind.lower().startswith("text/html") and not any_type and not self._is_file(response):
                self._drop()
                raise ServiceError(f"the service answered {request.method} {request.path} with HTML, not JSON")
            return Answer(response.status_code, response.headers, None, self._stream(request, response))
        try:
            body = self._whole(response, decode.LARGEST)
            trace.body(self._runtime.talk, body)
            body = decode.check(body, kind) if body.strip() else b""
        except decode.DamageError:
            if request.method != "DELETE":
                raise
            # A record that is gone is gone, whatever became of the words about it.
            self._drop()
            body = b""
        if not body:
            if request.method == "GET":
                raise decode.DamageError("the answer is empty")
            return Answer(response.status_code, response.headers, b"")
        if envelope := decode.error_envelope(body, self._service.items):
            return self._failed(request, response, int(str(envelope["statusCode"]).partition(".")[0]), body)
        return Answer(response.status_code, response.headers, body)

    def _is_file(self, response: httpx.Response) -> bool:
        return _ATTACHMENT.match(response.headers.get("content-disposition", "")) is not None

    def _refused(self, request: Request, response: httpx.Response) -> _Failed:
        status = response.status_code
        if status // 100 == 3:
            self._drop()
            raise ServiceError(
                f"the service answered {status} to {request.method} {request.path}, and says not where to go"
            )
        try:
            body = self._whole(response, _LARGEST_ERROR)
        except (decode.DamageError, ServiceError):
            # The status stands whatever the text that came with it.
            self._drop()
            body = b""
        trace.body(self._runtime.talk, body)
        return self._failed(request, response, status, body)

    def _failed(self, request: Request, response: httpx.Response, status: int, body: bytes) -> _Failed:
        envelope = decode.error_envelope(body, self._service.items)
        after = retry.retry_after(response.headers.get_list("retry-after"), response.headers.get("date"))
        remote = bool(envelope and envelope.get("truto_is_remote_error"))
        blocked = failure.is_blocked(status, envelope)
        attempt = Attempt(Outcome.ANSWERED, status, retry_after=after, blocked=blocked, remote=remote)
        return _Failed(attempt, failure.error_for(request, status, envelope, body))

    def _whole(self, response: httpx.Response, largest: int) -> bytes:
        try:
            body = decode.read(_raw(response), response.headers.get("content-encoding", ""), largest=largest)
        except decode.TooLargeError:
            self._drop()
            raise ServiceError(f"the answer is larger than {largest >> 20} MiB (ask for less: --page-size)") from None
        self._end(response)
        return body

    def _stream(self, request: Request, response: httpx.Response) -> Iterator[bytes]:
        try:
            for chunk in decode.decoding(_raw(response), response.headers.get("content-encoding", "")):
                self._exchange.prolong()
                yield chunk
        except (httpx.TransportError, httpx.DecodingError) as error:
            found = trouble.read(error, self._address.host, self._proxy, self._exchange.received)
            raise NetworkError(found.message) from None
        except decode.DamageError as error:
            raise ServiceError(f"{error} ({request.method} {request.path})") from None
        self._end(response)

    def _end(self, response: httpx.Response) -> None:
        length = response.headers.get("content-length")
        self._exchange.end(int(length) if length and length.isdigit() else None)
        response.close()

    def _drop(self) -> None:
        """Let go of the connection: what is left on it belongs to no answer."""
        if self._runtime.transport is None and not self._address.is_sandbox:
            self._transport.close()


def _raw(response: httpx.Response) -> Iterator[bytes]:
    # The transport's own stream: httpx's decoders would undo any coding, without bounds.
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101  a synchronous transport gives no other
    return iter(response.stream)


def _too_long(error: UnifiedError, asked: float) -> UnifiedError:
    hours, minutes = divmod(round(asked / 60), 60)
    span = f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{asked:.0f} s"
    error.message = f"{error.message} (it asks to wait {span}, longer than this run may)"
    return error


def _give_up(request: Request, error: UnifiedError, *, doubtful: bool) -> NoReturn:
    refused = error.status is not None and 400 <= error.status < 500 and error.status not in {408, 409, 425, 429}
    if not doubtful or refused:
        error.idempotency_key = request.key
        raise error
    known = f"; to try again safely: --idempotency-key {request.key}" if request.key else ""
    raise UnknownError(
        f"{error.message}; {request.method} {request.path} may or may not have been done{known}",
        status=error.status,
        idempotency_key=request.key,
    )
