"""Convert an exchange to an entry of a HAR 1.2 file. Our own members begin with `_`."""

import base64
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import httpx

from unified_cli.catalogue import Service
from unified_cli.http import decoding
from unified_cli.http.attempt import NetworkFailure
from unified_cli.http.har_redaction import Holding, Redaction, holding
from unified_cli.values import JsonObject

_TEXT = (
    "text/",
    "application/json",
    "application/xml",
    "application/javascript",
    "application/x-www-form-urlencoded",
)
LARGEST_DOWNLOAD = 1024 * 1024
"""The most bytes that a recording keeps of a body that is not JSON."""


ECHOED = "_echoed"
"""Marks a request in which a credential from the response was replaced."""


class BodyEnd(StrEnum):
    """How much of a body a recording contains."""

    COMPLETE = "complete"
    UNREAD = "unread"
    """The rest of the body was not needed, and not read."""
    BROKEN = "broken"
    """The connection was lost in the middle of the body."""
    DAMAGED = "damaged"
    """The content coding of the body is damaged."""
    CUT = "cut"
    """The body was longer than the recorded part."""
    OMITTED = "omitted"
    """The body is omitted, because it may contain credentials that cannot be found."""


@dataclass(slots=True)
class Exchange:
    """A request and its response.

    `started` is in seconds since 1970, and the other times are of a monotonic clock.
    """

    request: httpx.Request
    started: float
    began: float
    answered: float = 0.0
    response: httpx.Response | None = None
    body: bytearray = field(default_factory=bytearray)
    end: BodyEnd = BodyEnd.UNREAD
    broken: NetworkFailure | None = None
    received: int = 0

    @property
    def is_document(self) -> bool:
        """Whether the response is JSON."""
        if self.response is None:
            return False
        kind = self.response.headers.get("content-type")
        # A body without a Content-Type may also be JSON, even compressed.
        untyped = not kind and self.body.lstrip().startswith((b"{", b"[", b"\x1f"))
        return untyped or decoding.is_json(kind)

    @property
    def largest(self) -> int:
        """The most bytes of the body to keep."""
        return decoding.LARGEST_BODY if self.is_document else LARGEST_DOWNLOAD

    def receive(self, chunk: bytes) -> None:
        """Add a piece of the body as transferred."""
        self.received += len(chunk)
        self.body += chunk[: max(0, self.largest - len(self.body))]

    def decoded(self) -> tuple[bytes, BodyEnd, str]:
        """Return the decoded body and how it ended.

        The last value is the problem with its coding, or "".
        """
        assert self.response is not None  # noqa: S101  only what was answered has a body
        coding = self.response.headers.get("content-encoding", "")
        found, end, reason = bytearray(), self.end, ""
        try:
            for part in decoding.decoding([bytes(self.body)], coding):
                found += part
                if len(found) > self.largest:
                    break
        except decoding.DamageError as error:
            # A partly read body looks damaged, but is not.
            if end is BodyEnd.COMPLETE and self.received == len(self.body):
                end, reason = BodyEnd.DAMAGED, str(error)
        if self.received > len(self.body) or len(found) > self.largest:
            end = BodyEnd.CUT
        return bytes(found[: self.largest]), end, reason


class Sent(NamedTuple):
    """A request in its recorded form."""

    url: str
    body: str


def sent(request: httpx.Request, service: Service, redaction: Redaction) -> Sent:
    """Return the request without its credentials, the form that a replay looks up."""
    # A recording describes an uploaded file instead of containing it.
    description = request.extensions.get("unified_body")
    text = request.read().decode("utf-8", "replace") if description is None else description
    address = str(request.url)
    redaction.query(address)
    body = redaction.body(text, holding(request.url.path, 0, service)) or ""
    return Sent(redaction.url(address), redaction.text(body) or "")


