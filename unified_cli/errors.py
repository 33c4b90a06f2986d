"""The errors that end a command, each with its exit code.

    UnifiedError
    ├── UsageError        2  invalid usage
    ├── ConfigError       3  a profile, a credential or a setting of this machine
    ├── RefusedError      4  the API refused the request
    ├── ServiceError      5  the service or provider failed, or sent an invalid answer
    ├── NetworkError      6  no complete answer arrived
    ├── AccessError       7  not authorised, or the account is blocked
    ├── RateLimitError    8  rate-limited for longer than the call may wait
    ├── IncompleteError   9  done, but something is missing
    ├── UnknownError     10  a write was sent, and its outcome is unknown
    ├── StorageError     11  a file or stream of this machine
    ├── StateError       12  a state file does not match, is damaged or in use
    ├── UnsafeError      13  refused for safety
    ├── DifferentError   14  an expectation does not hold, or two things differ
    ├── StoppedError    130  SIGINT
    ├── ClosedOutputError 141  the reader of stdout left before all writes were sent
    └── TerminatedError 143  SIGTERM

Raised where the failure is detected; only `main` turns them into exit codes.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar, NamedTuple, Self

import unified_cli
from unified_cli.masking import MaskedText, masked
from unified_cli.values import Json, JsonObject


class ExitCode(IntEnum):
    """The contract with scripts: a number never changes its meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:  # noqa: D102  an enum's own machinery
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    DONE = 0, "done and complete"
    BUG = 1, "a bug in this program"
    USAGE = 2, "invalid usage: the command line, or a body given with it"
    CONFIG = 3, "configuration or credentials on this machine"
    REFUSED = 4, "refused by the API (400, 404, 405, 409, 422 …)"
    SERVICE = 5, "the service or the provider failed, or its answer is invalid"
    NETWORK = 6, "network, TLS or proxy"
    ACCESS = 7, "not authorised or blocked (401, 403, blocked account)"
    RATE_LIMIT = 8, "rate-limited for longer than --timeout or, in bulk work, than any window"
    INCOMPLETE = 9, "incomplete: some records or items are missing"
    UNKNOWN = 10, "the outcome of a write is unknown"
    STORAGE = 11, "local storage or output"
    STATE = 12, "a state file does not match, is damaged or in use"
    UNSAFE = 13, "refused for safety"
    DIFFERENT = 14, "an expectation does not hold, or two things that were compared differ"
    INTERRUPTED = 130, "interrupted (SIGINT)"
    TERMINATED = 143, "terminated (SIGTERM)"
    CLOSED = 141, "the output was closed by its reader"


def bug_message(text: str, *, more: str = "") -> str:
    """Return the message of a bug, with a hint.

    The hint has `more`, and says where to report the bug.
    """
    address = unified_cli.REPOSITORY
    where = f"please report it at {address}/issues, with what unified doctor prints"
    hint = "; ".join(filter(None, [more, where if address else ""]))
    return f"{text} ({hint})" if hint else text


class ErrorResponse(NamedTuple):
    """The response that caused an error: lines about the problem, the id of the
    request, and the body. All are masked.
    """

    details: tuple[MaskedText, ...] = ()
    request_id: MaskedText | None = None
    body: Json = None


class UnifiedError(Exception):
    """A failure, as a line for people and facts for programs.

    `message` is that line: the `reason` and, in parentheses, the `hint`, which says
    what to do. All three are masked when the error is created, so that they may be
    printed and stored. `origin` says where it failed: `local`, `network`, `service` or
    `provider`. `response` is set if the failure comes from a response of the service.
    """

    code: ClassVar[ExitCode] = ExitCode.BUG
    kind: ClassVar[str] = "bug"
    origin: str = "local"
    retryable: bool = False
    next_command: str | None = None  # continues the work
    failed: Mapping[str, "UnifiedError"] = {}  # by connection, if the error summarises several
    not_offered: bool = False  # a response that may mean that the list is not offered

    def __init__(
        self,
        reason: str,
        *,
        hint: str | None = None,
        origin: str | None = None,
        status: int | None = None,
        retryable: bool | None = None,
        idempotency_key: str | None = None,
        response: ErrorResponse | None = None,
    ) -> None:
        self.reason = masked(reason)
        self.hint: MaskedText | None = masked(hint) if hint else None
        self.message = masked(f"{reason} ({hint})" if hint else reason)
        super().__init__(self.message)
        self.status = status
        self.idempotency_key = idempotency_key
        self.response = response
        self.origin = origin or self.origin
        self.retryable = self.retryable if retryable is None else retryable

    @property
    def stops_connection(self) -> bool:
        """Whether the connection's other requests would also fail, so that no more are
        sent.

        False for a 403, because it may be about one resource or record.
        """
        hopeless = (AccessError, ConfigError, NetworkError, RateLimitError, UnsafeError)
        return isinstance(self, hopeless) and self.status != 403

    @property
    def lines(self) -> list[MaskedText]:
        """The message, then the details of the response."""
        if self.response is None:
            return [self.message]
        details, request_id, _ = self.response
        last = [masked(f"request id: {request_id}")] if request_id else []
        return [self.message, *details, *last]

    @property
    def one_line(self) -> MaskedText:
        """The message and the details on one line. For reports and journals."""
        return masked("; ".join(self.lines))

    def reworded(self, reason: str) -> Self:
        """Return the same failure in other words.

        The copy has no hint. Use it at the end of a run if all parts failed alike.
        """
        error = type(self).__new__(
            type(self)
        )  # With Dask, the copies of `copy.copy` share their attributes.
        error.__dict__.update(self.__dict__)
        error.reason = error.message = masked(reason)
        error.args = (error.message,)
        error.hint = error.response = None
        return error

    def add_hint(self, hint: str) -> None:
        """Add another next step to the hint."""
        self.hint = masked(f"{self.hint}; {hint}" if self.hint else hint)
        self.message = masked(f"{self.reason} ({self.hint})")

    def replace_hint(self, hint: str) -> None:
        """Replace the hint by another next step."""
        if self.hint and hint != self.hint:
            self.message = masked(self.message.replace(f"({self.hint}", f"({hint}", 1))
            self.hint = masked(hint)

    def facts(self) -> JsonObject:
        """Return the error as JSON, as --json-errors prints it."""
        return {
            **self.own_facts(),
            **(self.response._asdict() if self.response else {}),
            **({"failed": self._parts()} if self.failed else {}),
        }

    def own_facts(self) -> JsonObject:
        """Return the facts, except the facts about the response and the failed
        parts.
        """
        return {
            "code": self.kind,
            "exit": int(self.code),
            "message": self.message,
            "origin": self.origin,
            "status": self.status,
            "retryable": self.retryable,
            "idempotency_key": self.idempotency_key,
        }

    def _parts(self) -> list[JsonObject]:
        return [
            {"profile": name, "error": error.own_facts()} for name, error in self.failed.items()
        ]


