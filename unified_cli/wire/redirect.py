"""Redirects: a read may follow one within its own origin, three times; everything else is refused."""

import re

import httpx

from unified_cli.errors import ServiceError, UnifiedError, UnsafeError
from unified_cli.talk import cut
from unified_cli.wire.request import Request
from unified_cli.wire.sockets import Exchange

_MOST = 3
_LONGEST_HOST = 300
_STATUSES = {301, 302, 303, 307, 308}
_PLAIN = re.compile(r"[!-\[\]-~]+")


class RedirectError(Exception):
    """A redirect that is not followed: its status, and the error that it means."""

    def __init__(self, status: int, meaning: UnifiedError) -> None:
        super().__init__(meaning.message)
        self.status = status
        self.meaning = meaning


def follow(
    transport: httpx.BaseTransport, outgoing: httpx.Request, request: Request, exchange: Exchange
) -> httpx.Response:
    """The response to the request, after redirects of a GET within its origin.

    Raises RedirectError for any other redirect, before anything is sent there, and for a loop.
    """
    response = transport.handle_request(outgoing)
    for _ in range(_MOST):
        if response.status_code not in _STATUSES or "location" not in response.headers:
            return response
        try:
            target = _target(outgoing.url, response.headers["location"], request)
        except UnsafeError as error:
            raise RedirectError(response.status_code, error) from None
        _finish(response, exchange)
        outgoing = httpx.Request(outgoing.method, target, headers=_same(outgoing.headers))
        response = transport.handle_request(outgoing)
    if response.status_code in _STATUSES:
        often = ServiceError(f"the service redirected {request.method} {request.path} more than {_MOST} times")
        raise RedirectError(response.status_code, often)
    return response


def _target(here: httpx.URL, location: str, request: Request) -> httpx.URL:
    origin = f"{here.scheme}://{here.netloc.decode()}"
    # Blanks, controls and backslashes are what URL readers disagree about.
    if not _PLAIN.fullmatch(location):
        raise UnsafeError(f"{origin} redirects to something that is no plain URL; not followed")
    try:
        asked = httpx.URL(location)
        if asked.scheme and not asked.host:
            # Some readers take such a one for relative, others for another host.
            raise UnsafeError(f"{origin} redirects to a URL without a host; not followed")
        there = here.join(location)
        elsewhere = there.userinfo or (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port)
    except (httpx.InvalidURL, ValueError):
        raise UnsafeError(f"{origin} redirects to something that is no URL; not followed") from None
    goal = cut(f"{there.scheme}://{there.netloc.decode()}", _LONGEST_HOST)
    if elsewhere:
        raise UnsafeError(f"{origin} redirects {request.method} {request.path} to {goal}; not followed")
    if request.method != "GET":
        raise UnsafeError(f"{origin} redirects {request.method} {request.path}; a write is never sent a second time")
    return there


def _same(headers: httpx.Headers) -> httpx.Headers:
    return httpx.Headers([(name, value) for name, value in headers.raw if name.lower() != b"host"])


def _finish(response: httpx.Response, exchange: Exchange) -> None:
    # A redirect's body is nobody's; without reading it the connection is closed, and the next request opens another.
    exchange.spoiled = True
    response.close()
