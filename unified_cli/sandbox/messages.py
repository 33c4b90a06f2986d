"""A request and its answer, apart from how they travel: over a socket, or as a call in the same process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote

from unified_cli.catalogue import Service
from unified_cli.json_text.json_codec import dump

JSON = "application/json; charset=utf-8"

REASONS: Mapping[int, str] = {
    200: "OK", 201: "Created", 204: "No Content", 206: "Partial Content", 400: "Bad Request", 401: "Unauthorized",
    403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict",
    413: "Content Too Large", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 421: "Misdirected Request",
    422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """What came in: `path` still percent-encoded, `query` decoded pairs, header names in small letters."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def of(cls, method: str, target: str, headers: Mapping[str, str], body: bytes) -> "SandboxRequest":
        """The request with this target: path and query, still encoded."""
        path, _, query = target.partition("?")
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            raise Refusal(400, "more than 1000 query parameters") from None
        return cls(method, path, tuple(pairs), headers, body)

    def all(self, name: str) -> list[str]:
        """Every value a query parameter was given."""
        return [value for key, value in self.query if key == name]

    def header(self, name: str) -> str:
        """A header's value; empty where it was not sent."""
        return self.headers.get(name, "")


@dataclass(slots=True)
class SandboxResponse:
    """What goes out."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    """How many bytes of the body get out before the connection breaks; None for all."""

    @classmethod
    def json(cls, text: str, status: int = 200) -> "SandboxResponse":
        """An answer whose body is this JSON text."""
        return cls(status, text.encode(), {"content-type": JSON})

    @property
    def line(self) -> str:
        """The status with its name."""
        return f"{self.status} {REASONS.get(self.status, 'Unknown')}"


class Refusal(Exception):  # noqa: N818  an answer of the service, not an error of this program
    """The service's error answer: `remote` says that the provider refused, `insight` what may be done about it."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        remote: bool = False,
        raw: Any = None,
        insight: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self._message = message
        self._remote = remote
        self._raw = raw
        self._insight = insight
        self._headers = dict(headers or {})

    def answer(self, service: Service) -> SandboxResponse:
        """The error in the service's own envelope."""
        envelope = {"statusCode": self.status, "error": REASONS.get(self.status, "Unknown"), "message": self._message}
        if self._remote:
            envelope |= {service.remote_error: True, "raw_response": self._raw}
        if self._insight:
            envelope[service.error_insight] = self._insight
        answer = SandboxResponse.json(dump(envelope), self.status)
        answer.headers.update(self._headers)
        return answer


class Dropped(Exception):  # noqa: N818  the end of a connection, not an error of this program
    """The connection ends without an answer."""


def decoded(segment: str) -> str:
    """A path segment as it was meant."""
    return unquote(segment, errors="replace")
