"""The outcome of a write, decided by one function from all attempts at it."""

from collections.abc import Iterable
from enum import Enum, auto

from unified_cli.errors import StorageError, UnifiedError, UnknownError
from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.request import Request

_GONE = {404, 410}
# The service examined this very request and did not carry it out.
_REFUSED = {400, 404, 405, 410, 411, 413, 414, 415, 422}
_SENT = {Outcome.LOST, Outcome.DAMAGED, Outcome.UNUSABLE}


class WriteOutcome(Enum):
    """What became of a write."""

    DONE = auto()
    """It was carried out."""
    FAILED = auto()
    """It was not carried out."""
    IN_DOUBT = auto()
    """It may have been carried out."""


def outcome_of(request: Request, attempts: Iterable[Attempt]) -> WriteOutcome:
    """What became of the request, from all attempts at it in their order; a read is never in doubt.

    A success is done. An attempt failed where nothing reached the service or only a part of a body of known length, at
    any 4xx, and at a 503 that is the service's own error object and not about the provider. Any other 5xx, a redirect,
    and an answer that is lost, damaged or a web page leave it in doubt: a server may carry a write out, and fail only
    when it answers.

    A doubt stays, because a later attempt that was limited, not authorised or not connected says nothing about the
    earlier one, and a 409 may even mean that the earlier one is still at work. Two answers end it. A 404 or 410 to a
    repeated DELETE: the record is gone, so it is done. And a refusal, in the service's own error object, of a request
    with an idempotency key: had the earlier attempt been carried out, the service would have repeated that answer.
    A refusal of the provider ends no doubt: that a name is taken may be the work of the earlier attempt.

    Assumption: the service repeats its first answer to an idempotency key.
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


def error_for(request: Request, attempts: Iterable[Attempt], error: UnifiedError) -> UnifiedError:
    """The error to raise for a request that was not done: the last one, or an UnknownError if it is in doubt."""
    error.idempotency_key = request.key
    if outcome_of(request, attempts) is not WriteOutcome.IN_DOUBT:
        return error
    return UnknownError(
        f"{error.reason}; {doubt(request)}",
        hint=error.hint,
        origin=error.origin,
        status=error.status,
        idempotency_key=request.key,
        response=error.response,
    )


def unshown(request: Request, status: int, error: UnifiedError) -> StorageError:
    """The error for a write that was done, and whose answer could not be shown for the reason of another error."""
    return StorageError(
        f"{error.reason}; {request.method} {request.path} was done",
        hint=how_to_repeat(request),
        status=status,
        idempotency_key=request.key,
    )


def doubt(request: Request) -> str:
    """The words that say that a write is in doubt."""
    return f"{request.method} {request.path} may or may not have been done"


def how_to_repeat(request: Request) -> str:
    """What a user can do with the idempotency key of a request; empty without a key."""
    if request.key is None:
        return ""
    return f"its key was {request.key}" if request.outward else f"to repeat it safely: --idempotency-key {request.key}"


def _is_gone(request: Request, attempt: Attempt) -> bool:
    return request.method == "DELETE" and attempt.outcome is Outcome.ANSWERED and attempt.status in _GONE


def _leaves_doubt(attempt: Attempt) -> bool:
    if attempt.outcome is not Outcome.ANSWERED:
        return attempt.outcome in _SENT
    unavailable = attempt.status == 503 and attempt.own and not attempt.remote
    return not (400 <= attempt.status < 500 or unavailable)


def _settles(request: Request, attempt: Attempt) -> bool:
    examined = attempt.outcome is Outcome.ANSWERED and attempt.status in _REFUSED
    return examined and attempt.own and not attempt.remote and request.key is not None and request.honoured
