"""Redirects: a read follows up to three within its origin; a download also one to another origin; no others."""

import re
from collections.abc import Callable
from typing import NamedTuple

import httpx

from unified_cli import hints
from unified_cli.errors import ServiceError, UnifiedError, UnsafeError
from unified_cli.http.request import Request
from unified_cli.http.transport.connection_state import ConnectionState
from unified_cli.masking import excerpt

_MOST = 3
_LONGEST_HOST = 300
_STATUSES = {301, 302, 303, 307, 308}
_OF_BODY = {"host", "content-length", "content-type", "idempotency-key"}
_OF_FILE = {"accept", "accept-encoding", "range", "if-range", "user-agent"}
_PLAIN = re.compile(r"[!-\[\]-~]+")


class RedirectError(Exception):
    """A redirect that is not followed: its status, and the error to report."""

    def __init__(self, status: int, meaning: UnifiedError) -> None:
        super().__init__(meaning.message)
        self.status = status
        self.meaning = meaning


class RedirectFollower(NamedTuple):
    """Sends a request over a transport, and after it those that redirects ask for.

    A file may be at another https origin: `open_other` opens a transport to that, None where no file is asked for.
    """

    transport: httpx.BaseTransport
    state: ConnectionState
    open_other: Callable[[str], httpx.BaseTransport] | None = None

    def send(self, outgoing: httpx.Request, request: Request) -> httpx.Response:
        """The response to the request, after redirects of a GET within its origin.

        Another origin is sent only the headers that ask for the file. Raises RedirectError for any other redirect,
        before anything is sent there, and for a loop.
        """
        transport = self.transport
        response = transport.handle_request(outgoing)
        for _ in range(_MOST):
            if response.status_code not in _STATUSES or "location" not in response.headers:
                return response
            target = self._target(outgoing.url, response, request)
            foreign = _is_foreign(outgoing.url, target)
            self._finish(response)
            if foreign:
                assert self.open_other is not None  # noqa: S101  no other redirect is allowed to another origin
                transport = self.open_other(f"https://{target.netloc.decode()}")
            outgoing = httpx.Request("GET", target, headers=_headers(outgoing.headers, foreign=foreign))
            response = transport.handle_request(outgoing)
        if response.status_code in _STATUSES:
            often = ServiceError(f"the service redirected {request.method} {request.path} more than {_MOST} times")
            raise RedirectError(response.status_code, often)
        return response

    def _target(self, here: httpx.URL, response: httpx.Response, request: Request) -> httpx.URL:
        try:
            target = _parse(here, response.headers["location"])
            _check(here, target, request, file=self.open_other is not None)
        except UnsafeError as error:
            raise RedirectError(response.status_code, error) from None
        return target

    def _finish(self, response: httpx.Response) -> None:
        # The body of a redirect is not read, so the connection cannot be used again.
        self.state.unusable = True
        response.close()


def _parse(here: httpx.URL, location: str) -> httpx.URL:
    # Parsers of URLs disagree about blanks, control characters and backslashes.
    if not _PLAIN.fullmatch(location):
        raise UnsafeError(f"{_origin(here)} redirects to something that is no plain URL; not followed")
    try:
        target = httpx.URL(location)
        if target.scheme and not target.host:
            # Some parsers take it for relative, others for another host.
            raise UnsafeError(f"{_origin(here)} redirects to a URL without a host; not followed")
        return here.join(location)
    except (httpx.InvalidURL, ValueError):
        raise UnsafeError(f"{_origin(here)} redirects to something that is no URL; not followed") from None


def _check(here: httpx.URL, target: httpx.URL, request: Request, *, file: bool) -> None:
    """Raise UnsafeError for a redirect that must not be followed; a `file` may be at any https origin."""
    origin = _origin(here)
    foreign = _is_foreign(here, target)
    if target.userinfo or (foreign and not (file and target.scheme == "https" and target.host)):
        goal = excerpt(_origin(target) if target.host else target.scheme, _LONGEST_HOST)
        unconfirmed = "" if request.method == "GET" else ", so the write is not confirmed"
        raise UnsafeError(
            f"{origin} redirects {request.method} {request.path} to {goal}; not followed{unconfirmed}", hint=hints.MOVED
        )
    if request.method != "GET" and not file:
        raise UnsafeError(
            f"{origin} redirects {request.method} {request.path}; not followed, so the write is not confirmed"
        )


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def _is_foreign(here: httpx.URL, there: httpx.URL) -> bool:
    return (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port)


def _headers(headers: httpx.Headers, *, foreign: bool) -> httpx.Headers:
    """The headers for the next request: without those of a body; to another origin only what says which file."""
    left_out = _OF_BODY if not foreign else {name for name in headers if name not in _OF_FILE}
    return httpx.Headers([(name, value) for name, value in headers.raw if name.decode().lower() not in left_out])
