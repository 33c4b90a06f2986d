"""Exports of what changed: every change is in a file, whatever the provider does with the filter."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from changes import World, five_rounds
from front_door import Result, Unified
from server import Service

EXPORT = "export ticketing/tickets --incremental --to"


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


def newest(texts: Iterable[bytes | str]) -> dict[str, Any]:
    """The newest state of each record."""
    found = [json.loads(text) for text in texts]
    return {record["id"]: record for record in sorted(found, key=lambda one: str(one["updated_at"]))}


@pytest.mark.parametrize("url", [False, pytest.param(True, marks=pytest.mark.extra)], ids=["folder", "file"])
@pytest.mark.parametrize("form", ["ndjson", pytest.param("parquet", marks=pytest.mark.extra)])
def test_five_rounds_of_changes_under_faults_miss_nothing(
    world: World, service: Service, unified: Unified, tmp_path: Path, record_property: Any, form: str, *, url: bool
) -> None:
    if url:
        pytest.importorskip("obstore", reason="needs the extra cloud")
    if form == "parquet":
        pytest.importorskip("pyarrow.parquet", reason="needs the extra parquet")
    to = f"{'file://' if url else ''}{tmp_path}/dump"

    def texts() -> Iterator[bytes | str]:
        for path in sorted((tmp_path / "dump").rglob(f"*.{form}")):
            if form == "ndjson":
                yield from path.read_bytes().splitlines()
            else:
                from pyarrow import parquet  # noqa: PLC0415  an extra

                yield from parquet.ParquetFile(path).read().column("record").to_pylist()

    before = os.umask(0o022)
    try:
        environ = {**service.environ, "UNIFIED_RATE": "0"}
        command = f"{EXPORT} {to} --format {form}"
        five_rounds(world, lambda: unified(command, environ=environ), lambda: newest(texts()), record_property)
        assert unified(f"export --verify {to}").code == 0
    finally:
        os.umask(before)
