"""Run the sandbox as a WSGI application: check hosts and sizes of requests, and send
responses.
"""

import copy
import re
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer

from unified_cli.catalogue import Service
from unified_cli.errors import UnifiedError, UsageError
from unified_cli.sandbox import request_content
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.messages import Refusal, SandboxRequest, SandboxResponse

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

GREATEST_BODY = 32 * 1024 * 1024
"""Larger bodies are refused, except forms and files. A body with a file of 20 MB in
base64 is smaller.
"""
# A smaller body fits in one packet without compression.
_SMALLEST = 1024
# The head of gzip data without a name and a time.
_GZIP = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x04\xff"
_NAME = re.compile(r"([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
_ABSOLUTE = re.compile(r"https?://([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_OURS = ("127.0.0.1", "localhost", "[::1]")


def check_names(names: Iterable[str]) -> None:
    """Raise UsageError for an invalid host name, such as a pattern."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise UsageError(
                f"--allow-host {name}: not a host name (NAME or NAME:PORT, without wildcards)"
            )


class HostCheck:
    """The allowed names in the Host header, and whether other machines may send
    requests.

    A web page can send requests to a loopback port through a browser. The browser
    always sends the page's Origin. If the host name of the page resolves to this
    machine, the Host header also has this name.
    """

    def __init__(self, port: int, allowed: Iterable[str], *, others: bool) -> None:
        """`allowed` has exact names: `NAME` with any port, or `NAME:PORT`."""
        self._hosts = {f"{name}:{port}" for name in _OURS} | {name.lower() for name in allowed}
        self._others = others

    def check(self, environ: "WSGIEnvironment") -> None:
        """Raise Refusal 403 for requests of other machines and web pages, and Refusal
        421 if the Host header has another name.
        """
        if not self._others and not _near(str(environ.get("REMOTE_ADDR", ""))):
            raise Refusal(403, "the sandbox answers this machine only")
        authority, _ = in_origin_form(environ.get("REQUEST_URI", ""))
        host = (environ.get("HTTP_HOST", "") if authority is None else authority).lower()
        if host not in self._hosts and re.sub(r":\d*$", "", host) not in self._hosts:
            raise Refusal(
                421, "the sandbox is not this host (sandbox serve --allow-host NAME adds a name)"
            )
        if "HTTP_ORIGIN" in environ or environ.get("HTTP_SEC_FETCH_SITE", "none") != "none":
            raise Refusal(403, "the sandbox does not answer web pages")


def in_origin_form(target: str) -> tuple[str | None, str]:
    """Return the host and the target of a request line.

    The host is None unless the target contains it. Clients send the whole URL to a
    proxy, and servers must accept it, too.
    """
    found = _ABSOLUTE.match(target)
    if found is None:
        return None, target
    return found[1], found[2] if found[2].startswith("/") else f"/{found[2]}"


def _near(address: str) -> bool:
    try:
        return ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


class WsgiApplication:
    """Handles WSGI requests with a sandbox. Raises ConnectionDropped if a fault ends
    the connection.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self._pages = GzippedPages()

    def answer(self, environ: "WSGIEnvironment") -> SandboxResponse:
        """Handle a request, and return the response in a coding that the client
        accepts.
        """
        service = self.sandbox.service
        try:
            with request_of(environ, service) as request:
                answer = self.sandbox.answer(request)
        except Refusal as refusal:
            answer = refusal.answer(service)
        except UnifiedError as error:
            # After an error with the file of the state, send an error response and
            # continue.
            answer = Refusal(500, error.message).answer(service)
        return coded(answer, environ.get("HTTP_ACCEPT_ENCODING", ""), self._pages)


def respond(
    answer: SandboxResponse, environ: "WSGIEnvironment", start_response: "StartResponse"
) -> Iterable[bytes]:
    """Start the response, and return its body, which is empty for HEAD."""
    headers = [(name.title(), value) for name, value in answer.headers.items()]
    if answer.status != 204:
        headers.append(("Content-Length", str(answer.size)))
    start_response(answer.line, headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else answer.content()


@contextmanager
def request_of(environ: "WSGIEnvironment", service: Service) -> Iterator[SandboxRequest]:
    """Yield the request in a WSGI environment.

    A large body is kept during the block. Raises Refusal 413 if the body is too long,
    and 400 if the target is invalid.
    """
    _, target = in_origin_form(environ["REQUEST_URI"])
    headers = {
        key[5:].replace("_", "-").lower(): value
        for key, value in environ.items()
        if key.startswith("HTTP_")
    }
    headers["content-type"] = environ.get("CONTENT_TYPE") or headers.get("content-type", "")
    request, stream = (
        SandboxRequest.from_target(environ["REQUEST_METHOD"], target, headers),
        environ["wsgi.input"],
    )
    if request_content.may_be_large(request, service):
        with request_content.kept(iter(lambda: stream.read(request_content.PIECE), b"")) as upload:
            yield replace(request, upload=upload)
        return
    body = stream.read(GREATEST_BODY + 1)
    if len(body) > GREATEST_BODY:
        raise Refusal(413, f"the body is longer than {GREATEST_BODY} bytes")
    yield replace(request, body=body)


class GzippedPages:
    """Compresses pages with gzip. Caches the compressed records, because a repeated
    page has the same records but other cursors.

    Thread-safe.
    """

    def __init__(self, most: int = 16 * 1024 * 1024) -> None:
        """Cache at most `most` bytes of records, before compression, and then clear the
        cache.
        """
        self._lock = threading.Lock()
        self._most = self._left = most
        self._known: dict[bytes, tuple[bytes, int]] = {}

    def gzip(self, body: bytes) -> bytes:
        """Return the gzip data of a page."""
        end = body.rfind(b"]") + 1
        records, rest = body[:end], body[end:]
        packed, check = self._known.get(records) or self._packed(records)
        # The data after the records is short, so use a small window and little memory,
        # which is faster to allocate.
        last = zlib.compressobj(1, wbits=-9, memLevel=1)
        sums = struct.pack("<II", zlib.crc32(rest, check), len(body) % 2**32)
        return b"".join((_GZIP, packed, last.compress(rest), last.flush(), sums))

    def _packed(self, records: bytes) -> tuple[bytes, int]:
        """Return the compressed records and their checksum. Other data may follow the
        compressed records.
        """
        whole = zlib.compressobj(1, wbits=-15)
        made = whole.compress(records) + whole.flush(zlib.Z_FULL_FLUSH), zlib.crc32(records)
        with self._lock:
            if len(records) > self._left:
                self._known, self._left = {}, self._most
            if records not in self._known and len(records) <= self._left:
                self._known[records] = made
                self._left -= len(records)
        return made


def coded(answer: SandboxResponse, accepted: str, pages: GzippedPages) -> SandboxResponse:
    """Return the response, compressed with gzip if the Accept-Encoding `accepted`
    allows it.

    Files are not compressed, because of their ETags and ranges. Responses that a fault
    cuts are not compressed either.
    """
    kind = answer.headers.get("content-type", "")
    if (
        len(answer.body) < _SMALLEST
        or "json" not in kind
        or "etag" in answer.headers
        or answer.cut is not None
    ):
        return answer
    answer.headers["vary"] = "Accept-Encoding"
    if _accepts_gzip(accepted):
        answer.body = pages.gzip(answer.body)
        answer.headers["content-encoding"] = "gzip"
    return answer


def _accepts_gzip(accepted: str) -> bool:
    weights = {}
    for word in accepted.lower().split(","):
        name, _, weight = word.partition(";")
        weights[name.strip()] = weight.replace(" ", "").removeprefix("q=")
    weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", "0")))
    return not weight or bool(weight.strip("0."))


def allow_uploads(servers: Iterable[object], service: Service) -> None:
    """Let servers accept files of up to `LARGEST_UPLOAD` bytes, without changing other
    limits.
    """

    class Parser(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
        def parse_header(self, header_plus: bytes) -> None:
            super().parse_header(header_plus)
            headers = {"content-type": self.headers.get("CONTENT_TYPE", "")}
            # A request with too many parameters is refused later.
            with suppress(Refusal):
                request = SandboxRequest.from_target(self.command, f"?{self.query}", headers)
                if request_content.may_be_large(request, service):
                    self.adj: Any = copy.copy(self.adj)
                    self.adj.max_request_body_size = request_content.LARGEST_UPLOAD

    class Channel(HTTPChannel):  # type: ignore[misc]  # as above
        parser_class = Parser

    for server in servers:
        if isinstance(server, BaseWSGIServer):
            server.channel_class = Channel
