import random

import pytest

from unified_cli.sandbox.seeded_random import SeededColumns, SeededRandom

RESOURCE = SeededRandom.from_words("northwind/full", "ticketing", "tickets")


@pytest.mark.parametrize("count", [0, 1, 7, 8, 50, 500])
def test_many_records_get_the_numbers_that_each_gets_alone(count: int) -> None:
    numbers = random.Random(count).sample(range(1, 10**12), count)
    alone = [SeededRandom(key) for key in RESOURCE.keys(numbers)]
    together = SeededColumns(RESOURCE.keys(numbers))
    for limit in (1, 2, 3, 60, 86_400, 10**6, 2**53 + 1, 2**64 - 1):
        for name in ("status", "größe", ""):
            assert list(together.below(name, limit)) == [one.below(name, limit) for one in alone]
    assert together.pick("size", "abc") == [one.pick("size", ("a", "b", "c")) for one in alone]
    assert [together[place].key for place in range(count)] == [one.key for one in alone]
