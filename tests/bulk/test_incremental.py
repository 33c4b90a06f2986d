"""Exports of what changed: every change is in a file, whatever the provider does with the filter."""

import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from front_door import Result, Unified
from pages import cursor_of, served
from server import Reply, Seen, Service

START = datetime(2026, 1, 1, tzinfo=UTC)
EXPORT = "export ticketing/tickets --incremental --to"


class World:
    """A list whose records change; it is served two records a page, with or without a filter."""

    def __init__(self, service: Service) -> None:
        self.records: dict[str, dict[str, Any]] = {}
        self.filters = True
        self.broken: Callable[[Seen], Reply | None] = lambda _: None
        self.asked: list[str | None] = []
        service.reply = self.reply

    def change(self, identifier: str, seconds: float, **more: Any) -> None:
        at = (START + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")
        self.records[identifier] = {"id": identifier, "updated_at": at, **more}

    def reply(self, seen: Seen) -> Reply:
        if (instead := self.broken(seen)) is not None:
            return instead
        since = dict(seen.query).get("updated_at[gt]")
        if cursor_of(seen) is None:
            self.asked.append(since)
        found = [
            record
            for record in self.records.values()
            if not (self.filters and since) or self._at(record) > datetime.fromisoformat(since)
        ]
        start = int(cursor_of(seen) or 0)
        onward = str(start + 2) if start + 2 < len(found) else None
        return served({"result": found[start : start + 2], "next_cursor": onward})

    @staticmethod
    def _at(record: dict[str, Any]) -> datetime:
        return datetime.fromisoformat(record["updated_at"])


@pytest.fixture
def world(service: Service) -> World:
    return World(service)


@pytest.fixture
def export(unified: Unified, service: Service, tmp_path: Path) -> Callable[..., Result]:
    def run(more: str = "", command: str = EXPORT) -> Result:
        return unified(f"{command} {tmp_path}/dump {more}", environ=service.environ)

    return run


def files(tmp_path: Path) -> dict[str, list[Any]]:
    folder = tmp_path / "dump" / "acct-1" / "ticketing"
    return {
        path.name: [json.loads(line) for line in path.read_text().splitlines()] for path in sorted(folder.iterdir())
    }


def union(tmp_path: Path) -> dict[str, Any]:
    """The newest state of each record in all files."""
    found = [record for records in files(tmp_path).values() for record in records]
    return {record["id"]: record for record in sorted(found, key=lambda one: str(one["updated_at"]))}


def test_each_run_adds_what_changed_since_the_last_one(
    world: World, export: Callable[..., Result], unified: Unified, tmp_path: Path
) -> None:
    for number in range(3):
        world.change(f"t{number}", number * 1000)
    assert export().stderr.startswith("wrote 1 file with 3 records")
    assert export().stderr.startswith("wrote 0 files with 0 records")
    world.change("t0", 3000, name="changed")
    world.change("t3", 3001)
    assert export().stderr.startswith("wrote 1 file with 2 records")
    assert export().stderr.startswith("wrote 0 files with 0 records")
    assert {name: [one["id"] for one in records] for name, records in files(tmp_path).items()} == {
        "tickets.ndjson": ["t0", "t1", "t2"],
        "tickets.2.ndjson": ["t0", "t3"],
    }
    assert world.asked == [
        None,
        "2026-01-01T00:32:20.000000Z",
        "2026-01-01T00:32:20.000000Z",
        "2026-01-01T00:49:01.000000Z",
    ]
    assert union(tmp_path) == world.records
    assert unified(f"export --verify {tmp_path}/dump").code == 0
    # Without the option a complete export stays as it is.
    assert export(command="export ticketing/tickets --to").stderr.startswith("wrote 0 files with 0 records")


def test_a_change_that_comes_late_is_found_within_the_lag(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.change("a", 1000)
    export("--lag 60")
    world.change("late", 941)
    world.change("too late", 939)
    assert export("--lag 60").stderr.startswith("wrote 1 file with 1 record")
    assert union(tmp_path).keys() == {"a", "late"}


def test_a_provider_that_ignores_the_filter_costs_time_and_no_records(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.filters = False
    for number in range(5):
        world.change(f"t{number}", number * 1000)
    export()
    world.change("t1", 9000)
    assert export().stderr.startswith("wrote 1 file with 1 record")
    assert [record["id"] for record in files(tmp_path)["tickets.2.ndjson"]] == ["t1"]


@pytest.mark.parametrize("at", [None, 5, "yesterday", {}], ids=["missing", "a number", "no time", "an object"])
def test_a_list_without_times_is_read_whole_and_said_to_be(
    world: World, export: Callable[..., Result], tmp_path: Path, at: Any
) -> None:
    world.records["a"] = {"id": "a"} if at is None else {"id": "a", "updated_at": at}
    export()
    result = export()
    assert result.stderr.startswith(
        "acct-1/ticketing/tickets.ndjson: no record has updated_at, so the list is read whole again\n"
    )
    assert [*files(tmp_path)] == ["tickets.2.ndjson", "tickets.ndjson"]
    assert world.asked == [None, None]


def test_an_export_that_was_made_without_the_option_is_continued(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.change("a", 0)
    export(command="export ticketing/tickets --to")
    world.change("b", 100)
    assert export().stderr.startswith("wrote 1 file with 1 record")
    assert union(tmp_path) == world.records


def test_starting_anew_removes_what_was_added(world: World, export: Callable[..., Result], tmp_path: Path) -> None:
    world.change("a", 0)
    export()
    world.change("b", 100)
    export()
    assert export("--restart", "export ticketing/tickets --to").code == 0
    assert {name: len(records) for name, records in files(tmp_path).items()} == {"tickets.ndjson": 2}


def test_a_file_that_is_gone_is_told_and_nothing_is_asked(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    for seconds in (0, 100):
        world.change(f"t{seconds}", seconds)
        export()
    (tmp_path / "dump/acct-1/ticketing/tickets.2.ndjson").unlink()
    world.asked.clear()
    result = export()
    assert (result.code, world.asked) == (12, [])
    assert "tickets.2.ndjson is gone (--restart starts anew)" in result.stderr


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--format csv", "--incremental needs --format ndjson or parquet"),
        ("--restart", "--restart reads everything anew and --incremental what changed (leave one of them out)"),
        ("-q 'updated_at[gt]=2026'", "--incremental asks by updated_at itself (leave out -q updated_at…)"),
    ],
)
def test_what_does_not_go_together_is_refused(
    world: World, export: Callable[..., Result], more: str, message: str
) -> None:
    result = export(more)
    assert (result.code, result.stderr, world.asked) == (2, f"error: {message}\n", [])


def test_a_lag_needs_an_incremental_export(export: Callable[..., Result]) -> None:
    result = export("--lag 5", "export ticketing/tickets --to")
    assert (result.code, result.stderr) == (2, "error: --lag needs --incremental\n")


def test_five_rounds_of_changes_under_faults_miss_nothing(
    world: World, export: Callable[..., Result], unified: Unified, tmp_path: Path
) -> None:
    dice = random.Random(5)
    clock = 0.0
    for _ in range(5):
        for _ in range(12):
            clock += dice.uniform(1, 400)
            world.change(f"t{dice.randrange(20)}", clock, value=dice.random())
        hits = {dice.randrange(6): dice.choice([500, 403, 429]) for _ in range(2)}
        count = iter(range(1000))

        def fail(_: Seen, hits: dict[int, int] = hits, count: Any = count) -> Reply | None:
            status = hits.pop(next(count), None)
            return Reply(status, b"{}") if status else None

        world.broken = fail
        for _ in range(4):
            if export().code == 0:
                break
        else:
            pytest.fail("never complete")
        assert union(tmp_path) == world.records
    assert unified(f"export --verify {tmp_path}/dump").code == 0
