"""Read and check responses."""

import re
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import NamedTuple

import httpx

from unified_cli import hints
from unified_cli.catalogue import Service
from unified_cli.errors import NetworkError, ServiceError, UnifiedError
from unified_cli.http import api_errors, attempt as attempts, decoding, har_redaction, rate_headers
from unified_cli.http.attempt import Attempt, Doubt, NetworkFailure, Outcome
from unified_cli.http.page_body import PageBody, split
from unified_cli.http.request import ByteRange, Request, content_range
from unified_cli.http.trace import Trace
from unified_cli.http.transport.sockets import ConnectionState

_LARGEST_ERROR = 2 * 1024 * 1024
_ATTACHMENT = re.compile(r"\s*attachment\b", re.IGNORECASE)
_SNIFFED = 1024
_HTML = (b"<!doctype html", b"<html")


class Response(NamedTuple):
    """A successful response.

    JSON is in `body`, complete and checked. Other content is in `chunks`, which can be
    read once. The names of `headers` are in lower case.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    chunks: Iterator[bytes] = iter(())
    page: PageBody | None = None
    """The records and the cursor, if the body is a page."""
    served: bytes = b""
    """The body as served, including a byte order mark."""

    @property
    def content_type(self) -> str:
        """The Content-Type. Without this header, it is "" for JSON, and otherwise a
        phrase for messages.
        """
        return self.headers.get("content-type", "" if self.body else "bytes without a Content-Type")

    @property
    def attempt(self) -> Attempt:
        """The successful attempt."""
        return Attempt(Outcome.SUCCEEDED, self.status, facts=rate_headers.read(self.headers))


class Failed(NamedTuple):
    """A failed attempt, and the error to raise if no retry succeeds."""

    attempt: Attempt
    error: UnifiedError
    stale: bool = False
    """Whether the server had closed the idle connection before the request."""


class Expected(NamedTuple):
    """The responses that the caller accepts.

    `any_type` accepts HTML, which otherwise counts as an error of a gateway. `part` is
    the requested part of a file. `page` splits the body into records.
    """

    any_type: bool = False
    part: ByteRange | None = None
    page: bool = False


class Reader(NamedTuple):
    """Reads the responses of one connection.

    `disconnect` closes the connection before the response ends. `failure_of` describes
    an error of the transport. `token` is the source of the token, and `profile` the
    profile of the connection, for messages.
    """

    state: ConnectionState
    service: Service
    trace: Trace
    disconnect: Callable[[], None]
    failure_of: Callable[[httpx.TransportError], NetworkFailure]
    token: str
    profile: str | None

    def read(
        self, request: Request, response: httpx.Response, expected: Expected
    ) -> Response | Failed:
        """Read and check a response.

        Raises DamageError if the body is damaged, and the errors of the transport.
        """
        # Copy the headers, because httpx searches all of them at each access.
        headers = dict(response.headers.items())
        self.trace.warn(headers)
        try:
            return self._read(request, response, headers, expected)
        finally:
            self.trace.response(request, response)

    def _read(
        self,
        request: Request,
        response: httpx.Response,
        headers: Mapping[str, str],
        expected: Expected,
    ) -> Response | Failed:
        part = expected.part
        status, kind = response.status_code, headers.get("content-type", "")
        if status == 416 and part and part.start:
            self.disconnect()
            return Response(status, headers, None)
        if status // 100 != 2 or self.state.answered_early:
            return self._refused(request, response, headers)
        if status == 206 and not (part and part.start):
            raise decoding.DamageError("the answer is partial (206), which was not requested")
        if status == 206 and part and content_range(headers)[0] != part.start:
            return self._final(
                request, status, f"the partial answer does not start at byte {part.start}"
            )
        if request.private:
            if kind and not decoding.is_json(kind):
                return self._final(
                    request,
                    status,
                    "the answer is not JSON, so credentials in it cannot be redacted",
                )
            return self._document(request, response, headers, expected)
        # A response without a Content-Type may be a large file, unless a record is
        # expected.
        operation = request.operation
        has_body = status == 200 and headers.get("content-length") != "0"
        untyped = has_body and not kind and (operation is None or operation.kind == "action")
        if part and (status == 206 or _is_file(headers) or untyped):
            return Response(status, headers, None, self._stream(request, response, headers))
        if kind and not decoding.is_json(kind):
            if (
                kind.lower().startswith("text/html")
                and not expected.any_type
                and not _is_file(headers)
            ):
                return self._html(request, status)
            return Response(status, headers, None, self._stream(request, response, headers))
        return self._document(request, response, headers, expected)

    def _html(self, request: Request, status: int) -> Failed:
        return self._final(request, status, "the answer is HTML, not JSON", hints.BASE_URL)

    def _document(
        self,
        request: Request,
        response: httpx.Response,
        headers: Mapping[str, str],
        expected: Expected,
    ) -> Response | Failed:
        status, served = response.status_code, b""
        try:
            served = self._whole(response, headers, request.largest or decoding.LARGEST_BODY)
            self.trace.body(served)
            body = decoding.text(served, headers.get("content-type")) if served.strip() else b""
            if request.private and body:
                served = body = self._without_credentials(request, body)
            page = self._split(request, body) if expected.page else None
            if body and page is None:
                decoding.check(body, self._items(request))
        except (decoding.DamageError, decoding.TooLargeError) as error:
            self.disconnect()
            if request.method == "DELETE":
                # The record is deleted, so ignore the body.
                return Response(status, headers, b"")
            if isinstance(error, decoding.TooLargeError):
                return self._final(request, status, str(error))
            if not served or request.private or "content-type" in headers:
                raise
            return self._untyped(request, status, headers, served, expected)
        if not body:
            if request.method == "GET":
                raise decoding.DamageError("the answer is empty")
            return Response(status, headers, b"")
        if page is None and (envelope := decoding.error_envelope(body, self.service.items)):
            return self._failed(request, response, headers, decoding.status_of(envelope), body)
        return Response(status, headers, body, page=page, served=served)

    def _untyped(
        self,
        request: Request,
        status: int,
        headers: Mapping[str, str],
        served: bytes,
        expected: Expected,
    ) -> Response | Failed:
        """Return the response for a body without a Content-Type that is not valid JSON.

        Raises DamageError if a record is expected and the body begins like JSON.
        """
        begin = served[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
        if not (expected.any_type or expected.part):
            if begin.startswith(_HTML):
                return self._html(request, status)
            if begin[:1] in (b"{", b"["):
                raise decoding.DamageError("the answer is damaged JSON without a Content-Type")
        return Response(status, headers, None, iter([served]))

    def _without_credentials(self, request: Request, body: bytes) -> bytes:
        decoding.check(body, self._items(request))
        return har_redaction.without_credentials(body)

    def _split(self, request: Request, body: bytes) -> PageBody | None:
        names = self._items(request)
        return next(
            filter(None, (split(body, self.service._replace(items=name)) for name in names)), None
        )

    def _items(self, request: Request) -> list[str]:
        operation = request.operation
        if operation is None and not request.scoped:
            return self.service.connections.platform_items.split()
        wraps = operation is None or operation.lists or operation.kind == "action"
        return [self.service.items] if wraps else []

    def _refused(
        self, request: Request, response: httpx.Response, headers: Mapping[str, str]
    ) -> Failed:
        status = response.status_code
        if status // 100 == 2:
            return self._final(
                request, status, f"the service answered {status} before it had the whole file"
            )
        if status == 304:
            return self._final(
                request,
                status,
                "the service answered 304 (not modified) to a request without a condition",
            )
        if status // 100 == 3:
            return self._final(
                request, status, f"the service answered {status} without saying where to go"
            )
        try:
            body = self._whole(response, headers, _LARGEST_ERROR)
        except (decoding.DamageError, decoding.TooLargeError, httpx.TransportError):
            # Without the body the explanation is lost, but the status is known.
            self.disconnect()
            body = b""
        self.trace.body(body)
        if request.private:
            try:
                body = self._without_credentials(request, body)
            except (decoding.DamageError, decoding.TooLargeError):
                # Any part of this body may be a credential, so drop it. The status is
                # enough.
                body = b""
        return self._failed(request, response, headers, status, body)

    def _failed(
        self,
        request: Request,
        response: httpx.Response,
        headers: Mapping[str, str],
        status: int,
        body: bytes,
    ) -> Failed:
        body = har_redaction.refusal(request, body, self.service)
        envelope = decoding.error_envelope(body, self.service.items)
        after = rate_headers.retry_after(
            response.headers.get_list("retry-after"), headers.get("date")
        )
        remote = bool(envelope and envelope.get(self.service.remote_error))
        blocked = (
            status == 503 and envelope is not None and not remote and "retry-after" not in headers
        )
        facts = rate_headers.read(headers)
        limited = status == HTTPStatus.TOO_MANY_REQUESTS or (
            status == HTTPStatus.FORBIDDEN
            and (after is not None or (facts is not None and facts.used_up))
            and not api_errors.refuses_for_good(envelope, self.service)
        )
        attempt = Attempt(
            Outcome.ANSWERED,
            status,
            retry_after=after,
            limited=limited,
            blocked=blocked,
            remote=remote,
            own=envelope is not None,
            facts=facts,
        )
        failed = api_errors.FailedResponse(
            request, status, headers, body, envelope, blocked, limited, self.token, self.profile
        )
        return Failed(attempt, api_errors.error_for(failed, self.service))

    def _final(
        self, request: Request, status: int, message: str, hint: str | None = None
    ) -> Failed:
        self.disconnect()
        outcome = Outcome.UNUSABLE if status // 100 == 2 else Outcome.ANSWERED
        error = ServiceError(
            f"{message} ({request.method} {request.path})",
            hint=hint,
            status=status,
            retryable=False,
        )
        return Failed(Attempt(outcome, status), error)

    def _whole(self, response: httpx.Response, headers: Mapping[str, str], largest: int) -> bytes:
        length = headers.get("content-length", "")
        if length.isdecimal() and len(length.lstrip("0")) > len(str(largest)):
            raise decoding.body_error(largest)
        stream = _raw(response)
        body = decoding.read(stream, headers.get("content-encoding", ""), largest=largest)
        stream.close()
        return body

    def _stream(
        self, request: Request, response: httpx.Response, headers: Mapping[str, str]
    ) -> Iterator[bytes]:
        stream = _raw(response)
        try:
            for chunk in decoding.decoding(stream, headers.get("content-encoding", "")):
                self.state.extend()
                yield chunk
        except httpx.TransportError as error:
            lost = NetworkError(
                f"{self.failure_of(error).reason} ({request.method} {request.path})"
            )
            broken = Attempt(Outcome.LOST, doubt=Doubt.BROKEN)
            raise attempts.error_for(request, [broken], lost) from None
        except decoding.DamageError as error:
            damaged = ServiceError(f"{error} ({request.method} {request.path})")
            raise attempts.error_for(request, [Attempt(Outcome.DAMAGED)], damaged) from None
        stream.close()


def _is_file(headers: Mapping[str, str]) -> bool:
    return _ATTACHMENT.match(headers.get("content-disposition", "")) is not None


def _raw(response: httpx.Response) -> httpx.SyncByteStream:
    # Use the transport's own stream, because httpx would decode without limits.
    assert isinstance(response.stream, httpx.SyncByteStream)  # noqa: S101
    return response.stream
