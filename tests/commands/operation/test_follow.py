"""`--follow`: every state of a record that a poll could see is printed once, also over
an interruption.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from campaigns import size
from front_door import Clock, Result, Unified
from pages import served
from server import Reply, Seen, Service

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

Config = Callable[[str], Path]
Record = dict[str, Any]
FOLLOW = ["ticketing", "tickets", "list", "--follow"]
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def at(seconds: float) -> str:
    return (
        (NOON + timedelta(seconds=seconds))
        .isoformat(timespec="milliseconds")
        .replace("+00:00", "Z")
    )


class Watch(Clock):
    """A clock whose sleeper presses Ctrl-C after some polls; between two of them things
    happen.
    """

    def __init__(self, *between: Callable[[], object]) -> None:
        super().__init__()
        self.between = [*between]

    def sleep(self, seconds: float) -> None:
        super().sleep(seconds)
        if not self.between:
            raise KeyboardInterrupt
        self.between.pop(0)()

    def wall(self) -> float:
        return NOON.timestamp() + self.at - 1000.0


class Tickets:
    """A list that can be changed, filtered by the time of change; of two records a
    page.
    """

    def __init__(self, service: Service, *, filters: bool = True) -> None:
        self.records: dict[str, Record] = {}
        self.filters = filters
        self.asked: list[str] = []
        service.reply = self.reply

    def put(self, identifier: str, seconds: float | None, **more: Any) -> None:
        self.records[identifier] = {"id": identifier, **more}
        if seconds is not None:
            self.records[identifier]["updated_at"] = at(seconds)

    def reply(self, seen: Seen) -> Reply:
        query = dict(seen.query)
        after = query["updated_at[gt]"]
        self.asked.append(after)
        found = [
            one
            for one in self.records.values()
            if not self.filters
            or datetime.fromisoformat(one.get("updated_at", at(1e6)))
            > datetime.fromisoformat(after)
        ]
        first = int(query.get("next_cursor", 0))
        onward = str(first + 2) if first + 2 < len(found) else None
        return served({"result": found[first : first + 2], "next_cursor": onward})


def follow(
    unified: Unified, service: Service, clock: Watch, words: Sequence[str] = (), **more: Any
) -> Result:
    world = {"monotonic": clock.now, "sleep": clock.sleep, "wall": clock.wall, **more}
    return unified([*FOLLOW, *words], environ=service.environ, **world)


def lines(result: Result) -> list[Record]:
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("filters", [True, False], ids=["filtered", "the filter is ignored"])
def test_each_state_is_printed_once(unified: Unified, service: Service, filters: bool) -> None:
    there = Tickets(service, filters=filters)
    there.put("old", -61)
    there.put("a", -59)

    def first() -> None:
        there.put("a", 20)
        there.put("b", 20)
        there.put("c", -5)

    def second() -> None:
        there.put("b", 31)
        there.records.pop("a")

    result = follow(unified, service, Watch(first, second, lambda: None))
    printed = [(one["id"], one["updated_at"]) for one in lines(result)]
    assert printed == [("a", at(-59)), ("a", at(20)), ("b", at(20)), ("c", at(-5)), ("b", at(31))]
    assert there.asked[0] == "2026-01-31T11:59:00.000000Z"
    assert there.asked[-1] == "2026-01-31T11:59:31.000000Z"
    assert result.code == 130
    said = "stopped after 5 records; to continue: --follow --since 2026-01-31T12:00:31.000000Z"
    # Nothing can be kept here, so the time to continue from is earlier.
    assert result.stderr.splitlines()[-1].startswith(
        "error: interrupted; stopped after 5 records; to continue: "
    )
    assert said.replace("12:00:31", "11:59:31") in result.stderr


def test_continuing_misses_and_repeats_nothing(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    there = Tickets(service)
    folders = {
        "config": tmp_path / "config",
        "data": tmp_path / "data",
        "cache": tmp_path / "cache",
    }
    there.put("a", -3)
    there.put("none", None)
    result = follow(unified, service, Watch(lambda: there.put("b", 12)), folders=folders)
    assert [one["id"] for one in lines(result)] == ["a", "none", "b"]
    assert "stopped after 3 records, 1 of them without updated_at" in result.stderr
    onward = result.stderr.split("to continue: ")[1].split()
    assert onward == ["--follow", "--since", "2026-01-31T12:00:12.000000Z"]
    # One at the same time as the last, one whose commit came late, and one that changed
    # back and forth.
    there.put("c", 12)
    there.put("late", -20)
    there.put("none", None, name="new")
    later = Watch(lambda: None)
    later.at += 100
    result = follow(unified, service, later, onward[1:], folders=folders)
    assert [one["id"] for one in lines(result)] == ["none", "c", "late"]


def test_a_time_that_was_typed_is_where_it_begins(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    there.put("a", -7200)
    there.put("b", -3000)
    result = follow(unified, service, Watch(lambda: None), ["--since", "1h"])
    assert [one["id"] for one in lines(result)] == ["b"]
    assert there.asked[0] == "2026-01-31T11:00:00.000000Z"


def test_states_within_a_microsecond_are_two(unified: Unified, service: Service) -> None:
    there = Tickets(service, filters=False)

    def put(digit: int) -> None:
        there.put("a", 0)
        there.records["a"]["updated_at"] = f"2026-01-31T12:00:00.00000000{digit}Z"

    put(1)
    result = follow(
        unified, service, Watch(lambda: put(2), lambda: put(2)), ["--since", "2026-01-31T12:00:00Z"]
    )
    assert [one["updated_at"][-3:] for one in lines(result)] == ["01Z", "02Z"]


def test_the_first_of_all_times_is_a_time(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    there.put("a", 0)
    result = follow(unified, service, Watch(), ["--since", "0001-01-01"])
    assert (result.code, [one["id"] for one in lines(result)]) == (130, ["a"])


def test_records_without_a_time_are_compared_by_content(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    there.put("a", None, n=1)
    there.put("b", None, n=1)
    result = follow(unified, service, Watch(lambda: there.put("b", None, n=2), lambda: None))
    assert [(one["id"], one["n"]) for one in lines(result)] == [("a", 1), ("b", 1), ("b", 2)]
    assert (
        result.stderr.splitlines()[0]
        == "records without updated_at are distinguished by their content"
    )
    assert "3 records, 3 of them without updated_at" in result.stderr


def test_a_poll_may_take_longer_than_it_looks_back(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    for name in "abcdefgh":
        there.put(name, None)
    clock, quick = Watch(lambda: None, lambda: None), there.reply

    def slow(seen: Seen) -> Reply:
        clock.at += 50
        return quick(seen)

    service.reply = slow
    assert [one["id"] for one in lines(follow(unified, service, clock))] == [*"abcdefgh"]


def test_a_time_to_come_hides_nothing(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    there.put("wrong", 1e7)
    result = follow(unified, service, Watch(lambda: there.put("b", 12), lambda: None))
    assert [one["id"] for one in lines(result)] == ["wrong", "b"]


def test_a_failed_poll_is_repeated_from_its_start(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    for number in range(4):
        there.put(f"n{number}", 3000 - 1000 * number)
    whole, failing = there.reply, [True]

    def reply(seen: Seen) -> Reply:
        if failing and "next_cursor" in dict(seen.query):
            return served({"statusCode": 500, "error": "Error", "message": "no"}, 500)
        return whole(seen)

    service.reply = reply
    clock = Watch(failing.clear, lambda: None)
    clock.at += 3600
    result = follow(unified, service, clock, ["--since", "2026-01-31", "--retries", "0"])
    assert [one["id"] for one in lines(result)] == ["n0", "n1", "n2", "n3"]
    assert "the service answered 500" in result.stderr.splitlines()[0]
    assert result.stderr.splitlines()[0].endswith("; next try in 30 s")


def test_a_connection_that_gets_the_tag_joins_in(
    unified: Unified, service: Service, config: Config
) -> None:
    text = '[profiles.one]\naccount_id = "a-1"\ntags = ["x"]\n'
    config(text)
    Tickets(service).put("t", 0)
    more = text.replace("one", "two").replace("a-1", "a-2")
    result = follow(
        unified, service, Watch(lambda: config(text + more), lambda: None), ["-p", "tag:x"]
    )
    assert [(one["_profile"], one["id"]) for one in lines(result)] == [("one", "t"), ("two", "t")]


def test_a_profile_that_changed_its_connection_is_followed(
    unified: Unified, service: Service, config: Config
) -> None:
    text = '[profiles.one]\naccount_id = "a-1"\ntags = ["x"]\n'
    config(text)
    Tickets(service).put("t", 0)
    other = text.replace("a-1", "a-2")
    result = follow(unified, service, Watch(lambda: config(other), lambda: None), ["-p", "tag:x"])
    assert [one["id"] for one in lines(result)] == ["t", "t"]


def test_the_error_of_the_only_connection_ends_it(unified: Unified, service: Service) -> None:
    service.reply = lambda _: served({"statusCode": 401, "error": "Error", "message": "no"}, 401)
    assert follow(unified, service, Watch(lambda: None)).code == 7


def test_a_later_error_prints_the_command_to_continue(unified: Unified, service: Service) -> None:
    there = Tickets(service)
    there.put("a", 0)
    no = served({"statusCode": 401, "error": "Error", "message": "no"}, 401)
    result = follow(unified, service, Watch(lambda: setattr(service, "reply", lambda _: no)))
    assert (len(lines(result)), result.code) == (1, 7)
    assert (
        "after 1 record; to continue: --follow --since 2026-01-31T11:59:00.000000Z" in result.stderr
    )


def test_a_cache_that_cannot_be_written_costs_no_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    there = Tickets(service)
    there.put("a", 0)
    (tmp_path / "cache").write_text("no folder")
    folders = {
        "config": tmp_path / "config",
        "data": tmp_path / "data",
        "cache": tmp_path / "cache",
    }
    result = follow(unified, service, Watch(), folders=folders)
    assert (
        result.stderr.split("to continue: ")[1] == "--follow --since 2026-01-31T11:59:00.000000Z\n"
    )


def test_two_profiles_of_one_connection_are_named(
    unified: Unified, service: Service, config: Config
) -> None:
    config('[profiles.one]\naccount_id = "a"\n[profiles.two]\naccount_id = "a"\n')
    Tickets(service).put("a", 0)
    result = follow(unified, service, Watch(), ["-p", "one", "-p", "two"])
    assert [one["_profile"] for one in lines(result)] in (["one", "two"], ["two", "one"])
    assert "one, two are the same connection" in result.stderr.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "json"], "--follow prints lines, not json"),
        (["--limit", "3"], "--follow cannot be used with --limit"),
        (["--expect", "true"], "--follow cannot be used with --expect"),
        (["-q", "updated_at[gt]=1"], "--follow filters by updated_at itself"),
        (["--since", "yesterday"], "yesterday"),
    ],
)
def test_wrong_options_are_refused(
    unified: Unified, service: Service, words: list[str], message: str
) -> None:
    result = unified([*FOLLOW, *words], environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert message in result.stderr


_LONG = 3.0
"""Seconds for which a state is there that a poll could see, whatever the machine and
the faults do.
"""


def writes(
    sandbox: UnifiedSandbox, account: str, number: int, seconds: float, calm: threading.Event
) -> set[tuple[str, str]]:
    """Create, update and delete records at random; gives the states that stayed long
    enough to be seen.

    While `calm`, no one polls: then records are only created.
    """
    rng = random.Random(1)
    there: dict[str, tuple[str, float]] = {}
    kept: set[tuple[str, str]] = set()
    headers = {"Authorization": f"Bearer {sandbox.token}"}
    base, params = f"{sandbox.url}/unified/ticketing", {"integrated_account_id": account}

    def end(identifier: str) -> None:
        name, since = there.pop(identifier)
        if time.monotonic() - since > _LONG:
            kept.add((identifier, name))

    with httpx.Client(base_url=base, headers=headers, params=params) as client:
        for count in range(number):
            began, name = time.monotonic(), f"n{count}"
            kind = rng.choice(["create", "create", "create", "update", "update", "delete"])
            kind = "create" if calm.is_set() or not there else kind
            identifier = rng.choice([*there]) if kind != "create" else ""
            if kind == "create":
                identifier = client.post("/tickets", json={"name": name}).json()["id"]
            else:
                end(identifier)
                client.request(
                    "PATCH" if kind == "update" else "DELETE",
                    f"/tickets/{identifier}",
                    json={"name": name},
                )
            if kind != "delete":
                there[identifier] = (name, time.monotonic())
            time.sleep(max(0.0, seconds / number - (time.monotonic() - began)))
    return kept | {(identifier, name) for identifier, (name, _) in there.items()}


class Follower:
    """A following process of its own, with the lines it printed."""

    def __init__(self, environ: dict[str, str], words: Sequence[str]) -> None:
        command = [
            sys.executable,
            "-m",
            "unified_cli",
            "ticketing",
            "tickets",
            "list",
            "--follow",
            *words,
        ]
        self.process = subprocess.Popen(
            command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def stop(self) -> tuple[list[Record], list[str]]:
        self.process.send_signal(signal.SIGINT)
        stdout, stderr = self.process.communicate(timeout=60)
        assert self.process.returncode == 130, stderr
        onward = stderr.decode().split("to continue: ")[1].split("\n")[0].split()
        return [json.loads(line) for line in stdout.splitlines()], onward


def _polls(sandbox: UnifiedSandbox) -> int:
    return sum(one["count"] for one in sandbox.requests() if one["method"] == "GET")


def follows(sandbox: UnifiedSandbox, account: str, home: Path, number: int, seconds: float) -> None:
    environ = {
        **os.environ,
        "HOME": str(home),
        "UNIFIED_BASE_URL": sandbox.url,
        "UNIFIED_TOKEN": sandbox.token,
        "UNIFIED_ACCOUNT_ID": account,
    }
    sandbox.faults("", *({"fault": f"{word}=5%", "method": "GET"} for word in ("500", "reset")))
    printed: list[Record] = []
    kept: list[set[tuple[str, str]]] = []
    calm = threading.Event()
    writer = threading.Thread(
        target=lambda: kept.append(writes(sandbox, account, number, seconds, calm))
    )
    words = ["--every", "0.5", "--rate", "0"]

    def two_polls() -> None:
        until = _polls(sandbox) + 2
        while _polls(sandbox) < until:
            assert follower.process.poll() is None, follower.process.communicate()
            time.sleep(0.05)

    follower = Follower(environ, words)
    two_polls()
    writer.start()
    for _ in range(2):
        writer.join(seconds / 3)
        calm.set()
        two_polls()
        found, onward = follower.stop()
        printed += found
        follower = Follower(environ, [*words, *onward[1:]])
        two_polls()
        calm.clear()
    writer.join()
    two_polls()
    time.sleep(_LONG / 2)
    printed += follower.stop()[0]
    states = [(one["id"], one["name"]) for one in printed]
    assert [state for state, times in Counter(states).items() if times > 1] == []
    assert kept[0] - {*states} == set()
    assert len(kept[0]) > number / 5


def test_while_another_client_writes(unified_sandbox: UnifiedSandbox, tmp_path: Path) -> None:
    follows(unified_sandbox, "empty", tmp_path, 60, 3)


@pytest.mark.long(seconds=16)
@pytest.mark.parametrize("behind", [0, 5])
@pytest.mark.parametrize("account", ["empty", "untimed:x"])
def test_for_a_minute(
    unified_sandbox: UnifiedSandbox,
    tmp_path: Path,
    account: str,
    behind: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(unified_sandbox._sandbox, "_wall", lambda: time.time() - behind)
    follows(unified_sandbox, account, tmp_path, size(500, 120), size(60, 12))
