"""Exports of 20 connections x 3 lists with a worker that is killed, comes late, has no
token or sees another disk: each ends with a true report, or is refused before it
begins.
"""

import re
import shlex
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.extra, pytest.mark.xdist_group("dask faults")]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from cluster import (  # noqa: E402  needs the extra
    Cluster,
    Started,
    cluster,
    records_of,
    stop,
    wait_until,
)

NAMES = [f"c{number}" for number in range(20)]
LISTS = ("ticketing/tickets", "ticketing/contacts", "ticketing/users")
PAGES, RECORDS = 6, 5
ALL = len(NAMES) * len(LISTS)
# Frequent signs of life, so that a worker that is gone is noticed.
SETTINGS = {"UNIFIED_TOKEN": "t-0123456789", "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15s"}


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Cluster]:
    """Two workers, which have their token in the environment."""
    with cluster(tmp_path / "home", pages=PAGES, records=RECORDS, **SETTINGS) as made:
        made.config(dict.fromkeys(NAMES, ""))
        yield made


def begin(dask: Cluster, to: Path, *more: str) -> Started:
    words = ("export", *LISTS, "-p", "c*", "--engine", dask.engine, "--to", f"file://{to}", *more)
    return dask.unified(*words)


def ended(process: Started) -> tuple[int, str]:
    stdout, stderr = process.communicate(timeout=120)
    assert stdout == b""
    return process.returncode, stderr.decode()


def one_more(dask: Cluster, **more: str) -> Started:
    """Have another worker join."""
    before = dask.registered()
    made = dask.start_worker(**more)
    wait_until(lambda: dask.registered() > before)
    return made


def asked(dask: Cluster) -> int:
    return sum(dask.counts()["asked"].values())


def check(to: Path, stderr: str) -> int:
    """Each record is there once; gives how many lists are whole, which is what it
    says.
    """
    found = records_of(to)
    assert len(found) == len({*found})
    counts = Counter(one.rpartition("/")[0] for one in found)
    whole = sum(count == PAGES * RECORDS for count in counts.values())
    said = re.search(r"\b(\d+) of 60 lists done", stderr)
    assert said, stderr
    assert int(said[1]) == whole, stderr
    return whole


def command_of(stderr: str) -> list[str]:
    """The command that continues, as it is printed."""
    (line,) = [line for line in stderr.splitlines() if line.startswith("  unified export ")]
    return shlex.split(line)[1:]


def is_killed(dask: Cluster) -> None:
    wait_until(lambda: asked(dask) > ALL * PAGES // 5)
    dask.workers[0].kill()


def comes_late(dask: Cluster) -> None:
    wait_until(lambda: asked(dask) > ALL * PAGES // 10)
    dask.start_worker()


def starts_again(dask: Cluster) -> None:
    is_killed(dask)
    dask.start_worker()


@pytest.mark.parametrize(
    "fault",
    [
        starts_again,
        pytest.param(is_killed, marks=pytest.mark.long(seconds=10)),
        pytest.param(comes_late, marks=pytest.mark.long(seconds=10)),
    ],
)
def test_each_record_is_exported_once_though_workers_are_lost_or_late(
    fault: Callable[[Cluster], None], dask: Cluster, tmp_path: Path
) -> None:
    process = begin(dask, tmp_path / "dump")
    fault(dask)
    code, stderr = ended(process)
    assert (code, check(tmp_path / "dump", stderr)) == (0, ALL), stderr


def test_a_worker_without_its_token_fails_its_tasks_only(dask: Cluster, tmp_path: Path) -> None:
    worker = one_more(dask, UNIFIED_TOKEN="")
    code, stderr = ended(begin(dask, tmp_path / "dump"))
    whole = check(tmp_path / "dump", stderr)
    assert (code, 0 < whole < ALL) == (12, True), stderr
    said = (
        r"the worker tcp://[0-9.:]+ did not do the task of (c\d+): the task of \1 cannot be done"
        r' here: profile "\1" has no token'
    )
    assert re.search(said, stderr), stderr
    stop(worker)
    dask.workers.remove(worker)
    code, stderr = ended(dask.unified(*command_of(stderr)))
    assert (code, check(tmp_path / "dump", stderr)) == (0, ALL), stderr


@pytest.mark.long(seconds=10)
def test_a_worker_with_another_disk_is_refused_before_anything_is_sent(
    dask: Cluster, tmp_path: Path
) -> None:
    one_more(dask, ODD="disk")
    code, stderr = ended(begin(dask, tmp_path / "dump"))
    assert (code, check(tmp_path / "dump", stderr), asked(dask)) == (12, 0, 0), stderr
    said = "cannot do the export: what the driver wrote to file://"
    assert re.search(rf"the worker tcp://[0-9.:]+ {said}", stderr), stderr
    assert [*(tmp_path / "dump").iterdir()] == []


@pytest.mark.long(seconds=20)
def test_a_worker_with_another_disk_that_comes_late_sends_nothing(
    dask: Cluster, tmp_path: Path
) -> None:
    process = begin(dask, tmp_path / "dump", "--rate", "15", "--token-rate", "60")
    wait_until(lambda: asked(dask) > 0)
    one_more(dask, ODD="disk")
    code, stderr = ended(process)
    whole = check(tmp_path / "dump", stderr)
    # How many tasks come to it is the scheduler's choice; it may be none.
    assert (code, "cannot read what the driver wrote" in stderr) == (
        (0, False) if whole == ALL else (12, True)
    )
    assert asked(dask) == whole * PAGES


@pytest.mark.parametrize(
    "number", ["SIGTERM", pytest.param("SIGINT", marks=pytest.mark.long(seconds=15))]
)
def test_a_stopped_driver_reports_the_done_lists_and_its_workers_send_nothing_more(
    number: str, dask: Cluster, tmp_path: Path
) -> None:

    process = begin(dask, tmp_path / "dump", "--rate", "15", "--token-rate", "60")
    wait_until(lambda: asked(dask) > ALL)
    process.send_signal(getattr(signal, number))
    code, stderr = ended(process)
    assert code == {"SIGINT": 130, "SIGTERM": 143}[number]
    found = re.search(r"error: \w+; (\d+) of 60 lists done; to continue: (.*)\n$", stderr)
    assert found, stderr
    # The page that was under way may still come.
    time.sleep(3)
    before = asked(dask)
    time.sleep(3)
    assert asked(dask) == before
    code, stderr = ended(dask.unified(*shlex.split(found[2])[1:], "--rate", "0"))
    assert (code, check(tmp_path / "dump", stderr)) == (0, ALL), stderr
