"""The pace of sends: in no window more than the user allows or the service lets
through, however many workers ask.
"""

import threading

import pytest
from faults.rig import Clock

from unified_cli.http.attempt import Attempt, Outcome
from unified_cli.http.rate_limit import Permit, RateLimit

ACCOUNTS = 12
LIMITED = Attempt(Outcome.ANSWERED, 429, retry_after=30.0, remote=True)


class Still(Clock):
    """Time that passes only during sleeps, the same for all workers."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def now(self) -> float:
        return 1000.1 + self.slept

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept += seconds


def limit(clock: Still, rate: float) -> RateLimit:
    return RateLimit((rate, rate * 10), clock.now, clock.sleep)


def sent(limited: RateLimit, account: str = "a") -> Permit:
    """A request that was sent in its turn, and answered at once."""
    permit = limited.wait(account)
    assert permit
    limited.accepted(permit)
    return permit


def fullest(times: list[float], window: float = 10) -> int:
    """How many sends the fullest window holds."""
    return max(sum(1 for other in times if at <= other < at + window) for at in times)


@pytest.mark.parametrize("rate", [45, 7, 1, 0.5])
def test_no_window_holds_more_sends_than_the_rate(rate: float) -> None:
    clock = Still()
    limited = limit(clock, rate)
    times = [sent(limited).at for _ in range(200)]
    assert fullest(times) == max(1, int(rate))


def test_no_window_holds_more_sends_than_the_rate_however_slowly_they_begin() -> None:
    clock = Still()
    limited = limit(clock, 45)
    times = []
    for number in range(200):
        # One at a time for most of a window, then all that are let through at once.
        clock.sleep(0.2 if number < 40 else 0)
        times.append(sent(limited).at)
    assert fullest(times) == 45


def test_all_connections_of_a_token_share_its_rate() -> None:
    clock = Still()
    limited = limit(clock, 5)
    times = [sent(limited, f"account {number % ACCOUNTS}").at for number in range(300)]
    assert fullest(times) == 50


def test_connections_do_not_slow_one_another_below_that() -> None:
    clock = Still()
    limited = limit(clock, 45)
    for number in range(90):
        sent(limited, f"account {number % 2}")
    assert clock.slept == 0


def test_workers_together_keep_the_pace() -> None:
    clock = Still()
    limited = limit(clock, 20)

    def work() -> None:
        for _ in range(20):
            sent(limited)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert clock.slept >= 7 * 10


def test_without_a_rate_nothing_waits_but_for_a_429() -> None:
    clock = Still()
    limited = limit(clock, 0)
    for _ in range(1000):
        permit = sent(limited)
    assert clock.slept == 0
    permit = limited.wait("a")
    assert permit
    assert limited.refused(permit, LIMITED) == 1
    assert clock.slept == 0
    sent(limited)
    assert clock.slept == pytest.approx(30.05)


def test_a_429_holds_only_requests_that_share_the_limit() -> None:
    clock = Still()
    limited = limit(clock, 0)
    several = [limited.wait("a") for _ in range(3)]
    assert all(several)
    assert [limited.refused(permit, LIMITED) for permit in several if permit] == [1, 0, 0]
    sent(limited, "b")
    assert clock.slept == 0
    assert limited.wait("a", clock.now() + 29) is None
    probe = limited.wait("a")
    assert probe
    assert clock.slept == pytest.approx(30.05)
    # Until the probe is answered, no other request is let through.
    assert limited.delay("a") == float("inf")
    limited.accepted(probe)
    assert limited.delay("a") == 0


def test_a_worker_that_waits_for_an_answer_continues_when_it_comes() -> None:
    limited = RateLimit((0, 0), Clock().now, Clock().sleep)
    first = [limited.wait("a") for _ in range(8)]
    passed = threading.Event()
    waiting = threading.Thread(target=lambda: (limited.wait("a"), passed.set()))
    waiting.start()
    assert not passed.wait(0.1)
    assert first[0]
    limited.accepted(first[0])
    assert passed.wait(0.9)
    waiting.join()


def test_no_request_waits_past_its_deadline() -> None:
    clock = Still()
    limited = limit(clock, 1)
    assert limited.wait("a", clock.now() + 1)
    assert limited.wait("a", clock.now() + 1) is None
    assert clock.slept == 0


def test_a_long_wait_is_explained_before_it_begins() -> None:
    clock = Still()
    limited = limit(clock, 2)
    told: list[tuple[float, str, float]] = []

    def tell(seconds: float, why: str, total: float) -> None:
        told.append((round(seconds, 1), why, round(total, 1)))

    for _ in range(5):
        permit = limited.wait("a", tell=tell)
        assert permit
        limited.accepted(permit)
    assert told == [
        (10.2, "at most 2 in 10.2 s are sent", 10.2),
        (10.2, "at most 2 in 10.2 s are sent", 20.5),
    ]
