"""Exports on a Dask cluster at full length: within the limits and in time, and whatever is killed, frozen or lost."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.extra, pytest.mark.long]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from cluster import Cluster, Started, cluster, records_of, wait_until  # noqa: E402  needs the extra

CONNECTIONS, PAGES, RECORDS = 28, 50, 100
LISTS = ("ticketing/tickets", "ticketing/contacts")
PROFILES = {f"c{number}": f"token-{number % 2}" for number in range(CONNECTIONS)}
IDLE_SECONDS = 10.0
# Our bounds: so many sends of a token, in a window a little longer than the service's.
MOST, WINDOW = 450, 10.25


def seconds_of_workers(dask: Cluster) -> float:
    """What the workers have used."""
    return sum(map(seconds_of_processor, dask.workers))


def seconds_of_processor(process: Started) -> float:
    """What a process that runs has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def seconds_of_local_export(dask: Cluster, to: Path, *more: str) -> float:
    """What an export to the same kind of place uses, by one process of this machine, its start with it."""
    before = os.times()
    process = dask.unified("export", *LISTS, "-p", "*", "--to", f"file://{to}", *more)
    process.communicate(timeout=300)
    assert process.returncode == 0
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Cluster]:
    # As `unified help engines` says, but for a shorter time to live.
    settings = {
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15s",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
        "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    }
    # What a worker imports for its first task counts.
    with cluster(tmp_path / "home", pages=PAGES, records=RECORDS, hostile=False, **settings) as made:
        made.config(PROFILES)
        yield made


def begin(dask: Cluster, to: Path, *more: str) -> Started:
    words = ("export", *LISTS, "-p", "*", "--engine", dask.engine, "--to", f"file://{to}", *more)
    return dask.unified(*words)


def expected() -> set[str]:
    numbers = range(PAGES * RECORDS)
    return {f"of-{name}/{one}/{number}" for name in PROFILES for one in LISTS for number in numbers}


def pages_asked(dask: Cluster) -> int:
    return sum(dask.counts()["asked"].values())


def each_once(to: Path) -> None:
    found = records_of(to)
    assert (len(found), set(found) == expected()) == (CONNECTIONS * len(LISTS) * PAGES * RECORDS, True)


def seconds_of_idling(dask: Cluster) -> float:
    """What the workers use in a second without any task."""
    before = seconds_of_workers(dask)
    time.sleep(IDLE_SECONDS)
    return (seconds_of_workers(dask) - before) / IDLE_SECONDS


def test_the_limits_are_kept_and_used(dask: Cluster, tmp_path: Path) -> None:
    total = CONNECTIONS * len(LISTS) * PAGES * RECORDS
    floor = (CONNECTIONS // 2 * len(LISTS) * PAGES - 1) // MOST * WINDOW
    idle = seconds_of_idling(dask)
    for number, name in enumerate(("first", "second"), 1):
        before, began = seconds_of_workers(dask), time.monotonic()
        process = begin(dask, tmp_path / name)
        _, stderr = process.communicate(timeout=300)
        seconds = time.monotonic() - began
        assert process.returncode == 0, stderr
        spent = seconds_of_workers(dask) - before
        each_once(tmp_path / name)
        counts = dask.counts()
        sys.stdout.write(
            f"\n{name} export: {seconds:.1f} s, the limits allow {floor:.1f} s; peaks {counts['peaks']}, "
            f"refused {counts['refused']}; {spent / total * 1e6:.1f} us a record on the workers, "
            f"of which {idle * seconds / total * 1e6:.1f} us is what they use without tasks"
        )
        assert counts["refused"] == 0
        assert set(counts["asked"].values()) == {number}
        assert counts["peaks"]["connection"] <= 45
        assert counts["peaks"]["token"] <= MOST
        assert seconds <= 1.2 * floor
        time.sleep(WINDOW)
    for workers in ("8", "32"):
        time.sleep(WINDOW)
        began = time.monotonic()
        local = seconds_of_local_export(dask, tmp_path / f"local-{workers}", "--workers", workers)
        sys.stdout.write(
            f"\n{local / total * 1e6:.1f} us a record by an export of one process with {workers} workers, "
            f"in {time.monotonic() - began:.1f} s\n"
        )


def told(name: str, dask: Cluster) -> None:
    counts = dask.counts()
    asked = sum(counts["asked"].values())
    most = CONNECTIONS * len(LISTS) * PAGES
    sys.stdout.write(
        f"\n{name}: {asked - most} of {most} pages asked twice, refused {counts['refused']}, peaks {counts['peaks']}\n"
    )
    assert len(counts["asked"]) == most


def test_a_worker_is_killed(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    wait_until(lambda: pages_asked(dask) > 900)
    dask.workers[0].kill()
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told("worker killed", dask)
    assert dask.counts()["refused"] == 0


def test_a_worker_is_frozen_for_longer_than_its_time_to_live(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    wait_until(lambda: pages_asked(dask) > 900)
    dask.workers[0].send_signal(signal.SIGSTOP)
    time.sleep(40)
    dask.workers[0].send_signal(signal.SIGCONT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told("worker frozen for 40 s", dask)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_driver_is_stopped_and_run_again(number: signal.Signals, dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    wait_until(lambda: pages_asked(dask) > 900)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in {-9, 130}
    again = begin(dask, tmp_path / "dump")
    _, stderr = again.communicate(timeout=300)
    assert again.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told(f"driver got {number.name}", dask)


def test_the_scheduler_is_lost(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    wait_until(lambda: pages_asked(dask) > 900)
    assert dask.scheduler
    dask.scheduler.kill()
    _, stderr = process.communicate(timeout=60)
    assert (process.returncode, b"run the same command again" in stderr) == (6, True), stderr
    dask.start_scheduler()
    for _ in range(2):
        dask.start_worker()
    time.sleep(5)
    again = begin(dask, tmp_path / "dump")
    _, stderr = again.communicate(timeout=300)
    assert again.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told("scheduler lost", dask)
