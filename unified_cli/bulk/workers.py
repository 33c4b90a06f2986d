"""Several runs side by side in threads, none of them far ahead of whoever takes their results."""

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Generic, NamedTuple, TypeVar

from unified_cli.errors import UnifiedError

T = TypeVar("T")

# How often a thread that nobody takes from looks whether anybody still wants anything.
_LOOK = 0.5


class Ended(NamedTuple):
    """A run is over: well, or with this error."""

    error: UnifiedError | None = None


class _Channel(Generic[T]):
    """Holds one result at a time, so that the next is made while this one is written, and no more."""

    def __init__(self, stopped: threading.Event) -> None:
        self._stopped = stopped
        self._held: queue.Queue[tuple[int, T | Ended | Exception]] = queue.Queue(1)

    def put(self, index: int, value: T | Ended | Exception) -> bool:
        """Whether somebody will take it."""
        while not self._stopped.is_set():
            try:
                self._held.put((index, value), timeout=_LOOK)
            except queue.Full:
                continue
            return True
        return False

    def get(self) -> tuple[int, T | Ended | Exception]:
        return self._held.get()


def side_by_side(
    runs: Sequence[Callable[[], Iterator[T]]], workers: int, *, ordered: bool = False
) -> Iterator[tuple[int, T | Ended]]:
    """The results of all runs as they come, each with the place of its run; at the end of each run an Ended.

    With `ordered`, one run after the other, though the next are under way. An error that is no UnifiedError ends it
    all. Whoever stops asking stops the threads at their next result.
    """
    stopped = threading.Event()
    shared: _Channel[T] = _Channel(stopped)
    channels = [_Channel[T](stopped) if ordered else shared for _ in runs]
    waiting = deque(range(len(runs)))

    def work() -> None:
        while not stopped.is_set():
            try:
                index = waiting.popleft()
            except IndexError:
                return
            _run(runs[index], index, channels[index])

    for _ in range(min(workers, len(runs))):
        threading.Thread(target=work, daemon=True).start()
    try:
        for place in range(len(runs)):
            ended = False
            while not ended:
                index, value = channels[place].get()
                if isinstance(value, Exception):
                    raise value
                yield index, value
                ended = isinstance(value, Ended)
    finally:
        stopped.set()


def ahead(run: Callable[[], Iterator[T]]) -> Iterator[T]:
    """The results of one run, the next made while one is being used. Raises the error that the run ends with."""
    for _, value in side_by_side([run], 1):
        if not isinstance(value, Ended):
            yield value
        elif value.error:
            raise value.error


def _run(run: Callable[[], Iterator[T]], index: int, channel: _Channel[T]) -> None:
    last: Ended | Exception = Ended()
    try:
        results = run()
        with closing(results):  # type: ignore[type-var]  # a generator, which is an iterator that can be closed
            for value in results:
                if not channel.put(index, value):
                    return
    except UnifiedError as error:
        last = Ended(error)
    except Exception as error:  # noqa: BLE001  a bug is told by whoever waits for the results, not by a thread
        last = error
    channel.put(index, last)
