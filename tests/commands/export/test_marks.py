"""Where an incremental run begins: wrong clocks and stamps hide no change."""

import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stores
from changes import START, World
from front_door import Result, Unified
from nights import READERS, Place
from pages import served
from server import Service

DAY = 86_400.0
HOUR = 3600.0
IN_2099 = 73 * 366 * DAY
PLAIN = "export ticketing/tickets --to"
EXPORT = "export ticketing/tickets --incremental --to"


class Nightly:
    """An export at some second, with the clocks of the service and of this machine."""

    def __init__(
        self, unified: Unified, service: Service, folder: Path, place: Place, form: str = "ndjson"
    ) -> None:
        self.world = World(service)
        self._place, self._form = place, form
        self.folder = folder
        self._unified = unified
        self._environ = {**service.environ, **place.environ}

    def run(self, now: float, *, date: float = 0, here: float = 0, command: str = EXPORT) -> Result:
        """Export at this second; the service's clock is `date` seconds ahead, this
        machine's `here` seconds.
        """
        self.world.now(now + date)
        result = self._unified(
            f"{command} {self._place.to} --format {self._form}",
            environ=self._environ,
            wall=lambda: START.timestamp() + now + here,
        )
        assert result.code == 0, result.stderr
        return result

    def newest(self) -> dict[str, Any]:
        """The last state of each record, in the order of the files or in a table."""
        if self._place.environ or self._form == "delta":
            rows = READERS[self._form]["DuckDB"](self._place, "ticketing/tickets")
            return {name: json.loads(text) for (_, name), text in rows.items()}
        files = sorted(
            (self.folder / "dump").rglob("*.ndjson"), key=lambda one: (len(one.name), one.name)
        )
        return {
            record["id"]: record
            for path in files
            if not path.name.startswith("gone.")
            for record in map(json.loads, path.read_text().splitlines())
        }


@pytest.fixture(params=["folder", pytest.param("file", marks=pytest.mark.extra)])
def nightly(
    request: pytest.FixtureRequest,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Nightly]:
    where, _, form = request.param.partition(" ")
    place = Place.of(where, tmp_path)
    if where != "folder":
        pytest.importorskip("obstore", reason="needs the extra cloud")
    if form or where == "s3":
        pytest.importorskip("duckdb", reason="needs the extra test-all")
    if where == "s3":
        url: str = request.getfixturevalue("s3")
        place = stores.Bucket(url, f"b{secrets.token_hex(8)}").place
        for name, value in place.environ.items():
            monkeypatch.setenv(name, value)
    before = os.umask(0o077)
    yield Nightly(unified, service, tmp_path, place, form or "ndjson")
    os.umask(before)


ANYWHERE = pytest.mark.parametrize(
    "nightly",
    [
        "folder",
        pytest.param("file", marks=pytest.mark.extra),
        *(
            pytest.param(
                place,
                marks=[
                    pytest.mark.extra,
                    pytest.mark.long(nightly="a folder is tried in each run"),
                ],
            )
            for place in ("folder delta", "s3", "s3 parquet", "s3 delta")
        ),
    ],
    indirect=True,
)


@ANYWHERE
def test_a_stamp_in_the_future_leaves_the_mark(nightly: Nightly) -> None:
    world = nightly.world
    for number in range(20):
        world.change(f"t{number}", number * 1000)
    nightly.run(20_000)
    world.change("ahead", IN_2099)
    nightly.run(100_000)
    nightly.run(101_000)
    # Stamped before the last run, and seen after it.
    world.change("t3", 100_000 - 90, name="changed")
    nightly.run(102_000)
    assert nightly.newest() == world.records


@ANYWHERE
@pytest.mark.parametrize("ahead", [600.0, 2 * HOUR])
@pytest.mark.parametrize("first", [PLAIN, EXPORT], ids=["plain", "incremental"])
def test_a_date_ahead_once_hides_no_change(nightly: Nightly, ahead: float, first: str) -> None:
    world = nightly.world
    for number in range(10):
        world.change(f"t{number}", number)
    nightly.run(DAY, command=first)
    world.change("t0", 2 * DAY + ahead - 1)
    nightly.run(2 * DAY, date=ahead)
    for number in range(9):
        now = 2 * DAY + (number + 1) * 60
        world.change(f"t{number + 1}", now - 61, night=number)
        nightly.run(now)
        assert nightly.newest() == world.records


