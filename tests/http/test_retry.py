"""The retry table, the waits between attempts, and the quota: pure functions, row by row."""

import itertools

import pytest

from unified_cli.catalogue import load
from unified_cli.config.address import parse
from unified_cli.http import retry
from unified_cli.http.request import Content, Request, Scope, for_operation
from unified_cli.http.retry import Attempt, Outcome, Quota

CATALOGUE = load()


def request(command: str) -> Request:
    operation = CATALOGUE.operation(*command.split())
    scope = Scope(parse("https://api.example.com", "here"), "a", CATALOGUE.service)
    key = "k" if operation.method in {"POST", "PATCH"} else None
    content = Content((), b"{}" if operation.takes_body else None, key)
    return for_operation(scope, operation, "1" if operation.takes_id else None, content)


READ = request("ticketing tickets list")
CREATE = request("ticketing tickets create")
UPDATE = request("ticketing tickets update")
DELETE = request("ticketing tickets delete")
SEND = request("emails emails send")
ALL = [READ, CREATE, UPDATE, DELETE, SEND]
AGAIN = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 530}


def answered(status: int, **more: object) -> Attempt:
    return Attempt(Outcome.ANSWERED, status, **more)


@pytest.mark.parametrize("status", range(400, 600))
def test_a_status_is_repeated_for_what_a_key_or_nature_protects(status: int) -> None:
    for one in (READ, CREATE, UPDATE, DELETE):
        assert retry.may_repeat(one, answered(status)) == (status in AGAIN)
    assert retry.may_repeat(SEND, answered(status)) == (status == 429)
    assert retry.may_repeat(SEND, answered(status, retry_after=1.0)) == (status in {429, 503})


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.operation.command)
def test_how_far_an_attempt_got_decides(one: Request) -> None:
    harmless = one is not SEND
    found = {outcome: retry.may_repeat(one, Attempt(outcome)) for outcome in Outcome if outcome is not Outcome.ANSWERED}
    assert found == {
        Outcome.NOT_SENT: True,
        Outcome.PERMANENT: False,
        Outcome.LOST: harmless,
        Outcome.DAMAGED: harmless,
        Outcome.OVERSIZED: False,
    }


def test_a_blocked_account_is_not_asked_again_and_a_failing_provider_is() -> None:
    assert not retry.may_repeat(READ, answered(503, blocked=True))
    assert retry.may_repeat(READ, answered(501, remote=True))
    assert not retry.may_repeat(READ, answered(501))


def test_every_outward_action_of_the_catalogue_is_sent_once() -> None:
    actions = [operation for operation in CATALOGUE if operation.outward]
    assert actions
    for operation in actions:
        one = request(operation.command)
        assert not retry.may_repeat(one, Attempt(Outcome.LOST))
        assert retry.leaves_doubt(one, Attempt(Outcome.LOST))


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.operation.command)
def test_doubt_is_about_writes_that_may_have_arrived(one: Request) -> None:
    writes = one is not READ
    for outcome in (Outcome.LOST, Outcome.DAMAGED, Outcome.OVERSIZED):
        assert retry.leaves_doubt(one, Attempt(outcome)) == writes
    for outcome in (Outcome.NOT_SENT, Outcome.PERMANENT):
        assert not retry.leaves_doubt(one, Attempt(outcome))
    for status in (400, 409, 429, 500, 503):
        assert not retry.leaves_doubt(one, answered(status))
    assert retry.leaves_doubt(one, answered(504)) == writes
    assert not retry.leaves_doubt(one, answered(504, own=True))


def test_only_a_refusal_of_this_very_request_settles_a_doubt() -> None:
    settled = {status for status in range(400, 600) if retry.settles(answered(status))}
    assert settled == {400, 404, 405, 410, 411, 413, 414, 415, 422}


def test_waits_have_full_jitter_up_to_a_ceiling() -> None:
    ranges: list[tuple[float, float]] = []

    def note(low: float, high: float) -> float:
        ranges.append((low, high))
        return high

    waits = [retry.pause(number, answered(500), note) for number in (1, 2, 3, 4, 5, 6, 7, 5000)]
    assert waits == [0.5, 1, 2, 4, 8, 16, 20, 20]
    assert {low for low, _ in ranges} == {0}


def test_a_wait_is_never_shorter_than_asked_for() -> None:
    assert retry.pause(1, answered(429, retry_after=7.0), lambda low, _high: low) == 7
    assert retry.pause(1, answered(429, retry_after=7.0), lambda _low, high: high) == 8


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
            for word in ("", "0", "-5", "abc", "1e9", "5, 10", "+1", "9" * 20, "\u0662", "inf", "nan")
        ),
    ],
)
def test_retry_after_is_read_strictly(values: list[str], date: str | None, seconds: float | None) -> None:
    assert retry.retry_after(values, date) == seconds


def test_a_dead_service_is_given_up_after_a_hundred_repeats_or_half_of_lost_ones() -> None:
    quota = Quota()
    assert sum(1 for _ in itertools.takewhile(lambda _: quota.spend(Outcome.ANSWERED), range(1000))) == 100
    quota = Quota()
    assert sum(1 for _ in itertools.takewhile(lambda _: quota.spend(Outcome.LOST), range(1000))) == 50


def test_successes_earn_repeats_back_up_to_where_it_began() -> None:
    quota = Quota(10)
    assert quota.spend(Outcome.LOST)
    assert not quota.spend(Outcome.ANSWERED)
    for _ in range(100):
        quota.earn()
    assert [quota.spend(Outcome.ANSWERED) for _ in range(3)] == [True, True, False]
