"""Exports on a Dask cluster at full length: within the limits and in time, and whatever
is killed, frozen or lost.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import pytest
from campaigns import size

pytestmark = [pytest.mark.extra, pytest.mark.long(seconds=15)]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from cluster import Cluster, Started, cluster, records_of, wait_until  # noqa: E402  needs the extra
from limited_service import OF_A_CONNECTION, OF_A_TOKEN  # noqa: E402  as above

CONNECTIONS, PAGES, RECORDS = size(28, 8), size(50, 12), 100
LISTS = ("ticketing/tickets", "ticketing/contacts")
PROFILES = {f"c{number}": f"token-{number % 2}" for number in range(CONNECTIONS)}
OTHERS = {f"other{number}": f"token-{number % 2 + 2}" for number in range(CONNECTIONS)}
ROUNDS = 5
# Our limits: sends of a token in a window a little longer than the service's.
MOST, WINDOW = 450, 10.25
FROZEN = size(40, 20)
"""Seconds; longer than the time to live of a worker."""


def seconds_of_workers(dask: Cluster) -> float:
    """The processor time of the workers."""
    return sum(map(seconds_of_processor, dask.workers))


def seconds_of_processor(process: Started) -> float:
    """The processor time of a running process."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def local_export(dask: Cluster, to: Path) -> "subprocess.Popen[bytes]":
    """The export of the other profiles to a folder, as a child of this process, which
    learns its processor time.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "unified_cli", "export", *LISTS, "-p", "other*", "--to", str(to)],
        env={
            "HOME": str(dask.driver),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
            **dask.settings,
        },
    )


def seconds_of_ended(process: "subprocess.Popen[bytes]") -> float:
    """The processor time of an ended process, its start with it."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return used.ru_utime + used.ru_stime


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Cluster]:
    with fresh_cluster(tmp_path / "home") as made:
        yield made


