"""When many writes stop: how many failures, of what kind, and in how many parts the
work is done.
"""

import json

import pytest
from front_door import Unified
from pages import served
from server import Reply, Seen, Service

from unified_cli.cli.write_options import WriteOptions
from unified_cli.errors import AccessError, RefusedError, ServiceError, UnifiedError
from unified_cli.writes import stop_rules
from unified_cli.writes.stop_rules import ConnectionStops, StopRules

REFUSED, FAILED, BLOCKED = (
    RefusedError("no", status=422),
    ServiceError("broken"),
    AccessError("blocked"),
)


@pytest.mark.parametrize(
    ("stages", "most", "fail_fast", "rules"),
    [
        (None, None, False, StopRules()),
        (None, None, True, StopRules((), 0)),
        # Of the allowed failures no part of one more, and of a stage all that was
        # begun.
        (None, "20%", False, StopRules((), 1)),
        ("1,20%,5", None, False, StopRules((1, 2, 5), None)),
        ("3", "2", False, StopRules((3,), 2)),
    ],
)
def test_rules_as_they_are_typed(
    stages: str | None, most: str | None, fail_fast: bool, rules: StopRules
) -> None:
    options = WriteOptions(stages=stages, max_failures=most, fail_fast=fail_fast)
    assert stop_rules.parse(options, 9) == rules


def test_the_parts_of_the_work_and_what_ends_it() -> None:
    rules = StopRules((1, 2), 2)
    assert rules.parts(4) == [range(1), range(1, 3), range(3, 4)]
    assert rules.parts(2) == [range(1), range(1, 2)]
    assert [rules.stops(failures) for failures in (2, 3)] == [False, True]
    assert [rules.ends_stage(failures) for failures in (2, 3)] == [False, True]
    assert [StopRules((1,)).ends_stage(failures) for failures in (0, 1)] == [False, True]
    assert not StopRules((1,)).stops(99)


@pytest.mark.parametrize(
    ("outcomes", "stops"),
    [
        ([FAILED, FAILED], False),
        ([FAILED, FAILED, FAILED], True),
        ([FAILED, FAILED, None, FAILED, FAILED], False),
        ([FAILED, FAILED, REFUSED, FAILED, FAILED], False),
        ([REFUSED] * 9, False),
    ],
)
def test_failures_in_a_row_count_unless_the_record_is_the_cause(
    outcomes: list[UnifiedError | None], stops: bool
) -> None:
    rules = ConnectionStops(alone=True, most_in_a_row=3)
    for one in outcomes:
        rules.count(None, one)
    assert (rules.ended, rules.error) == ((True, FAILED) if stops else (False, None))


@pytest.mark.parametrize("alone", [True, False])
def test_a_connection_whose_other_writes_would_fail_too(alone: bool) -> None:
    rules = ConnectionStops(alone=alone)
    rules.note("a", FAILED)
    assert rules.stopped == {}
    rules.note("a", BLOCKED)
    assert rules.stopped == {"a": BLOCKED}
    assert (rules.ended, rules.error) == ((True, BLOCKED) if alone else (False, None))


def test_a_broken_off_list_is_not_printed_as_complete(unified: Unified, service: Service) -> None:
    def reply(seen: Seen) -> Reply:
        return Reply(401) if seen.segments[-1] == "b" else served({"id": seen.segments[-1]})

    service.reply = reply
    lines = "".join(f'{{"id":"{one}","name":"x"}}\n' for one in "abc").encode()
    broken = unified("ticketing tags update - --workers 1", environ=service.environ, stdin=lines)
    assert broken.code == 7
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(broken.stdout)
    whole = unified(
        "ticketing tags update - --workers 1",
        environ=service.environ,
        stdin=lines.replace(b'"b"', b'"d"'),
    )
    assert [one["id"] for one in whole.json["result"]] == ["a", "d", "c"]


def test_a_run_stopped_at_its_end_leaves_nothing(unified: Unified, service: Service) -> None:
    service.reply = lambda seen: (
        Reply(401) if seen.segments[-1] == "b" else served({"id": seen.segments[-1]})
    )
    lines = b'{"id":"a","name":"x"}\n{"id":"b","name":"x"}\n'
    told = unified("ticketing tags update - --workers 1", environ=service.environ, stdin=lines)
    assert (told.code, told.stderr.splitlines()[-2]) == (9, "error: 1 of 2 records failed")
