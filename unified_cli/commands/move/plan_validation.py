"""Check every line of a plan before the first call, because a plan is not trusted."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn

from unified_cli.commands.move.plan_file import OPERATIONS, PlanFile, PlanLine, PlannedCall, decoded
from unified_cli.commands.move.references import IdReferences
from unified_cli.errors import UnsafeError, UsageError
from unified_cli.http import request as requests
from unified_cli.http.request import Content, Scope
from unified_cli.json_text.members import parts, text
from unified_cli.json_text.record_label import LABEL

_FIRST = 2
"""The number of the line after the header."""
SourceRecord = tuple[str, str]
"""A record of the side that `--from` names: its resource as API/RESOURCE, and its old
id.
"""


@dataclass(slots=True)
class CheckedPlan:
    """The checked lines of a plan: their positions, operations, and the records that
    they refer to.

    A call is identified by its line number. `sources` are the records that the plan
    creates.
    """

    file: PlanFile
    waits: dict[int, tuple[SourceRecord, ...]] = field(default_factory=dict)
    sources: dict[SourceRecord, int] = field(default_factory=dict)
    _positions: "array[int]" = field(default_factory=lambda: array("q"))
    _sizes: "array[int]" = field(default_factory=lambda: array("q"))
    _operations: bytearray = field(default_factory=bytearray)

    def add(self, line: PlanLine, call: PlannedCall) -> None:
        """Add a checked line."""
        self._positions.append(line.position)
        self._sizes.append(len(line.text))
        self._operations.append(OPERATIONS.index(call.operation))
        if call.references:
            self.waits[line.number] = tuple(
                (reference.resource, str(reference.id)) for reference in call.references
            )
        if call.operation == "create" and call.source is not None:
            self.sources.setdefault((self.file.header.resource, str(call.source)), line.number)

    def __len__(self) -> int:
        return len(self._operations)

    @property
    def numbers(self) -> range:
        """The line numbers of the calls."""
        return range(_FIRST, _FIRST + len(self))

    def operation(self, number: int) -> str:
        """Return the operation of the call."""
        return OPERATIONS[self._operations[number - _FIRST]]

    def call(self, number: int) -> PlannedCall:
        """Return the call. Raises StateError if the file changed."""
        return self.file.call(self._positions[number - _FIRST], self._sizes[number - _FIRST])

    def calls(self) -> Iterator[tuple[int, PlannedCall]]:
        """Yield all calls with their numbers."""
        return ((number, self.call(number)) for number in self.numbers)


class PlanCheck:
    """Checks plans for one connection; `reads_first` means that each record is read
    before it is changed.
    """

    def __init__(self, scope: Scope, *, reads_first: bool) -> None:
        self._scope = scope
        self._reads_first = reads_first

    def run(self, plan: PlanFile) -> CheckedPlan:
        """Check all lines.

        Raises UsageError if a line is not a valid call, and UnsafeError if a call is
        for a different account.
        """
        checked, changed = CheckedPlan(plan), set[str]()
        references = IdReferences(plan.resource)
        for line in plan.lines():
            call = decoded(line.text, PlannedCall)
            if isinstance(call, str):
                self._refuse(plan, line, f"is not a call of a plan: {call}", is_damaged=True)
            if call.connection != self._scope.account:
                message = (
                    f"is for account {call.connection}, but the plan is for {self._scope.account}"
                )
                raise UnsafeError(
                    f"{plan.path}, line {line.number} {message}", hint="nothing was sent"
                )
            if flaw := self._flaw(plan, call, references):
                self._refuse(plan, line, flaw)
            is_new = call.operation == "create" and call.source is not None
            if is_new and (plan.header.resource, str(call.source)) in checked.sources:
                self._refuse(plan, line, f"creates {call.source} a second time")
            if call.id is not None:
                if str(call.id) in changed:
                    self._refuse(plan, line, f"changes {call.id} a second time")
                changed.add(str(call.id))
            checked.add(line, call)
        if len(checked) != plan.header.calls:
            message = (
                f"holds {len(checked)} of the {plan.header.calls} calls that its header states"
            )
            raise UsageError(
                f"{plan.path} {message}", hint="the plan was cut off or changed; make it again"
            )
        return checked

    def _refuse(
        self, plan: PlanFile, line: PlanLine, why: str, *, is_damaged: bool = False
    ) -> NoReturn:
        hint = "nothing was sent; make the plan again" if is_damaged else "nothing was sent"
        raise UsageError(f"{plan.path}, line {line.number} {why}", hint=hint)

    def _flaw(self, plan: PlanFile, call: PlannedCall, references: IdReferences) -> str:
        """Return why a call is invalid, or "" if it is valid."""
        offered = plan.resource.operations
        operation = offered.get(call.operation)
        if operation is None:
            return (
                f"has the operation {call.operation}, which {plan.header.resource} does not offer"
            )
        if call.operation == "delete" and not plan.header.delete:
            return "is a delete, but the plan was made without --delete"
        if flaw := _id_flaw(call) or _body_flaw(call) or _reference_flaw(call, references):
            return flaw
        if self._reads_first and call.operation != "create" and "get" not in offered:
            return (
                f"cannot be compared with the current record: {plan.header.resource} has no get"
                " operation (--overwrite-changed sends it without a comparison)"
            )
        try:
            identifier = None if call.id is None else str(call.id)
            requests.for_operation(self._scope, operation, identifier, Content())
        except UsageError as error:
            return f"cannot be sent: {error.reason}"
        return ""


def _id_flaw(call: PlannedCall) -> str:
    if call.operation == "create":
        return "creates a record, but has the id of an existing one" if call.id is not None else ""
    if call.id is None:
        return f"has the operation {call.operation}, but no id of a record"
    return f"has the id {call.id!r}, which leads to another path" if "/" in str(call.id) else ""


def _body_flaw(call: PlannedCall) -> str:
    if call.operation == "delete":
        return "is a delete with a body" if call.body else ""
    body = parts(call.body)
    if not body:
        return "has no fields to send"
    if LABEL in body:
        return f"sends the field {LABEL}, which does not choose a connection"
    if call.operation == "create":
        return ""
    seen = parts(call.seen)
    if seen is None or {*seen} != {*body}:
        return "does not have the earlier value of each field"
    return "changes the id" if "id" in body else ""


def _reference_flaw(call: PlannedCall, references: IdReferences) -> str:
    if not call.references:
        return ""
    body = bytes(call.body)
    used = {
        (reference.path, reference.resource, text(reference.id))
        for reference in references.all_in(body)
    }
    wrong = [
        reference
        for reference in call.references
        if (reference.path, reference.resource, str(reference.id)) not in used
    ]
    return (
        f"has no reference to {wrong[0].resource} {wrong[0].id} at {wrong[0].path}" if wrong else ""
    )
