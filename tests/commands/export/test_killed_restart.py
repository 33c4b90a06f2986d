"""An export that was to start over and was killed, run again without --restart: nothing
old is taken for new.
"""

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stores
from changes import World
from front_door import Result, Unified
from nights import Place, table
from pages import served
from server import Reply, Seen, Service

WHAT = "export ticketing/tickets ticketing/users --workers 1"


@pytest.fixture
def world(service: Service) -> World:
    made = World(service)
    for number, name in enumerate("abc"):
        made.change(name, number)
    return made


@pytest.fixture(params=["ndjson", pytest.param("delta", marks=pytest.mark.extra)])
def form(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "delta":
        pytest.importorskip("deltalake", reason="needs the extra delta")
    before = os.umask(0o077)
    yield request.param
    os.umask(before)


@pytest.fixture
def export(unified: Unified, service: Service, to: str, form: str) -> Callable[..., Result]:
    def run(more: str = "") -> Result:
        return unified(f"{WHAT} --to {to} --format {form} {more}", environ=service.environ)

    return run


def content(tmp_path: Path, resource: str) -> list[Any]:
    """The records of a list, in all its files, or in its table."""
    if (tmp_path / "dump/ticketing").exists():
        found = table(Place("", f"{tmp_path}/dump"), f"ticketing/{resource}").to_pyarrow_table(
            columns=["record"]
        )
        return sorted(
            (json.loads(one) for one in found["record"].to_pylist()), key=lambda one: str(one["id"])
        )
    folder = tmp_path / "dump/acct-1/ticketing"
    paths = sorted([*folder.glob(f"{resource}.*ndjson"), *folder.glob(f"{resource}/*.ndjson")])
    return [json.loads(line) for path in paths for line in path.read_text().splitlines()]


def kill_restart(service: Service, world: World, words: list[str], home: Path) -> None:
    """Run it with --restart as a process that is killed when it asks for its first
    page.
    """

    def kill(_: Seen) -> Reply | None:
        process.send_signal(signal.SIGKILL)
        return Reply(500)

    world.broken = kill
    process = stores.start([*WHAT.split(), *words, "--restart"], home, service.environ)
    assert stores.ended(process)[0] == -signal.SIGKILL
    world.broken = lambda _: None


def test_lists_that_a_killed_restart_did_not_reach_do_not_count_as_read(
    world: World,
    to: str,
    form: str,
    export: Callable[..., Result],
    service: Service,
    tmp_path: Path,
) -> None:
    assert export("--incremental").code == 0
    world.change("d", 10)
    assert export("--incremental").code == 0
    world.change("a", 1000, name="changed")
    kill_restart(service, world, ["--to", to, "--format", form], tmp_path / "home")
    result = export()
    said = (
        f"wrote 2 {'lists' if form == 'delta' else 'files'} with 8 records to {to}, 0 already"
        " complete; 2 of 2 lists done\n"
    )
    assert (result.code, result.stderr) == (0, said)
    for resource in ("tickets", "users"):
        assert {one["id"]: one for one in content(tmp_path, resource)} == world.records
        assert len(content(tmp_path, resource)) == 4


def test_a_list_of_which_the_provider_left_something_out_is_read_again(
    world: World, export: Callable[..., Result], tmp_path: Path
) -> None:
    world.broken = lambda _: served(
        {"result": [], "next_cursor": None, "is_partial_response": True}
    )
    assert export().code == 9
    assert export().code == 9
    world.broken = lambda _: None
    assert export().code == 0
    assert content(tmp_path, "tickets") == [*world.records.values()]
    assert export().stderr.startswith("wrote 0 ")


@pytest.mark.parametrize("form", ["ndjson"], indirect=True)
@pytest.mark.parametrize("more", ["", "--incremental"])
def test_a_list_that_lost_its_end_to_a_killed_restart_is_not_complete(
    world: World, export: Callable[..., Result], tmp_path: Path, more: str
) -> None:
    """The files of what changed are removed first, the newest before the others."""
    for seconds in (10, 20):
        assert export("--incremental").code == 0
        world.change("d", seconds)
    assert export("--incremental").code == 0
    folder = tmp_path / "dump/acct-1/ticketing"
    (last,) = [*folder.glob("tickets.3.ndjson"), *folder.glob("tickets/0003-*.ndjson")]
    last.unlink()
    result = export(more)
    assert (result.code, "acct-1/ticketing/tickets" in result.stderr) == (12, True)
    assert "(--restart" in result.stderr
    assert export("--restart").code == 0
    assert content(tmp_path, "tickets") == [*world.records.values()]


@pytest.mark.parametrize("form", ["ndjson"], indirect=True)
@pytest.mark.parametrize("more", ["", "--dedupe id"])
def test_a_restart_that_keeps_what_was_written_and_was_killed_reads_every_list_again(
    world: World,
    to: str,
    export: Callable[..., Result],
    service: Service,
    tmp_path: Path,
    more: str,
) -> None:
    assert export().code == 0
    world.change("d", 10)
    kill_restart(service, world, ["--to", to, "--dedupe", "id"], tmp_path / "home")
    result = export(more)
    number = 2 * len(world.records)
    assert (result.code, result.stderr) == (
        0,
        f"wrote 2 files with {number} records to {to}, 0 already complete; 2 of 2 lists done\n",
    )
    for resource in ("tickets", "users"):
        assert content(tmp_path, resource) == [*world.records.values()]