@contextmanager
def fresh_cluster(home: Path) -> Iterator[Cluster]:
    """A scheduler and two workers that have not done anything."""
    # As `unified help engines` says, but for a shorter time to live.
    settings = {
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15s",
        "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
        "DASK_DISTRIBUTED__WORKER__MEMORY__MONITOR_INTERVAL": "1s",
        "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
        "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    }
    # The imports of a worker's first task count.
    with cluster(home, pages=PAGES, records=RECORDS, odd=False, **settings) as made:
        made.config(PROFILES)
        yield made


def begin(dask: Cluster, to: Path, *more: str) -> Started:
    words = ("export", *LISTS, "-p", "c*", "--engine", dask.engine, "--to", f"file://{to}", *more)
    return dask.unified(*words)


def expected() -> set[str]:
    numbers = range(PAGES * RECORDS)
    return {f"of-{name}/{one}/{number}" for name in PROFILES for one in LISTS for number in numbers}


def pages_asked(dask: Cluster) -> int:
    return sum(dask.counts()["asked"].values())


def a_third_is_asked(dask: Cluster) -> None:
    wait_until(lambda: pages_asked(dask) > CONNECTIONS * len(LISTS) * PAGES // 3)


def each_once(to: Path) -> None:
    found = records_of(to)
    assert (len(found), set(found) == expected()) == (
        CONNECTIONS * len(LISTS) * PAGES * RECORDS,
        True,
    )


@pytest.mark.long(nightly="takes as long as the limits of a token, twice")
def test_the_limits_are_kept_and_used(dask: Cluster, tmp_path: Path) -> None:
    floor = (CONNECTIONS // 2 * len(LISTS) * PAGES - 1) // MOST * WINDOW
    for number, name in enumerate(("first", "second"), 1):
        began = time.monotonic()
        process = begin(dask, tmp_path / name)
        _, stderr = process.communicate(timeout=300)
        seconds = time.monotonic() - began
        assert process.returncode == 0, stderr
        each_once(tmp_path / name)
        counts = dask.counts()
        sys.stdout.write(
            f"\n{name} export: {seconds:.1f} s, the limits allow {floor:.1f} s; peaks"
            f" {counts['peaks']}, refused {counts['refused']}\n"
        )
        assert counts["refused"] == 0
        assert set(counts["asked"].values()) == {number}
        # Counted where they arrive, some later than others: that is what the tenth
        # between our bounds and these is for.
        assert counts["peaks"]["connection"] <= OF_A_CONNECTION
        assert counts["peaks"]["token"] <= OF_A_TOKEN
        assert seconds <= 1.2 * floor
        time.sleep(WINDOW)


@pytest.mark.long(nightly="measures for a quarter of an hour, and wants the machine for itself")
def test_a_record_costs_the_processor_what_a_local_export_costs(tmp_path: Path) -> None:
    # The cost of a page changes by a third from second to second on a shared machine,
    # so both run at the same time, and several times. The local export is the usual
    # one, to a folder.
    ratios: dict[str, list[float]] = {"first": [], "second": []}
    for number in range(ROUNDS):
        with fresh_cluster(tmp_path / f"home-{number}") as dask:
            dask.config({**PROFILES, **OTHERS})
            for name, found in ratios.items():
                before = seconds_of_workers(dask)
                process = begin(dask, tmp_path / f"{name}-{number}")
                to = tmp_path / f"local-{name}-{number}"
                with local_export(dask, to) as local:
                    _, stderr = process.communicate(timeout=300)
                    assert process.returncode == 0, stderr
                    found.append((seconds_of_workers(dask) - before) / seconds_of_ended(local))
                time.sleep(WINDOW)
    for name, found in ratios.items():
        figures = " ".join(f"{one:.2f}" for one in found)
        sys.stdout.write(
            f"\n{name} export: processor time of the workers / that of a local export: {figures}\n"
        )
    # Also where workers do the first task of their lives, and import the program.
    assert all(median(found) <= 1.2 for found in ratios.values())


def told(name: str, dask: Cluster) -> None:
    counts = dask.counts()
    asked = sum(counts["asked"].values())
    most = CONNECTIONS * len(LISTS) * PAGES
    sys.stdout.write(
        f"\n{name}: {asked - most} of {most} pages asked twice, refused {counts['refused']}, peaks"
        f" {counts['peaks']}\n"
    )
    assert len(counts["asked"]) == most


@pytest.mark.long(seconds=35)
def test_a_worker_is_killed(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    a_third_is_asked(dask)
    dask.workers[0].kill()
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told("worker killed", dask)
    assert dask.counts()["refused"] == 0


@pytest.mark.long(seconds=25)
def test_a_worker_is_frozen_for_longer_than_its_time_to_live(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    a_third_is_asked(dask)
    dask.workers[0].send_signal(signal.SIGSTOP)
    time.sleep(FROZEN)
    dask.workers[0].send_signal(signal.SIGCONT)
    _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told(f"worker frozen for {FROZEN} s", dask)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_driver_is_stopped_and_run_again(
    number: signal.Signals, dask: Cluster, tmp_path: Path
) -> None:
    process = begin(dask, tmp_path / "dump")
    a_third_is_asked(dask)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in {-9, 130}
    again = begin(dask, tmp_path / "dump")
    _, stderr = again.communicate(timeout=300)
    assert again.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told(f"driver got {number.name}", dask)


@pytest.mark.long(seconds=40)
def test_the_scheduler_is_lost(dask: Cluster, tmp_path: Path) -> None:
    process = begin(dask, tmp_path / "dump")
    a_third_is_asked(dask)
    assert dask.scheduler
    dask.scheduler.kill()
    _, stderr = process.communicate(timeout=60)
    continued = re.search(rb" of \d+ lists done\)\n  unified export ", stderr)
    assert (process.returncode, bool(continued)) == (6, True), stderr
    dask.start_scheduler()
    for _ in range(2):
        dask.start_worker()
    time.sleep(5)
    again = begin(dask, tmp_path / "dump")
    _, stderr = again.communicate(timeout=300)
    assert again.returncode == 0, stderr
    each_once(tmp_path / "dump")
    told("scheduler lost", dask)
