"""Order the calls of several plans. A record is created after the records that it
refers to, and deleted before them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from unified_cli.commands.move.id_file import IdMap
from unified_cli.commands.move.plan_validation import CheckedPlan, SourceRecord
from unified_cli.commands.move.references import IdReferences
from unified_cli.errors import UsageError
from unified_cli.json_text.json_codec import dump

_Place = tuple[int, int]
"""The numbers of a call's plan and line."""


class CallStep(NamedTuple):
    """Calls of one plan that can be sent at the same time."""

    plan: int
    numbers: list[int]


class CallOrder:
    """Orders the calls of plans. `ids` has the new ids that are known at the start.

    `is_due` returns whether to send a call. It gets the numbers of the call's plan and
    line.
    """

    def __init__(
        self, plans: Sequence[CheckedPlan], is_due: Callable[[int, int], bool], ids: IdMap
    ) -> None:
        """Raises UsageError for an unknown or circular reference.

        A reference is unknown if its record has no new id, and no call creates the
        record.
        """
        self._plans = plans
        self._is_due = is_due
        self._levels = self._find_levels(ids)

    def steps(self) -> Iterator[CallStep]:
        """Yield the steps in order."""
        later: dict[_Place, list[int]] = defaultdict(list)
        for (at, number), level in sorted(self._levels.items()):
            if level:
                later[level, at].append(number)
        for at, plan in enumerate(self._plans):
            first = [
                number
                for number in plan.numbers
                if self._is_due(at, number)
                and plan.operation(number) != "delete"
                and not self._levels.get((at, number))
            ]
            if first:
                yield CallStep(at, first)
        yield from (CallStep(at, later[level, at]) for level, at in sorted(later))
        yield from self._deletes()

    def _deletes(self) -> Iterator[CallStep]:
        refers = {
            plan.file.header.resource: IdReferences(plan.file.resource).resources
            for plan in self._plans
        }

        def depth(resource: str, above: frozenset[str]) -> int:
            below = (refers[resource] & refers.keys()) - above - {resource}
            return 1 + max((depth(lower, above | {resource}) for lower in below), default=0)

        order = sorted(
            range(len(self._plans)),
            key=lambda at: -depth(self._plans[at].file.header.resource, frozenset()),
        )
        for at in order:
            plan = self._plans[at]
            chosen = [
                n
                for n in reversed(plan.numbers)
                if self._is_due(at, n) and plan.operation(n) == "delete"
            ]
            if chosen:
                yield CallStep(at, chosen)

    def _find_levels(self, ids: IdMap) -> dict[_Place, int]:
        """Return a level for each call that waits for others.

        The level is one more than the highest level of those calls.
        """
        waits = {place: self._calls_before(place, ids) for place in self._waiting()}
        after: dict[_Place, list[_Place]] = defaultdict(list)
        open_ones = dict.fromkeys(waits, 0)
        for place, others in waits.items():
            for other in others & waits.keys():
                after[other].append(place)
                open_ones[place] += 1
        levels: dict[_Place, int] = {}
        ready = [place for place, number in open_ones.items() if not number]
        while ready:
            place = ready.pop()
            levels[place] = 1 + max((levels.get(other, 0) for other in waits[place]), default=-1)
            for later in after[place]:
                open_ones[later] -= 1
                if not open_ones[later]:
                    ready.append(later)
        if circle := sorted(waits.keys() - levels.keys()):
            raise UsageError(
                f"{self._named(circle[0])} refers to itself, directly or through other records",
                hint=_REMEDY,
            )
        return levels

    def _waiting(self) -> Iterator[_Place]:
        for at, plan in enumerate(self._plans):
            yield from ((at, number) for number in plan.waits if self._is_due(at, number))

    def _calls_before(self, place: _Place, ids: IdMap) -> set[_Place]:
        at, number = place
        result = set[_Place]()
        for record in self._plans[at].waits[number]:
            if ids.new_id(record[0], dump(record[1]).encode()) is None:
                result.add(self._creator(record, place))
        return result

    def _creator(self, record: SourceRecord, place: _Place) -> _Place:
        for at, plan in enumerate(self._plans):
            number = plan.sources.get(record)
            if number is not None and self._is_due(at, number):
                return at, number
        raise UsageError(
            f"{self._named(place)} refers to {record[0]} {record[1]}, whose new id is unknown",
            hint=(
                "apply this plan together with the plan that creates that record, or add its new id"
                " to the file of --ids"
            ),
        )

    def _named(self, place: _Place) -> str:
        return f"{self._plans[place[0]].file.path}, line {place[1]}"


_REMEDY = "nothing was sent; make the plan with --ignore for that field"
