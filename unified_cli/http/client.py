"""Send requests: wait for the rate limit, retry if that is safe, and return the
response or raise an error.
"""

from typing import NamedTuple, NoReturn

import httpx

from unified_cli import hints
from unified_cli.config.settings import Settings
from unified_cli.errors import AbandonedError, RateLimitError, UnifiedError, UnsafeError
from unified_cli.http import attempt as attempts
from unified_cli.http.attempt import Attempt, Outcome, WriteOutcome
from unified_cli.http.http_connection import HttpConnection, HttpContext
from unified_cli.http.rate import NEVER
from unified_cli.http.rate_limit import Patience, Permit, Quota, RateLimit
from unified_cli.http.request import ByteRange, Request
from unified_cli.http.response import Expected, Failed, Response

_UNANSWERED = {Outcome.NOT_SENT, Outcome.PERMANENT, Outcome.LOST, Outcome.UNFINISHED}


class Limits(NamedTuple):
    """The rate limit of a token and the retry quota of an account, which clients
    share.
    """

    rate_limit: RateLimit
    quota: Quota
    patience: Patience = Patience.TIMEOUT


class _Call:
    """A request, its deadline `until`, and the `error` of its last attempt."""

    def __init__(self, request: Request, until: float) -> None:
        self.request = request
        self.until = until
        self.error: UnifiedError | None = None
        self.number = 1
        self.attempts: list[Attempt] = []
        self.reconnected = False
        """Whether the request was repeated because the server had closed the idle
        connection.
        """


