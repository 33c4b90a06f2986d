"""How many tasks of a token run at a time, and how fast each is."""

import pytest

from unified_cli.commands.export.engine_slots import TokenSlots

WINDOW = 10.25


def slots(number: int, *, pace: float = 45, limit: float = 450) -> TokenSlots:
    return TokenSlots({f"g{one}": pace for one in range(number)}, limit, WINDOW)


@pytest.mark.parametrize(
    ("number", "at_once", "pace"),
    [
        (1, 1, 45),
        (10, 10, 45),
        (11, 11, 450 / 11),
        (14, 14, 450 / 14),
        (19, 19, 450 / 19),
        (20, 10, 45),
        (25, 13, 450 / 13),
        (1000, 10, 45),
    ],
)
def test_together_the_paces_stay_within_the_limit_of_the_token(
    number: int, at_once: int, pace: float
) -> None:
    made = slots(number)
    begun = [*made.begin(0)]
    assert (len(begun), made.paces[begun[0]]) == (at_once, pytest.approx(pace))
    assert sum(made.paces[name] for name in begun) <= 450 * (1 + 1e-9)
    assert [*made.begin(1000)] == []


@pytest.mark.parametrize(
    ("pace", "limit", "number", "at_once", "expected"),
    [
        (0, 450, 3, 3, 150),
        (0, 0, 30, 10, 0),
        (45, 0, 30, 10, 45),
        (600, 450, 3, 1, 450),
        (0.5, 1, 4, 2, 0.5),
    ],
)
def test_no_limit_and_a_limit_that_is_too_large(
    pace: float, limit: float, number: int, at_once: int, expected: float
) -> None:
    made = slots(number, pace=pace, limit=limit)
    begun = [*made.begin(0)]
    assert (len(begun), made.paces["g0"]) == (at_once, expected)


def test_a_task_that_ended_takes_what_it_sent_until_that_has_left_the_window() -> None:
    made = slots(1000)
    begun = [*made.begin(0)]
    made.end(begun[0], 5, 1 << 30)
    assert [*made.begin(5 + WINDOW - 0.01)] == []
    assert [*made.begin(5 + WINDOW + 0.01)] == ["g10"]
    for name in begun[1:6]:
        made.end(name, 20, 3)
    assert len([*made.begin(20)]) == 4
