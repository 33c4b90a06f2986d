"""What `-v` and `-vv` tell: a line for each request and answer, then headers and bodies, masked and cut."""

import httpx

from unified_cli.http.request import Request
from unified_cli.stderr import Stderr

_LARGEST = 256 * 1024
_HIDDEN = {"authorization", "proxy-authorization", "cookie", "set-cookie"}


def request(stderr: Stderr, outgoing: httpx.Request, body: bytes | None) -> None:
    """Tell what is about to be sent."""
    if stderr.verbosity:
        stderr.line(stderr.excerpt(f"> {outgoing.method} {outgoing.url}"))
    if stderr.verbosity > 1:
        _headers(stderr, ">", outgoing.headers)
        if body:
            stderr.line(f"> {_shown(stderr, body)}")


def answer(stderr: Stderr, response: httpx.Response) -> None:
    """Tell the headers of an answer."""
    if stderr.verbosity > 1:
        _headers(stderr, "<", response.headers)


def body(stderr: Stderr, content: bytes) -> None:
    """Tell the body of an answer."""
    if stderr.verbosity > 1:
        stderr.line(f"< {_shown(stderr, content)}")


def outcome(stderr: Stderr, sent: Request, status: int, failed: str | None, seconds: float) -> None:
    """Tell how an attempt ended."""
    if stderr.verbosity:
        what = f"{status} " if status else ""
        path = stderr.excerpt(sent.path)
        stderr.line(f"< {what}{sent.method} {path} after {seconds:.3f} s" + (f": {failed}" if failed else ""))


def _headers(stderr: Stderr, mark: str, headers: httpx.Headers) -> None:
    for name, value in headers.multi_items():
        stderr.line(f"{mark} {name}: {'***' if name.lower() in _HIDDEN else stderr.excerpt(value)}")


def _shown(stderr: Stderr, content: bytes) -> str:
    return stderr.excerpt(content[:_LARGEST].decode("utf-8", "replace"))
