"""The rule for the next step of a run, over all that may be left and all commands that
may have just ended.
"""

from itertools import product

import pytest

from unified_cli.writes.next_step import WorkLeft, next_step

LOOK = "unified ticketing tags get t1"
CORRECTED = ("import", "ticketing/tags", "failed.ndjson")
RUN = "20261128-a1b2"
LEFT = [
    WorkLeft(RUN, untried, failed, doubtful, bool(repeats and doubtful), look, corrected)
    for untried, failed, doubtful, repeats, look, corrected in product(
        (0, 2), (0, 2), (0, 2), (False, True), (None, LOOK), ((), CORRECTED)
    )
]


@pytest.mark.parametrize("after", ["", "show", "resume", "retry"])
def test_the_next_step_is_never_the_command_that_just_ended(after: str) -> None:
    for left in LEFT:
        step = next_step(left, after)
        assert step != f"unified runs {after} {RUN}", left
        assert bool(step) == bool(left.not_tried or left.failed or left.in_doubt), left


@pytest.mark.parametrize("after", ["", "show", "resume", "retry"])
def test_doubts_that_are_not_repeated_are_looked_at(after: str) -> None:
    for left in LEFT:
        if left.not_tried or left.failed or not left.in_doubt or left.repeats:
            continue
        without = f"unified runs show {RUN}"
        if after == "show":
            without = f"unified runs resume {RUN} --retry-in-doubt"
        assert next_step(left, after) == (left.check_command or without), left
