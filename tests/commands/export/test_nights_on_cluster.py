"""Nightly exports by a Dask cluster into one table of each list: in each night a worker
is killed.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaigns import size
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


@pytest.fixture
def dask(tmp_path: Path, service: Service) -> Iterator[Cluster]:
    with cluster(tmp_path / "home", pages=1, records=1, odd=False) as made:
        made.service = service.url
        yield made


def begin(dask: Cluster, provider: Provider, place: Place) -> Started:
    """The export of a night."""
    words = ["export", *provider.lists, "-p", "*", "--incremental", "--format", "delta"]
    return dask.unified(*words, "--engine", dask.engine, "--to", place.to)


def ended(process: Started) -> tuple[int, str]:
    _, stderr = process.communicate(timeout=300)
    return process.returncode, stderr.decode()


def is_read(provider: Provider, place: Place) -> None:
    for who, read in READERS["delta"].items():
        for name in provider.lists:
            said = differing(read(place, name), provider.state(name))
            assert not said, f"{who}, {name}: {said}"
    provider.was_read()


@pytest.mark.long(seconds=40)
def test_nights_of_a_cluster_that_loses_a_worker_in_each(
    dask: Cluster, service: Service, tmp_path: Path, record_property: Any
) -> None:
    provider, place = Provider(service, size(12, 4), 60, LISTS), Place.of("file", tmp_path)
    dask.config(dict.fromkeys(provider.names, "token-0"))
    code, stderr = ended(begin(dask, provider, place))
    assert code == 0, stderr
    is_read(provider, place)
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
        code, stderr = ended(begin(dask, provider, place))
        provider.before = lambda: None
        assert (code, victim.wait(60)) == (0, -9), stderr
        is_read(provider, place)
        dask.start_worker()
        wait_until(lambda number=number: dask.registered() > number)
    said = f"nights of a cluster with a worker killed in each: {NIGHTS}, each exact"
    record_property("nights", said)
    sys.stdout.write(f"{said}\n")


@pytest.mark.long(seconds=30)
def test_of_two_drivers_at_once_one_is_refused_or_both_are_right(
    dask: Cluster, service: Service, tmp_path: Path
) -> None:
    provider, place = Provider(service, 3, 40, LISTS[:2]), Place.of("file", tmp_path)
    dask.config(dict.fromkeys(provider.names, "token-0"))
    for _ in range(size(5, 2)):
        both = [begin(dask, provider, place) for _ in range(2)]
        found = [ended(process) for process in both]
        codes = [code for code, _ in found]
        assert {*codes} <= {0, 12}, found
        if 0 not in codes:
            assert ended(begin(dask, provider, place))[0] == 0
        is_read(provider, place)
        provider.pass_a_night()
