"""What an error answer says beside its status: its message, what is wrong with which field, its id, its body."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from unified_cli.catalogue import Service
from unified_cli.errors import ErrorResponse
from unified_cli.http.answer import decoding
from unified_cli.json_text import json_codec
from unified_cli.json_text.values import Json, JsonObject
from unified_cli.masking import cut, excerpt, masked

_MOST = 10
_LONGEST_LINE = 300
_LONGEST_BODY = 64 * 1024
# Assumption: the service documents no such header; these are the usual names.
_ID_HEADERS = ("x-request-id", "request-id", "x-correlation-id", "x-amzn-requestid", "x-amz-request-id", "cf-ray")
# Names under which HTTP APIs put what is wrong, where, and why; problem details (RFC 9457) and OAuth among them.
_LISTS = ("errors", "failures", "invalid-params")
_FIELDS = ("field", "path", "property", "pointer", "loc", "param", "name")
_MESSAGES = ("message", "detail", "msg", "description", "reason", "error", "title", "code")
_TEXTS = ("message", "detail", "error_description")
# Of the service itself these only repeat the status.
_NAMES = ("error", "title")


class ErrorText(NamedTuple):
    """The message of an error answer, and the lines that say more; neither is masked yet."""

    message: str
    lines: list[str]


def text_of(document: JsonObject, service: Service) -> ErrorText:
    """What an error object says, whichever of the usual shapes it has; the provider's own answer is read like it."""
    message = _message(document, _TEXTS)
    lines = _problems(document)
    for name in service.provider_answers.split():
        if body := document.get(name):
            theirs = _provider(body)
            if not message:
                message = theirs.message
            elif theirs.message not in message:
                lines = [*lines, f"the provider's answer: {theirs.message}"]
            lines = [*lines, *theirs.lines]
    details = document.get("details")
    if isinstance(details, dict) and not any(name in details for name in _LISTS):
        # A provider's error may stand here instead.
        theirs = _provider(details)
        if not message:
            message = theirs.message
        elif theirs.message not in message:
            lines = [*lines, f"details: {theirs.message}"]
        lines = [*lines, *theirs.lines]
    message = message or _message(document, _NAMES)
    return ErrorText(message, [line for line in dict.fromkeys(lines) if line and line != message])


def response(lines: list[str], body: bytes, headers: Mapping[str, str]) -> ErrorResponse:
    """The first lines, the request id and the body, for the error that is raised."""
    shown = [excerpt(line, _LONGEST_LINE) for line in islice(lines, _MOST)]
    more = len(lines) - len(shown)
    if more:
        shown.append(masked(f"and {more} more"))
    found = next(filter(None, (headers.get(name) for name in _ID_HEADERS)), None)
    return ErrorResponse(tuple(shown), excerpt(found, _LONGEST_LINE) if found else None, _shown(body))


def as_json(value: Json) -> str:
    """A value as JSON text, text as it is."""
    return value if isinstance(value, str) else json_codec.dump(value)


def _message(document: JsonObject, names: Iterable[str]) -> str:
    """The first of these members that is a text, or an object that holds one."""
    for name in names:
        value = document.get(name)
        if isinstance(value, dict):
            return _message(value, (*_TEXTS, *_NAMES)) or as_json(value)
        if isinstance(value, str) and value:
            return value
    return ""


def _provider(body: Json) -> ErrorText:
    if isinstance(body, str):
        # Providers' answers that are JSON are passed on as text in places.
        document = decoding.json_object(body.encode("utf-8", "surrogatepass"))
        if document is None:
            return ErrorText(" ".join(body.split())[:_LONGEST_LINE], [])
        body = document
    if isinstance(body, dict) and (message := _message(body, (*_TEXTS, *_NAMES))):
        return ErrorText(message, _problems(body))
    return ErrorText(as_json(body), [])


def _problems(document: JsonObject) -> list[str]:
    """What is wrong, one line for each field or check."""
    found = [*_each(document.get("message"))] if isinstance(document.get("message"), list) else []
    for place in (document, document.get("details"), document.get("error")):
        if isinstance(place, list):
            found += _each(place)
        elif isinstance(place, dict):
            for name in _LISTS:
                found += _each(place.get(name))
    return found


def _each(value: Json) -> Iterator[str]:
    if isinstance(value, list):
        yield from map(_one, value)
    elif isinstance(value, dict):
        for field, problems in value.items():
            for problem in problems if isinstance(problems, list) else [problems]:
                yield f"{field}: {_one(problem)}"
    elif value:
        yield as_json(value)


def _one(problem: Json) -> str:
    """One problem as a line: the field, where one is named, and the text."""
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
    """The body for programs: its JSON value, or its text where it is none or too large."""
    text = masked(body[: 2 * _LONGEST_BODY].decode("utf-8", "replace"))
    if len(body) <= _LONGEST_BODY and decoding.json_object(body) is not None:
        try:
            return json.loads(text)
        except ValueError:
            pass
    return cut(text, _LONGEST_BODY)
