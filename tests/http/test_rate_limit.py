"""The pace of sends: in no window more than the service allows, however many workers ask."""

import threading

import pytest
from faults.rig import Clock

from unified_cli.http.rate_limit import RateLimit

ACCOUNTS = 12


class Still(Clock):
    """Time that passes only when somebody sleeps, the same for all workers."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def now(self) -> float:
        return 1000.1 + self.slept

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept += seconds


def fullest(times: list[float], window: float = 10) -> int:
    """How many sends the fullest window holds."""
    return max(sum(1 for other in times if at <= other < at + window) for at in times)


@pytest.mark.parametrize("rate", [45, 7, 1, 0.5])
def test_no_window_holds_more_sends_than_the_rate(rate: float) -> None:
    clock = Still()
    pace = RateLimit(rate, clock.now, clock.sleep)
    times = []
    for _ in range(200):
        assert pace.wait("a")
        times.append(clock.now())
    assert fullest(times) <= max(1, rate)


def test_all_connections_of_a_token_share_ten_times_the_rate() -> None:
    clock = Still()
    pace = RateLimit(5, clock.now, clock.sleep)
    times: list[float] = []
    for number in range(300):
        assert pace.wait(f"account {number % ACCOUNTS}")
        times.append(clock.now())
    assert fullest(times) == 50


def test_connections_do_not_slow_one_another_below_that() -> None:
    clock = Still()
    pace = RateLimit(45, clock.now, clock.sleep)
    for number in range(90):
        assert pace.wait(f"account {number % 2}")
    assert clock.slept == 0


def test_workers_together_keep_the_pace() -> None:
    clock = Still()
    pace = RateLimit(20, clock.now, clock.sleep)
    times: list[float] = []
    lock = threading.Lock()

    def work() -> None:
        for _ in range(20):
            assert pace.wait("a")
            with lock:
                times.append(clock.now())

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(times) == 160
    # Between a send's count and the note of its time another worker may have slept: ask the pace's own book.
    assert clock.slept >= 7 * 10


def test_no_rate_is_no_limit_and_still_obeys_a_pause() -> None:
    clock = Still()
    pace = RateLimit(0, clock.now, clock.sleep)
    for _ in range(1000):
        assert pace.wait("a")
    assert clock.slept == 0
    pace.pause(30)
    assert pace.wait("b")
    assert clock.slept == pytest.approx(30)


def test_a_pause_holds_every_connection_and_halves_the_rate_afterwards() -> None:
    clock = Still()
    pace = RateLimit(40, clock.now, clock.sleep)
    assert pace.wait("a")
    pace.pause(30)
    times = []
    for _ in range(100):
        assert pace.wait("b")
        times.append(clock.now())
    assert times[0] >= 1000.1 + 30
    first = [at for at in times if at < times[0] + 10]
    assert len(first) == 20


def test_the_rate_grows_by_a_tenth_with_each_clean_window() -> None:
    clock = Still()
    pace = RateLimit(40, clock.now, clock.sleep)
    pace.pause(1)
    clock.sleep(1)
    sends = []
    for _ in range(5):
        # A little later than the window's end, which no rounding can move.
        ends = clock.now() + 10.26
        sends.append(0)
        while pace.wait("a", ends - 0.1):
            sends[-1] += 1
        clock.sleep(ends - clock.now())
    assert sends == [20, 22, 24, 26, 29]


def test_after_clean_windows_the_rate_is_whole_again() -> None:
    clock = Still()
    pace = RateLimit(40, clock.now, clock.sleep)
    pace.pause(1)
    clock.sleep(200)
    times = []
    for _ in range(41):
        assert pace.wait("a")
        times.append(clock.now())
    assert fullest(times) == 40


def test_nobody_waits_past_a_deadline() -> None:
    clock = Still()
    pace = RateLimit(1, clock.now, clock.sleep)
    assert pace.wait("a", clock.now() + 1)
    assert not pace.wait("a", clock.now() + 1)
    assert clock.slept == 0
