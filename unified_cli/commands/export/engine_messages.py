"""The messages between the driver of an export and its workers, as JSON; both refuse
anything else.
"""

import hashlib
from typing import Annotated, Self, TypeVar

import msgspec

from unified_cli.commands.export.connection_task import ConnectionTask
from unified_cli.errors import (
    DifferentError,
    ServiceError,
    StoppedError,
    TerminatedError,
    UnifiedError,
    UnknownError,
)
from unified_cli.masking import excerpt
from unified_cli.storage import state

_T = TypeVar("_T")
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 48)]
_LARGEST = 64 * 1024 * 1024
# The exit codes of a task: it sends no writes, compares nothing, and signals of a
# worker are not the driver's.
_KINDS = {
    int(kind.code): kind
    for kind in UnifiedError.__subclasses__()
    if not issubclass(kind, UnknownError | DifferentError | StoppedError | TerminatedError)
}


class Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An error as text, with its exit code."""

    exit: int
    message: str
    status: int | None = None

    @classmethod
    def of(cls, error: UnifiedError) -> Self:
        """Return the failure that an error is."""
        return cls(int(error.code), error.one_line, error.status)

    def error(self) -> UnifiedError:
        """Return the error that it was."""
        error = _KINDS.get(self.exit, ServiceError)(excerpt(self.message))
        error.status = self.status
        return error


class CheckOrder(msgspec.Struct, frozen=True, tag="check", forbid_unknown_fields=True):
    """Find out whether each of these tasks can be done; the tokens are reported as
    their hash with this key.

    `place` is the word of the driver's probe at the destination.
    """

    key: bytes
    place: str
    tasks: tuple[ConnectionTask, ...]


class TaskOrder(msgspec.Struct, frozen=True, tag="task", forbid_unknown_fields=True):
    """Do the task; the number makes the order differ from all others.

    A worker may have come after the check, so it checks the same: `token` is the hash
    of the task's token, empty where the driver has none.
    """

    number: str
    key: bytes
    place: str
    token: str
    task: ConnectionTask


ORDERS = msgspec.json.Decoder(CheckOrder | TaskOrder)
"""Made here, as several threads of a worker read their first orders at once (typed_json
says what that would do).
"""


class TaskNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How far a worker is with a task: records, pages and lists, of which some
    failed.
    """

    records: _Count = 0
    pages: _Count = 0
    lists: _Count = 0
    failed: _Count = 0

    def reached(self, other: "TaskNumbers") -> "TaskNumbers":
        """Return the larger of each: a task that is run again begins to count anew."""
        return TaskNumbers(*map(max, msgspec.structs.astuple(self), msgspec.structs.astuple(other)))

    def since(self, other: "TaskNumbers") -> "TaskNumbers":
        """Return what was counted after the other one."""
        pairs = zip(msgspec.structs.astuple(self), msgspec.structs.astuple(other), strict=True)
        return TaskNumbers(*(mine - theirs for mine, theirs in pairs))


class TaskOutcome(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a task; `sent` is the number of its requests that still count
    against the service's limits.

    `failed` are its lists that are not complete, by their files. Whether the others
    are, the driver sees for itself.
    """

    sent: _Count
    failed: dict[str, Failure]
    ahead: tuple[str, ...] = ()
    """Lists with records that are stamped in the future."""


class WorkerReport(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The answer to the order with this digest: an error, what the check found, or an
    outcome.

    It found the hashes of the tokens, by task; `place` is the word of the worker's
    probe at the destination.
    """

    order: str
    error: Failure | None = None
    tokens: dict[str, str] = {}
    place: str = ""
    outcome: TaskOutcome | None = None


def digest(order: bytes) -> str:
    """Return what tells an order from all others."""
    return hashlib.sha256(order).hexdigest()


def read_report(data: bytes, order: bytes) -> WorkerReport | None:
    """Return the report in these bytes, or None if it is invalid or belongs to another
    order.
    """
    report = _decoded(data, WorkerReport)
    return report if report is not None and report.order == digest(order) else None


def read_numbers(data: bytes) -> TaskNumbers | None:
    """Return the numbers in these bytes, or None."""
    return _decoded(data, TaskNumbers)


def _decoded(data: bytes, kind: type[_T]) -> _T | None:
    return state.decoded(data, kind) if len(data) <= _LARGEST else None
