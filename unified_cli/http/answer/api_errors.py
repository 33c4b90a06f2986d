"""An answer that is no success, turned into an error that says who failed, at what, and what to do."""

import re
from collections.abc import Iterator
from typing import Any

from unified_cli.catalogue import Service
from unified_cli.errors import AccessError, RateLimitError, RefusedError, ServiceError, UnifiedError
from unified_cli.http.request import Request
from unified_cli.json_text.values import JsonObject
from unified_cli.stderr import Stderr

_ACCESS = {401, 403}
_EXCERPT = 200
_MOST_LISTED = 20
_PAGE = 64 * 1024
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

_ADVICE = {
    (401, "service"): "check the profile's token: unified doctor --network",
    (401, "provider"): "the connection must be authorised again by its owner",
    (404, "service"): "check the id and the account id",
    (405, "service"): "the connection may be read-only, or not offer this operation",
}


def error_for(
    request: Request,
    status: int,
    service: Service,
    envelope: JsonObject | None,
    body: bytes,
    stderr: Stderr,
    *,
    blocked: bool,
) -> UnifiedError:
    """The error that an answer with this status means; `envelope` is the service's error object where there is one.

    `blocked` where the service says by it that the account is blocked: 503 in its own error object, of its own, and
    without a time to come back.
    """
    provider = bool(envelope and envelope.get(service.remote_error))
    origin = "provider" if provider else "service"
    who = "the provider" if provider else "the service"
    kind, retryable = _kind(status, blocked=blocked)
    said = _said(envelope, body, stderr)
    head = f"{who} answered {status} to {request.method} {request.path}" + (f": {said}" if said else "")
    advice = _advice(status, origin, blocked=blocked)
    reason = stderr.excerpt("; ".join([head, *_insight(envelope, service)]))
    return kind(reason, hint=advice, origin=origin, status=status, retryable=retryable)


def _kind(status: int, *, blocked: bool) -> tuple[type[UnifiedError], bool]:
    if status in _ACCESS or blocked:
        return AccessError, False
    if status == 429:
        return RateLimitError, True
    if 400 <= status < 500:
        return RefusedError, status in {408, 425}
    return ServiceError, status >= 500


def _advice(status: int, origin: str, *, blocked: bool) -> str | None:
    if blocked:
        return "the account is blocked; only the service's support can lift that"
    return _ADVICE.get((status, origin))


def _said(envelope: JsonObject | None, body: bytes, stderr: Stderr) -> str:
    if envelope is None:
        page = body[:_PAGE].decode("utf-8", "replace")
        title = _TITLE.search(page)
        return stderr.masked(" ".join((title[1] if title else page).split()))[:_EXCERPT]
    message = envelope.get("message") or envelope.get("raw_response") or envelope.get("error") or ""
    return message if isinstance(message, str) else _json(message)


def _insight(envelope: JsonObject | None, service: Service) -> Iterator[str]:
    """What the service adds to help: names of missing parameters, fields and scopes, and failed checks."""
    insight = envelope.get(service.error_insight) if envelope else None
    for name, found in insight.items() if isinstance(insight, dict) else ():
        value = found.get("value") if isinstance(found, dict) else None
        if isinstance(value, dict):
            value = value.get("missing_scopes", value)
            value = value if isinstance(value, list) else [*value]
        if isinstance(value, list) and value:
            what = "missing scopes" if name == "forbidden_error" else name.replace("_", " ")
            yield f"{what}: {_listed(value)}"
    details = envelope.get("details") if envelope else None
    failures = details.get("failures") if isinstance(details, dict) else None
    if isinstance(failures, list) and failures:
        yield f"failed checks: {_listed(failures)}"


def _listed(values: list[Any]) -> str:
    shown = [value if isinstance(value, str) else _json(value) for value in values[:_MOST_LISTED]]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _json(value: object) -> str:
    import msgspec  # noqa: PLC0415  only for messages that are not text

    return msgspec.json.encode(value).decode("utf-8")
