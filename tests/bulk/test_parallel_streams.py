"""A page is written while the next one is on its way, whoever waits for whom."""

import json
import os
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from front_door import Unified
from pages import cursor_of, serve, tickets
from server import Reply, Seen, Service

from unified_cli.bulk.parallel_streams import Ended, Give, side_by_side

LIST = "ticketing tickets list --all -o ndjson --rate 0"
PAGES = [tickets(2), tickets(2, 2), tickets(2, 4)]


def test_a_page_can_be_read_before_the_next_is_answered(service: Service, tmp_path: Path) -> None:
    serve(service, PAGES)
    good, read, in_time = service.reply, threading.Event(), []

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c1":
            # The second page comes when the first was read from the pipe; were it written only then, both would wait.
            in_time.append(read.wait(10))
        return good(seen)

    service.reply = reply
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **service.environ}
    argv = [sys.executable, "-m", "unified_cli", *LIST.split()]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        first = [json.loads(running.stdout.readline())["id"] for _ in range(2)]
        read.set()
        rest = [json.loads(line)["id"] for line in running.stdout]
    assert (first, rest, running.returncode) == (["t-0", "t-1"], ["t-2", "t-3", "t-4", "t-5"], 0)
    assert in_time == [True]


def test_the_next_page_is_asked_for_before_this_one_is_written(unified: Unified, service: Service) -> None:
    serve(service, PAGES)
    asked: list[int] = []

    class Stdout:
        """Notes how many requests had come when a page was written; a request is seen a moment after it is sent."""

        def write(self, data: bytes) -> int:
            expected = min(len(asked) + 2, len(PAGES))
            until = time.monotonic() + 5
            while len(service.seen) < expected and time.monotonic() < until:
                time.sleep(0.01)
            asked.append(len(service.seen))
            return len(data)

        def flush(self) -> None: ...

    result = unified(LIST, environ=service.environ, stdout=Stdout())
    assert (result.code, asked) == (0, [2, 3, 3])


def test_a_slow_reader_does_not_use_up_the_time_of_the_service(service: Service, tmp_path: Path) -> None:
    serve(service, [[{"id": f"t-{page}-{at}", "text": "x" * 2000} for at in range(100)] for page in range(3)])
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **service.environ}
    argv = [sys.executable, "-m", "unified_cli", *LIST.split(), "--timeout", "1"]
    with subprocess.Popen(argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        # By now its pipe is full, and the answer to the second request has come.
        time.sleep(2.5)
        lines = sum(1 for _ in running.stdout)
        said = running.stderr.read().decode()
    assert (lines, running.returncode, len(service.seen)) == (300, 0, 3)
    assert said == "complete: 300 records in 3 pages\n"


@pytest.mark.parametrize("ordered", [False, True])
def test_what_runs_side_by_side_is_used_one_at_a_time(ordered: bool) -> None:
    lock, found = threading.Lock(), list[tuple[int, object]]()

    def run(place: int, give: Give[str]) -> None:
        for number in range(20):
            give(f"{place}.{number}")

    def use(place: int, result: str | Ended) -> None:
        assert lock.acquire(blocking=False)
        time.sleep(0.0001)
        found.append((place, result))
        lock.release()

    side_by_side([partial(run, place) for place in range(9)], 4, use, ordered=ordered)
    for place in range(9):
        mine = [result for whose, result in found if whose == place]
        assert mine == [*(f"{place}.{number}" for number in range(20)), Ended()]
    if ordered:
        assert [place for place, _ in found] == sorted(place for place, _ in found)


def test_a_signal_while_the_threads_are_being_started_stops_those_that_were(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[threading.Thread] = []
    used: list[object] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        started.append(thread)
        if len(started) == 3:
            raise KeyboardInterrupt
        start(thread)

    def endless(give: Give[str]) -> None:
        while True:
            give("")

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        side_by_side([endless] * 5, 5, lambda _place, result: used.append(result))
    before = len(used)
    for thread in started[:2]:
        thread.join(10)
    assert len(used) == before


def test_a_run_that_breaks_ends_all_with_its_own_error() -> None:
    def breaks(give: Give[str]) -> None:
        give("one")
        raise IndexError("mine")

    def patient(give: Give[str]) -> None:
        for number in range(10_000):
            give(str(number))
            time.sleep(0.001)

    with pytest.raises(IndexError, match="mine"):
        side_by_side([patient, breaks, patient], 3, lambda _place, _result: None)


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="threads cannot be kept anywhere here")
def test_the_threads_of_a_run_stay_on_one_processor_and_the_program_does_not() -> None:
    before = os.sched_getaffinity(0)
    places: list[set[int]] = []

    def run(give: Give[str]) -> None:
        places.append(os.sched_getaffinity(0))
        give("")

    side_by_side([run] * 8, 4, lambda _place, _result: None)
    assert len(places) == 8
    assert len(places[0]) == 1
    assert all(place == places[0] for place in places)
    assert os.sched_getaffinity(0) == before
