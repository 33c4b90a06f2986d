"""Exports as Delta tables: always the current state, each record as exactly the text that was served."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from changes import World
from front_door import Result, Unified
from server import Reply, Seen, Service

pytestmark = pytest.mark.extra
deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("pyarrow", reason="needs the extra delta")
pytest.importorskip("obstore", reason="needs the extra cloud")

stores = pytest.importorskip("stores")

Export = Callable[..., Result]


@pytest.fixture(scope="module")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with stores.s3_server(tmp_path_factory.mktemp("s3") / "log") as url:
        yield url


@pytest.fixture(autouse=True)
def umask() -> Iterator[None]:
    """What an export of tables sets for the whole process is set back."""
    before = os.umask(0o022)
    yield
    os.umask(before)


class Place:
    """Where an export goes, and its tables, read without the program."""

    def __init__(self, url: str, environ: dict[str, str]) -> None:
        self.url = url
        self.environ = environ

    def table(self, name: str = "ticketing/tickets") -> Any:
        settings = {"allow_http": "true", "aws_conditional_put": "etag", **self.environ} if "s3:" in self.url else {}
        return deltalake.DeltaTable(f"{self.url.removeprefix('file://')}/{name}", storage_options=settings)

    def rows(self, name: str = "ticketing/tickets", version: int | None = None) -> list[dict[str, Any]]:
        table = self.table(name)
        if version is not None:
            table.load_as_version(version)
        found: list[dict[str, Any]] = table.to_pyarrow_table().to_pylist()
        return sorted(found, key=lambda row: (row["_profile"], row["id"]))

    def records(self, version: int | None = None) -> dict[str, Any]:
        found = self.rows(version=version)
        assert len({(row["_profile"], row["id"]) for row in found}) == len(found)
        return {row["id"]: json.loads(row["record"]) for row in found}


@pytest.fixture(params=["folder", "file", "s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    if request.param == "s3":
        bucket = stores.Bucket(request.getfixturevalue("s3"), f"b{abs(hash(request.node.name))}")
        for name, value in bucket.environ.items():
            monkeypatch.setenv(name, value)
        return Place(f"{bucket.url}/dump", bucket.environ)
    return Place(f"{'file://' if request.param == 'file' else ''}{tmp_path}/dump", {})


@pytest.fixture
def folder(tmp_path: Path) -> Place:
    return Place(f"{tmp_path}/dump", {})


@pytest.fixture
def world(service: Service) -> World:
    return World(service)


@pytest.fixture
def run(unified: Unified, service: Service) -> Export:
    def run(place: Place, more: str = "", what: str = "ticketing/tickets") -> Result:
        environ = {**os.environ, **service.environ, "UNIFIED_RATE": "0"}
        return unified(f"export {what} --to {place.url} --format delta {more}", environ=environ)

    return run


def serve_texts(service: Service, records: list[str]) -> None:
    """Serve these records as they are written here, in pages of two."""

    def reply(seen: Seen) -> Reply:
        at = int(dict(seen.query).get("next_cursor") or 0)
        onward = f'"{at + 2}"' if at + 2 < len(records) else "null"
        return Reply(200, f'{{"result":[{",".join(records[at : at + 2])}],"next_cursor":{onward}}}'.encode())

    service.reply = reply


def test_the_table_is_the_state_after_each_run(run: Export, unified: Unified, world: World, place: Place) -> None:
    for number in range(5):
        world.change(f"t{number}", number * 1000)
    result = run(place, "--incremental")
    assert (result.code, result.stderr) == (0, f"wrote 1 list with 5 records to {place.url}, 0 already complete\n")
    assert place.records() == world.records
    first = dict(world.records)
    world.change("t0", 6000, name="changed")
    world.change("t9", 6001)
    assert run(place, "--incremental").stderr.startswith("wrote 1 list with 2 records")
    assert place.records() == world.records
    assert run(place, "--incremental").stderr.startswith("wrote 0 lists with 0 records")
    # What was deleted is seen by a full read.
    del world.records["t1"]
    world.change("t2", 7000)
    assert run(place, "--incremental").code == 0
    assert place.records() == {**world.records, "t1": first["t1"]}
    before = place.table().version()
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0
    result = run(place, "--restart")
    assert "not there any more: 1 id of earlier reads" in result.stderr
    assert place.records() == world.records
    assert unified(f"export --verify {place.url}", environ={**os.environ}).code == 0
    # Whatever was, can be read again.
    assert place.records(version=before) == {**world.records, "t1": first["t1"]}
    assert place.records(version=1) == first
    assert run(place).stderr.startswith("wrote 0 lists with 0 records")
    assert [since is None for since in world.asked] == [True, False, False, False, True]
