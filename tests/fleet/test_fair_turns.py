"""Work continues with other connections while some wait for their limit, whichever
command reads them.
"""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import size
from front_door import Result, Unified
from many_connections import account, profiles
from pages import cursor_of, served
from server import Reply, Seen, Service

from unified_cli.call import selected_reads
from unified_cli.fleet.fair_turns import FairTurns, spread

COUNT = 12
READERS = {
    "list": "-p c* ticketing tickets list --all -o ndjson",
    "expect": "-p c* ticketing tickets list --expect 'length==2' -o ndjson",
    "until": "-p c* ticketing tickets list --until 'length==2' -o ndjson",
    "schema": "schema ticketing/tickets -p c*",
    "export": "export ticketing/tickets -p c* --to {to}",
    "diff": "diff ticketing/tickets --from c00 --to c01",
}
Run = Callable[[str], Result]


def limited(
    served_at: dict[str, list[float]], seconds: float, pages: int
) -> Callable[[Seen], Reply]:
    """Pages of a record each, one per period to each connection; other requests must
    wait.
    """
    lock = threading.Lock()

    def reply(seen: Seen) -> Reply:
        now = time.monotonic()
        with lock:
            times = served_at.setdefault(account(seen), [])
            if times and now - times[-1] < seconds:
                wait = {"Retry-After": f"{max(1, round(times[-1] + seconds - now))}"}
                error = served(
                    {"statusCode": 429, "error": "Too Many Requests", "message": ""}, 429
                )
                return Reply(429, error.body, {**error.headers, **wait})
            times.append(now)
        at = int(cursor_of(seen) or 0)
        onward = str(at + 1) if at + 1 < pages else None
        return served({"result": [{"id": f"{at}", "name": "n"}], "next_cursor": onward})

    return reply


@pytest.fixture
def run(unified: Unified, tmp_path: Path) -> Run:
    """Run a command in real time."""
    real: dict[str, Any] = {"monotonic": time.monotonic, "sleep": time.sleep}
    return lambda command: unified(command.format(to=tmp_path / "dump"), **real)


@pytest.mark.parametrize("command", READERS.values(), ids=[*READERS])
def test_each_connection_starts_while_others_wait(
    command: str, run: Run, config: Callable[[str], Path], service: Service
) -> None:
    profiles(config, service.url, COUNT)
    served_at: dict[str, list[float]] = {}
    service.reply = limited(served_at, 1.0, pages=2)
    ended = run(f"{command} --workers 2")
    assert ended.code == 0, ended.stderr
    assert {len(times) for times in served_at.values()} == {2}
    assert len(served_at) == (2 if command.startswith("diff") else COUNT)
    # With a turn for two at a time, the last one would begin when all others have
    # waited.
    assert max(times[0] for times in served_at.values()) < min(
        times[1] for times in served_at.values()
    )


@pytest.mark.parametrize("command", [READERS["list"], READERS["schema"], READERS["export"]])
def test_no_connection_goes_far_ahead_of_the_others(
    command: str, run: Run, config: Callable[[str], Path], service: Service
) -> None:
    profiles(config, service.url, COUNT)

    def reply(seen: Seen) -> Reply:
        # The workers of the other connections start while the first two wait.
        time.sleep(0.02 if len(service.seen) > 2 else 1)
        at = int(cursor_of(seen) or 0)
        return served({"result": [{"id": f"{at}"}], "next_cursor": str(at + 1) if at < 5 else None})

    service.reply = reply
    ended = run(f"{command} --workers 2")
    assert ended.code == 0, ended.stderr
    at = [int(cursor_of(seen) or 0) for seen in service.seen]
    # They share the token's limit: who goes first would use up what the others need.
    assert max(place for place, page in enumerate(at) if page == 0) < at.index(3)


@pytest.mark.long(
    nightly="measures how long the limits of 32 connections take: 4 s, and for the probe 36"
)
@pytest.mark.timeout(300)
@pytest.mark.parametrize("command", READERS.values(), ids=[*READERS])
def test_many_connections_take_little_longer_than_their_limits(
    command: str, run: Run, config: Callable[[str], Path], service: Service, record_property: Any
) -> None:
    count = size(32, 16)
    profiles(config, service.url, count)
    served_at: dict[str, list[float]] = {}
    service.reply = limited(served_at, 2.0, pages=3)
    began = time.monotonic()
    ended = run(command.replace("length==2", "length==3"))
    seconds = time.monotonic() - began
    record_property("seconds", seconds)
    assert ended.code == 0, ended.stderr
    assert {len(times) for times in served_at.values()} == {3}
    assert len(served_at) == (2 if command.startswith("diff") else count)


def test_reading_ahead_is_bounded_and_waits_without_a_slot(
    run: Run, config: Callable[[str], Path], service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A page is of 21 bytes.
    monkeypatch.setattr(selected_reads, "LARGEST_DOCUMENT", 50)
    profiles(config, service.url, 8)
    asked: list[int] = []

    def reply(seen: Seen) -> Reply:
        if account(seen) == "a-c00":
            asked.append(len(service.seen))
            if len(asked) == 1:
                return Reply(429, b"{}", {"Retry-After": "1"})
        at = int(cursor_of(seen) or 0)
        return served(
            {"result": [{"id": f"{at}", "name": "n"}], "next_cursor": None if at else "1"}
        )

    service.reply = reply
    result = run("-p c* ticketing tickets list --expect 'length==2' --workers 1 -o ndjson")
    assert (result.code, len(result.stdout.splitlines())) == (0, 16)
    # A page of each of the others, and a second one of some: not all of the fourteen
    # that they have.
    assert asked[1] - asked[0] <= 11


def test_the_connection_with_the_fewest_jobs_running_is_next() -> None:
    turns = FairTurns(["a1", "a2", "a3", "b1", "b2"], lambda job: job[0])
    assert [turns.take() for _ in range(3)] == ["a1", "b1", "a2"]
    turns.ended("a")
    turns.ended("a")
    assert [turns.take() for _ in range(3)] == ["a3", "b2", None]


def test_jobs_are_taken_ahead_of_their_turn_as_far_as_they_may_weigh() -> None:
    jobs = iter(range(1, 10))
    turns = FairTurns(jobs, lambda _: None, ahead=6, weight=lambda job: job)
    assert turns.take() == 1
    # One, two and three weigh as much as may wait; then the two that are left weigh
    # less.
    assert next(jobs) == 4


def test_the_jobs_of_each_connection_are_distributed_evenly() -> None:
    jobs = ["a1", "a2", "a3", "a4", "b1", "b2"]
    assert spread(jobs, lambda job: job[0]) == ["a1", "a2", "b1", "a3", "a4", "b2"]
