"""Every way a command can end other than well.

    UnifiedError
    ├── UsageError        2  what was typed cannot be meant
    ├── ConfigError       3  a profile, a credential or a setting of this machine
    ├── RefusedError      4  the API refused the request
    ├── ServiceError      5  the service or the provider failed, or answered what it should not
    ├── NetworkError      6  no whole answer came
    ├── AccessError       7  not authorised, or the account is blocked
    ├── RateLimitError    8  asked to wait longer than we may
    ├── IncompleteError   9  done, but something is missing
    ├── UnknownError     10  a write was sent and its answer lost
    ├── StorageError     11  a file or stream of this machine
    ├── StateError       12  a state file does not match, is damaged or in use
    ├── UnsafeError      13  refused for safety
    ├── StoppedError    130  SIGINT
    └── TerminatedError 143  SIGTERM

Raised where the failure is known; turned into an exit code in `main` and nowhere else.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import ClassVar, Self

from unified_cli.json_text.values import JsonObject


class ExitCode(IntEnum):
    """The contract with scripts: a number never changes its meaning."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> Self:  # noqa: D102  an enum's own machinery
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    DONE = 0, "done and complete"
    BUG = 1, "a bug in this program; please report it"
    USAGE = 2, "usage: the command line, or a body given with it, cannot be meant"
    CONFIG = 3, "configuration or credentials on this machine"
    REFUSED = 4, "refused by the API (400, 404, 405, 409, 422 …)"
    SERVICE = 5, "the service or the provider failed, or answered what it should not"
    NETWORK = 6, "network, TLS or proxy"
    ACCESS = 7, "not authorised or blocked (401, 403, blocked account)"
    RATE_LIMIT = 8, "rate-limited longer than we may wait"
    INCOMPLETE = 9, "incomplete: some records or items are missing"
    UNKNOWN = 10, "the outcome of a write is unknown"
    STORAGE = 11, "local storage or output"
    STATE = 12, "a state file does not match, is damaged or in use"
    UNSAFE = 13, "refused for safety"
    INTERRUPTED = 130, "interrupted (SIGINT)"
    TERMINATED = 143, "terminated (SIGTERM)"
    CLOSED = 141, "the output was closed by its reader"


class UnifiedError(Exception):
    """A failure with one line for people and a few facts for programs.

    `message` is that line: the `reason`, and in brackets the `hint`, what to do about it, where there is one. `origin`
    says who failed: `local`, `network`, `service` or `provider`.
    """

    code: ClassVar[ExitCode] = ExitCode.BUG
    kind: ClassVar[str] = "bug"
    origin: str = "local"
    retryable: bool = False

    def __init__(
        self,
        reason: str,
        *,
        hint: str | None = None,
        origin: str | None = None,
        status: int | None = None,
        retryable: bool | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        self.reason = reason
        self.hint = hint
        self.message = f"{reason} ({hint})" if hint else reason
        super().__init__(self.message)
        self.status = status
        self.idempotency_key = idempotency_key
        self.origin = origin or self.origin
        self.retryable = self.retryable if retryable is None else retryable

    @property
    def stops_connection(self) -> bool:
        """Whether the connection's other requests would fail alike, so that nothing more is sent over it.

        A 403 is about one resource or record: a connection may serve the others.
        """
        hopeless = (AccessError, ConfigError, NetworkError, RateLimitError, UnsafeError)
        return isinstance(self, hopeless) and self.status != 403

    def mask(self, masked: Callable[[str], str]) -> None:
        """Replace all text by what `masked` makes of it."""
        self.reason, self.message = masked(self.reason), masked(self.message)
        self.hint = masked(self.hint) if self.hint else None

    def facts(self) -> JsonObject:
        """The error as the object that `-o json` prints on stderr."""
        return {
            "code": self.kind,
            "exit": int(self.code),
            "message": self.message,
            "origin": self.origin,
            "status": self.status,
            "retryable": self.retryable,
            "idempotency_key": self.idempotency_key,
        }


class UsageError(UnifiedError):
    """What was typed cannot be meant; `caret` is the text and the column that a caret is to stand under."""

    code, kind = ExitCode.USAGE, "usage"

    def __init__(self, reason: str, *, hint: str | None = None, caret: tuple[str, int] | None = None) -> None:
        super().__init__(reason, hint=hint)
        self.caret = caret


class ConfigError(UnifiedError):
    """A profile, a credential or a setting of this machine."""

    code, kind = ExitCode.CONFIG, "config"


class RefusedError(UnifiedError):
    """The API refused the request."""

    code, kind, origin = ExitCode.REFUSED, "refused", "service"


class ServiceError(UnifiedError):
    """The service or the provider failed, or answered what it should not."""

    code, kind, origin, retryable = ExitCode.SERVICE, "service", "service", True


class NetworkError(UnifiedError):
    """No whole answer came."""

    code, kind, origin, retryable = ExitCode.NETWORK, "network", "network", True


class AccessError(UnifiedError):
    """Not authorised, or the account is blocked."""

    code, kind, origin = ExitCode.ACCESS, "access", "service"


class RateLimitError(UnifiedError):
    """Asked to wait longer than we may."""

    code, kind, origin, retryable = ExitCode.RATE_LIMIT, "rate_limit", "service", True


class IncompleteError(UnifiedError):
    """Done, but something is missing."""

    code, kind = ExitCode.INCOMPLETE, "incomplete"


class UnknownError(UnifiedError):
    """A write was sent and its answer lost."""

    code, kind, origin = ExitCode.UNKNOWN, "unknown", "network"


class StorageError(UnifiedError):
    """A file or stream of this machine."""

    code, kind = ExitCode.STORAGE, "storage"


class StateError(UnifiedError):
    """A state file does not match, is damaged or in use."""

    code, kind = ExitCode.STATE, "state"


class UnsafeError(UnifiedError):
    """Refused for safety."""

    code, kind = ExitCode.UNSAFE, "unsafe"


class StoppedError(UnifiedError):
    """Somebody pressed Ctrl-C."""

    code, kind = ExitCode.INTERRUPTED, "interrupted"


class TerminatedError(UnifiedError):
    """Somebody asked the process to end."""

    code, kind = ExitCode.TERMINATED, "terminated"


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived. Like Ctrl-C it passes through whatever catches errors; notes added on its way are told."""
