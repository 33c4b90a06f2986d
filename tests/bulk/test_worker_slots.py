"""So many threads work at a time; those that wait for a limit let others go on."""

import threading
from collections import Counter
from collections.abc import Generator

import pytest

from unified_cli.bulk.worker_pool import WorkerPool
from unified_cli.bulk.worker_slots import WorkerSlots

SECONDS = 10
"""How long a test waits for what should come at once."""


@pytest.mark.parametrize(
    ("workers", "connections", "threads"),
    [(1, 1, 1), (1, 3, 3), (1, 9, 4), (8, 1, 8), (8, 28, 28), (8, 1000, 32), (30, 1000, 64), (64, 1000, 64)],
)
def test_there_are_threads_for_connections_that_wait(workers: int, connections: int, threads: int) -> None:
    assert WorkerSlots(workers, lambda _: None).threads(connections) == threads


def test_no_more_than_the_slots_work_at_a_time_and_all_of_them_wait_at_a_time() -> None:
    waiting, working = threading.Barrier(6, timeout=SECONDS), Counter[str]()
    lock, most = threading.Lock(), list[int]()
    slots = WorkerSlots(2, lambda _: waiting.wait() and None)

    def work() -> None:
        with lock:
            working["now"] += 1
            most.append(working["now"])
        threading.Event().wait(0.01)
        with lock:
            working["now"] -= 1

    def job(_: int) -> Generator[int]:
        with slots.held():
            work()
            slots.sleep(5)
            work()
        yield 1

    with WorkerPool(6, job) as pool:
        assert sum(pool.results(range(6))) == 6
    assert (max(most), len(most)) == (2, 12)


@pytest.mark.parametrize(("seconds", "given_up"), [(0.05, False), (0.5, True)])
def test_the_slot_is_given_up_for_waits_that_are_worth_it(seconds: float, given_up: bool) -> None:
    slept, worked = list[float](), threading.Event()

    def other() -> None:
        with slots.held():
            worked.set()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        thread.start()
        assert worked.wait(SECONDS if given_up else 0.1) is given_up

    thread = threading.Thread(target=other)
    slots = WorkerSlots(1, sleep)
    with slots.held():
        slots.sleep(seconds)
    thread.join(SECONDS)
    assert (slept, worked.is_set()) == ([seconds], True)
