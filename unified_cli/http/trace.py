"""The output of `-v` and `-vv`: a line for each request and answer, with `-vv` headers and bodies, masked and cut."""

from typing import NamedTuple

import httpx

from unified_cli.http.request import Request
from unified_cli.masking import excerpt
from unified_cli.stderr import Stderr

_LARGEST = 256 * 1024
_HIDDEN = {"authorization", "proxy-authorization", "cookie", "set-cookie"}


class Trace(NamedTuple):
    """Writes requests and answers to stderr, as far as its verbosity asks for it."""

    stderr: Stderr

    def request(self, sent: Request, outgoing: httpx.Request) -> None:
        """Print a request that is about to be sent."""
        if self.stderr.verbosity:
            self.stderr.line(excerpt(f"> {outgoing.method} {outgoing.url}"))
        if self.stderr.verbosity > 1:
            self._headers(">", outgoing.headers)
            if sent.body:
                self.stderr.exact(f"> {self._shown(sent, sent.body)}")

    def answer(self, response: httpx.Response) -> None:
        """Print the headers of an answer."""
        if self.stderr.verbosity > 1:
            self._headers("<", response.headers)

    def body(self, sent: Request, content: bytes) -> None:
        """Print the body of an answer."""
        if self.stderr.verbosity > 1:
            self.stderr.exact(f"< {self._shown(sent, content)}")

    def outcome(self, sent: Request, status: int, seconds: float, failed: str | None) -> None:
        """Print how an attempt ended."""
        if self.stderr.verbosity:
            what = f"{status} " if status else ""
            path = excerpt(sent.path)
            ended = f": {failed}" if failed else ""
            self.stderr.line(f"< {what}{sent.method} {path} after {seconds:.3f} s{ended}")

    def _headers(self, mark: str, headers: httpx.Headers) -> None:
        for name, value in headers.multi_items():
            self.stderr.exact(f"{mark} {name}: {'***' if name.lower() in _HIDDEN else excerpt(value)}")

    def _shown(self, sent: Request, content: bytes) -> str:
        if sent.private:
            return "(not shown: it holds credentials)"
        return excerpt(content[:_LARGEST].decode("utf-8", "replace"))
