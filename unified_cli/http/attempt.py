"""Decide after each attempt whether to follow a redirect or to retry the request.

Also decide whether a write is done, failed, or in doubt.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

import httpx

from unified_cli import hints
from unified_cli.errors import StorageError, UnifiedError, UnknownError, UnsafeError
from unified_cli.http.request import Request
from unified_cli.masking import excerpt, visible
from unified_cli.plural import counted

if TYPE_CHECKING:
    from unified_cli.http.rate import RateFacts

LONGEST_WAIT = 60.0
"""The longest wait that the service may request, in seconds."""

_CEILING = 20.0
_LONGEST_HOST = 300
_OF_BODY = {"host", "content-length", "content-type", "idempotency-key"}
_OF_FILE = {"accept", "accept-encoding", "range", "if-range", "user-agent"}
_PLAIN = re.compile(r"[!-\[\]-~]+")
_STATUSES = {408, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530}


class Outcome(Enum):
    """How far an attempt got."""

    NOT_SENT = auto()
    """Nothing reached the service. A retry may succeed."""
    PERMANENT = auto()
    """Nothing reached the service, and a retry cannot succeed, for example because of a
    bad certificate.
    """
    LOST = auto()
    """The request was sent, but no complete response arrived. The service may have
    carried out the request.
    """
    UNFINISHED = auto()
    """The connection was lost before the whole body was sent, so the service cannot
    have carried out the request.
    """
    DAMAGED = auto()
    """The request succeeded, but the response is damaged."""
    UNUSABLE = auto()
    """The request succeeded, but the response is too large or a web page, so a retry
    cannot help.
    """
    ANSWERED = auto()
    """The response has an error status."""
    SUCCEEDED = auto()
    """The response has a success status."""


class Doubt(Enum):
    """Why a write without a status is in doubt."""

    UNSEEN = "no answer was seen"
    BROKEN = "the answer was broken"
    LATE = "the deadline came before the answer"


class Attempt(NamedTuple):
    """The result of one attempt; `retry_after` is in seconds.

    `limited` means that a rate limit refused the request, so nothing was done. `remote`
    means that the provider failed, and `own` that the response is the service's own
    error object. `facts` is the rate limit that the response headers report.
    """

    outcome: Outcome
    status: int = 0
    retry_after: float | None = None
    limited: bool = False
    blocked: bool = False
    remote: bool = False
    own: bool = False
    facts: "RateFacts | None" = None
    doubt: Doubt = Doubt.UNSEEN
    """Why a write without a complete response is in doubt."""


class NetworkFailure(NamedTuple):
    """An attempt without a complete response.

    `malformed` means that the peer sent invalid HTTP, and `stale` that it had closed
    the idle connection before the request was sent.
    """

    outcome: Outcome
    reason: str
    hint: str | None = None
    malformed: bool = False
    stale: bool = False
    doubt: Doubt = Doubt.UNSEEN


_GONE = {404, 410}
# With these statuses, the service examined the request and did not carry it out. The
# statuses 404 and 413 are missing here because the service may send them before it
# checks the idempotency key.
_EXAMINED = {400, 422}
_SENT = {Outcome.LOST, Outcome.DAMAGED, Outcome.UNUSABLE}


class WriteOutcome(Enum):
    """The outcome of a write."""

    DONE = auto()
    """The write was carried out."""
    FAILED = auto()
    """The write was not carried out."""
    IN_DOUBT = auto()
    """The write may have been carried out."""


def outcome_of(request: Request, attempts: Iterable[Attempt]) -> WriteOutcome:
    """Return the outcome of a request from all its attempts, in order.

    A read is never in doubt. A write is

    - done if an attempt succeeded.
    - failed if nothing reached the service, or only a part of a body whose length was
      known.
    - failed after a 4xx. It also failed after a 503 in the service's own error object,
      unless the error is about the provider.
    - in doubt after any other 5xx, a redirect, or a lost, damaged or HTML response,
      because a server may carry out a write and then fail to respond.

    After an attempt in doubt, the write stays in doubt, whatever a later attempt
    returns. For example, a 409 may mean that the earlier attempt is still running.
    There are three exceptions:

    - A later attempt that succeeds: the write is done.
    - A 404 or 410 to a repeated DELETE: the record is gone, so the write is done.
    - A 400 or 422 to a request with an idempotency key, in the service's own error
      object: the write failed. If the earlier attempt had succeeded, the service would
      have repeated its first response. This is no exception if the provider refused the
      request: a name may be in use because the earlier attempt succeeded.

    Assumption: the service repeats its first response for an idempotency key. Refusals
    with other statuses may come before the service checks the key.
    """
    doubtful = request.in_doubt
    for attempt in attempts:
        if attempt.outcome is Outcome.SUCCEEDED or (doubtful and _is_gone(request, attempt)):
            return WriteOutcome.DONE
        if _leaves_doubt(attempt):
            doubtful = True
        elif _settles(request, attempt):
            doubtful = False
    return WriteOutcome.IN_DOUBT if doubtful and request.writes else WriteOutcome.FAILED


def error_for(request: Request, attempts: Sequence[Attempt], error: UnifiedError) -> UnifiedError:
    """Return the error of the last attempt.

    If the write is in doubt, return an UnknownError.
    """
    error.idempotency_key = request.key
    if outcome_of(request, attempts) is not WriteOutcome.IN_DOUBT:
        return error
    unknown = UnknownError(
        f"{error.reason}; {doubt(request)}",
        hint=error.hint,
        origin=error.origin,
        status=error.status,
        idempotency_key=request.key,
        response=error.response,
    )
    unknown.doubt = _why(attempts)
    return unknown


def _why(attempts: Iterable[Attempt]) -> str:
    """Return why a write is in doubt, or "" if its status says enough.

    The reason is that of the last attempt that may have carried out the write.
    """
    last = [attempt for attempt in attempts if _leaves_doubt(attempt)][-1:]
    if not last:
        return Doubt.UNSEEN.value
    outcome = last[0].outcome
    if outcome is Outcome.ANSWERED:
        return ""
    return (last[0].doubt if outcome is Outcome.LOST else Doubt.BROKEN).value


def unshown_error(request: Request, status: int, error: UnifiedError) -> StorageError:
    """Return the error for a response that was not printed.

    The write was done, but `error` prevented the output.
    """
    return StorageError(
        f"{error.reason}; {request.method} {request.path} was done",
        hint=how_to_repeat(request),
        status=status,
        idempotency_key=request.key,
    )


def doubt(request: Request) -> str:
    """Return the words for a write in doubt."""
    return f"{request.method} {request.path} may or may not have been done"


def how_to_repeat(request: Request) -> str:
    """Return how to repeat a request, or "".

    The text names the idempotency key and the file of the request, if there are any.
    """
    parts = []
    if request.upload is not None:
        facts = request.upload.facts
        parts.append(
            f"its file was {visible(facts.file)} ({counted(facts.size, 'byte')}, sha256"
            f" {facts.sha256})"
        )
    if request.key is not None:
        repeat = (
            "its key was " if request.may_act_twice else "to repeat it safely: --idempotency-key "
        )
        parts.append(f"{repeat}{request.key}")
    return "; ".join(parts)


def _is_gone(request: Request, attempt: Attempt) -> bool:
    return (
        request.method == "DELETE"
        and attempt.outcome is Outcome.ANSWERED
        and attempt.status in _GONE
    )


def _leaves_doubt(attempt: Attempt) -> bool:
    if attempt.outcome is not Outcome.ANSWERED:
        return attempt.outcome in _SENT
    unavailable = attempt.status == 503 and attempt.own and not attempt.remote
    return not (400 <= attempt.status < 500 or unavailable)


def _settles(request: Request, attempt: Attempt) -> bool:
    examined = attempt.outcome is Outcome.ANSWERED and attempt.status in _EXAMINED
    return (
        examined
        and attempt.own
        and not attempt.remote
        and request.key is not None
        and request.honours_keys
    )


def may_repeat(request: Request, attempt: Attempt) -> bool:
    """Return whether retrying after this attempt cannot carry out the request twice.

    Assumption: the service honours the idempotency key of every POST and PATCH, unless
    the settings say otherwise. Some requests may still act twice: for example, a key
    does not prevent a second email, and a file may be sent without a key. Repeat such a
    request only if the response shows that nothing was done and asks the client to
    wait.
    """
    if attempt.outcome is Outcome.NOT_SENT:
        return True
    if attempt.outcome is Outcome.ANSWERED:
        passing = attempt.status in _STATUSES or (attempt.remote and attempt.status >= 500)
        if attempt.blocked or not (attempt.limited or passing):
            return False
        if not request.may_act_twice:
            return True
        must_wait = attempt.limited or (attempt.status == 503 and attempt.retry_after is not None)
        return must_wait and outcome_of(request, [attempt]) is WriteOutcome.FAILED
    return (
        attempt.outcome in {Outcome.LOST, Outcome.UNFINISHED, Outcome.DAMAGED}
        and not request.may_act_twice
    )


def pause(number: int, attempt: Attempt, uniform: Callable[[float, float], float]) -> float:
    """Return the delay after attempt `number`, counted from 1, in seconds.

    Uses full jitter, and at least the wait that the service requested. After a rate
    limit, `rate.Pace` decides instead.
    """
    if attempt.retry_after is not None:
        return attempt.retry_after + uniform(0, 1)
    return uniform(0, min(_CEILING, 0.5 * 2 ** min(number - 1, 10)))


def redirect_target(here: httpx.URL, location: str, request: Request, *, file: bool) -> httpx.URL:
    """Return the target of a redirect. Raises UnsafeError if it must not be
    followed.
    """
    # Do not print the query, which may be signed.
    shown = excerpt(location.partition("?")[0], _LONGEST_HOST)
    # URL parsers disagree about spaces, control characters and backslashes.
    if not _PLAIN.fullmatch(location):
        raise UnsafeError(
            f"{_origin(here)} redirects to '{shown}', which is not a plain URL; not followed"
        )
    try:
        target = httpx.URL(location)
        if target.scheme and not target.host:
            # URL parsers disagree about a URL with a scheme and no host. Some parsers
            # read it as a relative URL, and others find the name of a host in it.
            raise UnsafeError(
                f"{_origin(here)} redirects to '{shown}', which has no host; not followed"
            )
        target = here.join(location)
    except (httpx.InvalidURL, ValueError):
        raise UnsafeError(
            f"{_origin(here)} redirects to '{shown}', which is not a URL; not followed"
        ) from None
    _check(here, target, request, file=file)
    return target


def _check(here: httpx.URL, target: httpx.URL, request: Request, *, file: bool) -> None:
    """Raise UnsafeError if a redirect must not be followed.

    If `file` is true, the request downloads a file, which may be at any https origin.
    """
    origin = _origin(here)
    foreign = is_foreign(here, target)
    if target.userinfo or (foreign and not (file and target.scheme == "https" and target.host)):
        goal = excerpt(_origin(target) if target.host else target.scheme, _LONGEST_HOST)
        unconfirmed = "" if request.method == "GET" else ", so the write is not confirmed"

        raise UnsafeError(
            f"{origin} redirects {request.method} {request.path} to {goal}; not"
            f" followed{unconfirmed}",
            hint=hints.MOVED,
        )
    if request.method != "GET" and not file:
        raise UnsafeError(
            f"{origin} redirects {request.method} {request.path}; not followed, so the write is not"
            " confirmed"
        )


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"


def is_foreign(here: httpx.URL, target: httpx.URL) -> bool:
    """Return whether two URLs have different origins."""
    return (target.scheme, target.host, target.port) != (here.scheme, here.host, here.port)


def redirected_headers(headers: httpx.Headers, *, foreign: bool) -> httpx.Headers:
    """Return the headers for the redirected request.

    Headers about the body are left out. Another origin only gets the headers that
    request the file.
    """
    left_out = _OF_BODY if not foreign else {name for name in headers if name not in _OF_FILE}
    return httpx.Headers(
        [(name, value) for name, value in headers.raw if name.decode().lower() not in left_out]
    )
