"""Several runs side by side in threads, whose results are used by one of them at a time."""

import queue
import threading
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from unified_cli.errors import UnifiedError

T = TypeVar("T")
Give = Callable[[T], None]
"""What a run hands each of its results to."""

# How long a program that is stopped waits for a result that is being used: a page on stdout should not be torn.
_PATIENCE = 1.0


class Ended(NamedTuple):
    """A run is over: well, or with this error."""

    error: UnifiedError | None = None


class _Unwanted(Exception):  # noqa: N818  it is no error, and nobody outside sees it
    """Nobody wants results any more."""


class _Desk(Generic[T]):
    """Where results are used: one at a time, and with `ordered` those of one run after those of another."""

    def __init__(self, use: Callable[[int, T | Ended], None], *, ordered: bool) -> None:
        self._use = use
        self._ordered = ordered
        self._free = threading.Condition()
        self._turn = 0
        self._closed = False

    def put(self, place: int, result: T | Ended) -> None:
        """Use the result, in this thread. Raises what using it raises."""
        with self._free:
            self._free.wait_for(lambda: self._closed or not self._ordered or self._turn == place)
            if self._closed:
                raise _Unwanted
            self._use(place, result)
            if isinstance(result, Ended):
                self._turn += 1
                self._free.notify_all()

    def close(self) -> None:
        """Use nothing any more."""
        self._closed = True
        if self._free.acquire(timeout=_PATIENCE):
            self._free.notify_all()
            self._free.release()


def side_by_side(
    runs: Sequence[Callable[[Give[T]], None]],
    workers: int,
    use: Callable[[int, T | Ended], None],
    *,
    ordered: bool = False,
) -> None:
    """Do all runs, so many at a time, each in one thread.

    `use` gets each result with the place of its run, and an Ended at the end of each run; it is called in the run's own
    thread, but never in two at once. With `ordered`, the results of a run wait until the one before it is over. Any
    error of `use`, and one of a run that is no UnifiedError, ends it all and is raised.
    """
    desk = _Desk(use, ordered=ordered)
    waiting = iter([*enumerate(runs)])
    finished: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()

    def work() -> None:
        stopped: BaseException | None = None
        try:
            for place, run in waiting:
                _do(run, place, desk)
        except _Unwanted:
            pass
        except BaseException as error:  # noqa: BLE001  it is raised in the thread that waits
            stopped = error
        finished.put(stopped)

    threads = min(workers, len(runs))
    try:
        # A signal may come while the threads are being started, and then too nobody is to use anything any more.
        for _ in range(threads):
            threading.Thread(target=work, daemon=True).start()
        for _ in range(threads):
            if error := finished.get():
                raise error
    finally:
        desk.close()


def _do(run: Callable[[Give[T]], None], place: int, desk: _Desk[T]) -> None:
    failed: list[BaseException] = []

    def give(result: T) -> None:
        try:
            desk.put(place, result)
        except BaseException as error:
            failed.append(error)
            raise

    ended = Ended()
    try:
        run(give)
    except UnifiedError as error:
        if failed:
            raise
        ended = Ended(error)
    desk.put(place, ended)
