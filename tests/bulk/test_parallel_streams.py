"""Several runs side by side, whose results are used one at a time."""

import threading
import time
from functools import partial

import pytest

from unified_cli.bulk.parallel_streams import Ended, Give, side_by_side


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
