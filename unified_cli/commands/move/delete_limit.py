"""The limit on the records that plans may delete."""

from collections.abc import Callable, Sequence
from contextlib import closing

from unified_cli.commands.move.plan_validation import CheckedPlan
from unified_cli.commands.move.sender import PlanSender
from unified_cli.errors import UnsafeError
from unified_cli.http import pagination, request as requests
from unified_cli.http.pagination import Span
from unified_cli.http.request import Content
from unified_cli.plural import counted


def check(
    sender: PlanSender,
    plans: Sequence[CheckedPlan],
    is_due: Callable[[int, int], bool],
    limit: int | None,
) -> None:
    """Raise UnsafeError if plans delete more than `limit` records.

    If `limit` is None, the limit is half of the records in each list. The records are
    counted now, because the number in a plan is not trusted.
    """
    deletes = [
        sum(plan.operation(number) == "delete" and is_due(at, number) for number in plan.numbers)
        for at, plan in enumerate(plans)
    ]
    total = sum(deletes)
    if limit is not None and total > limit:
        raise UnsafeError(
            f"the plans delete {counted(total, 'record')}, more than --max-deletes {limit}"
        )
    for plan, number in zip(plans, deletes, strict=True):
        if number and limit is None and number * 2 > (size := _records(sender, plan)):
            why = f"{plan.file.path} deletes {number} of {counted(size, 'record')}, more than half"
            raise UnsafeError(f"{why}; nothing was sent", hint=f"--max-deletes {total} allows it")


def _records(sender: PlanSender, plan: CheckedPlan) -> int:
    service, operation = sender.scope.service, plan.file.resource.operations.get("list")
    if operation is None:
        raise UnsafeError(
            f"cannot count the records of {plan.file.header.resource}, which has no list",
            hint="set the limit with --max-deletes N",
        )
    request = requests.for_operation(sender.scope, operation, None, Content())
    with closing(sender.open_client()) as client:
        return sum(
            len(page.records) for page in pagination.pages(client.send, request, service, Span())
        )
