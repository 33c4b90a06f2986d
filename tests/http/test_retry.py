"""The retry table, the waits between attempts, and the quota: pure functions, row by
row.
"""

import itertools

import pytest
from requests_to_try import ALL, CATALOGUE, CREATE, DELETE, READ, SEND, UPDATE, request

from unified_cli.http import attempt, rate_headers
from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.rate_limit import Quota
from unified_cli.http.request import Request

AGAIN = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529, 530}


def answered(status: int, **more: object) -> Attempt:
    return Attempt(Outcome.ANSWERED, status, limited=status == 429, **more)


def test_a_status_is_repeated_for_what_a_key_or_nature_protects() -> None:
    for status in range(400, 600):
        for one in (READ, CREATE, UPDATE, DELETE):
            assert attempt.may_repeat(one, answered(status)) == (status in AGAIN), status
        assert attempt.may_repeat(SEND, answered(status)) == (status == 429), status
        assert attempt.may_repeat(SEND, answered(status, retry_after=1.0)) == (status == 429), (
            status
        )
        assert attempt.may_repeat(SEND, answered(status, retry_after=1.0, own=True)) == (
            status in {429, 503}
        ), status


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.operation.command)
def test_how_far_an_attempt_got_decides(one: Request) -> None:
    harmless = one is not SEND
    failed = [
        outcome for outcome in Outcome if outcome not in {Outcome.ANSWERED, Outcome.SUCCEEDED}
    ]
    assert {outcome: attempt.may_repeat(one, Attempt(outcome)) for outcome in failed} == {
        Outcome.NOT_SENT: True,
        Outcome.PERMANENT: False,
        Outcome.LOST: harmless,
        Outcome.UNFINISHED: harmless,
        Outcome.DAMAGED: harmless,
        Outcome.UNUSABLE: False,
    }


def test_a_blocked_account_is_not_asked_again_and_a_failing_provider_is() -> None:
    assert not attempt.may_repeat(READ, answered(503, blocked=True))
    assert attempt.may_repeat(READ, answered(501, remote=True))
    assert not attempt.may_repeat(READ, answered(501))


def test_every_outward_action_of_the_catalogue_is_sent_once() -> None:
    actions = [operation for operation in CATALOGUE if operation.outward]
    assert actions
    for operation in actions:
        one = request(operation.command)
        assert not attempt.may_repeat(one, Attempt(Outcome.LOST))


def test_waits_have_full_jitter_up_to_a_ceiling() -> None:
    ranges: list[tuple[float, float]] = []

    def note(low: float, high: float) -> float:
        ranges.append((low, high))
        return high

    waits = [attempt.pause(number, answered(500), note) for number in (1, 2, 3, 4, 5, 6, 7, 5000)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert {low for low, _ in ranges} == {0}


def test_a_wait_is_never_shorter_than_asked_for() -> None:
    assert attempt.pause(1, answered(429, retry_after=7.0), lambda low, _high: low) == 7
    assert attempt.pause(1, answered(429, retry_after=7.0), lambda _low, high: high) == 8


NOW = "Fri, 20 Nov 2026 12:00:00 GMT"


@pytest.mark.parametrize(
    ("values", "date", "seconds"),
    [
        (["2"], None, 2),
        ([" 2.5 "], None, 2.5),
        (["Fri, 20 Nov 2026 12:00:03 GMT"], NOW, 3),
        (["Friday, 20-Nov-26 12:00:03 GMT"], NOW, 3),
        (["Fri, 20 Nov 2026 12:00:03 GMT"], None, None),
        (["Fri, 20 Nov 2026 11:59:59 GMT"], NOW, None),
        (["Fri, 20 Nov 2026 12:00:03"], NOW, None),
        ([], NOW, None),
        (["2", "3"], NOW, None),
        *(
            ([word], NOW, None)
            for word in (
                "",
                "0",
                "-5",
                "abc",
                "1e9",
                "5, 10",
                "+1",
                "9" * 20,
                "\u0662",
                "inf",
                "nan",
            )
        ),
    ],
)
def test_retry_after_is_read_strictly(
    values: list[str], date: str | None, seconds: float | None
) -> None:
    assert rate_headers.retry_after(values, date) == seconds


def test_a_dead_service_stops_the_run_after_100_repeats_or_50_lost_answers() -> None:
    quota = Quota()
    assert (
        sum(1 for _ in itertools.takewhile(lambda _: quota.spend(Outcome.ANSWERED), range(1000)))
        == 100
    )
    quota = Quota()
    assert (
        sum(1 for _ in itertools.takewhile(lambda _: quota.spend(Outcome.LOST), range(1000))) == 50
    )


def test_successes_earn_repeats_back_up_to_where_it_began() -> None:
    quota = Quota(10)
    assert quota.spend(Outcome.LOST)
    assert not quota.spend(Outcome.ANSWERED)
    for _ in range(100):
        quota.earn()
    assert [quota.spend(Outcome.ANSWERED) for _ in range(3)] == [2, 3, 0]
