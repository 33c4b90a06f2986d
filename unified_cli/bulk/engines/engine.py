"""What every engine offers: tasks are submitted, and their results waited for. Only bytes go there and come back."""

from collections.abc import Callable
from typing import NamedTuple, Protocol

Work = Callable[[bytes, Callable[[bytes], None]], bytes]
"""What a worker does: takes the bytes of a task and a function that sends news of it, and gives the result.

That function raises StateError when nobody wants the task any more. It sends nothing where the news are empty.
"""


class EngineTask(NamedTuple):
    """Bytes for a worker, under a `name` that is told in messages and differs from that of all others."""

    name: str
    payload: bytes


class TaskNews(NamedTuple):
    """What a worker said of a task that it is doing."""

    task: EngineTask
    data: bytes


class TaskEnd(NamedTuple):
    """A task came to its end, `where` names the worker, as far as it is known.

    Without a result, `why` says what kept it from one; `refused` says that there was something, which was not read.
    """

    task: EngineTask
    where: str
    result: bytes | None = None
    why: str = ""
    refused: bool = False
    hint: str | None = None


class Engine(Protocol):
    """A cluster whose workers do the same work.

    Whatever comes from a worker is bytes that nobody has looked at. It is a context: at its end, what is under way is
    cancelled.
    """

    def submit(self, task: EngineTask, *, everywhere: bool = False) -> int:
        """Have a task done: once, or by every worker that there is. Gives how many ends it will have."""

    def wait(self, seconds: float) -> list[TaskNews | TaskEnd]:
        """What came until now, and if that is nothing, what comes within so many seconds.

        Raises NetworkError where the cluster is lost.
        """
