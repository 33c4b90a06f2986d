"""Exports of what changed: every change is in a file, whatever the provider does with
the filter.
"""

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from changes import START, World, five_rounds
from front_door import Result, Unified
from pages import cursor_of
from server import Reply, Seen, Service

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
        path.name: [json.loads(line) for line in path.read_text().splitlines()]
        for path in sorted(folder.iterdir())
    }


def union(tmp_path: Path) -> dict[str, Any]:
    """The newest state of each record in all files."""
    found = [record for records in files(tmp_path).values() for record in records]
    return {
        record["id"]: record for record in sorted(found, key=lambda one: str(one["updated_at"]))
    }


@pytest.mark.parametrize("form", ["ndjson", pytest.param("parquet", marks=pytest.mark.extra)])
def test_a_run_that_adds_a_file_names_a_reader_of_the_newest_state(
    form: str, world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow", reason="needs the extra parquet")
    world.change("t0", 0)
    assert "newest state" not in export(f"--format {form}").stderr
    world.change("t0", 3000, name="changed")
    _, said = export(f"--format {form}").stderr.splitlines()
    assert said == (
        f"changes are in separate files, such as acct-1/ticketing/tickets.2.{form}; unified sql"
        f" --from {tmp_path}/dump reads the newest state of each record (other readers:"
        " unified help engines)"
    )
    assert "newest state" not in export(f"--format {form}").stderr


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
    assert export(command="export ticketing/tickets --to").stderr.startswith(
        "wrote 0 files with 0 records"
    )


def test_a_list_is_as_old_as_the_last_look_at_its_changes(
    world: World, unified: Unified, service: Service, tmp_path: Path
) -> None:
    world.change("t0", 0)

    def run(command: str, day: int) -> Result:
        return unified(
            f"{command} {tmp_path}/dump",
            environ=service.environ,
            wall=lambda: START.timestamp() + day * DAY,
        )

    def age(day: int) -> str:
        old = run("export ticketing/tickets --to", day).stderr.splitlines()
        return old[1] if len(old) == 2 else ""

    def told(day: int) -> str:
        return (
            f"not read again: acct-1/ticketing/tickets (read 2026-01-0{day}T00:00:00+00:00); "
            "--incremental adds the changes since then, --restart reads everything again"
        )

    assert len(run(EXPORT, 1).stderr.splitlines()) == 1
    assert age(2) == told(2)
    assert len(run(EXPORT, 3).stderr.splitlines()) == 1
    assert age(4) == told(4)
    world.change("t0", 3 * DAY)
    assert run(EXPORT, 5).stderr.startswith("wrote 1 file")
    assert age(6) == told(6)
    assert run("export ticketing/tickets --quiet --to", 7).stderr == ""


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


DAY = 86_400.0


@pytest.fixture(params=[True, False], ids=["with a Date", "without a Date"])
def at_noon(
    request: pytest.FixtureRequest, world: World, unified: Unified, service: Service, tmp_path: Path
) -> Any:
    """An export at some second: by the service's clock, or where it has none by that of
    this machine.
    """

    def run(seconds: float, more: str = "", *, clock: float = 0) -> Result:
        world.now(seconds)
        wall = START.timestamp() + seconds
        if not request.param:
            service.clock = None
        else:
            # The clock of this machine is wrong, and does not matter.
            wall += 40 * DAY
        return unified(
            f"{EXPORT} {tmp_path}/dump {more}", environ=service.environ, wall=lambda: wall + clock
        )

    return run


AHEAD = "records with a time in the future, which incremental runs read again until then: "


@pytest.mark.parametrize("ahead", [2, 3600, 73 * 366 * DAY], ids=["seconds", "an hour", "2099"])
def test_a_stamp_to_come_hides_no_change(
    ahead: float, at_noon: Callable[..., Result], world: World, tmp_path: Path
) -> None:
    world.change("a", 0)
    world.change("bogus", 1000 + ahead)
    stamp = world.records["bogus"]["updated_at"].replace("Z", ".000000Z")
    said = f"{AHEAD}1 record in acct-1/ticketing/tickets, the last with id bogus: {stamp}\n"
    first = at_noon(1000)
    assert (first.code, first.stderr) == (
        0,
        (
            f"wrote 1 file with 2 records to {tmp_path}/dump,"
            f" 0 already complete; 1 of 1 list done\n{said}"
        ),
    )
    world.change("b", 1001)
    second = at_noon(1001)
    assert second.code == 0
    assert second.stderr.startswith("wrote 1 file with 1 record ")
    assert second.stderr.endswith(said)
    assert union(tmp_path) == world.records
    # A change of the pages ahead is one too.
    world.change("bogus", 1002 + ahead, name="changed")
    assert at_noon(1003).stderr.startswith("wrote 1 file with 1 record ")
    assert union(tmp_path) == world.records
    asked = [datetime.fromisoformat(one) for one in world.asked[1:] if one]
    assert max(asked) <= START + timedelta(seconds=1003 - 60)
    again = at_noon(1004)
    assert again.stderr.startswith("wrote 0 files with 0 records ")


@pytest.mark.extra
def test_in_a_store_too_a_stamp_to_come_hides_no_change(
    unified: Unified,
    world: World,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("obstore", reason="needs the extra cloud")
    from unified_cli.commands.export import chunked_list  # noqa: PLC0415  an extra

    monkeypatch.setattr(chunked_list, "BYTES", 1)
    before = os.umask(0o077)
    try:
        for seconds in (1000, 1001):
            # Each page is a chunk, and so the bogus stamp is in one of its own.
            world.change(f"a{seconds}", seconds - 61)
            world.change(f"b{seconds}", seconds - 61)
            world.change("bogus", 73 * 366 * DAY, change=seconds)
            world.now(seconds)
            result = unified(f"{EXPORT} file://{tmp_path}/dump", environ=service.environ)
            assert (result.code, AHEAD in result.stderr) == (0, True)
            found = [
                path.read_text().splitlines()
                for path in sorted((tmp_path / "dump").rglob("tickets/*.ndjson"))
            ]
            assert {
                one["id"]: one for lines in found for one in map(json.loads, lines)
            } == world.records
        assert world.asked == [None, "2026-01-01T00:14:39.000000Z"]
    finally:
        os.umask(before)


def test_a_list_with_only_future_times_is_read_completely(
    at_noon: Callable[..., Result], world: World, tmp_path: Path
) -> None:
    for number in range(3):
        world.change(f"t{number}", 4600 + number)
    said = at_noon(1000).stderr
    assert f"{AHEAD}3 records in acct-1/ticketing/tickets, the last with id t2: " in said
    world.change("t3", 4700)
    assert "\nwrote 1 file with 1 record " in at_noon(1100).stderr
    assert world.asked == [None, None]
    assert union(tmp_path) == world.records


def test_changes_during_a_read_are_read_by_the_next_run(
    at_noon: Callable[..., Result], world: World, service: Service, tmp_path: Path
) -> None:
    """The second page is of a later time than the first, and so is what it holds."""
    for number in range(4):
        world.change(f"t{number}", number)
    good, late = service.reply, []

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "2" and not late:
            late.append(world.change("t0", 1200, name="changed behind the reader"))
            world.change("t3", 1499)
            world.now(1500)
        return good(seen)

    service.reply = reply
    at_noon(1000)
    assert AHEAD not in at_noon(1600).stderr
    assert union(tmp_path) == world.records


def test_marks_of_older_versions_that_passed_the_clock_are_healed(
    at_noon: Callable[..., Result], world: World, tmp_path: Path
) -> None:
    world.change("a", 0)
    world.change("bogus", 73 * 366 * DAY)
    at_noon(1000)
    path = tmp_path / "dump" / "manifest.json"
    found = json.loads(path.read_text())
    (entry,) = found["files"]
    # So they were written: this machine's clock at the beginning, and the newest stamp
    # of all.
    stamp = world.records["bogus"]["updated_at"].replace("Z", ".000000Z")
    entry |= {"mark": [stamp, entry["mark"][1]], "started": "2026-01-01T00:16:40+00:00"}
    del entry["clock"]
    path.write_text(json.dumps(found))
    world.change("lost", 1001)
    assert AHEAD in at_noon(3 * DAY).stderr
    assert union(tmp_path) == world.records


def state_of(tmp_path: Path) -> dict[str, Any]:
    """The last state of each record, in the order of the files: stamps that are wrong
    say nothing of it.
    """
    found = files(tmp_path)
    numbered = {
        int(name.split(".")[1]) if name.count(".") == 2 else 1: records
        for name, records in found.items()
    }
    return {record["id"]: record for number in sorted(numbered) for record in numbered[number]}


HONEST, HOUR_AHEAD, IN_2099, IN_1970 = "honest", "an hour ahead", "2099", "1970"


@pytest.mark.parametrize(
    ("at_first", "later"),
    [
        ([HONEST, IN_2099], [HONEST, HONEST, HONEST, IN_2099]),
        ([HOUR_AHEAD], [HOUR_AHEAD]),
        ([HONEST], [HONEST, HONEST, HOUR_AHEAD]),
        # A product whose clock stands still.
        ([IN_1970], [IN_1970]),
        ([HONEST, HOUR_AHEAD, IN_2099, IN_1970], [HONEST, HOUR_AHEAD, IN_2099]),
    ],
    ids=["2099", "an hour ahead", "some an hour ahead", "1970", "all kinds"],
)
def test_five_series_of_increments_with_wrong_stamps_miss_nothing(
    at_first: list[str],
    later: list[str],
    at_noon: Callable[..., Result],
    world: World,
    tmp_path: Path,
) -> None:
    dice, now = random.Random(1), 5000.0

    def change(kinds: list[str]) -> None:
        kind, name = dice.choice(kinds), f"t{dice.randrange(30)}"
        ahead = {
            HONEST: 0,
            HOUR_AHEAD: 3600,
            IN_2099: 73 * 366 * DAY,
            IN_1970: -now - 56 * 365.25 * DAY,
        }[kind]
        world.change(name, now + ahead, value=dice.random())

    for round_ in range(6):
        for _ in range(3 if round_ else 40):
            change(later if round_ else at_first)
        now += dice.choice([1, 30, 600, 90_000])
        result = at_noon(now)
        assert result.code == 0
        assert state_of(tmp_path) == world.records
        said = [
            line.removeprefix(AHEAD)
            for line in result.stderr.splitlines()
            if line.startswith(AHEAD)
        ]
        ahead = sum(world.seconds(one) >= now + 1 for one in world.records.values())
        assert [line.partition(" ")[0] for line in said] == ([str(ahead)] if ahead else [])
        now += dice.choice([1, 30, 600, 90_000])


@pytest.mark.parametrize(
    "stamp", ["0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"]
)
@pytest.mark.parametrize("lag", ["0", "60", "1e300"])
def test_a_stamp_at_the_end_of_time_is_a_stamp(
    stamp: str, lag: str, at_noon: Callable[..., Result], world: World, tmp_path: Path
) -> None:
    world.records["a"] = {"id": "a", "updated_at": stamp}
    for seconds in (1000, 1001):
        assert at_noon(seconds, f"--lag {lag}").code == 0
    world.change("b", 1002)
    assert at_noon(1003, f"--lag {lag}").code == 0
    assert union(tmp_path) == world.records


@pytest.mark.parametrize(
    "changed",
    [{"mark": ["x", []]}, {"mark": ["2026-13-01", []]}, {"clock": "soon"}, {"started": "?"}],
    ids=str,
)
def test_an_invalid_mark_is_damage(
    changed: dict[str, Any], export: Callable[..., Result], world: World, tmp_path: Path
) -> None:
    world.change("a", 0)
    export()
    path = tmp_path / "dump" / "manifest.json"
    found = json.loads(path.read_text())
    found["files"][0] |= changed
    path.write_text(json.dumps(found))
    world.asked.clear()
    result = export()
    assert (result.code, world.asked) == (12, [])
    assert (
        result.stderr
        == f"error: {path} is damaged, or of another version (--restart starts again)\n"
    )


def test_a_change_within_a_microsecond_is_a_change(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.filters = False
    world.records["a"] = {"id": "a", "updated_at": "2026-01-01T00:00:00.000000001Z"}
    export("--lag 0")
    world.records["a"] = {"id": "a", "updated_at": "2026-01-01T00:00:00.000000002Z"}
    assert export("--lag 0").stderr.startswith("wrote 1 file with 1 record ")
    assert union(tmp_path) == world.records


@pytest.mark.parametrize(
    "at", [None, 5, "yesterday", {}], ids=["missing", "a number", "no time", "an object"]
)
def test_a_list_without_times_is_read_completely_and_reported(
    world: World, export: Callable[..., Result], tmp_path: Path, at: Any
) -> None:
    world.records["a"] = {"id": "a"} if at is None else {"id": "a", "updated_at": at}
    export()
    result = export()
    assert result.stderr.startswith(
        "acct-1/ticketing/tickets.ndjson: no record had an updated_at older than --lag, so the"
        " whole list is read again\n"
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


def test_a_restart_removes_added_records(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.change("a", 0)
    export()
    world.change("b", 100)
    export()
    assert export("--restart", "export ticketing/tickets --to").code == 0
    assert {name: len(records) for name, records in files(tmp_path).items()} == {
        "tickets.ndjson": 2
    }


def test_a_missing_file_is_reported_and_nothing_is_sent(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    for seconds in (0, 100):
        world.change(f"t{seconds}", seconds)
        export()
    (tmp_path / "dump/acct-1/ticketing/tickets.2.ndjson").unlink()
    world.asked.clear()
    result = export()
    assert (result.code, world.asked) == (12, [])
    assert "tickets.2.ndjson is gone (--restart starts again)" in result.stderr


def damaged(path: Path, at: bytes, instead: bytes, *, same_time: bool) -> None:
    """Put other bytes of the same number into a file; `same_time` hides it from readers
    of times only.
    """
    before, data = path.stat().st_mtime_ns, path.read_bytes()
    assert len(at) == len(instead)
    assert at in data
    path.write_bytes(data.replace(at, instead))
    os.utime(path, ns=(before, before if same_time else before + 10_000_000))


@pytest.mark.parametrize(
    ("at", "instead"),
    [(b"a0", b"\0\0"), (b'{"id": "a0"', b'"not JSON!"'), (b"a0", b"a1")],
    ids=["NULs", "garbage", "a byte"],
)
@pytest.mark.parametrize("more", ["--incremental", ""], ids=["with marks", "without"])
@pytest.mark.parametrize("which", ["tickets.ndjson", "tickets.2.ndjson"])
def test_an_increment_does_not_build_on_a_damaged_list(
    which: str,
    more: str,
    at: bytes,
    instead: bytes,
    world: World,
    export: Callable[..., Result],
    tmp_path: Path,
) -> None:
    path = tmp_path / "dump/acct-1/ticketing" / which
    world.change("a0", 0)
    assert export(command=f"export ticketing/tickets {more} --to").code == 0
    if "2" in which:
        world.change("a0", 1000)
        assert export().code == 0
        # The time was noted, too.
        assert export().code == 0
    damaged(path, at, instead, same_time=False)
    world.change("b", 2000)
    world.asked.clear()
    before = files_of(tmp_path)
    for command in (EXPORT, "export ticketing/tickets --to") if "2" not in which else (EXPORT,):
        result = export(command=command)
        assert (result.code, world.asked) == (12, [])
        assert result.stderr.endswith(
            f"error: {path} is not the file that was exported (--restart replaces it)\n"
        )
    assert files_of(tmp_path) == before
    assert export("--restart", "export ticketing/tickets --to").code == 0
    assert state_of(tmp_path) == world.records


@pytest.mark.parametrize("command", [EXPORT, "export ticketing/tickets --to"])
def test_leftovers_of_a_killed_run_beside_complete_files_are_removed(
    command: str, world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    for seconds in (0, 1000):
        world.change("a", seconds)
        assert export().code == 0
    kept = files_of(tmp_path)
    for name in kept:
        for end in ("part", "ckpt", "ckpt.tmp", "lock"):
            (tmp_path / "dump/acct-1/ticketing" / f"{name}.{end}").write_text("")
    assert export(command=command).code == 0
    assert files_of(tmp_path) == kept
    assert [path.name for path in (tmp_path / "dump").iterdir() if path.is_file()] == [
        "manifest.json"
    ]


def files_of(tmp_path: Path) -> dict[str, bytes]:
    folder = tmp_path / "dump" / "acct-1"
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_copy_of_an_export_is_compared_once_and_continues(
    world: World, export: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.change("a", 0)
    export()
    (tmp_path / "dump").rename(tmp_path / "original")
    shutil.copytree(tmp_path / "original", tmp_path / "dump", copy_function=shutil.copyfile)
    compared = []
    real = hashlib.file_digest
    monkeypatch.setattr(
        hashlib, "file_digest", lambda file, name: compared.append(file.name) or real(file, name)
    )
    for seconds in (100, 200):
        world.change("b", seconds)
        assert export().code == 0
    # The second run compares what the first has added, and nothing that was compared
    # before.
    assert len(compared) == 2
    assert union(tmp_path) == world.records


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("--format csv", "--incremental needs --format ndjson, parquet or delta"),
        (
            "--restart",
            (
                "--restart reads everything again, but --incremental reads only changes (leave out"
                " one"
                " of them)"
            ),
        ),
        (
            "-q 'updated_at[gt]=2026-01-31'",
            "--incremental filters by updated_at itself (leave out -q updated_at…)",
        ),
    ],
)
def test_conflicting_options_are_refused(
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
    return {
        record["id"]: record for record in sorted(found, key=lambda one: str(one["updated_at"]))
    }


@pytest.mark.parametrize(
    "url", [False, pytest.param(True, marks=pytest.mark.extra)], ids=["folder", "file"]
)
@pytest.mark.parametrize("form", ["ndjson", pytest.param("parquet", marks=pytest.mark.extra)])
def test_five_rounds_of_changes_under_faults_miss_nothing(
    world: World,
    service: Service,
    unified: Unified,
    tmp_path: Path,
    record_property: Any,
    form: str,
    *,
    url: bool,
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
        five_rounds(
            world,
            lambda: unified(command, environ=environ),
            lambda: newest(texts()),
            record_property,
        )
        assert unified(f"export --verify {to}").code == 0
    finally:
        os.umask(before)
