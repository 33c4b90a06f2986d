"""The end of work on many parts: each way it can end, alone and with each that comes
after it.
"""

from itertools import combinations

import pytest

from unified_cli.errors import (
    AccessError,
    ExitCode,
    NetworkError,
    RateLimitError,
    ServiceError,
    StateError,
    StorageError,
    UnifiedError,
)
from unified_cli.fleet.conclude import ORDER, Ending, conclude, failure_lines, worst

# The failures, in the order in which the exit codes count, with the sentence about
# it.
ROWS = {
    "storage": (11, "no space"),
    "state": (12, "in use"),
    "doubt": (10, "1 of 9 records may or may not be done"),
    "stopped": (7, "stopped with 2 of 9 records not tried: blocked"),
    "failed": (9, "1 of 9 records failed: a"),
    "missing": (9, "page 2 is partial"),
    "different": (14, "a: length > 3 is false"),
}


def ending(what: tuple[str, ...]) -> Ending:
    failed: dict[str, UnifiedError] = {}
    if "failed" in what:
        failed["a"] = ServiceError("broken")
    if "state" in what:
        failed["b"] = StateError("in use")
    if "storage" in what:
        failed["c"] = StorageError("no space")
    return Ending(
        "record",
        9,
        failed,
        in_doubt=int("doubt" in what),
        not_tried=2 if "stopped" in what else 0,
        missing=["page 2 is partial"] if "missing" in what else [],
        different=["a: length > 3 is false"] if "different" in what else [],
        stopped=AccessError("blocked") if "stopped" in what else None,
    )


@pytest.mark.parametrize("count", range(1, 8))
def test_the_first_row_that_applies_gives_the_code(count: int) -> None:
    for what in combinations(ROWS, count):
        with pytest.raises(UnifiedError) as raised:
            conclude(ending(what))
        code, said = ROWS[what[0]]
        assert raised.value.code == code, what
        assert (said if what[0] != "failed" else "failed: a") in raised.value.message, what


def test_nothing_is_raised_where_all_is_done() -> None:
    conclude(Ending("connection", 3))


@pytest.mark.parametrize(
    ("total", "said"),
    [
        (1, "cannot find the host"),
        (2, "all 2 connections failed"),
        (3, "2 of 3 connections failed: a, b"),
    ],
)
def test_parts_that_failed_alike(total: int, said: str) -> None:
    failed = {name: NetworkError("cannot find the host") for name in ("a", "b")[:total]}
    with pytest.raises(UnifiedError) as raised:
        conclude(Ending("connection", total, failed))
    assert raised.value.message == said
    assert raised.value.code == (ExitCode.INCOMPLETE if total == 3 else ExitCode.NETWORK)


@pytest.mark.parametrize(
    ("unit", "named"),
    [
        ("connection", ", ".join(f"p{n}" for n in range(9))),
        ("list", "p0, p1, p2, p3, p4 and 4 more"),
    ],
)
def test_connections_are_all_named_and_other_parts_in_part(unit: str, named: str) -> None:
    failed = {f"p{n}": NetworkError("no") for n in range(9)}
    with pytest.raises(UnifiedError, match=rf"^9 of 12 {unit}s failed: {named}$"):
        conclude(Ending(unit, 12, failed))


def test_the_worst_of_several_errors() -> None:
    assert (
        worst([RateLimitError("slow"), AccessError("blocked"), NetworkError("gone")]).code
        == ExitCode.ACCESS
    )
    assert {*ORDER} == {*ExitCode} - {ExitCode.DONE}


def test_failures_of_one_cause_share_a_line_and_others_have_their_own() -> None:
    names = "abcd"
    refused = {
        one: AccessError(f"{one} may not read t/{one}: full:{one} is a test", status=403)
        for one in names
    }
    scopes = {f"d{at}": AccessError(f"d{at} lacks scopes", status=403) for at in range(4)}
    assert [*failure_lines({**refused, **scopes})] == [
        "4 failed for similar reasons (a, b, c, d); the error of a: " + refused["a"].one_line,
        "4 failed for similar reasons (d0, d1, d2, d3); the error of d0: d0 lacks scopes",
    ]
