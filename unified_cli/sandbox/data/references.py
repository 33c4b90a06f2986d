"""Which record a field of a record refers to, prepared for each field once and asked for each record."""

from collections.abc import Callable, Sequence

from unified_cli.catalogue.known import KnownField
from unified_cli.sandbox.data.relations import CHILD_LISTS, CHILDREN_PER_PARENT, DERIVED, FieldPlace, rarely_set
from unified_cli.sandbox.data.seeded_random import SeededRandom

Target = Callable[[int, SeededRandom | None], int | None]
"""From a record's number, and its random numbers if they are at hand, the number of the record referred to."""

Targets = Callable[[int, SeededRandom], Sequence[int]]
"""The same for a field that refers to several records."""


class References:
    """The references between the seeded records of a connection; `count` says how many a resource has.

    `target` gives the resource that a field refers to.
    """

    def __init__(self, seed: str, count: Callable[[str, str], int], target: Callable[[FieldPlace], str]) -> None:
        self._seed = seed
        self._count = count
        self._target = target
        self._prepared: dict[FieldPlace, Target] = {}

    def one(self, place: FieldPlace) -> Target:
        """What finds the record that a field refers to; it gives None where it refers to none."""
        found = self._prepared.get(place)
        if found is None:
            found = self._prepared[place] = self._prepare(place)
        return found

    def several(self, place: FieldPlace, field: KnownField, to: str) -> Targets:
        """What finds the records that a field refers to."""
        api, size = place[0], self._count(place[0], to)
        child = CHILD_LISTS.get(place)
        if child is not None:
            children = CHILDREN_PER_PARENT[api, child[0], child[1]]

            def own(number: int, _random: SeededRandom) -> Sequence[int]:
                start = (number - 1) * children + 1
                return range(start, min(start + children, size + 1))

            return own
        length, name = f"{field.name} length", field.name

        def some(_number: int, random: SeededRandom) -> Sequence[int]:
            if not size:
                return []
            first = random.below(name, size)
            if size > 1 and random.below(length, 2):
                return [first % size + 1, (first + 1) % size + 1]
            return [first % size + 1]

        return some

    def _prepare(self, place: FieldPlace) -> Target:
        if place in DERIVED:
            return self._derived(place)
        api, _, name = place
        to = self._target(place)
        size = self._count(api, to)
        if size == 0:
            return lambda _number, _random: None
        if children := CHILDREN_PER_PARENT.get(place):
            return lambda number, _random: (number - 1) // children % size + 1
        if rarely_set(name):
            return self._rare(place, to, size)
        if place == ("ats", "applications", "current_stage"):
            return self._stage(place, size)
        return lambda number, random: (random or self._random(place, number)).below(name, size) + 1

    def _derived(self, place: FieldPlace) -> Target:
        api, resource, _ = place
        first, between, second = DERIVED[place]
        near, far = self.one((api, resource, first)), self.one((api, between, second))

        def target(number: int, random: SeededRandom | None) -> int | None:
            middle = near(number, random)
            return middle and far(middle, None)

        return target

    def _rare(self, place: FieldPlace, to: str, size: int) -> Target:
        _, resource, name = place
        having, lower = f"has {name}", to == resource

        def target(number: int, random: SeededRandom | None) -> int | None:
            most = min(size, number - 1) if lower else size
            random = random or self._random(place, number)
            return random.below(name, most) + 1 if most and random.one_in(having, 4) else None

        return target

    def _stage(self, place: FieldPlace, size: int) -> Target:
        """A stage of the job that an application is for."""
        api, resource, name = place
        job_of = self.one((api, resource, "job"))
        stages = CHILDREN_PER_PARENT["ats", "job_interview_stages", "job"]

        def target(number: int, random: SeededRandom | None) -> int | None:
            random = random or self._random(place, number)
            job = job_of(number, random) or 1
            return (job - 1) * stages % size + 1 + random.below(name, stages)

        return target

    def _random(self, place: FieldPlace, number: int) -> SeededRandom:
        return SeededRandom.of(self._seed, place[0], place[1], number)
