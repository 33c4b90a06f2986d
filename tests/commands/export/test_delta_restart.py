"""A restart of a Delta table whose other runs were killed, frozen or undone: no commit
of before counts as one of the restart.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stores
from changes import World
from front_door import Result, Unified
from nights import Place, table
from pages import served
from server import Seen, Service

from unified_cli.errors import StorageError

pytestmark = pytest.mark.extra
pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("obstore", reason="needs the extra cloud")

LIST = "ticketing/tickets"
LONG = pytest.mark.long(seconds=3)
Export = Callable[..., Result]


def places(normal: str) -> Any:
    """Run a test in this place; in the others it is a campaign."""
    found = [
        pytest.param(one, marks=[] if one == normal else [LONG]) for one in ("folder", "file", "s3")
    ]
    return pytest.mark.parametrize("place", found, indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    umask = os.umask(0o077)
    found = Place.of(request.param, tmp_path)
    if request.param == "s3":
        bucket = stores.Bucket(request.getfixturevalue("s3"), f"b{abs(hash(request.node.nodeid))}")
        for name, value in bucket.environ.items():
            monkeypatch.setenv(name, value)
        found = bucket.place
    yield found
    os.umask(umask)


@pytest.fixture
def world(service: Service) -> World:
    made = World(service)
    for number in range(5):
        made.change(f"t{number}", number)
    return made


@pytest.fixture
def export(unified: Unified, service: Service, place: Place) -> Export:
    def run(more: str = "") -> Result:
        environ = {**os.environ, **service.environ, "UNIFIED_RATE": "0"}
        return unified(f"export {LIST} --to {place.to} --format delta {more}", environ=environ)

    return run


@pytest.fixture
def rows(place: Place) -> Callable[[], dict[str, Any]]:
    def read() -> dict[str, Any]:
        found = table(place, LIST).to_pyarrow_table().to_pylist()
        assert len({row["id"] for row in found}) == len(found)
        return {row["id"]: json.loads(row["record"]) for row in found}

    return read


def verified(unified: Unified, place: Place) -> int:
    return int(unified(f"export --verify {place.to}", environ=dict(os.environ)).code)


def kill_after_the_commit(monkeypatch: pytest.MonkeyPatch, run: Callable[[], Result]) -> None:
    """Run it; nothing is written after its commit."""
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    write = ListTable._write_log

    def die(*given: Any) -> None:
        write(*given)
        raise StorageError("no more")

    with monkeypatch.context() as patched:
        patched.setattr(ListTable, "_write_log", die)
        assert run().code == 11


def seem_dead_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take a run for dead after half a second. One that is frozen renews no lease."""
    lease = "unified_cli.commands.export.store_lease"
    for name, seconds in {"DEAD": 0.5, "POLL": 0.1, "BEAT": 60.0}.items():
        monkeypatch.setattr(f"{lease}._{name}_SECONDS", seconds)


def freeze_before_its_commit(
    monkeypatch: pytest.MonkeyPatch, world: World, meanwhile: Callable[[], Result]
) -> list[Result]:
    """Freeze the next run before its commit, until its successor asks for a page.

    Returns a list that gets the result of `meanwhile`, which runs the successor.
    """
    from unified_cli.commands.export.delta_table import ListTable  # noqa: PLC0415  an extra

    seem_dead_soon(monkeypatch)
    write, begun, results = ListTable._write_log, list[None](), list[Result]()

    def frozen(*given: Any) -> None:
        if begun:
            write(*given)
            return
        begun.append(None)

        def wake(_: Seen) -> None:
            world.broken = lambda _: None
            write(*given)

        world.broken = wake
        results.append(meanwhile())

    monkeypatch.setattr(ListTable, "_write_log", frozen)
    return results


