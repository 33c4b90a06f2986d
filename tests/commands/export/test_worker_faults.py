"""Exports with a worker that lies, sees another disk, comes late or starts again: each
ends with what is true.
"""

import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from campaigns import size

pytestmark = [pytest.mark.extra, pytest.mark.xdist_group("dask faults")]
pytest.importorskip("distributed", reason="needs the extra dask")
pytest.importorskip("obstore", reason="needs the extra cloud")

from cluster import Cluster, cluster, records_of, stop, wait_until  # noqa: E402  needs the extra

NAMES = [f"c{number}" for number in range(8)]
LISTS = ("ticketing/tickets", "ticketing/contacts")
RECORDS, RATES = 5, ("--rate", "15", "--token-rate", "60")
# Four tasks at a time: with so many pages the others begin ten seconds later, with one
# more list page each of them sends its last page when its first ones are ten seconds
# old.
TWO_ROUNDS, LONG_TASKS = 7, 8
# Frequent signs of life, so that a worker that is gone is noticed.
SETTINGS = {"UNIFIED_TOKEN": "t-0123456789", "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "15s"}

Fault = Callable[[Cluster], None]


@pytest.fixture
def dask(fault: Fault, tmp_path: Path) -> Iterator[Cluster]:
    """Two workers, which have their token in the environment."""
    pages = LONG_TASKS if fault is starts_again else TWO_ROUNDS
    with cluster(tmp_path / "home", pages=pages, records=RECORDS, **SETTINGS) as made:
        made.config(dict.fromkeys(NAMES, ""))
        yield made


def one_more(dask: Cluster, hostile: str = "") -> None:
    """Have another worker join."""
    before = dask.registered()
    dask.start_worker(**({"HOSTILE": hostile} if hostile else {}))
    wait_until(lambda: dask.registered() > before)


def lies(_dask: Cluster) -> None:
    """Do nothing while it runs."""


def joins(dask: Cluster) -> None:
    time.sleep(4)
    dask.start_worker()


def starts_again(dask: Cluster) -> None:
    time.sleep(6)
    stop(dask.workers.pop(0))
    dask.start_worker()


def whole_lists(to: Path, records: int) -> Counter[str]:
    """The lists of which all records are there, each with their number."""
    found = records_of(to)
    assert len(found) == len({*found})
    counts = Counter(one.rpartition("/")[0] for one in found)
    return Counter({name: count for name, count in counts.items() if count == records})


def check(to: Path, code: int, stderr: str, hostile: str, records: int) -> None:
    """What it says is what is there."""
    assert "no token" not in stderr
    told = re.search(r"^wrote (\d+) files? with (\d+) records? to ", stderr, re.MULTILINE)
    there = whole_lists(to, records)
    if hostile == "disk":
        assert (code, told, to.exists() and records_of(to)) == (12, None, []), stderr
        assert re.fullmatch(
            r"error: the worker tcp://[0-9.:]+ cannot do the export: what the driver .*\n", stderr
        )
        return
    assert told, stderr
    assert (int(told[1]), int(told[2])) == (len(there), there.total()), stderr
    if hostile:
        missing = len(NAMES) * len(LISTS) - len(there)
        # How many tasks come to it is the scheduler's choice; it may be none.
        assert (code, "said that it has done" in stderr) == (
            (12, True) if missing else (0, False)
        ), stderr
        return
    assert (code, there.total()) == (0, len(NAMES) * len(LISTS) * records), stderr


@pytest.mark.parametrize("times", [1, pytest.param(10, marks=pytest.mark.long(seconds=25))])
@pytest.mark.parametrize(
    ("hostile", "fault"),
    [("says done", lies), ("disk", lies), ("", joins), ("", starts_again)],
    ids=["lies", "another disk", "joins at second 4", "starts again at second 6"],
)
def test_each_run_ends_with_what_is_true(
    hostile: str, fault: Fault, times: int, dask: Cluster, tmp_path: Path
) -> None:
    if hostile:
        one_more(dask, hostile)
    codes: Counter[int] = Counter()
    records = RECORDS * (LONG_TASKS if fault is starts_again else TWO_ROUNDS)
    for number in range(size(times, 1)):
        to = tmp_path / f"dump-{number}"
        began = time.monotonic()
        words = (
            "export",
            *LISTS,
            "-p",
            "c*",
            "--engine",
            dask.engine,
            "--to",
            f"file://{to}",
            *RATES,
        )
        driver = dask.unified(*words)
        fault(dask)
        stdout, stderr = driver.communicate(timeout=120)
        assert stdout == b""
        check(to, driver.returncode, stderr.decode(), hostile, records)
        codes[driver.returncode] += 1
        seconds = time.monotonic() - began
        sys.stdout.write(
            f"\n{hostile or fault.__name__} {number + 1}: exit {driver.returncode},"
            f" {seconds:.0f} s\n"
        )
        if fault is joins and number + 1 < times:
            # The next run begins with two, too.
            stop(dask.workers.pop())
            time.sleep(1)
    sys.stdout.write(
        f"\n{hostile or fault.__name__}: {codes.total()} runs, by exit code {dict(codes)}\n"
    )
