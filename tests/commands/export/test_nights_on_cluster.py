"""Nightly exports by a Dask cluster: in each night a worker is killed, or a clock or a
stamp is ahead.
"""

import json
import secrets
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import stores
from campaigns import size
from changes import START, World
from nights import LISTS, READERS, Place, Provider, differing
from server import Service

pytestmark = pytest.mark.extra
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")
pytest.importorskip("deltalake", reason="needs the extra delta")
pytest.importorskip("duckdb", reason="needs the extra test-all")
pytest.importorskip("polars", reason="needs the extra test-all")

from cluster import Cluster, Started, cluster, wait_until  # noqa: E402  needs the extra

NIGHTS = size(10, 1)
HOUR, YEAR = 3600, 366 * 86_400
PLACES = pytest.mark.parametrize("place", ["file", "s3"], indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A shared folder or a bucket."""
    if request.param == "file":
        return Place.of("file", tmp_path)
    url: str = request.getfixturevalue("s3")
    return stores.Bucket(url, f"b{secrets.token_hex(8)}").place


@pytest.fixture
def dask(tmp_path: Path, service: Service, place: Place) -> Iterator[Cluster]:
    home = tmp_path / "home"
    with cluster(home, pages=1, records=1, odd=False, **place.environ) as made:
        made.service = service.url
        yield made


def begin(dask: Cluster, lists: Iterable[str], place: Place, form: str = "delta") -> Started:
    """The export of a night."""
    words = ["export", *lists, "-p", "*", "--incremental", "--format", form]
    return dask.unified(*words, "--engine", dask.engine, "--to", place.to)


def ended(process: Started) -> tuple[int, str]:
    _, stderr = process.communicate(timeout=300)
    return process.returncode, stderr.decode()


def is_read(provider: Provider, place: Place, form: str = "delta") -> None:
    for who, read in READERS[form].items():
        for name in provider.lists:
            said = differing(read(place, name), provider.state(name))
            assert not said, f"{who}, {name}: {said}"
    provider.was_read()


@pytest.mark.long(seconds=40)
@PLACES
@pytest.mark.parametrize("form", ["delta", "ndjson", "parquet"])
def test_nights_of_a_cluster_that_loses_a_worker_in_each(
    form: str, dask: Cluster, service: Service, place: Place, record_property: Any
) -> None:
    provider = Provider(service, size(12, 4), 60, LISTS)
    dask.config(dict.fromkeys(provider.names, "token-0"))
    code, stderr = ended(begin(dask, provider.lists, place, form))
    assert code == 0, stderr
    is_read(provider, place, form)
    for night in range(NIGHTS):
        provider.pass_a_night()
        provider.asked.clear()
        # The lists of a task are read side by side: at this request some are done, and
        # others are not.
        deadly, victim, number = len(provider.names) + night, dask.workers[-1], dask.registered()

        def kill(deadly: int = deadly, victim: Started = victim) -> None:
            if provider.asked.total() == deadly:
                victim.kill()

        provider.before = kill
        code, stderr = ended(begin(dask, provider.lists, place, form))
        provider.before = lambda: None
        assert (code, victim.wait(60)) == (0, -9), stderr
        is_read(provider, place, form)
        dask.start_worker()
        wait_until(lambda number=number: dask.registered() > number)
    said = f"nights of a cluster with a worker killed in each, {form}: {NIGHTS}, each exact"
    record_property("nights", said)
    sys.stdout.write(f"{said}\n")


@pytest.mark.long(seconds=30)
@pytest.mark.parametrize("place", ["file"], indirect=True)
def test_of_two_drivers_at_once_one_is_refused_or_both_are_right(
    dask: Cluster, service: Service, place: Place
) -> None:
    provider = Provider(service, 3, 40, LISTS[:2])
    dask.config(dict.fromkeys(provider.names, "token-0"))
    for _ in range(size(5, 2)):
        both = [begin(dask, provider.lists, place) for _ in range(2)]
        found = [ended(process) for process in both]
        codes = [code for code, _ in found]
        assert {*codes} <= {0, 12}, found
        if 0 not in codes:
            assert ended(begin(dask, provider.lists, place))[0] == 0
        is_read(provider, place)
        provider.pass_a_night()


@pytest.mark.long(nightly="plain runs have the same marks in each slice")
@PLACES
@pytest.mark.parametrize("form", ["ndjson", "delta"])
def test_a_stamp_or_a_date_ahead_hides_no_change_from_a_cluster(
    form: str, dask: Cluster, service: Service, place: Place
) -> None:
    """The clocks of a cluster's machines are right."""
    world = World(service)
    dask.config({"c00": "token-0"})

    def now() -> float:
        return time.time() - START.timestamp()

    def night(*, date: float = 0) -> None:
        world.now(now() + date)
        code, stderr = ended(begin(dask, LISTS[:1], place, form))
        assert code == 0, stderr

    def check() -> None:
        found = READERS[form]["DuckDB"](place, LISTS[0])
        assert {one: json.loads(text) for (_, one), text in found.items()} == world.records

    for number in range(20):
        world.change(f"t{number}", now() - (20 - number) * 1000)
    night()
    world.change("ahead", 73 * YEAR)
    night()
    night()
    world.change("t3", now() - 90, name="changed")
    night()
    check()
    world.change("t0", now() + 2 * HOUR - 1)
    night(date=2 * HOUR)
    for number in range(1, size(10, 3)):
        world.change(f"t{number}", now() - 61, night=number)
        night()
        check()
