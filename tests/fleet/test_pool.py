"""Jobs are done by workers, and their results used by the caller, one at a time."""

import threading
import time
from collections.abc import Generator, Iterator
from itertools import islice

import pytest

from unified_cli.fleet.pool import WorkerPool

SECONDS = 60
"""How long a test waits for what should come at once."""


def twenty(job: int) -> Generator[tuple[int, int]]:
    for number in range(20):
        yield job, number


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("workers", [1, 4, 30])
def test_all_results_of_all_jobs_are_used_in_the_callers_thread(
    workers: int, ordered: bool
) -> None:
    threads = set[threading.Thread]()

    def work(job: int) -> Generator[tuple[int, int]]:
        threads.add(threading.current_thread())
        yield from twenty(job)

    with WorkerPool(workers, work) as pool:
        found = [*pool.results(range(9), ordered=ordered)]
    assert sorted(found) == [(job, number) for job in range(9) for number in range(20)]
    assert all(
        [number for job, number in found if job == mine] == [*range(20)] for mine in range(9)
    )
    assert not ordered or found == sorted(found)
    assert threading.current_thread() not in threads
    assert len(threads) <= min(workers, 9)


def test_a_job_is_at_most_one_result_ahead_of_the_caller() -> None:
    made = list[int]()

    def numbers() -> Iterator[int]:
        for number in range(30):
            made.append(number)
            yield number

    def work(_job: int) -> Generator[int]:
        yield from numbers()

    with WorkerPool(1, work) as pool:
        results = pool.results([1])
        for used in range(20):
            assert next(results) == used
            until = time.monotonic() + SECONDS
            while len(made) < used + 2 and time.monotonic() < until:
                time.sleep(0.001)
            time.sleep(0.005)
            assert made == [*range(used + 2)]


def test_in_order_a_slow_job_does_not_hold_up_those_after_it() -> None:
    done, slow = list[int](), threading.Event()

    def work(job: int) -> Generator[int]:
        if job == 0:
            assert slow.wait(SECONDS)
        done.append(job)
        if len(done) == 7:
            slow.set()
        yield job

    with WorkerPool(2, work) as pool:
        assert [*pool.results(range(100), ordered=True)] == [*range(100)]
    # Four jobs for each worker are begun before the first is over, and no more: their
    # results have to be kept.
    assert done[:8] == [1, 2, 3, 4, 5, 6, 7, 0]


def test_jobs_are_asked_for_when_there_is_a_worker_for_them() -> None:
    jobs = iter(range(100))
    with WorkerPool(3, twenty) as pool:
        assert next(pool.results(jobs))
    assert next(jobs) == 3


@pytest.mark.parametrize("ordered", [False, True])
def test_the_error_of_a_job_is_raised_after_its_results_and_stops_the_others(ordered: bool) -> None:
    closed, begun = threading.Semaphore(0), threading.Barrier(3, timeout=SECONDS)

    def work(job: int) -> Generator[int]:
        try:
            begun.wait()
            yield job
            if job == 0:
                raise IndexError("mine")
            yield from iter(lambda: job, None)
        finally:
            closed.release()

    found = list[int]()
    with pytest.raises(IndexError, match="mine"), WorkerPool(3, work) as pool:
        found.extend(pool.results(range(3), ordered=ordered))
    assert found.count(0) == 1
    for _ in range(3):
        assert closed.acquire(timeout=SECONDS)


def test_finished_results_come_before_the_error_of_a_job() -> None:
    failed = threading.Event()

    def work(job: int) -> Generator[int]:
        yield job
        failed.set()
        raise ValueError("wrong")

    with WorkerPool(1, work) as pool:
        pool.submit(7)
        assert failed.wait(SECONDS)
        # Its end follows at once, so both are there when the result is taken.
        time.sleep(0.05)
        assert pool.take(SECONDS) == [7]
        with pytest.raises(ValueError, match="wrong"):
            pool.take(SECONDS)


def test_leaving_early_does_not_wait_and_closes_each_job_in_its_own_thread() -> None:
    held, over, closed = threading.Event(), threading.Semaphore(0), list[threading.Thread]()

    def work(_job: int) -> Generator[threading.Thread]:
        try:
            yield threading.current_thread()
            assert held.wait(SECONDS)
            yield threading.current_thread()
        finally:
            closed.append(threading.current_thread())
            over.release()

    started = time.monotonic()
    with WorkerPool(3, work) as pool:
        threads = {*islice(pool.results(range(9)), 3)}
    assert time.monotonic() - started < SECONDS / 2
    assert closed == []
    held.set()
    for _ in range(3):
        assert over.acquire(timeout=SECONDS)
    assert {*closed} == threads
    for thread in threads:
        thread.join(SECONDS)
        assert (thread.daemon, thread.is_alive()) == (True, False)


def test_a_signal_while_the_threads_are_being_started_stops_those_that_were(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[threading.Thread] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        started.append(thread)
        if len(started) == 3:
            raise KeyboardInterrupt
        start(thread)

    def work(job: int) -> Generator[int]:
        yield from iter(lambda: job, None)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), WorkerPool(5, work) as pool:
        next(pool.results(range(5)))
    for thread in started[:2]:
        thread.join(SECONDS)
        assert not thread.is_alive()


def test_one_job_after_the_other_is_done_by_one_worker() -> None:
    def work(_job: int) -> Generator[threading.Thread]:
        yield threading.current_thread()

    threads = set[threading.Thread]()
    with WorkerPool(8, work) as pool:
        for job in range(5):
            threads.update(pool.results([job]))
    assert len(threads) == 1


def test_a_waiting_job_does_not_start_after_the_caller_leaves() -> None:
    begun, held = list[int](), threading.Event()
    running, threads = threading.Event(), list[threading.Thread]()

    def work(job: int) -> Generator[int]:
        begun.append(job)
        threads.append(threading.current_thread())
        running.set()
        assert held.wait(SECONDS)
        yield job

    with WorkerPool(1, work) as pool:
        pool.submit(1)
        pool.submit(2)
        assert running.wait(SECONDS)
    held.set()
    threads[0].join(SECONDS)
    assert begun == [1]
