"""Turn a failed response into an error with its message, invalid fields, request id and
body.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, NamedTuple

from unified_cli import hints
from unified_cli.catalogue import Service
from unified_cli.errors import (
    AccessError,
    ErrorResponse,
    RateLimitError,
    RefusedError,
    ServiceError,
    UnifiedError,
)
from unified_cli.http import decoding
from unified_cli.http.request import Request
from unified_cli.json_text import json_codec
from unified_cli.masking import cut, excerpt, masked
from unified_cli.plural import named
from unified_cli.values import Json, JsonObject

_ACCESS = {401, 403}
_EXCERPT = 200
_MOST_LISTED = 20
_PAGE = 64 * 1024
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_MOST = 10
_LONGEST_LINE = 300
_LONGEST_BODY = 64 * 1024
# Assumption: the service sends its request id in one of these common headers. Its
# documentation names none.
_ID_HEADERS = (
    "x-request-id",
    "request-id",
    "x-correlation-id",
    "x-amzn-requestid",
    "x-amz-request-id",
    "cf-ray",
)
# The members in which common APIs put the problem, its field and its reason: problem
# details (RFC 9457), OAuth, Jira (`errorMessages`), FastAPI (`detail`), Apigee
# (`fault`) and others.
_LISTS = ("errorMessages", "errors", "failures", "invalid-params")
_FIELDS = ("field", "path", "property", "pointer", "loc", "param", "name")
_MESSAGES = ("message", "detail", "msg", "description", "reason", "error", "title", "code")
_TEXTS = ("message", "faultstring", "detail", "error_description", "description")
# Look here last, because these members of the service's own errors only repeat the
# status.
_NAMES = ("error", "title", "fault")


class ErrorText(NamedTuple):
    """The message and the details of an error response, not masked yet."""

    message: str
    lines: list[str]


def text_of(document: JsonObject, service: Service) -> ErrorText:
    """Return the text of an error object in any common format.

    The object may contain a provider's response.
    """
    message = _first_text(document, _TEXTS)
    lines = _problems(document)
    answers = [
        ("the provider's answer", document.get(name)) for name in service.provider_answers.split()
    ]
    found = [(what, body) for what, body in answers if body]
    details = document.get("details")
    if isinstance(details, dict) and not any(name in details for name in _LISTS):
        # `details` may be an error of the provider.
        found.append(("details", details))
    for what, body in found:
        theirs = _provider(body)
        if not message:
            message = theirs.message
        elif theirs.message not in message:
            lines.append(f"{what}: {theirs.message}")
        lines += theirs.lines
    message = message or _first_text(document, _NAMES) or next(iter(lines), "")
    return ErrorText(message, [line for line in dict.fromkeys(lines) if line and line != message])


def response_of(lines: list[str], body: bytes, headers: Mapping[str, str]) -> ErrorResponse:
    """Return the response to attach to the error: its first lines, its request id and
    its body.
    """
    shown = [excerpt(line, _LONGEST_LINE) for line in islice(lines, _MOST)]
    more = len(lines) - len(shown)
    if more:
        shown.append(masked(f"and {more} more"))
    found = next(filter(None, (headers.get(name) for name in _ID_HEADERS)), None)
    return ErrorResponse(
        tuple(shown), excerpt(found, _LONGEST_LINE) if found else None, _shown(body)
    )


def as_json(value: Json) -> str:
    """Return a value as JSON text, or a string unchanged."""
    return value if isinstance(value, str) else json_codec.dump(value)


def _first_text(document: JsonObject, names: Iterable[str]) -> str:
    for name in names:
        value = document.get(name)
        if isinstance(value, dict):
            return _first_text(value, (*_TEXTS, *_NAMES)) or as_json(value)
        if isinstance(value, str) and value:
            return value
    return ""


def _provider(body: Json) -> ErrorText:
    if isinstance(body, str):
        # Some routes return a provider's JSON as a string.
        document = decoding.json_object(body.encode("utf-8", "surrogatepass"))
        if document is None:
            return ErrorText(" ".join(body.split())[:_LONGEST_LINE], [])
        body = document
    problems = _problems(body) if isinstance(body, dict) else []
    if isinstance(body, dict) and (message := _first_text(body, (*_TEXTS, *_NAMES))):
        return ErrorText(message, problems)
    return ErrorText(problems[0], problems[1:]) if problems else ErrorText(as_json(body), [])


def _problems(document: JsonObject) -> list[str]:
    result = (
        [*_each_problem(document.get("message"))]
        if isinstance(document.get("message"), list)
        else []
    )
    for place in (document, *(document.get(name) for name in ("details", "detail", "error"))):
        if isinstance(place, list):
            result += _each_problem(place)
        elif isinstance(place, dict):
            for name in _LISTS:
                result += _each_problem(place.get(name))
    return result


def _each_problem(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(_problem_line, value)
    elif isinstance(value, dict):
        for field, problems in value.items():
            for problem in problems if isinstance(problems, list) else [problems]:
                yield f"{field}: {_problem_line(problem)}"
    elif value:
        yield as_json(value)


def _problem_line(problem: Json) -> str:
    if not isinstance(problem, dict):
        return as_json(problem)
    text = next((problem[name] for name in _MESSAGES if problem.get(name)), None)
    if text is None:
        return as_json(problem)
    field = next((problem[name] for name in _FIELDS if problem.get(name)), None)
    words = ", ".join(map(as_json, text)) if isinstance(text, list) else as_json(text)
    return f"{_path(field)}: {words}" if field else words


def _path(field: Json) -> str:
    parts: Iterable[Json] = field if isinstance(field, list) else [field]
    return ".".join(as_json(part) for part in parts)


def _shown(body: bytes) -> Json:
    """Return the body for --json-errors.

    It is a JSON value, or text if it is not JSON or too large.
    """
    text = masked(body[: 2 * _LONGEST_BODY].decode("utf-8", "replace"))
    if len(body) <= _LONGEST_BODY and decoding.json_object(body) is not None:
        try:
            return json.loads(text)
        except ValueError:
            pass
    return cut(text, _LONGEST_BODY)


class FailedResponse(NamedTuple):
    """A failed response; `envelope` is the service's error object, if the body is one.

    `blocked` means that the service blocks the account: it sent a 503 in its own error
    object, without a time to retry. `limited` means that a rate limit refused the
    request. `token` is the source of the token, and `profile` the profile of the
    connection.
    """

    request: Request
    status: int
    headers: Mapping[str, str]
    body: bytes
    envelope: JsonObject | None
    blocked: bool
    limited: bool
    token: str
    profile: str | None


def error_for(failed: FailedResponse, service: Service) -> UnifiedError:
    """Return the error to raise for a failed response, with masked text."""
    request, status, envelope = failed.request, failed.status, failed.envelope
    provider = bool(envelope and envelope.get(service.remote_error))
    origin = "provider" if provider else "service"
    kind, retryable = _kind(status, blocked=failed.blocked, limited=failed.limited)
    text, lines = _text(failed, service)
    head = f"the {origin} answered {status} to {request.method} {request.path}" + (
        f": {text}" if text else ""
    )
    reason = excerpt(
        "; ".join(
            [
                head,
                *(problem for problem in _named_problems(envelope, service) if problem not in text),
            ]
        )
    )
    found = hints.for_status(
        status, origin, request.operation, failed.token, failed.profile, request.path
    )
    if failed.limited:
        found = hints.TOO_SLOW
    if failed.blocked:
        found = hints.blocked(failed.profile, named="blocked" in text.casefold())
    hint = hints.OWN_TOKEN if _is_closed(failed, service) and not failed.limited else found
    if status == HTTPStatus.NOT_FOUND and request.address.path.endswith(service.prefix):
        hint = hints.doubled(service.prefix)
    elif (
        status == HTTPStatus.NOT_FOUND
        and origin == "service"
        and not request.path.startswith(f"{service.prefix}/")
    ):
        hint = f"{hint}; the paths of the APIs begin with {service.prefix}/"
    elif status == HTTPStatus.BAD_REQUEST and any(
        name == service.cursor for name, _ in request.query
    ):
        hint = hints.OTHER_CURSOR
    response = response_of([*lines, *_rules(envelope, service)], failed.body, failed.headers)
    error = kind(
        reason, hint=hint, origin=origin, status=status, retryable=retryable, response=response
    )
    lists = request.operation is not None and request.operation.lists
    error.not_offered = lists and status in hints.NOT_OFFERED
    return error


def refuses_for_good(envelope: JsonObject | None, service: Service) -> bool:
    """Return whether a retry cannot help: scopes are missing, or the account is
    blocked.
    """
    if envelope is None or envelope.get(service.remote_error):
        return False
    insight = envelope.get(service.error_insight)
    named = isinstance(insight, dict) and service.connections.forbidden in insight
    return named or "blocked" in str(envelope.get("message")).casefold()


def _is_closed(failed: FailedResponse, service: Service) -> bool:
    """Return whether the route refuses the token of a connection."""
    below = failed.request.path.removeprefix(failed.request.address.path)
    own = failed.envelope is None or not failed.envelope.get(service.remote_error)
    closed = service.names_no_account(below)
    return failed.status == HTTPStatus.FORBIDDEN and own and closed


def _kind(status: int, *, blocked: bool, limited: bool) -> tuple[type[UnifiedError], bool]:
    if limited:
        return RateLimitError, True
    if status in _ACCESS or blocked:
        return AccessError, False
    if 400 <= status < 500:
        return RefusedError, status in {408, 425}
    return ServiceError, status >= 500


def _text(failed: FailedResponse, service: Service) -> ErrorText:
    document = failed.envelope or decoding.json_object(failed.body)
    if document and (result := text_of(document, service)) != ErrorText("", []):
        return result
    page = failed.body[:_PAGE].decode("utf-8", "replace")
    title = _TITLE.search(page)
    return ErrorText(masked(" ".join((title[1] if title else page).split()))[:_EXCERPT], [])


def _named_problems(envelope: JsonObject | None, service: Service) -> Iterator[str]:
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
    """Yield the rules about scopes that are only sometimes required.

    The service adds them to every error, although they are never its cause.
    """
    insight = envelope.get(service.error_insight) if envelope else None
    for name, found in insight.items() if isinstance(insight, dict) else ():
        value = found.get("value") if isinstance(found, dict) else None
        if name.startswith(service.connections.rules) and value:
            what = name.removeprefix(service.connections.rules).replace("_", " ")
            rules = value.items() if isinstance(value, dict) else [(as_json(value), "")]
            for scope, rule in [*rules][:_MOST_LISTED]:
                why = f": {as_json(rule)}" if rule else ""
                yield f"not the cause, but sometimes required: {scope} ({what}){why}"


def _listed(values: list[Any]) -> str:
    return named([as_json(value) for value in values], _MOST_LISTED)