@pytest.mark.parametrize("wrong", ["date", "here"])
@pytest.mark.parametrize("by", [-DAY, -HOUR, HOUR, DAY])
def test_one_right_clock_is_enough(nightly: Nightly, wrong: str, by: float) -> None:
    world = nightly.world
    world.change("a", 0)
    world.change("b", 10 * DAY + HOUR)
    nightly.run(10 * DAY, command=PLAIN, **{wrong: by})
    world.change("c", 10 * DAY + 1)
    nightly.run(11 * DAY, **{wrong: -by})
    world.change("d", 11 * DAY - 30)
    nightly.run(12 * DAY)
    assert nightly.newest() == world.records


def test_a_plain_run_writes_a_mark(nightly: Nightly) -> None:
    world = nightly.world
    world.change("a", 0)
    nightly.run(1000, command=PLAIN)
    world.change("b", 2000)
    nightly.run(3000)
    assert world.asked == [None, "2025-12-31T23:59:00.000000Z"]
    assert nightly.newest() == world.records


def manifest_of(nightly: Nightly) -> tuple[Path, Any]:
    """The file of the manifest, and what it holds."""
    path = nightly.folder / "dump/manifest.json"
    return path, json.loads(path.read_text())


def test_a_mark_keeps_both_clocks(nightly: Nightly) -> None:
    nightly.world.change("a", 0)
    nightly.run(1000, date=7, here=5)
    (entry,) = manifest_of(nightly)[1]["files"]
    assert (entry["clock"], entry["sent"]) == (
        "2026-01-01T00:16:47.000000Z",
        "2026-01-01T00:16:45.000000Z",
    )
    assert entry["mark"][0] == "2026-01-01T00:00:00.000000Z"
    assert entry["mark"][2] == "2026-01-01T00:16:45.000000Z"


@pytest.mark.parametrize("only", [False, True], ids=["of two", "the only one"])
def test_a_mark_later_than_the_clock_was_is_not_believed(nightly: Nightly, *, only: bool) -> None:
    """So it is where this machine's clock was set back while a list was read."""
    world = nightly.world
    world.change("a", 0)
    if not only:
        nightly.run(DAY)
    world.change("b", 2 * DAY)
    nightly.run(2 * DAY + 100)
    path, kept = manifest_of(nightly)
    mark = min(kept["files"], key=lambda one: len(one["file"]) * (1 if only else -1))["mark"]
    mark[0], mark[2] = "2026-01-09T00:00:00Z", "2026-01-03T00:01:40Z"
    path.write_text(json.dumps(kept))
    world.change("c", 3 * DAY)
    begin = "whole" if only else "from 2025-12-31T23:59:00.000000Z on"
    assert (
        "the mark 2026-01-09T00:00:00Z is later than the time of the run that wrote it, so the"
        f" list is read {begin}\n"
    ) in nightly.run(3 * DAY + 100).stderr
    assert nightly.newest() == world.records


@pytest.mark.parametrize("future", [False, True])
def test_a_mark_without_clocks_is_read_from_a_day_before(nightly: Nightly, *, future: bool) -> None:
    world = nightly.world
    world.change("a", 0)
    world.change("b", 5 * DAY)
    nightly.run(6 * DAY)
    path, kept = manifest_of(nightly)
    (entry,) = kept["files"]
    stamp = "2026-01-20T00:00:00.000000Z" if future else entry["mark"][0]
    entry["mark"] = [stamp, entry["mark"][1]]
    for name in ("sent", "earlier"):
        entry.pop(name, None)
    path.write_text(json.dumps(kept))
    world.change("late", 4 * DAY + 1)
    nightly.run(7 * DAY)
    assert world.asked[-1] == (None if future else "2026-01-05T00:00:00.000000Z")
    assert nightly.newest() == world.records


def test_a_killed_increment_with_another_start_is_read_again(nightly: Nightly) -> None:
    world = nightly.world
    for number in range(6):
        world.change(f"t{number}", number)
    nightly.run(DAY)
    for number in range(6):
        world.change(f"t{number}", 2 * DAY - number, name="changed")
    replies = iter(range(2))
    world.broken = lambda _: None if next(replies, None) is not None else served({}, 403)
    with pytest.raises(AssertionError, match="resume at page 3"):
        nightly.run(3 * DAY)
    world.broken = lambda _: None
    nightly.run(4 * DAY, command=EXPORT.replace("--to", "--lag 7200 --to"))
    assert nightly.newest() == world.records
