"""A Dask cluster as the engine.

Messages of its workers are not trusted and never unpickled.

How many tasks run at a time is decided in `engine_driver`.
"""

import logging
import secrets
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Self

import dask
from distributed import Client, Future, get_worker, secede

from unified_cli.commands.export.engine import EngineTask, TaskEnd, TaskNews, Work
from unified_cli.errors import ConfigError, NetworkError, StateError, UnsafeError

_CONNECT_SECONDS = 10
_RESULT_SECONDS = 10
# The scheduler is asked so often which workers there are, and for a sign of life; it is
# taken for lost when none came for so long.
_LOOK_SECONDS, _PING_SECONDS, _LOST_SECONDS = 1.0, 5.0, 60.0
_PING = "ping"
_LARGEST_NEWS = 64 * 1024
_NOT_READ = "it failed with a pickle, which was not read"
_SAME_VERSION = "the worker's log has the error; every worker needs the same version of unified"
_EVENT = "pickle.find_class"
# The type of each result, which a scheduler passes on; without a value it does nothing.
_HARMLESS = {("builtins", "bytes")}


class PickleRefusedError(TypeError):
    """A pickle named a class or a function."""


class _Refusals:
    """Refuses every pickle that names anything, as long as someone asks for it, and
    remembers what was named.

    Python tells its audit hooks of each name before it is looked up. A pickle without
    names holds plain data only.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = 0
        self._is_hooked = False

    def __enter__(self) -> None:
        with self._lock:
            if not self._is_hooked:
                # A hook stays as long as the process.
                sys.addaudithook(self._check)
                self._is_hooked = True
            self._asked += 1

    def __exit__(self, *_exception: object) -> None:
        with self._lock:
            self._asked -= 1

    def _check(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == _EVENT and self._asked and arguments not in _HARMLESS:
            # A library may take this error for one of the data, and continue.
            raise PickleRefusedError("a pickle is not read here: " + ".".join(map(str, arguments)))


_PICKLES_REFUSED = _Refusals()
"""A context in which pickles are refused, in all threads of this process, with
PickleRefusedError.
"""


@dataclass(frozen=True, slots=True)
class _Submitted:
    """A task, its future, and the worker that has to do it if it is not any."""

    task: EngineTask
    future: Any
    worker: str | None


class DaskEngine:
    """The workers of a scheduler. All methods are for one thread."""

    def __init__(self, address: str, work: Work, clock: Callable[[], float]) -> None:
        """`work` is a function of a module that the workers can import.

        `clock` gives seconds.
        """
        self._address = address
        self._work = work
        self._clock = clock
        self._topic = f"unified-{secrets.token_hex(8)}"
        self._submitted: dict[str, _Submitted] = {}
        self._events: SimpleQueue[Any] = SimpleQueue()
        self._open = ExitStack()
        self._heard = self._asked = self._looked = 0.0
        self.workers = 0

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            opened.enter_context(_PICKLES_REFUSED)
            opened.enter_context(_silence())
            # Enumerations are imported by the names that a message gives.
            opened.enter_context(dask.config.set({"distributed.scheduler.allowed-imports": []}))
            self._client = opened.enter_context(self._connected())
            # Output of workers would appear on our stdout.
            for topic in ("print", "warn"):
                self._client.unsubscribe_topic(topic)
            self._client.subscribe_topic(self._topic, self._events.put)
            opened.callback(self._cancel)
            try:
                self.workers = len(self._client.nthreads())
            except OSError:
                raise self._lost_scheduler() from None
            self._open = opened.pop_all()
        self._heard = self._asked = self._clock()
        return self

    def __exit__(self, *_exception: object) -> None:
        # A lost scheduler cannot be notified that we leave.
        with suppress(Exception):
            self._open.close()

    def _connected(self) -> Any:
        # Results come as msgpack or not at all: every other form that Dask knows is a
        # pickle, or begins with one.
        plain = ["msgpack"]
        try:
            return Client(
                self._address,
                timeout=_CONNECT_SECONDS,
                set_as_default=False,
                serializers=plain,
                deserializers=plain,
            )
        except (OSError, TimeoutError) as error:
            raise NetworkError(
                f"no Dask scheduler answers at {self._address}: {error}",
                hint="check the address of --engine",
            ) from None
        except (TypeError, ValueError, RuntimeError) as error:
            raise ConfigError(
                f"cannot connect to {self._address}: {error}",
                hint="Dask's own configuration names the certificates",
            ) from None

    def submit(self, task: EngineTask, *, everywhere: bool = False) -> int:
        """Have a task done: once, or by every worker that there is. Gives how many ends
        it will have.
        """
        workers: list[str | None] = [*self._client.nthreads()] if everywhere else [None]
        for worker in workers:
            future = self._client.submit(
                perform,
                self._work,
                task.payload,
                self._topic,
                key=f"{task.name}-{secrets.token_hex(8)}",
                pure=False,
                workers=worker and [worker],
            )
            self._submitted[future.key] = _Submitted(task, future, worker)
            future.add_done_callback(self._events.put)
        return len(workers)

    def wait(self, seconds: float) -> list[TaskNews | TaskEnd]:
        """Return what came until now, and if that is nothing, what comes within this
        many seconds.

        Raises NetworkError where the scheduler is lost, UnsafeError where its messages
        cannot be read.
        """
        try:
            return self._came(seconds)
        except OSError:
            # Nothing is cancelled yet, because the library has not noticed.
            raise self._lost_scheduler() from None

    def _came(self, seconds: float) -> list[TaskNews | TaskEnd]:
        found: list[TaskNews | TaskEnd] = self._lost_workers()
        with suppress(Empty):
            event = self._events.get(timeout=0 if found else seconds)
            while True:
                found += self._ended(event) if isinstance(event, Future) else self._news(event)
                event = self._events.get_nowait()
        return found

    def _lost_scheduler(self) -> NetworkError:
        return NetworkError(
            f"the scheduler at {self._address} was lost, or cancelled the tasks",
            hint="run the same command again",
        )

    def _news(self, event: Any) -> list[TaskNews | TaskEnd]:
        """Return what a worker, or we ourselves, logged.

        Anything that is not a news of a task is nothing.
        """
        self._heard = self._clock()
        match event:
            case (_, (str(key), bytes(data))) if (
                key in self._submitted and len(data) <= _LARGEST_NEWS
            ):
                return [TaskNews(self._submitted[key].task, data)]
        return []

    def _ended(self, future: Any) -> list[TaskNews | TaskEnd]:
        submitted = self._submitted.get(future.key)
        if submitted is None:
            return []
        if future.status == "pending":
            # Its result was lost with its worker, and the scheduler has it made again.
            future.add_done_callback(self._events.put)
            return []
        if future.status == "cancelled":
            raise self._lost_scheduler()
        if (end := self._end(submitted)) is None:
            future.add_done_callback(self._events.put)
            return []
        del self._submitted[future.key]
        future.release()
        return [end]

    def _end(self, submitted: _Submitted) -> TaskEnd | None:
        """Return how the task ended, or None if its result was lost in the meantime."""
        task, future, worker = submitted.task, submitted.future, submitted.worker or ""
        if future.status == "error":
            if b"KilledWorker" in _raw_error(future):
                return TaskEnd(task, worker, why="several workers were lost while they did it")
            return TaskEnd(task, worker, why=_NOT_READ, refused=True, hint=_SAME_VERSION)
        try:
            result = future.result(timeout=_RESULT_SECONDS)
        except TimeoutError:
            return None
        except Exception:  # noqa: BLE001  whatever the library makes of what a worker sent
            result = None
        worker = worker or ", ".join(
            one for found in self._client.who_has([future]).values() for one in found
        )
        if type(result) is not bytes:
            return TaskEnd(
                task, worker, why="its result is no bytes, and was not read", refused=True
            )
        return TaskEnd(task, worker, result)

    def _lost_workers(self) -> list[TaskNews | TaskEnd]:
        """Return the ends of tasks whose only worker is gone.

        Asks the scheduler for a sign of life, too.
        """
        now = self._clock()
        if now - self._looked < _LOOK_SECONDS:
            return []
        self._looked = now
        if now - self._asked >= _PING_SECONDS:
            self._ping(now)
        there = self._client.nthreads()
        self.workers = len(there)
        lost = [
            key for key, one in self._submitted.items() if one.worker and one.worker not in there
        ]
        found: list[TaskNews | TaskEnd] = []
        for one in map(self._submitted.pop, lost):
            one.future.release()
            found.append(TaskEnd(one.task, one.worker or "", why="the worker was lost"))
        return found

    def _ping(self, now: float) -> None:
        self._asked = now
        if now - self._heard > _LOST_SECONDS:
            raise UnsafeError(
                f"no message from {self._address} can be read any more: some worker sent a pickle,"
                " which was refused"
            )
        self._client.log_event(self._topic, _PING)

    def _cancel(self) -> None:
        self._client.cancel([one.future for one in self._submitted.values()], force=True)
        self._submitted.clear()


def perform(work: Work, payload: bytes, topic: str) -> bytes:
    """On a worker: do the work, and log its news under the topic.

    The driver decides how many tasks run at a time: they wait for the service more than
    they compute. So this one leaves the threads that the scheduler counts.
    """
    worker = get_worker()
    key = worker.get_current_task()
    secede()

    def tell(news: bytes) -> None:
        task = worker.state.tasks.get(key)
        if (
            task is None
            or task.state not in {"executing", "long-running"}
            or worker.status.name != "running"
        ):
            raise StateError("the driver of this task wants it no more")
        if news:
            worker.log_event(topic, [key, news])

    return work(payload, tell)


def _raw_error(future: Any) -> bytes:
    """Return the bytes of the pickle that a failed task left, unread."""
    with suppress(Exception):
        content = future.exception(timeout=_RESULT_SECONDS).args[0]
        return content if isinstance(content, bytes) else b""
    return b""


@contextmanager
def _silence() -> Iterator[None]:
    """Keep what the library logs and warns of from stderr: some of it is text that
    workers chose.
    """
    disabled = logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)
