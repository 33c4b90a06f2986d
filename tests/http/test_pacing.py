"""What the pace learns of limits, in simulation: requests of several workers on a clock
that only this test moves.
"""

import itertools
import math
import random
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

import httpx
import pytest

from unified_cli.http import rate_headers
from unified_cli.http.pace import Pace
from unified_cli.http.rate_headers import RateFacts
from unified_cli.http.rate_windows import NEVER, Window

LATENCY = 0.05
NONE, RETRY_AFTER, ALL = "no headers", "Retry-After", "all headers"


class Verdict(NamedTuple):
    """What a limit says of a request: seconds to wait if it is refused, and what its
    headers say.
    """

    wait: float | None
    facts: RateFacts


class Sliding:
    """So many requests in any window of that length."""

    def __init__(self, most: int, seconds: float) -> None:
        self.most, self.seconds = most, seconds
        self.times: list[float] = []

    def ask(self, now: float) -> Verdict:
        """Count a request that arrives now, or refuse it."""
        self.times = [at for at in self.times if at > now - self.seconds]
        refused = len(self.times) >= self.most
        if not refused:
            self.times.append(now)
        left = self.times[-min(self.most, len(self.times))] + self.seconds - now
        facts = RateFacts(
            Window(self.most, self.seconds), self.most - len(self.times), math.ceil(left)
        )
        return Verdict(left if refused else None, facts)

    def floor(self, requests: int) -> float:
        """The seconds that so many requests take at least."""
        return (requests - 1) // self.most * self.seconds


