"""A fixed number of threads work at a time; those that wait for their turn let others
work.
"""

import contextlib
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator

import pytest
from front_door import ROOT

from unified_cli import os_limits
from unified_cli.fleet.fair_turns import WorkerSlots
from unified_cli.fleet.pool import WorkerPool
from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.rate_limit import RateLimit

SECONDS = 60
"""How long a test waits for what should come at once."""


@pytest.mark.parametrize(
    ("workers", "connections", "threads"),
    [
        (1, 1, 1),
        (1, 3, 3),
        (1, 30, 12),
        (4, 30, 16),
        (8, 1, 8),
        (8, 28, 28),
        (8, 1000, 32),
        (30, 1000, 64),
        (64, 1000, 64),
    ],
)
def test_there_are_threads_for_connections_that_wait(
    workers: int, connections: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os_limits, "open_files", lambda: 1024)
    assert WorkerSlots(workers).threads(connections) == threads


@pytest.mark.parametrize(("files", "threads"), [(20, 8), (64, 8), (140, 20), (sys.maxsize, 32)])
def test_threads_are_limited_by_the_open_file_limit(
    files: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os_limits, "open_files", lambda: files)
    assert WorkerSlots(8).threads(1000) == threads


def test_the_shell_limits_the_open_files() -> None:
    ask = (
        f'ulimit -n 64; "{sys.executable}" -c "from unified_cli import os_limits;'
        ' print(os_limits.open_files())"'
    )
    told = subprocess.run(
        ["sh", "-c", ask], capture_output=True, check=True, env={"PYTHONPATH": str(ROOT)}
    )
    assert told.stdout == b"64\n"


def test_no_more_than_the_slots_work_at_a_time_and_all_of_them_wait_at_a_time() -> None:
    waiting, working = threading.Barrier(6, timeout=SECONDS), Counter[str]()
    lock, most = threading.Lock(), list[int]()
    slots = WorkerSlots(2)

    def work() -> None:
        with lock:
            working["now"] += 1
            most.append(working["now"])
        threading.Event().wait(0.01)
        with lock:
            working["now"] -= 1

    def job(_: int) -> Generator[int]:
        with slots.slot():
            work()
            with slots.lend(5):
                waiting.wait()
            work()
        yield 1

    with WorkerPool(6, job) as pool:
        assert sum(pool.results(range(6))) == 6
    assert (max(most), len(most)) == (2, 12)


@pytest.mark.parametrize(("seconds", "given_up"), [(0.05, False), (0.5, True)])
def test_the_slot_is_lent_during_long_waits_only(seconds: float, given_up: bool) -> None:
    slots, worked = WorkerSlots(1), threading.Event()

    def other() -> None:
        with slots.slot():
            worked.set()

    thread = threading.Thread(target=other)
    with slots.slot(), slots.lend(seconds):
        thread.start()
        assert worked.wait(SECONDS if given_up else 0.1) is given_up
    thread.join(SECONDS)
    assert worked.is_set()


def test_a_thread_that_waits_for_anothers_answer_has_no_slot() -> None:
    slots = WorkerSlots(1)
    limited = RateLimit((0, 0), time.monotonic, time.sleep, slots.lend)
    first = limited.wait("a")
    assert first
    limited.refused(first, Attempt(Outcome.ANSWERED, 429, retry_after=0.0))
    probe = limited.wait("a")
    assert probe
    begun, sent = threading.Event(), threading.Event()

    def second() -> None:
        with slots.slot():
            begun.set()
            assert limited.wait("a")
            sent.set()

    thread = threading.Thread(target=second)
    thread.start()
    assert begun.wait(SECONDS)
    with slots.slot():
        assert not sent.is_set()
        limited.accepted(probe)
    assert sent.wait(SECONDS)
    thread.join(SECONDS)


@pytest.mark.parametrize(
    ("given", "connections", "number"),
    [(None, 1, 8), (None, 16, 8), (None, 17, 32), (None, 100, 32), (8, 100, 8), (64, 100, 64)],
)
def test_many_connections_have_more_slots_unless_their_number_was_given(
    given: int | None, connections: int, number: int
) -> None:
    slots = WorkerSlots(given)
    slots.expect(connections)
    slots.expect(connections)
    with contextlib.ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(slots.slot())
        assert (slots.number, slots.room(number)) == (number, 0)
    assert slots.threads(connections) >= number