def entry(exchange: Exchange, ended: float, service: Service) -> JsonObject:
    """Return the entry for an exchange that ended at this time."""
    answered = exchange.answered or ended
    redaction = Redaction()
    before = sent(exchange.request, service, redaction)
    # Read the response before the request is written: a credential that the response
    # has is also replaced in the request.
    response = _response(exchange, redaction, service)
    result: JsonObject = {
        "startedDateTime": datetime.fromtimestamp(exchange.started, UTC).isoformat(
            timespec="milliseconds"
        ),
        "time": _milliseconds(ended - exchange.began),
        "request": _request(exchange.request, before, redaction),
        "response": response,
        "cache": {},
        "timings": {
            "send": 0,
            "wait": _milliseconds(answered - exchange.began),
            "receive": _milliseconds(ended - answered),
        },
    }
    if failure := exchange.broken:
        result["_error"] = {
            "reason": redaction.url(failure.reason),
            "hint": redaction.url(failure.hint) if failure.hint else None,
            "outcome": failure.outcome.name,
            "malformed": failure.malformed,
            "stale": failure.stale,
        }
    return result


def _milliseconds(seconds: float) -> float:
    return round(max(0.0, seconds) * 1000, 3)


def _request(request: httpx.Request, before: Sent, redaction: Redaction) -> JsonObject:
    address = redaction.url(before.url)
    body = redaction.text(before.body) or ""
    result: JsonObject = {
        "method": request.method,
        "url": address,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _headers(request.headers, redaction),
        "queryString": _pairs(parse_qsl(urlsplit(address).query, keep_blank_values=True)),
        "headersSize": -1,
        "bodySize": int(request.headers.get("content-length", 0)),
    }
    if result["bodySize"]:
        kind = request.headers.get("content-type", "")
        result["postData"] = {"mimeType": kind, "params": [], "text": body}
    if (address, body) != before:
        result[ECHOED] = True
    return result


def _response(exchange: Exchange, redaction: Redaction, service: Service) -> JsonObject:
    response = exchange.response
    if response is None:
        return {
            **_answer(0, "", []),
            "httpVersion": "",
            "content": {"size": 0, "mimeType": "x-unknown"},
            "bodySize": -1,
        }
    holds = holding(exchange.request.url.path, response.status_code, service)
    content = _content(exchange, response, redaction, holds)
    phrase, headers = _phrase(response.status_code), _headers(response.headers, redaction)
    return {
        **_answer(response.status_code, phrase, headers),
        "httpVersion": response.extensions.get("http_version", b"HTTP/1.1").decode(
            "ascii", "replace"
        ),
        "content": content,
        "redirectURL": redaction.url(response.headers.get("location", "")),
        "bodySize": exchange.received,
    }


def _answer(status: int, phrase: str, headers: list[JsonObject]) -> JsonObject:
    empty: JsonObject = {"cookies": [], "redirectURL": "", "headersSize": -1}
    return {**empty, "status": status, "statusText": phrase, "headers": headers}


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _content(
    exchange: Exchange, response: httpx.Response, redaction: Redaction, holds: Holding
) -> JsonObject:
    kind = response.headers.get("content-type", "")
    body, end, reason = exchange.decoded()
    result: JsonObject = {"size": len(body), "mimeType": kind or "x-unknown"}
    words = _as_text(body, kind)
    if words is None:
        result |= {
            "text": base64.b64encode(redaction.binary(body)).decode("ascii"),
            "encoding": "base64",
        }
    else:
        text = redaction.whole(words, holds)
        if text is None:
            text, end = "", BodyEnd.OMITTED
        result["text"] = text
    if holds is Holding.CONNECTIONS and words is None:
        result |= {"text": ""}
        end = BodyEnd.OMITTED
    if end is not BodyEnd.COMPLETE:
        result["_end"] = end.value
    if end is BodyEnd.CUT:
        result["comment"] = f"cut: only the first {len(body)} bytes are recorded"
    if reason:
        result["_reason"] = redaction.url(reason)
    return result


def _as_text(body: bytes, kind: str) -> str | None:
    if kind and not (
        kind.lower().startswith(_TEXT) or "json" in kind.lower() or "xml" in kind.lower()
    ):
        return None
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _headers(headers: httpx.Headers, redaction: Redaction) -> list[JsonObject]:
    return _pairs(redaction.headers(headers.multi_items()))


def _pairs(pairs: list[tuple[str, str]]) -> list[JsonObject]:
    return [{"name": name, "value": value} for name, value in pairs]