class UsageError(UnifiedError):
    """Invalid usage; `caret` is a text and the column in it to mark."""

    code, kind = ExitCode.USAGE, "usage"

    def __init__(
        self, reason: str, *, hint: str | None = None, caret: tuple[str, int] | None = None
    ) -> None:
        super().__init__(reason, hint=hint)
        self.caret = caret


class RecordProgramError(UsageError):
    """A jq program failed on a record. It may work with other records."""


class ConfigError(UnifiedError):
    """A profile, a credential or a setting of this machine."""

    code, kind = ExitCode.CONFIG, "config"


class RefusedError(UnifiedError):
    """The API refused the request."""

    code, kind, origin = ExitCode.REFUSED, "refused", "service"


class ServiceError(UnifiedError):
    """The service or the provider failed, or its answer is invalid."""

    code, kind, origin, retryable = ExitCode.SERVICE, "service", "service", True


class NetworkError(UnifiedError):
    """No complete answer arrived."""

    code, kind, origin, retryable = ExitCode.NETWORK, "network", "network", True


class AccessError(UnifiedError):
    """Not authorised, or the account is blocked."""

    code, kind, origin = ExitCode.ACCESS, "access", "service"


class RateLimitError(UnifiedError):
    """Rate-limited for longer than the call may wait."""

    code, kind, origin, retryable = ExitCode.RATE_LIMIT, "rate_limit", "service", True


class IncompleteError(UnifiedError):
    """Done, but something is missing."""

    code, kind = ExitCode.INCOMPLETE, "incomplete"


class UnknownError(UnifiedError):
    """A write was sent, but it is unknown whether it was done."""

    code, kind, origin = ExitCode.UNKNOWN, "unknown", "network"
    doubt: str = ""
    """Why it is in doubt, or "" if the status of the response is the reason."""

    def own_facts(self) -> JsonObject:
        """Return the facts, with the reason for the doubt if known."""
        return {**super().own_facts(), **({"doubt": self.doubt} if self.doubt else {})}


class StorageError(UnifiedError):
    """A file or stream of this machine."""

    code, kind = ExitCode.STORAGE, "storage"


class StateError(UnifiedError):
    """A state file does not match, is damaged or in use."""

    code, kind = ExitCode.STATE, "state"


class UnsafeError(UnifiedError):
    """Refused for safety."""

    code, kind = ExitCode.UNSAFE, "unsafe"


class DifferentError(UnifiedError):
    """An expectation does not hold, or two compared things differ."""

    code, kind = ExitCode.DIFFERENT, "different"


class StoppedError(UnifiedError):
    """SIGINT, as Ctrl-C sends it."""

    code, kind = ExitCode.INTERRUPTED, "interrupted"


class TerminatedError(UnifiedError):
    """SIGTERM."""

    code, kind = ExitCode.TERMINATED, "terminated"


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived.

    Like Ctrl-C, it is not caught as an error. Its notes are printed.
    """


class ClosedOutputError(UnifiedError):
    """The reader of stdout has closed it while writes were left to send."""

    code, kind = ExitCode.CLOSED, "closed"


class AbandonedError(StoppedError):
    """The client of a server cancelled the call or is gone, so nothing more is sent for
    it.

    Never ends a command.
    """

    kind = "cancelled"
