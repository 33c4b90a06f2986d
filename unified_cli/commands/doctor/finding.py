"""A finding of the doctor: ok, a warning or an error, and the remedy."""

from collections.abc import Sequence
from dataclasses import dataclass

from unified_cli.errors import UnifiedError
from unified_cli.fleet import conclude


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check; `error` is what a call would end with, `remedy` what to do about it."""

    check: str
    subject: str
    message: str
    remedy: str = ""
    error: UnifiedError | None = None
    doubtful: bool = False

    @property
    def level(self) -> str:
        """`ok`, `warning` or `error`."""
        return "error" if self.error else "warning" if self.doubtful else "ok"

    @classmethod
    def failed(cls, check: str, subject: str, error: UnifiedError) -> "Finding":
        """A finding that makes calls fail."""
        return cls(check, subject, error.reason, error.hint or "", error)


def worst(errors: Sequence[Finding]) -> UnifiedError:
    """The error that decides the exit code."""
    return conclude.worst(finding.error for finding in errors if finding.error)
