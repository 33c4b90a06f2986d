"""Print requests and responses to stderr, redacted as in recordings."""

import re
from collections.abc import Mapping

import httpx

from unified_cli.catalogue import Service
from unified_cli.http import har_redaction
from unified_cli.http.har_redaction import Redaction
from unified_cli.http.request import Request
from unified_cli.masking import excerpt
from unified_cli.stderr import Stderr

_WARNING = "sandbox-warning"
_NAMES = re.compile(r"^.*?: | \(.*$")
_LARGEST = 256 * 1024


class Trace:
    """Prints the requests and responses of a connection to stderr, with details that
    depend on the verbosity.
    """

    def __init__(self, stderr: Stderr, service: Service) -> None:
        self.stderr = stderr
        self._service = service
        self._body: bytes | None = None

    def request(self, sent: Request, outgoing: httpx.Request) -> None:
        """Print a request that is about to be sent."""
        if not self.stderr.verbosity:
            return
        redaction, body = self._read(sent)
        redaction.query(str(outgoing.url))
        self.stderr.line(excerpt(f"> {outgoing.method} {redaction.url(str(outgoing.url))}"))
        if self.stderr.verbosity > 1:
            self._headers(">", outgoing.headers, redaction)
            if sent.upload is not None or sent.body:
                self._print_body_start(">", None if body is None else redaction.text(body))

    def warn(self, headers: Mapping[str, str]) -> None:
        """Print the warning that a sandbox puts in these headers. Each warning is
        printed only once.
        """
        if warning := headers.get(_WARNING):
            names = set(_NAMES.sub("", warning).split(", "))
            if not names <= self.stderr.reported:
                self.stderr.reported |= names
                self.stderr.line(excerpt(f"the sandbox {warning}"))

    def body(self, content: bytes) -> None:
        """Keep a response's body, which `response` prints after the headers."""
        self._body = content

    def response(self, sent: Request, response: httpx.Response) -> None:
        """Print the headers and, if it was read, the body of a response."""
        body, self._body = self._body, None
        if self.stderr.verbosity < 2:
            return
        redaction, _ = self._read(sent)
        words = "" if body is None else body.decode("utf-8", "replace")
        holds = har_redaction.holding(sent.path, response.status_code, self._service)
        # A credential in the headers may only be recognised after the body was
        # analysed.
        text = redaction.whole(words, holds)
        self._headers("<", response.headers, redaction)
        if body is not None:
            self._print_body_start("<", text)

    def outcome(self, sent: Request, status: int, seconds: float, failed: str | None) -> None:
        """Print the result and the duration of an attempt."""
        if self.stderr.verbosity:
            what = f"{status} " if status else ""
            redaction, _ = self._read(sent)
            ended = f": {failed}" if failed else ""
            path = excerpt(redaction.url(sent.path))
            self.stderr.line(f"< {what}{sent.method} {path} after {seconds:.3f} s{ended}")

    def _read(self, sent: Request) -> tuple[Redaction, str | None]:
        return har_redaction.of_request(sent, self._service)

    def _headers(self, mark: str, headers: httpx.Headers, redaction: Redaction) -> None:
        for name, value in redaction.headers(headers.multi_items()):
            self.stderr.exact(f"{mark} {name}: {excerpt(value)}")

    def _print_body_start(self, mark: str, text: str | None) -> None:
        hidden = "(not shown: it may hold credentials)"
        self.stderr.exact(f"{mark} {hidden if text is None else excerpt(text[:_LARGEST])}")
