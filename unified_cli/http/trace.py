"""The output of `-v` and `-vv`: a line for each request and answer, with `-vv` headers and bodies, cut.

What a recording leaves out is left out here too.
"""

from typing import NamedTuple

import httpx

from unified_cli.http.request import Request
from unified_cli.masking import excerpt
from unified_cli.stderr import Stderr

_LARGEST = 256 * 1024


class Trace(NamedTuple):
    """Writes requests and answers to stderr, as far as its verbosity asks for it."""

    stderr: Stderr

    def request(self, sent: Request, outgoing: httpx.Request) -> None:
        """Print a request that is about to be sent."""
        if self.stderr.verbosity:
            from unified_cli.http import har_redaction  # noqa: PLC0415  msgspec is not needed without -v

            self.stderr.line(excerpt(f"> {outgoing.method} {har_redaction.url(str(outgoing.url))}"))
        if self.stderr.verbosity > 1:
            self._headers(">", outgoing.headers)
            if sent.upload is not None:
                self.stderr.exact(f"> {self._shown(sent, sent.upload.told.encode())}")
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
        from unified_cli.http import har_redaction  # noqa: PLC0415  only for -vv

        for name, value in har_redaction.headers(headers.multi_items()):
            self.stderr.exact(f"{mark} {name}: {excerpt(value)}")

    def _shown(self, sent: Request, content: bytes) -> str:
        """The beginning of a body, without what a recording leaves out of it."""
        if sent.private:
            return "(not shown: it holds credentials)"
        from unified_cli.http import har_redaction  # noqa: PLC0415  as above

        text = har_redaction.text(content.decode("utf-8", "replace"))
        return "(not shown: it may hold credentials)" if text is None else excerpt(text[:_LARGEST])