@pytest.mark.parametrize("place", ["s3", pytest.param("file", marks=LONG)], indirect=True)
@pytest.mark.parametrize("later", ["--incremental", ""])
def test_a_restart_does_not_take_the_commit_of_a_frozen_run_for_its_own(
    later: str,
    export: Export,
    world: World,
    place: Place,
    rows: Callable[[], dict[str, Any]],
    unified: Unified,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It wakes while the restart reads, and both have the same number."""
    if later:
        assert export("--incremental").code == 0
        world.change("t0", 100, name="changed")

    def restart() -> Result:
        del world.records["t1"]
        world.change("t2", 200, name="changed")
        return export("--restart")

    others = freeze_before_its_commit(monkeypatch, world, restart)
    result = export(later)
    assert others[0].code == 0, others[0].stderr
    assert (result.code, "has taken over from this run" in result.stderr) == (12, True)
    assert rows() == world.records
    assert verified(unified, place) == 0
    world.change("t3", 300, name="changed")
    assert export("--incremental").code == 0
    assert rows() == world.records
    assert verified(unified, place) == 0


@pytest.mark.parametrize("place", ["s3", pytest.param("file", marks=LONG)], indirect=True)
def test_a_read_of_discarded_pages_is_not_that_of_a_frozen_run(
    export: Export,
    world: World,
    place: Place,
    rows: Callable[[], dict[str, Any]],
    unified: Unified,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The provider left something out, so its successor reads the list again."""
    partial = {"result": [world.records["t0"]], "next_cursor": None, "is_partial_response": True}
    world.broken = lambda _: served(partial)
    others = freeze_before_its_commit(monkeypatch, world, export)
    result = export()
    assert (others[0].code, result.code) == (0, 12), others[0].stderr
    assert rows() == world.records
    assert verified(unified, place) == 0


@places("folder")
@pytest.mark.parametrize(("first", "later"), [(None, ""), ("", "--incremental"), ("", "--restart")])
def test_a_commit_that_was_undone_before_its_run_continues_does_not_count(
    first: str | None,
    later: str,
    export: Export,
    world: World,
    place: Place,
    rows: Callable[[], dict[str, Any]],
    unified: Unified,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The table was restored while its run was stopped: its transactions stay."""
    version = 0
    if first is not None:
        assert export(first).code == 0
        version = 1
        world.change("t0", 100, name="changed")
        world.change("new", 100)
    kill_after_the_commit(monkeypatch, lambda: export(later))
    assert rows() == world.records
    table(place, LIST).restore(version)
    for more in ("", "--incremental"):
        result = export(more)
        if result.code == 0 and more == "" and later == "--incremental":
            # The list is as the manifest says; only the changes are missing.
            continue
        assert (result.code, "is a RESTORE" in result.stderr) == (12, True), result.stderr
        assert "unified export … --restart" in result.stderr
    assert export("--restart").code == 0
    assert rows() == world.records
    assert verified(unified, place) == 0
    world.change("t1", 200, name="changed")
    assert export("--incremental").code == 0
    assert rows() == world.records


@places("folder")
@pytest.mark.parametrize("later", ["", "--incremental"])
def test_a_restart_that_was_killed_early_takes_nothing_of_before(
    later: str,
    export: Export,
    world: World,
    place: Place,
    rows: Callable[[], dict[str, Any]],
    unified: Unified,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between its manifest and the removal of pages that were committed, and undone
    since.
    """
    assert export("--incremental").code == 0
    del world.records["t4"]
    world.change("t0", 100, name="changed")
    kill_after_the_commit(monkeypatch, lambda: export(later or "--restart"))
    table(place, LIST).restore(1)

    def die(*_: Any, **__: Any) -> None:
        raise StorageError("no more")

    with monkeypatch.context() as patched:
        patched.setattr("unified_cli.exported.export_state._begin_anew", die)
        assert export("--restart").code == 11
    result = export(later)
    assert result.code == 0, result.stderr
    assert rows() == world.records
    assert verified(unified, place) == 0


@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_lists_whose_commits_a_killed_run_did_not_note_read_each_commit_once(
    config: Callable[[str], Path],
    unified: Unified,
    world: World,
    service: Service,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All lists of a store are in tables before its manifest says so."""
    from unified_cli.commands.export.store_folder import StoreFolder  # noqa: PLC0415  an extra

    names = [f"c{number}" for number in range(6)]
    url = f'base_url = "{service.url}"'
    config("".join(f'[profiles.{name}]\n{url}\naccount_id = "of {name}"\n' for name in names))
    world.records = {"t0": world.records["t0"]}

    def export() -> Result:
        line = f"export {LIST} -p * --to {place.to} --format delta --rate 0"
        return unified(line, environ={**os.environ, **service.environ})

    replace, read, looked = StoreFolder.replace, StoreFolder.read, list[str]()

    def die(folder: StoreFolder, name: str, text: bytes) -> None:
        if b'"complete": true,' in text:
            raise StorageError("no more")
        replace(folder, name, text)

    def look(folder: StoreFolder, name: str) -> bytes | None:
        looked.extend([name] * ("_delta_log" in name))
        return read(folder, name)

    with monkeypatch.context() as patched:
        patched.setattr(StoreFolder, "replace", die)
        assert export().code == 11
    version = table(place, LIST).version()
    monkeypatch.setattr(StoreFolder, "read", look)
    asked = len(world.asked)
    result = export()
    assert (result.code, len(world.asked)) == (0, asked), result.stderr
    assert table(place, LIST).version() == version == len(names)
    assert len(looked) == len({*looked}) <= version
    assert verified(unified, place) == 0
