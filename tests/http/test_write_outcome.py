"""The outcome of a write from the history of its attempts: a pure function, case by
case.
"""

from itertools import product

import httpx
import pytest
from front_door import Unified
from requests_to_try import ALL, CREATE, DELETE, READ, SEND, UPDATE

from unified_cli.http.attempt import Attempt, Outcome, WriteOutcome, outcome_of
from unified_cli.http.request import Request

DONE, FAILED, IN_DOUBT = WriteOutcome
WRITES = [one for one in ALL if one is not READ]
LOST = Attempt(Outcome.LOST)
EXAMINED = {400, 422}


def answered(status: int, **more: bool) -> Attempt:
    return Attempt(Outcome.ANSWERED, status, **more)


@pytest.mark.parametrize("one", WRITES, ids=lambda one: one.operation.command)
def test_a_status_alone_decides_one_attempt(one: Request) -> None:
    for status in range(300, 600):
        expected = FAILED if 400 <= status < 500 else IN_DOUBT
        assert outcome_of(one, [answered(status)]) is expected, status
        assert outcome_of(one, [answered(status, own=True, remote=True)]) is expected, status
        assert outcome_of(one, [answered(status, own=True)]) is (
            FAILED if status == 503 else expected
        ), status


@pytest.mark.parametrize("one", WRITES, ids=lambda one: one.operation.command)
def test_how_far_an_attempt_got_decides_without_a_status(one: Request) -> None:
    assert {
        outcome: outcome_of(one, [Attempt(outcome)])
        for outcome in Outcome
        if outcome is not Outcome.ANSWERED
    } == {
        Outcome.NOT_SENT: FAILED,
        Outcome.PERMANENT: FAILED,
        Outcome.LOST: IN_DOUBT,
        Outcome.UNFINISHED: FAILED,
        Outcome.DAMAGED: IN_DOUBT,
        Outcome.UNUSABLE: IN_DOUBT,
        Outcome.SUCCEEDED: DONE,
    }
    assert outcome_of(one, []) is FAILED


def test_a_read_is_never_in_doubt() -> None:
    for outcome in Outcome:
        assert outcome_of(READ, [Attempt(outcome, 502)]) is not IN_DOUBT


@pytest.mark.parametrize("later", [401, 402, 403, 408, 409, 425, 429, 451])
@pytest.mark.parametrize(
    "first", [LOST, answered(500), answered(504), answered(303), Attempt(Outcome.DAMAGED)]
)
def test_a_write_stays_in_doubt_after_unrelated_errors(first: Attempt, later: int) -> None:
    for one in WRITES:
        assert outcome_of(one, [first, answered(later, own=True)]) is IN_DOUBT
        assert outcome_of(one, [first, answered(503, own=True)]) is IN_DOUBT
        assert (
            outcome_of(one, [first, Attempt(Outcome.NOT_SENT), Attempt(Outcome.PERMANENT)])
            is IN_DOUBT
        )
        assert outcome_of(one, [answered(429), first, answered(429)]) is IN_DOUBT
        assert outcome_of(one, [first, Attempt(Outcome.SUCCEEDED, 201)]) is DONE


def test_only_a_refusal_by_the_service_itself_of_a_request_with_a_key_ends_a_doubt() -> None:
    for status, one in product(range(400, 500), (CREATE, UPDATE)):
        own = answered(status, own=True)
        assert outcome_of(one, [LOST, own]) is (FAILED if status in EXAMINED else IN_DOUBT), status
        assert outcome_of(one, [LOST, own, answered(500)]) is IN_DOUBT, status
        assert outcome_of(one, [LOST, answered(status, own=True, remote=True)]) is IN_DOUBT, status
        assert outcome_of(one, [LOST, answered(status)]) is IN_DOUBT, status
        assert outcome_of(one._replace(honours_keys=False), [LOST, own]) is IN_DOUBT, status
        assert outcome_of(one._replace(key=None), [LOST, own]) is IN_DOUBT, status


@pytest.mark.parametrize("status", [404, 410])
def test_a_delete_answered_with_404_is_done_only_after_a_doubt(status: int) -> None:
    assert outcome_of(DELETE, [answered(status)]) is FAILED
    assert outcome_of(DELETE, [answered(429), answered(status)]) is FAILED
    assert outcome_of(DELETE, [LOST, answered(429), answered(status)]) is DONE
    assert outcome_of(DELETE, [answered(502), answered(status)]) is DONE
    assert outcome_of(DELETE, [LOST, answered(400, own=True)]) is IN_DOUBT


def test_an_attempt_of_an_earlier_run_counts() -> None:
    for one in WRITES:
        repeated = one._replace(in_doubt=True)
        assert outcome_of(repeated, []) is IN_DOUBT
        assert outcome_of(repeated, [answered(429)]) is IN_DOUBT
        assert outcome_of(repeated, [Attempt(Outcome.SUCCEEDED, 200)]) is DONE
    assert outcome_of(DELETE._replace(in_doubt=True), [answered(404)]) is DONE
    assert outcome_of(CREATE._replace(in_doubt=True), [answered(422, own=True)]) is FAILED
    assert outcome_of(SEND._replace(in_doubt=True), [answered(409, own=True)]) is IN_DOUBT


ENVIRON = {
    "UNIFIED_BASE_URL": "https://api.example.com",
    "UNIFIED_TOKEN": "t-0123456789",
    "UNIFIED_ACCOUNT_ID": "a-0",
}
CREATED = "ticketing tickets create -f name=a"
DELETED = "ticketing tickets delete 7 --yes"


def sending(unified: Unified, command: str, *answers: int) -> tuple[int, int]:
    """The exit code of a write whose first answer is lost, and how often it was sent;
    the last of the answers repeats.
    """
    sent = 0

    def handle(request: httpx.Request) -> httpx.Response:
        nonlocal sent
        sent += 1
        if sent == 1:
            raise httpx.ReadError("reset", request=request)
        status = answers[min(sent - 2, len(answers) - 1)]
        envelope = {"statusCode": status, "error": "no"} if status >= 400 else {"id": "1"}
        after = {} if status == 403 else {"Retry-After": "1"}
        return httpx.Response(status, json=envelope, headers=after)

    result = unified(command, environ=ENVIRON, transport=lambda: httpx.MockTransport(handle))
    return result.code, sent


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, 4),
        (422, 4),
        *((status, 10) for status in (401, 402, 403, 404, 405, 409, 410, 411, 413, 414, 415, 451)),
    ],
)
def test_a_refusal_after_a_lost_answer_ends_the_doubt_only_where_the_request_was_examined(
    status: int, code: int, unified: Unified
) -> None:
    assert sending(unified, CREATED, status) == (code, 2)
    # It is waited for a limit first.
    assert sending(unified, CREATED, 429, 429, status) == (code, 4)
    assert sending(unified, CREATED, 429, 201) == (0, 3)


def test_a_limit_that_stays_leaves_the_write_in_doubt(unified: Unified) -> None:
    code, sent = sending(unified, f"{CREATED} --timeout 10", 429)
    assert (code, sent > 2) == (10, True)


@pytest.mark.parametrize(("status", "code"), [(404, 0), (410, 0), (400, 10), (403, 10), (409, 10)])
def test_a_lost_delete_is_done_if_the_record_is_gone(
    status: int, code: int, unified: Unified
) -> None:
    assert sending(unified, DELETED, status) == (code, 2)
    assert sending(unified, DELETED, 429, status) == (code, 3)