class Fixed(Sliding):
    """So many requests in each window, which begin at fixed times; the first one is
    more than half over.
    """

    def __init__(self, most: int, seconds: float, begun: float = 0.63) -> None:
        super().__init__(most, seconds)
        self.begun = begun
        self.window, self.count = 0, 0

    def ask(self, now: float) -> Verdict:
        """Count a request that arrives now, and refuse it if that is too many."""
        window = int(now / self.seconds + self.begun)
        self.count = self.count + 1 if window == self.window else 1
        self.window = window
        left = (window + 1 - self.begun) * self.seconds - now
        facts = RateFacts(
            Window(self.most, self.seconds), max(0, self.most - self.count), math.ceil(left)
        )
        return Verdict(left if self.count > self.most else None, facts)

    def floor(self, requests: int) -> float:
        """The seconds that so many requests take at least."""
        return max(0.0, ((requests - 1) // self.most - self.begun) * self.seconds)


class Bucket:
    """So many tokens a second, and so many saved up."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self.tokens, self.at = burst, 0.0

    def ask(self, now: float) -> Verdict:
        """Take a token, or refuse."""
        self.tokens, self.at = min(self.burst, self.tokens + (now - self.at) * self.rate), now
        refused = self.tokens < 1
        self.tokens -= 0 if refused else 1
        missing = (1 - self.tokens) / self.rate
        return Verdict(
            missing if refused else None,
            RateFacts(None, int(self.tokens), max(1, math.ceil(missing))),
        )

    def floor(self, requests: int) -> float:
        """The seconds that so many requests take at least."""
        return max(0.0, (requests - 1 - self.burst) / self.rate)


class Run(NamedTuple):
    """How a simulated job went: its seconds, its 429s, and when requests were accepted."""

    seconds: float
    refused: int
    accepted: list[float]


def simulate(
    limit: Any, workers: int, requests: int, headers: str, pace: Pace | None = None
) -> Run:
    """Send so many requests, each until it is accepted, with workers that send one
    after the other.
    """
    return _Simulation(limit, headers, pace or Pace()).run(workers, requests)


class _Simulation:
    def __init__(self, limit: Any, headers: str, pace: Pace) -> None:
        self.limit, self.headers, self.pace = limit, headers, pace
        self.random = random.Random(7)
        self.now = 0.0
        self.order = itertools.count()
        self.events: list[tuple[float, int, Callable[[], None]]] = []
        self.idle = 0
        self.left = 0
        self.refused = 0
        self.accepted: list[float] = []

    def at(self, seconds: float, what: Callable[[], None]) -> None:
        heappush(self.events, (self.now + seconds, next(self.order), what))

    def run(self, workers: int, requests: int) -> Run:
        self.left = requests
        for _ in range(workers):
            self.at(0, self.ask)
        while len(self.accepted) < requests:
            self.now, _, what = heappop(self.events)
            what()
        return Run(self.now, self.refused, self.accepted)

    def ask(self) -> None:
        if not self.left:
            return
        wait = self.pace.delay(self.now)
        if wait == NEVER:
            self.idle += 1
        elif wait > 0:
            self.at(max(wait, 0.001), self.ask)
        else:
            self.left -= 1
            turn = self.pace.take(self.now)
            way = LATENCY / 2 * self.random.uniform(1, 1.5)
            self.at(way, lambda: self.serve(turn, way))

    def serve(self, turn: Any, way: float) -> None:
        verdict = self.limit.ask(self.now)
        if verdict.wait is None:
            self.accepted.append(self.now)
        self.at(way, lambda: self.answer(turn, verdict))

    def answer(self, turn: Any, verdict: Verdict) -> None:
        facts = verdict.facts if self.headers == ALL else None
        if verdict.wait is None:
            self.pace.accepted(turn, self.now, facts)
        else:
            self.left, self.refused = self.left + 1, self.refused + 1
            self.pace.refused(
                turn, self.now, None if self.headers == NONE else math.ceil(verdict.wait), facts
            )
            assert not self.pace.exhausted, "the job ended before the limit could open"
        for _ in range(1 + self.idle):
            self.at(0, self.ask)
        self.idle = 0


LIMITS: dict[str, tuple[Callable[[], Any], int]] = {
    "5 in 1 s": (lambda: Sliding(5, 1), 200),
    "50 in 10 s": (lambda: Sliding(50, 10), 600),
    "100 in 60 s": (lambda: Sliding(100, 60), 600),
    "5 in each second": (lambda: Fixed(5, 1), 200),
    "50 in each 10 s": (lambda: Fixed(50, 10), 600),
    "100 in each minute": (lambda: Fixed(100, 60), 600),
    "10 a second and 20 saved": (lambda: Bucket(10, 20), 400),
}


def cases() -> Iterator[Any]:
    for name, headers, workers in itertools.product(LIMITS, (NONE, RETRY_AFTER, ALL), (1, 8, 32)):
        yield pytest.param(name, headers, workers, id=f"{name}, {headers}, {workers} workers")


@pytest.mark.parametrize(("name", "headers", "workers"), [*cases()])
def test_a_job_takes_little_more_than_its_limit_allows(
    name: str, headers: str, workers: int
) -> None:
    make, requests = LIMITS[name]
    run = simulate(make(), workers, requests, headers)
    ratio = run.seconds / make().floor(requests)
    assert len(run.accepted) == requests
    assert ratio <= 1.5
    # At most what was in flight at the first refusal, and then a few for each trial.
    assert run.refused <= (workers + 8 if headers == ALL else workers + 13)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("headers", [NONE, RETRY_AFTER, ALL])
def test_when_the_first_minute_began_costs_little(headers: str, workers: int) -> None:
    """200 requests need two minutes' worth at 100 in each, which can end 60 s after the
    start, or some 20 s later.
    """
    for part in range(40):
        run = simulate(Fixed(100, 60, part / 40), workers, 200, headers, Pace(Window(45, 10.25)))
        assert run.seconds <= 1.45 * 60, part


@pytest.mark.parametrize("headers", [NONE, RETRY_AFTER, ALL])
@pytest.mark.parametrize(
    ("most", "seconds", "lowered"), [(50, 10, 10), (50, 10, 25), (5, 1, 2), (100, 60, 50)]
)
def test_a_limit_that_is_lowered_for_a_while_is_used_again_within_three_windows(
    most: int, seconds: float, lowered: int, headers: str
) -> None:
    begin, end = 10 * seconds, 16 * seconds

    class Lowered(Sliding):
        def ask(self, now: float) -> Verdict:
            self.most = lowered if begin <= now < end else most
            return super().ask(now)

    run = simulate(Lowered(most, seconds), 8, most * 40, headers)
    third = [at for at in run.accepted if end + 2 * seconds <= at < end + 3 * seconds]
    assert len(third) >= 0.9 * most


@pytest.mark.parametrize("workers", [1, 8, 32])
def test_what_has_no_limit_is_sent_without_a_wait(workers: int) -> None:
    class Unlimited:
        def ask(self, _now: float) -> Verdict:
            return Verdict(None, RateFacts(None, None, None))

    run = simulate(Unlimited(), workers, 45, NONE)
    at_once = math.ceil(45 / min(workers, 8)) * LATENCY * 1.5
    assert run.seconds <= at_once


def test_requests_of_an_hour_are_no_window() -> None:
    pace = Pace()
    for number in range(20):
        pace.accepted(pace.take(number * 3600.0), number * 3600.0 + 0.1)
    pace.refused(pace.take(72000.0), 72000.1, 5)
    pace.accepted(pace.take(72006.0), 72006.1)
    assert pace.delay(72006.2) < 61


def test_a_bound_of_the_user_never_grows() -> None:
    class Unlimited:
        def ask(self, _now: float) -> Verdict:
            return Verdict(None, RateFacts(Window(1000, 1), 1000, 1))

    run = simulate(Unlimited(), 8, 300, ALL, Pace(Window(45, 10.25)))
    fullest = max(
        sum(1 for at in run.accepted if begin <= at < begin + 10) for begin in run.accepted
    )
    assert fullest == 45


@pytest.mark.parametrize(
    "facts",
    [
        RateFacts(None, 0, 5.0),
        RateFacts(Window(100, 10), 0, 10.0),
        RateFacts(Window(1e6, 0.001), 10**9, 1.0),
        RateFacts(None, 5, None),
    ],
    ids=[
        "nothing left for ever",
        "nothing left of a window for ever",
        "more than there can be",
        "no reset",
    ],
)
def test_headers_that_say_the_same_for_ever_cannot_stop_it(facts: RateFacts) -> None:
    class Stuck:
        def ask(self, _now: float) -> Verdict:
            return Verdict(None, facts)

    run = simulate(Stuck(), 4, 200, ALL)
    assert run.seconds < 60


def test_a_limit_that_never_opens_is_given_up() -> None:
    pace, now, sent = Pace(), 0.0, 0
    while not pace.exhausted:
        now += max(0.0, pace.delay(now))
        turn = pace.take(now)
        sent += 1
        pace.refused(turn, now + LATENCY, 1.0)
    assert (sent, round(now)) == (5, 4)


DATE = "Fri, 20 Nov 2026 12:00:00 GMT"
EPOCH = 1795176000


@pytest.mark.parametrize(
    ("headers", "facts"),
    [
        (
            {"RateLimit": '"default";r=3;t=7', "RateLimit-Policy": '"default";q=50;w=10'},
            (Window(50, 10), 3, 7),
        ),
        (
            {"RateLimit": '"a";r=9;t=5, "b";r=2;t=30', "RateLimit-Policy": '"b";q=5;w=30'},
            (Window(5, 30), 2, 30),
        ),
        ({"RateLimit": "nonsense"}, (None, None, None)),
        (
            {"RateLimit-Limit": "50;w=10", "RateLimit-Remaining": "3", "RateLimit-Reset": "7"},
            (Window(50, 10), 3, 7),
        ),
        ({"RateLimit-Limit": "50, 50;w=10", "RateLimit-Remaining": "3"}, (Window(50, 10), 3, None)),
        (
            {"RateLimit-Limit": "10, 100;w=60", "RateLimit-Remaining": "3"},
            (Window(100, 60), 3, None),
        ),
        (
            {"RateLimit-Limit": "10, 10;w=1, 50;w=60", "RateLimit-Remaining": "3"},
            (Window(10, 1), 3, None),
        ),
        (
            {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "3", "X-RateLimit-Reset": "7"},
            (None, 3, 7),
        ),
        ({"X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "1.5"}, (None, 0, 1)),
        (
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(EPOCH + 9), "Date": DATE},
            (None, 0, 9),
        ),
        (
            {
                "X-RateLimit-Remaining": "0",
                "X-RateLimit-Reset": str(EPOCH * 1000 + 9000),
                "Date": DATE,
            },
            (None, 0, 9),
        ),
        (
            {
                "RateLimit-Remaining": "0",
                "RateLimit-Reset": "Fri, 20 Nov 2026 12:00:05 GMT",
                "Date": DATE,
            },
            (None, 0, 5),
        ),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(EPOCH + 9)}, (None, 0, None)),
        (
            {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(EPOCH - 9), "Date": DATE},
            (None, 0, None),
        ),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "86400"}, (None, 0, None)),
        ({"X-RateLimit-Remaining": "-1", "X-RateLimit-Reset": "abc"}, (None, None, None)),
        ({"X-RateLimit-Remaining": "9" * 40, "X-RateLimit-Reset": "\u0665"}, (None, None, None)),
        ({"RateLimit-Limit": "0;w=0", "RateLimit-Remaining": "1"}, (None, 1, None)),
        ({"RateLimit-Limit": "9999999999;w=1", "RateLimit-Remaining": "1"}, (None, 1, None)),
    ],
)
def test_headers_are_believed_within_bounds(
    headers: dict[str, str], facts: tuple[Any, ...]
) -> None:
    encoded = [(name, value.encode()) for name, value in headers.items()]
    assert rate_headers.read(httpx.Headers(encoded)) == facts


def test_answers_without_such_headers_say_nothing() -> None:
    assert rate_headers.read(httpx.Headers({"Content-Type": "application/json"})) is None


@pytest.mark.parametrize(("name", "headers", "workers"), [*cases()])
def test_what_an_earlier_run_learned_spares_refusals(name: str, headers: str, workers: int) -> None:
    make, requests = LIMITS[name]
    first = Pace()
    simulate(make(), workers, requests, headers, first)
    run = simulate(make(), workers, requests, headers, Pace(recalled=first.learned))
    assert run.seconds / make().floor(requests) <= 1.5
    # A bucket that was full lets more through at first than it does later, which is
    # what the earlier run learned.
    assert run.refused <= (20 if make is LIMITS["10 a second and 20 saved"][0] else 5)


def test_a_recalled_pace_that_is_too_slow_grows() -> None:
    pace = Pace(recalled=Window(5, 1))
    run = simulate(Sliding(50, 1), 8, 400, NONE, pace)
    assert pace.learned
    assert pace.learned.rate > 20
    assert run.seconds < 400 / 5 / 2


def test_a_recalled_pace_that_is_too_fast_is_learned_anew() -> None:
    pace = Pace(recalled=Window(50, 1))
    run = simulate(Sliding(5, 1), 8, 200, NONE, pace)
    assert run.seconds / Sliding(5, 1).floor(200) <= 1.5
    assert run.refused <= 32


def test_of_several_pauses_of_one_burst_the_longest_counts() -> None:
    pace = Pace()
    turns = [pace.take(0.0) for _ in range(4)]
    assert pace.refused(turns[0], 0.1, 2.0)
    assert not pace.refused(turns[1], 0.2, 4.0)
    assert not pace.refused(turns[2], 0.3, 1.0)
    assert not pace.refused(turns[3], 0.4)
    assert pace.delay(2.5) == pytest.approx(1.75)
    pace.accepted(pace.take(4.25), 4.3)
    assert pace.delay(4.4) < 1


class Unlimited:
    """Accepts everything, but refuses the request of one number once; its headers are
    those of the first answer.
    """

    def __init__(self, refused: int = 0, wait: float = 0.0, facts: RateFacts | None = None) -> None:
        self.left, self.wait = refused, wait
        self.facts = facts or RateFacts(None, None, None)

    def ask(self, _now: float) -> Verdict:
        """Accept, or refuse that one."""
        facts, self.facts = self.facts, RateFacts(None, None, None)
        self.left -= 1
        return Verdict(None if self.left else self.wait, facts)


@pytest.mark.parametrize("workers", [1, 8])
@pytest.mark.parametrize("wait", [1, 3, 20])
@pytest.mark.parametrize("number", [1, 2, 5, 20, 59])
def test_one_pause_of_a_service_without_a_limit_costs_no_more_than_twice_its_time(
    number: int, wait: int, workers: int
) -> None:
    free = simulate(Unlimited(), workers, 60, RETRY_AFTER).seconds
    run = simulate(Unlimited(number, wait), workers, 60, RETRY_AFTER)
    assert run.refused == 1
    # Several workers begin with two requests in flight.
    assert run.seconds - free <= 2 * wait + (0.2 if workers > 1 else 0)


@pytest.mark.parametrize("window", [Window(10, 60), Window(5, 1), Window(1, 30)])
def test_what_one_header_said_is_kept_to_for_two_of_its_windows(window: Window) -> None:
    free = simulate(Unlimited(), 8, 300, ALL).seconds
    run = simulate(Unlimited(facts=RateFacts(window, None, None)), 8, 300, ALL)
    assert window.seconds < run.seconds < 2.1 * max(window.seconds, 1.2) + 3 * free


@pytest.mark.parametrize("window", [Window(10, 61.2), Window(5, 1.02), Window(1, 30)])
def test_what_an_earlier_run_learned_is_kept_to_for_one_window(window: Window) -> None:
    pace = Pace(recalled=window)
    free = simulate(Unlimited(), 8, 300, NONE).seconds
    run = simulate(Unlimited(), 8, 300, NONE, pace)
    assert run.seconds < 1.1 * max(window.seconds, 1.2) + 3 * free
    assert pace.trust.doubted == window


def test_a_reset_without_the_length_of_its_window_is_waited_for_ten_seconds() -> None:
    class Empty:
        def ask(self, _now: float) -> Verdict:
            return Verdict(None, RateFacts(None, 0, 60.0))

    assert simulate(Empty(), 4, 200, ALL).seconds < 35


@pytest.mark.parametrize("workers", [1, 8, 32])
@pytest.mark.parametrize("name", ["100 in 60 s", "100 in each minute"])
def test_a_long_window_whose_length_is_not_said_costs_two_refusals(name: str, workers: int) -> None:
    make, requests = LIMITS[name]

    class Unsaid:
        def __init__(self) -> None:
            self.limit = make()

        def ask(self, now: float) -> Verdict:
            verdict: Verdict = self.limit.ask(now)
            return verdict._replace(facts=verdict.facts._replace(window=None))

    run = simulate(Unsaid(), workers, requests, ALL)
    assert run.seconds / make().floor(requests) <= 1.5
    assert run.refused <= 2
