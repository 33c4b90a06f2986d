"""Turn an answer that is no success into an error."""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from unified_cli import hints
from unified_cli.catalogue import Service
from unified_cli.errors import AccessError, RateLimitError, RefusedError, ServiceError, UnifiedError
from unified_cli.http.answer import decoding, error_details
from unified_cli.http.answer.error_details import ErrorText
from unified_cli.http.request import Request
from unified_cli.json_text.values import JsonObject
from unified_cli.masking import excerpt, masked

_ACCESS = {401, 403}
_EXCERPT = 200
_MOST_LISTED = 20
_PAGE = 64 * 1024
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class ErrorAnswer(NamedTuple):
    """An answer that is no success; `envelope` is the service's error object, if the body is one.

    `blocked` if it says that the account is blocked: a 503 in the service's own error object, without a time to retry.
    `token` says where the token comes from.
    """

    request: Request
    status: int
    headers: Mapping[str, str]
    body: bytes
    envelope: JsonObject | None
    blocked: bool
    token: str


def error_for(answer: ErrorAnswer, service: Service) -> UnifiedError:
    """The error that an answer means, with what failed, at what, and what to do; its text is masked."""
    request, status, envelope = answer.request, answer.status, answer.envelope
    provider = bool(envelope and envelope.get(service.remote_error))
    origin = "provider" if provider else "service"
    kind, retryable = _kind(status, blocked=answer.blocked)
    text, lines = _text(answer, service)
    head = f"the {origin} answered {status} to {request.method} {request.path}" + (f": {text}" if text else "")
    reason = excerpt("; ".join([head, *(one for one in _insight(envelope, service) if one not in text)]))
    found = hints.for_status(status, origin, request.operation, answer.token)
    if answer.blocked:
        found = f"the account is blocked; {hints.unblocked(service.connections.renewal)}"
    hint = hints.OWN_TOKEN if _is_closed(answer, service) else found
    if status == HTTPStatus.NOT_FOUND and request.address.path.endswith(service.prefix):
        hint = hints.doubled(service.prefix)
    response = error_details.response([*lines, *_rules(envelope, service)], answer.body, answer.headers)
    return kind(reason, hint=hint, origin=origin, status=status, retryable=retryable, response=response)


def _is_closed(answer: ErrorAnswer, service: Service) -> bool:
    """Whether the service itself refuses a route that is not open to the token of a single connection."""
    below = answer.request.path.removeprefix(answer.request.address.path)
    own = answer.envelope is None or not answer.envelope.get(service.remote_error)
    return answer.status == HTTPStatus.FORBIDDEN and own and service.names_no_account(below)


def _kind(status: int, *, blocked: bool) -> tuple[type[UnifiedError], bool]:
    if status in _ACCESS or blocked:
        return AccessError, False
    if status == 429:
        return RateLimitError, True
    if 400 <= status < 500:
        return RefusedError, status in {408, 425}
    return ServiceError, status >= 500


def _text(answer: ErrorAnswer, service: Service) -> ErrorText:
    document = answer.envelope or decoding.json_object(answer.body)
    if document and (found := error_details.text_of(document, service)) != ErrorText("", []):
        return found
    page = answer.body[:_PAGE].decode("utf-8", "replace")
    title = _TITLE.search(page)
    return ErrorText(masked(" ".join((title[1] if title else page).split()))[:_EXCERPT], [])


def _insight(envelope: JsonObject | None, service: Service) -> Iterator[str]:
    """The details that the service adds: missing parameters, fields and scopes."""
    insight = envelope.get(service.error_insight) if envelope else None
    words = service.connections
    for name, found in insight.items() if isinstance(insight, dict) else ():
        value = found.get("value") if isinstance(found, dict) else None
        if isinstance(value, dict):
            value = value.get(words.missing_scopes, value)
            value = value if isinstance(value, list) else [*value]
        if isinstance(value, list) and value and not name.startswith(words.rules):
            what = "missing scopes" if name == words.forbidden else name.replace("_", " ")
            yield f"{what}: {_listed(value)}"


def _rules(envelope: JsonObject | None, service: Service) -> Iterator[str]:
    """What is required at times: it rides on any error, and is never its cause."""
    insight = envelope.get(service.error_insight) if envelope else None
    for name, found in insight.items() if isinstance(insight, dict) else ():
        value = found.get("value") if isinstance(found, dict) else None
        if name.startswith(service.connections.rules) and value:
            what = name.removeprefix(service.connections.rules).replace("_", " ")
            told = value.items() if isinstance(value, dict) else [(error_details.as_json(value), "")]
            for one, rule in [*told][:_MOST_LISTED]:
                why = f": {error_details.as_json(rule)}" if rule else ""
                yield f"a rule, not the cause: of the {what}, {one} is required at times{why}"


def _listed(values: list[Any]) -> str:
    shown = [error_details.as_json(value) for value in values[:_MOST_LISTED]]
    more = len(values) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
