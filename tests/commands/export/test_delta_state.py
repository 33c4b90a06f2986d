"""Delta tables hold the newest state of each record, whatever was asked for and stopped
when.
"""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stores
from changes import World
from front_door import Result, Unified
from nights import Place, table
from server import Service

pytestmark = pytest.mark.extra
pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("obstore", reason="needs the extra cloud")

NAMES = [f"ticketing/{name}" for name in ("tickets", "users", "tags", "contacts")]
Export = Callable[..., Result]
# Stopped between the commit of a table and the manifest.
STOPPED = """
import os, time
from unified_cli.commands.export.delta_table import ListTable
write = ListTable._write_log

def stop_after(*given):
    write(*given)
    os.kill(os.getpid(), int(os.environ["STOP"]))
    time.sleep(1)

ListTable._write_log = stop_after
from unified_cli.__main__ import run
run()
"""

REBUILDS = "unified export … --restart, without --incremental, rebuilds its part"
NORMAL = [
    (("", "--incremental"), signal.SIGKILL, "folder"),
    (("", "--incremental"), signal.SIGTERM, "store"),
]
"""All other kinds of runs, signals and places are a campaign."""
# What decides about rows knows no place.
IN_A_FOLDER = pytest.mark.parametrize(
    "to",
    ["folder", pytest.param("store", marks=pytest.mark.long(seconds=1))],
    indirect=True,
)


@pytest.fixture
def world(service: Service) -> World:
    return World(service)


@pytest.fixture
def export(unified: Unified, service: Service, to: str) -> Export:
    def run(more: str = "", what: str = "ticketing/tickets") -> Result:
        environ = {**service.environ, "UNIFIED_RATE": "0"}
        return unified(f"export {what} --to {to} --format delta {more}", environ=environ)

    return run


@pytest.fixture
def rows(tmp_path: Path) -> Callable[..., dict[str, Any]]:
    def read(name: str = "ticketing/tickets") -> dict[str, Any]:
        found = table(Place("", f"{tmp_path}/dump"), name).to_pyarrow_table().to_pylist()
        assert len({row["id"] for row in found}) == len(found)
        return {row["id"]: json.loads(row["record"]) for row in found}

    return read


@pytest.fixture
def stop(request: pytest.FixtureRequest, service: Service, to: str, tmp_path: Path) -> Any:
    """Run an export that is stopped right after a commit."""

    def run(more: str = "") -> tuple[int, str]:
        words = ["export", *NAMES, "--to", to, "--format", "delta", "--rate", "0", *more.split()]
        environ = {**service.environ, "STOP": str(int(request.param))}
        started = stores.start(words, tmp_path / "home", environ, program=STOPPED)
        return stores.ended(started)

    return run


@pytest.mark.parametrize(
    ("first", "mode", "stop", "to"),
    [
        pytest.param(
            *kind,
            number,
            to,
            marks=[] if (kind, number, to) in NORMAL else [pytest.mark.long(seconds=8)],
        )
        for kind in [("", "--incremental"), ("--incremental", "--incremental"), ("", "--restart")]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
        for to in ("folder", "store")
    ],
    indirect=["stop", "to"],
)
def test_a_run_that_was_stopped_after_its_commit_is_finished(
    first: str,
    mode: str,
    stop: Callable[..., tuple[int, str]],
    export: Export,
    unified: Unified,
    world: World,
    rows: Callable[..., dict[str, Any]],
    to: str,
) -> None:
    """Also after a plain first run, and more than once."""
    for number in range(5):
        world.change(f"t{number}", number * 1000)
    assert export(first, " ".join(NAMES)).code == 0
    for number in range(3):
        world.change(f"t{number}", 10_000 + number * 1000, name="changed")
        world.change(f"new{number}", 10_000 + number * 1000)
        code, stderr = stop(mode)
        assert code not in {0, 12}, stderr
        mode = "--incremental"
    result = export("--incremental", " ".join(NAMES))
    assert result.code == 0, result.stderr
    assert [rows(name) for name in NAMES] == [world.records] * len(NAMES)
    result = export("--incremental", " ".join(NAMES))
    said = f"wrote 0 lists with 0 records to {to}, 4 already complete"
    assert (result.code, result.stderr.startswith(said)) == (0, True), result.stderr
    assert unified(f"export --verify {to}").code == 0


def at(second: int | None) -> dict[str, Any]:
    return {} if second is None else {"updated_at": f"2026-01-01T00:00:{second:02}Z"}


