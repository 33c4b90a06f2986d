"""Redirects: a read may follow one within its own origin, three times; everything else is refused."""

import re
from collections.abc import Callable

import httpx

from unified_cli.errors import ServiceError, UnifiedError, UnsafeError
from unified_cli.http.request import Request
from unified_cli.http.transport.connection_state import ConnectionState
from unified_cli.masking import cut

_MOST = 3
_LONGEST_HOST = 300
_STATUSES = {301, 302, 303, 307, 308}
_OF_BODY = {"host", "content-length", "content-type", "idempotency-key"}
_OF_FILE = {"accept", "accept-encoding", "range", "if-range", "user-agent"}
_PLAIN = re.compile(r"[!-\[\]-~]+")


class RedirectError(Exception):
    """A redirect that is not followed: its status, and the error that it means."""

    def __init__(self, status: int, meaning: UnifiedError) -> None:
        super().__init__(meaning.message)
        self.status = status
        self.meaning = meaning


def follow(
    transport: httpx.BaseTransport,
    outgoing: httpx.Request,
    request: Request,
    state: ConnectionState,
    elsewhere: Callable[[str], httpx.BaseTransport] | None = None,
) -> httpx.Response:
    """The response to the request, after redirects of a GET within its origin.

    A file may be somewhere else: `elsewhere` opens the way to another https origin, which is asked for it and told
    nothing besides. Raises RedirectError for any other redirect, before anything is sent there, and for a loop.
    """
    response = transport.handle_request(outgoing)
    for _ in range(_MOST):
        if response.status_code not in _STATUSES or "location" not in response.headers:
            return response
        try:
            there = _target(outgoing.url, response.headers["location"])
            bare = elsewhere is not None and _is_foreign(outgoing.url, there)
            _check(outgoing.url, there, request, file=elsewhere is not None)
        except UnsafeError as error:
            raise RedirectError(response.status_code, error) from None
        _finish(response, state)
        if bare:
            assert elsewhere is not None  # noqa: S101  this is what bare says
            transport = elsewhere(f"https://{there.netloc.decode()}")
        outgoing = httpx.Request("GET", there, headers=_kept(outgoing.headers, bare=bare))
        response = transport.handle_request(outgoing)
    if response.status_code in _STATUSES:
        often = ServiceError(f"the service redirected {request.method} {request.path} more than {_MOST} times")
        raise RedirectError(response.status_code, often)
    return response


def _target(here: httpx.URL, location: str) -> httpx.URL:
    # Blanks, controls and backslashes are what URL readers disagree about.
    if not _PLAIN.fullmatch(location):
        raise UnsafeError(f"{_origin(here)} redirects to something that is no plain URL; not followed")
    try:
        asked = httpx.URL(location)
        if asked.scheme and not asked.host:
            # Some readers take such a one for relative, others for another host.
            raise UnsafeError(f"{_origin(here)} redirects to a URL without a host; not followed")
        return here.join(location)
    except (httpx.InvalidURL, ValueError):
        raise UnsafeError(f"{_origin(here)} redirects to something that is no URL; not followed") from None


def _check(here: httpx.URL, there: httpx.URL, request: Request, *, file: bool) -> None:
    """Raise UnsafeError for a redirect that is not to be followed; a `file` may be at any https origin."""
    origin = _origin(here)
    foreign = _is_foreign(here, there)
    if there.userinfo or (foreign and not (file and there.scheme == "https" and there.host)):
        goal = cut(_origin(there) if there.host else there.scheme, _LONGEST_HOST)
        raise UnsafeError(f"{origin} redirects {request.method} {request.path} to {goal}; not followed")
    if request.method != "GET" and not file:
        raise UnsafeError(f"{origin} redirects {request.method} {request.path}; a write is never sent a second time")


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def _is_foreign(here: httpx.URL, there: httpx.URL) -> bool:
    return (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port)


def _kept(headers: httpx.Headers, *, bare: bool) -> httpx.Headers:
    """The headers for the next place: what belongs to a body never, and elsewhere only what says which file."""
    dropped = _OF_BODY if not bare else {name for name in headers if name not in _OF_FILE}
    return httpx.Headers([(name, value) for name, value in headers.raw if name.decode().lower() not in dropped])


def _finish(response: httpx.Response, state: ConnectionState) -> None:
    # A redirect's body is nobody's; without reading it the connection is closed, and the next request opens another.
    state.unusable = True
    response.close()
