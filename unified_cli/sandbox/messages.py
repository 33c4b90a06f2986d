"""Requests and responses of the sandbox, over a socket or in process."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import BinaryIO
from urllib.parse import parse_qsl

from unified_cli.catalogue import Service
from unified_cli.json_text import json_check
from unified_cli.json_text.json_codec import dump
from unified_cli.json_text.members import parts
from unified_cli.values import Json, JsonObject

JSON = "application/json; charset=utf-8"
# No real record is nested this deep. The limit is low because records are decoded again
# later, where less of the stack is free.
_DEEPEST = 100

REASONS: Mapping[int, str] = {
    200: "OK",
    201: "Created",
    204: "No Content",
    206: "Partial Content",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    421: "Misdirected Request",
    422: "Unprocessable Entity",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    501: "Not Implemented",
}


@dataclass(frozen=True, slots=True)
class SandboxRequest:
    """A request. `path` is percent-encoded, `query` is decoded, and header names are in
    lower case.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    upload: BinaryIO | None = None
    """The body, if it may be large. Then `body` is empty."""

    @classmethod
    def from_target(
        cls, method: str, target: str, headers: Mapping[str, str], body: bytes = b""
    ) -> "SandboxRequest":
        """Return the request for this percent-encoded path and query."""
        path, _, query = target.partition("?")
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=1000)
        except ValueError:
            raise Refusal(400, "more than 1000 query parameters") from None
        return cls(method, path, tuple(pairs), headers, body)

    def values(self, name: str) -> list[str]:
        """Return all values of a query parameter."""
        return [value for key, value in self.query if key == name]

    def header(self, name: str) -> str:
        """Return the value of a header, or ""."""
        return self.headers.get(name, "")


@dataclass(slots=True)
class SandboxResponse:
    """A response."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    """How many bytes of the body to send before a fault breaks the connection, or
    None.
    """
    pieces: Iterator[bytes] | None = None
    """The body, if it may be large. Then `body` is empty."""
    length: int = 0
    """The size of the pieces, in bytes."""

    @property
    def size(self) -> int:
        """The size of the body, in bytes."""
        return len(self.body) if self.pieces is None else self.length

    @classmethod
    def json(cls, text: str, status: int = 200) -> "SandboxResponse":
        """Return a response with this JSON text as its body."""
        return cls(status, text.encode(), {"content-type": JSON})

    def content(self) -> Iterator[bytes]:
        """Yield the part of the body to send."""
        left = self.size if self.cut is None else self.cut
        for piece in self.pieces or (self.body,):
            yield piece[:left]
            left -= len(piece)
            if left <= 0:
                return

    @property
    def line(self) -> str:
        """The status with its name."""
        return f"{self.status} {REASONS.get(self.status, 'Unknown')}"


class Refusal(Exception):  # noqa: N818  an answer of the service, not an error of this program
    """An error response of the service.

    `provider` is the provider's response, if the provider refused. `insight` is a hint
    for the user.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        provider: Json = None,
        insight: JsonObject | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self._message = message
        self._provider = provider
        self._insight = insight
        self._headers = dict(headers or {})

    def answer(self, service: Service) -> SandboxResponse:
        """Return the error in the service's own envelope."""
        envelope: JsonObject = {
            "statusCode": self.status,
            "error": REASONS.get(self.status, "Unknown"),
            "message": self._message,
        }
        if self._provider is not None:
            envelope |= {service.remote_error: True, "raw_response": self._provider}
        if self._insight:
            envelope[service.error_insight] = self._insight
        answer = SandboxResponse.json(dump(envelope), self.status)
        answer.headers.update(self._headers)
        return answer


class ConnectionDropped(Exception):  # noqa: N818  a fault on purpose, not an error of this program
    """The connection ends without a response."""


def split_members(text: str) -> dict[str, str]:
    """Return the members of a JSON object as JSON text.

    For a repeated key, the last value is returned. Raises ValueError if the text is not
    JSON or is nested too deeply, and TypeError if it is not an object.
    """
    try:
        value = json_check.scan(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    encoded = text.strip().encode()
    if json_check.deeper_than(encoded, _DEEPEST):
        raise ValueError("nested too deeply")
    return {name: value.decode() for name, value in (parts(encoded) or {}).items()}


def join_members(members: Mapping[str, str]) -> str:
    """Return the JSON object with these members."""
    return "{" + ",".join(f"{dump(name)}:{value}" for name, value in members.items()) + "}"