@IN_A_FOLDER
@pytest.mark.parametrize(
    ("first", "later", "newer"),
    [
        (9, 3, "first"),
        (3, 9, "later"),
        (3, 3, "later"),
        (3, None, "first"),
        (None, 3, "later"),
        (None, None, "later"),
    ],
)
@pytest.mark.parametrize("reads", ["one read", "two reads"])
def test_the_newer_state_wins(
    reads: str,
    first: int | None,
    later: int | None,
    newer: str,
    export: Export,
    world: World,
    rows: Callable[..., dict[str, Any]],
) -> None:
    """Within one read, and if a later one brings an older state."""
    world.filters = False
    other = {"id": "other", **at(1)}
    states = [{"id": "r", "of": "first", **at(first)}, {"id": "r", "of": "later", **at(later)}]
    if reads == "one read":
        world.records = dict(enumerate([*states, other]))  # type: ignore[arg-type]
        assert export("--incremental").stderr.startswith("wrote 1 list with 2 records")
    else:
        world.records = dict(enumerate([other, states[0]]))  # type: ignore[arg-type]
        assert export("--incremental").stderr.startswith("wrote 1 list with 2 records")
        world.records = dict(enumerate([other, states[1]]))  # type: ignore[arg-type]
        # An older one is filtered out already.
        assert export("--incremental --lag 3600").code == 0
    assert rows()["r"]["of"] == newer
    # A full read has the state that the service has now, however old it says it is.
    world.records = dict(enumerate([other, states[1]]))  # type: ignore[arg-type]
    assert export("--restart").code == 0
    assert rows()["r"]["of"] == "later"


@IN_A_FOLDER
@pytest.mark.parametrize("digits", ["", "123456", "123456789"])
def test_states_are_compared_with_all_digits_that_a_time_has(
    digits: str, export: Export, world: World, rows: Callable[..., dict[str, Any]]
) -> None:
    """Of some times a column of timestamps holds nothing, but the record does."""
    point = f".{digits}" if digits else ""
    for second, name in ((9, "newer"), (3, "older")):
        stamp = f"2026-01-01T00:00:{second:02}{point}Z"
        world.records = {"r": {"id": "r", "updated_at": stamp, "name": name}}
        world.filters = False
        assert export("--incremental --lag 3600").code == 0
    assert rows()["r"]["name"] == "newer"


@IN_A_FOLDER
@pytest.mark.parametrize("more", ["-q status=Open", "--since 2026-01-01T00:30:00Z"])
@pytest.mark.parametrize("first", ["", "--incremental"])
def test_a_filtered_read_deletes_nothing(
    more: str, first: str, export: Export, world: World, rows: Callable[..., dict[str, Any]]
) -> None:
    for number in range(10):
        world.change(f"t{number}", number * 1000)
    assert export(first).code == 0
    everything = dict(world.records)
    for number in range(0, 10, 2):
        del world.records[f"t{number}"]
    result = export(f"--restart {more}")
    assert result.code in {0, 2}, result.stderr
    assert rows() == everything


@IN_A_FOLDER
def test_counts_are_those_of_the_table(
    export: Export, world: World, unified: Unified, rows: Callable[..., dict[str, Any]], to: str
) -> None:
    names = ["a", "b", "a"]
    world.records = {str(number): {"id": name, **at(number)} for number, name in enumerate(names)}
    result = export("--incremental")
    said = f"wrote 1 list with 2 records to {to}, 0 already complete"
    assert (result.code, result.stderr.startswith(said)) == (0, True), result.stderr
    assert rows() == {"a": world.records["2"], "b": world.records["1"]}
    assert unified(f"export --verify {to}").code == 0


@IN_A_FOLDER
def test_damage_to_a_file_of_a_table_is_found(
    export: Export, world: World, unified: Unified, to: str, tmp_path: Path
) -> None:
    """A bit that flipped, and a file that is gone."""
    for number in range(50):
        world.change(f"t{number}", number, text=os.urandom(50).hex())
    assert export().code == 0
    (file,) = (tmp_path / "dump/ticketing/tickets/_profile=acct-1").glob("*.parquet")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    result = unified(f"export --verify {to}")
    assert (result.code, result.stderr.splitlines()[0]) == (
        12,
        f"acct-1/ticketing/tickets.delta: a file of its table is damaged ({REBUILDS})",
    )
    file.unlink()
    result = unified(f"export --verify {to}")
    assert (result.code, result.stderr.splitlines()[0]) == (
        12,
        f"acct-1/ticketing/tickets.delta: a file of its table is gone ({REBUILDS})",
    )
