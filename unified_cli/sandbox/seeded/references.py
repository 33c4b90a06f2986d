"""Which records the fields of records refer to."""

from collections.abc import Callable, Sequence

from unified_cli.sandbox.seeded.record_batch import RecordBatch
from unified_cli.sandbox.seeded.relations import (
    CHILD_LISTS,
    CHILDREN_PER_PARENT,
    DERIVED,
    FieldPlace,
    rarely_set,
    target_of,
)

Targets = Callable[[RecordBatch], Sequence[int | None]]
"""From records the numbers of those that they refer to, None where one refers to none."""

TargetLists = Callable[[RecordBatch], list[Sequence[int]]]
"""The same for a field that refers to several records."""


def one(place: FieldPlace) -> Targets:
    """What finds the records that a field refers to."""
    if place in DERIVED:
        return _derived(place)
    to = target_of(place)
    find = _found(place, to)
    return lambda batch: find(batch, size) if (size := batch.count(to)) else [None] * len(batch.numbers)


def several(place: FieldPlace, to: str) -> TargetLists:
    """What finds the records of a resource that a field with a list refers to."""
    if child := CHILD_LISTS.get(place):
        children = CHILDREN_PER_PARENT[place[0], child[0], child[1]]
        return lambda batch: _children(batch.numbers, children, batch.count(to))
    name = place[2]

    def some(batch: RecordBatch) -> list[Sequence[int]]:
        size = batch.count(to)
        if not size:
            return [[] for _ in batch.numbers]
        firsts, two = batch.random.below(name, size), batch.random.below(f"{name} length", min(size, 2))
        return [
            [first % size + 1, (first + 1) % size + 1] if more else [first % size + 1]
            for first, more in zip(firsts, two, strict=True)
        ]

    return some


def _children(numbers: Sequence[int], children: int, size: int) -> list[Sequence[int]]:
    starts = ((number - 1) * children + 1 for number in numbers)
    return [range(start, min(start + children, size + 1)) for start in starts]


def _found(place: FieldPlace, to: str) -> Callable[[RecordBatch, int], Sequence[int | None]]:
    """What finds the records that a field refers to, from their number, which is not 0."""
    _, resource, name = place
    if children := CHILDREN_PER_PARENT.get(place):
        return lambda batch, size: [(number - 1) // children % size + 1 for number in batch.numbers]
    if rarely_set(name):
        return lambda batch, size: _rare(batch, name, size, lower=to == resource)
    if place == ("ats", "applications", "current_stage"):
        return _stages
    return lambda batch, size: [number + 1 for number in batch.random.below(name, size)]


def _derived(place: FieldPlace) -> Targets:
    api, resource, _ = place
    first, between, second = DERIVED[place]
    near, far = one((api, resource, first)), one((api, between, second))

    def targets(batch: RecordBatch) -> Sequence[int | None]:
        middles = near(batch)
        found = [middle for middle in middles if middle is not None]
        ends = dict(zip(found, far(batch.of(between, found)), strict=True))
        return [None if middle is None else ends[middle] for middle in middles]

    return targets


def _rare(batch: RecordBatch, name: str, size: int, *, lower: bool) -> Sequence[int | None]:
    """One record of four refers to another one: where `lower`, to one of a lower number."""
    targets: list[int | None] = []
    for place, (number, has) in enumerate(zip(batch.numbers, batch.random.one_in(f"has {name}", 4), strict=True)):
        most = min(size, number - 1) if lower else size
        targets.append(batch.random[place].below(name, most) + 1 if has and most else None)
    return targets


def _stages(batch: RecordBatch, size: int) -> Sequence[int | None]:
    """For each application a stage of its job."""
    stages = CHILDREN_PER_PARENT["ats", "job_interview_stages", "job"]
    jobs = one(("ats", "applications", "job"))(batch)
    turns = batch.random.below("current_stage", stages)
    return [((job or 1) - 1) * stages % size + 1 + turn for job, turn in zip(jobs, turns, strict=True)]
