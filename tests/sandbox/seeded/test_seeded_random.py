import random

import pytest

from unified_cli.sandbox.seeded.seeded_random import (
    SeededColumns,
    SeededRandom,
    creation_time,
    time_after,
    timestamp,
    timestamps,
)

RESOURCE = SeededRandom.of("northwind/full", "ticketing", "tickets")


@pytest.mark.parametrize("count", [0, 1, 7, 8, 50, 500])
def test_many_records_get_the_numbers_that_each_gets_alone(count: int) -> None:
    numbers = random.Random(count).sample(range(1, 10**12), count)
    alone = [RESOURCE.numbered(number) for number in numbers]
    together = SeededColumns(RESOURCE, numbers)
    for limit in (1, 2, 3, 60, 86_400, 10**6, 2**53 + 1, 2**64 - 1):
        for name in ("status", "größe", ""):
            assert list(together.below(name, limit)) == [one.below(name, limit) for one in alone]
    assert together.pick("size", "abc") == [one.pick("size", ("a", "b", "c")) for one in alone]
    assert together.one_in("parent", 4) == [one.one_in("parent", 4) for one in alone]
    assert [together[place].key for place in range(count)] == [one.key for one in alone]


def test_many_records_get_the_times_that_each_gets_alone() -> None:
    numbers = range(1, 2000)
    together = SeededColumns(RESOURCE, numbers)
    times = [creation_time(RESOURCE.numbered(number)) for number in numbers]
    assert together.creation_times() == times
    later = [time_after(RESOURCE.numbered(number), "due", times[number - 1], 900) for number in numbers]
    assert together.times_after("due", times, 900) == later
    assert timestamps(later) == [timestamp(time) for time in later]