class Client:
    """Sends the requests of one worker over one network connection.

    Requests go only to the origin in the settings.
    """

    def __init__(
        self, context: HttpContext, settings: Settings, token: str, limits: Limits
    ) -> None:
        self.service = context.service
        self._runtime = context.runtime
        self._settings = settings
        self._rate_limit, self._quota, self._patience = limits
        address, _ = settings.reachable()
        self._origin = address.origin
        self._connection = HttpConnection(context, settings, token)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def send(
        self,
        request: Request,
        *,
        any_type: bool = False,
        part: ByteRange | None = None,
        page: bool = False,
    ) -> Response:
        """Send the request, and return the response. Retries if that is safe and time
        is left.

        `any_type` accepts HTML, which otherwise counts as an error of a gateway. `part`
        is the part of a file to request; the service may redirect this request to
        another origin. `page` splits the response into records. Raises the errors of
        `api_errors`, NetworkError and ServiceError. Raises UnknownError if a write may
        have been carried out.
        """
        self._check(request)
        expected = Expected(any_type, part, page)
        call = _Call(request, self._runtime.monotonic() + self._settings.timeout)
        try:
            return self._send(call, expected)
        except AbandonedError as error:
            # A signal between two attempts raises this.
            _give_up(call, error)
        except KeyboardInterrupt as stop:
            if attempts.outcome_of(request, call.attempts) is WriteOutcome.IN_DOUBT:
                stop.add_note(
                    "; ".join(
                        filter(None, (attempts.doubt(request), attempts.how_to_repeat(request)))
                    )
                )
            raise

    def _check(self, request: Request) -> None:
        if request.address.origin != self._origin:
            raise UnsafeError(
                f"the request goes to {request.address.origin}, but the token belongs to"
                f" {self._origin}"
            )

    def _send(self, call: _Call, expected: Expected) -> Response:
        while True:
            permit = self._wait_to_send(call)
            result = self._attempt(call, expected, permit)
            if isinstance(result, Response):
                self._quota.earn()
                return result
            if attempts.outcome_of(call.request, call.attempts) is WriteOutcome.DONE:
                self._runtime.stderr.note("already gone: an earlier attempt deleted it")
                return Response(204, httpx.Headers(), b"")
            if result.attempt.limited:
                self._wait_for_the_limit(call, result, permit)
                continue
            if (
                result.stale
                and not call.reconnected
                and attempts.may_repeat(call.request, result.attempt)
            ):
                call.reconnected = True
                continue
            self._pause(call, result)
            call.number, call.error = call.number + 1, result.error

    def _wait_to_send(self, call: _Call) -> Permit:
        """Wait for permission to send.

        Raises the error of the last attempt if the wait would exceed the deadline.
        """
        account, started = call.request.account, self._runtime.monotonic()
        endless = self._patience is Patience.ENDLESS
        waits = 0

        def tell(seconds: float, reason: str, total: float) -> None:
            nonlocal waits
            waits += 1
            stderr = self._runtime.stderr
            stderr.waiting(seconds, reason, total)
            if stderr.verbosity and waits == 1:
                in_total = f" ({total:.1f} s in total)" if total > seconds else ""
                stderr.line(f"waiting {seconds:.1f} s{in_total}: {reason}")

        permit = self._rate_limit.wait(account, NEVER if endless else call.until, tell)
        if permit is None:
            _give_up(call, call.error or _no_turn())
        if endless:
            call.until += permit.at - started
        return permit

    def _attempt(self, call: _Call, expected: Expected, permit: Permit) -> Response | Failed:
        try:
            self._runtime.check()
            self._runtime.stderr.sends()
            if call.request.upload is None:
                result = self._connection.attempt(call.request, call.until, expected)
            else:
                # An upload may take any time while it makes progress, so it does not
                # count against the deadline.
                began = self._runtime.monotonic()
                result = self._connection.attempt(call.request, NEVER, expected)
                call.until += self._runtime.monotonic() - began
        except UnifiedError as error:
            # This attempt was not sent.
            self._rate_limit.lost(permit)
            _give_up(call, error)
        except KeyboardInterrupt:
            call.attempts.append(Attempt(self._connection.lost))
            raise
        attempt = result.attempt
        call.attempts.append(attempt)
        if attempt.outcome in _UNANSWERED:
            self._rate_limit.lost(permit)
        elif not attempt.limited:
            self._rate_limit.accepted(permit, attempt.facts)
        return result

    def _wait_for_the_limit(self, call: _Call, failed: Failed, permit: Permit) -> None:
        """Wait after a rate limit refused the request. This does not use up a retry.

        Raises the error of the refusal if the limit stays closed for too long.
        """
        request, attempt, call.error = call.request, failed.attempt, failed.error
        refusals = self._rate_limit.refused(permit, attempt)
        requested = attempt.retry_after or 0
        exhausted = self._rate_limit.exhausted(request.account)
        if exhausted:
            # Do not suggest a longer --timeout, which would not help.
            later = "no request was allowed for over a minute; run the command again later"
            _give_up(call, _limited(failed.error, later))
        if not attempts.may_repeat(request, attempt):
            _give_up(call, failed.error)
        seconds = self._rate_limit.delay(request.account)
        in_time = seconds == NEVER or self._runtime.monotonic() + seconds < call.until
        late = self._patience is Patience.TIMEOUT and not in_time
        if requested > attempts.LONGEST_WAIT or late:
            _give_up(call, _too_long(failed.error, requested) if requested else failed.error)
        stderr = self._runtime.stderr
        # A status line already shows each wait.
        shown = stderr.draws or self._runtime.shares_terminal
        if refusals and (stderr.verbosity or (refusals == 1 and not shown)):
            stderr.note(f"waiting {seconds:.1f} s for the rate limit: {failed.error.reason}")

    def _pause(self, call: _Call, failed: Failed) -> None:
        """Wait before the next attempt. Raises the error if there is no next
        attempt.
        """
        request, attempt = call.request, failed.attempt
        wait = attempts.pause(call.number, attempt, self._runtime.uniform)
        if not attempts.may_repeat(request, attempt) or call.number > self._settings.retries:
            _give_up(call, failed.error)
        asked = attempt.retry_after or 0
        if asked > attempts.LONGEST_WAIT or self._runtime.monotonic() + wait >= call.until:
            _give_up(call, _too_long(failed.error, asked) if asked else failed.error)
        repeats = self._quota.spend(attempt.outcome)
        if not repeats:
            failed.error.add_hint(hints.NO_MORE_RETRIES)
            _give_up(call, failed.error)
        total, stderr = self._settings.retries, self._runtime.stderr
        stderr.retried()
        # Bulk work prints only its first retry here, and the number of the others at
        # the end.
        first = repeats == 1 or self._patience is not Patience.ENDLESS
        if stderr.verbosity or (first and not self._runtime.shares_terminal):
            stderr.note(f"retry {call.number} of {total} in {wait:.1f} s: {failed.error.reason}")
        began = self._runtime.monotonic()
        self._rate_limit.sleep(wait)
        if self._patience is Patience.ENDLESS:
            # In bulk work, the time in which other requests went first does not count.
            call.until += max(0.0, self._runtime.monotonic() - began - wait)


def _too_long(error: UnifiedError, requested: float) -> UnifiedError:
    hours, minutes = divmod(round(requested / 60), 60)
    span = (
        f"{hours} h {minutes} min"
        if hours
        else f"{minutes} min"
        if minutes
        else f"{requested:.0f} s"
    )
    return _limited(
        error, f"the response asked to wait {span}; run the command again after that time"
    )


def _limited(error: UnifiedError, hint: str) -> UnifiedError:
    return RateLimitError(
        error.reason, hint=hint, origin=error.origin, status=error.status, response=error.response
    )


def _no_turn() -> RateLimitError:
    return RateLimitError(
        "the rate limit allows no request before the timeout",
        hint="use a larger --timeout or a higher --rate",
    )


def _give_up(call: _Call, error: UnifiedError) -> NoReturn:
    raise attempts.error_for(call.request, call.attempts, error) from None
