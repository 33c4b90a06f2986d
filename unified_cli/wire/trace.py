"""What `-v` and `-vv` tell: a line for each request and answer, then headers and bodies, masked and cut."""

import httpx

from unified_cli.talk import Talk
from unified_cli.wire.request import Request

_LARGEST = 256 * 1024
_HIDDEN = {"authorization", "proxy-authorization", "cookie", "set-cookie"}


def request(talk: Talk, outgoing: httpx.Request, body: bytes | None) -> None:
    """Tell what is about to be sent."""
    if talk.verbosity:
        talk.line(talk.excerpt(f"> {outgoing.method} {outgoing.url}"))
    if talk.verbosity > 1:
        _headers(talk, ">", outgoing.headers)
        if body:
            talk.line(f"> {_shown(talk, body)}")


def answer(talk: Talk, response: httpx.Response) -> None:
    """Tell the headers of an answer."""
    if talk.verbosity > 1:
        _headers(talk, "<", response.headers)


def body(talk: Talk, content: bytes) -> None:
    """Tell the body of an answer."""
    if talk.verbosity > 1:
        talk.line(f"< {_shown(talk, content)}")


def outcome(talk: Talk, sent: Request, status: int, failed: str | None, seconds: float) -> None:
    """Tell how an attempt ended."""
    if talk.verbosity:
        what = f"{status} " if status else ""
        path = talk.excerpt(sent.path)
        talk.line(f"< {what}{sent.method} {path} after {seconds:.3f} s" + (f": {failed}" if failed else ""))


def _headers(talk: Talk, mark: str, headers: httpx.Headers) -> None:
    for name, value in headers.multi_items():
        talk.line(f"{mark} {name}: {'***' if name.lower() in _HIDDEN else talk.excerpt(value)}")


def _shown(talk: Talk, content: bytes) -> str:
    return talk.excerpt(content[:_LARGEST].decode("utf-8", "replace"))
