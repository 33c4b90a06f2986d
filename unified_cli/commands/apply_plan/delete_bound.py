"""The bound on how many records plans may delete."""

from collections.abc import Callable, Sequence
from contextlib import closing

from unified_cli.bulk.apply.plan_check import CheckedPlan
from unified_cli.bulk.apply.plan_sender import ApplyTerms
from unified_cli.errors import UnsafeError
from unified_cli.http import pagination, request as requests
from unified_cli.http.pagination import Span
from unified_cli.http.request import Content
from unified_cli.plural import counted


def check_deletes(
    terms: ApplyTerms, plans: Sequence[CheckedPlan], wanted: Callable[[int, int], bool], most: int | None
) -> None:
    """Raise UnsafeError where plans delete more than `most` records; None is half of those that each list has now.

    What a plan says of how many there are is not trusted, so they are counted.
    """
    deletes = [
        sum(plan.operation(number) == "delete" and wanted(at, number) for number in plan.numbers)
        for at, plan in enumerate(plans)
    ]
    total = sum(deletes)
    if most is not None and total > most:
        raise UnsafeError(f"the plans delete {counted(total, 'record')}, more than --max-deletes {most}")
    for plan, number in zip(plans, deletes, strict=True):
        if number and most is None and number * 2 > (there := _records(terms, plan)):
            said = f"{plan.file.path} deletes {number} of {counted(there, 'record')}, more than half"
            raise UnsafeError(f"{said}; nothing was sent", hint=f"--max-deletes {total} allows it")


def _records(terms: ApplyTerms, plan: CheckedPlan) -> int:
    """How many records the list has now."""
    service, operation = terms.scope.service, plan.file.resource.operations.get("list")
    if operation is None:
        raise UnsafeError(f"{plan.file.header.resource} has no list to count its records", hint="--max-deletes N")
    request = requests.for_operation(terms.scope, operation, None, Content())
    with closing(terms.open_client()) as client:
        return sum(len(page.records) for page in pagination.pages(client.send, request, service, Span()))
