"""The interface of every engine, and its address: submit tasks, and wait for results.

Only bytes are exchanged.
"""

import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from unified_cli.config import address
from unified_cli.errors import ConfigError, UnsafeError, UsageError

_ADDRESS = re.compile(
    r"(?P<scheme>dask|tls)://(?P<host>\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):(?P<port>[1-9]\d{0,4})/?"
)

_OF_DASK = "tcp://"

Work = Callable[[bytes, Callable[[bytes], None]], bytes]
"""The work of a worker: it takes the bytes of a task and a function that reports
progress, and returns the result.

That function raises StateError when no one wants the task any more. It sends nothing
where the news are empty.
"""


class EngineTask(NamedTuple):
    """Bytes for a worker, under a `name` that is reported in messages and differs from
    that of all others.
    """

    name: str
    payload: bytes


class TaskNews(NamedTuple):
    """A worker's progress report about its task."""

    task: EngineTask
    data: bytes


class TaskEnd(NamedTuple):
    """A task came to its end, `where` names the worker, as far as it is known.

    Without a result, `why` says what kept it from one; `refused` says that there was
    something, which was not read.
    """

    task: EngineTask
    where: str
    result: bytes | None = None
    why: str = ""
    refused: bool = False
    hint: str | None = None


class Engine(Protocol):
    """A cluster whose workers do the same work.

    Messages from a worker are unchecked bytes. This is a context manager: on exit,
    running tasks are cancelled.
    """

    workers: int
    """How many workers there were at the last look, which is about a second old after
    `wait`.
    """

    def submit(self, task: EngineTask, *, everywhere: bool = False) -> int:
        """Have a task done: once, or by every worker that there is. Gives how many ends
        it will have.
        """

    def wait(self, seconds: float) -> list[TaskNews | TaskEnd]:
        """Return what came until now, and if that is nothing, what comes within this
        many seconds.

        Raises NetworkError where the cluster is lost.
        """


def parse_address(text: str) -> str:
    """Return the address of a scheduler, which `--engine` takes, as Dask writes it.

    Raises UsageError for anything else, UnsafeError for clear text to another machine,
    ConfigError without the extra.
    """
    if text.startswith(_OF_DASK):
        # As Dask prints it, and takes it to be.
        raise UsageError(
            "--engine takes dask://HOST:PORT where Dask says tcp://",
            hint=f"dask://{text.removeprefix(_OF_DASK)}",
        )
    found = _ADDRESS.fullmatch(text)
    if not found or int(found["port"]) > 65535:
        raise UsageError("--engine takes dask://HOST:PORT, or tls://HOST:PORT on another machine")
    place = f"{found['host']}:{found['port']}"
    if found["scheme"] == "dask" and not address.is_loopback(found["host"].strip("[]")):
        # A task names accounts, and anyone who can change it in transit can run
        # programs on the workers.
        raise UnsafeError(
            f"the scheduler at {found['host']} would be reached in clear text",
            hint=f"use tls://{place}",
        )
    if find_spec("distributed") is None:
        raise ConfigError(
            "--engine needs the packages dask and obstore",
            hint="pip install 'dask[distributed]' obstore",
        )
    return f"{'tls' if found['scheme'] == 'tls' else 'tcp'}://{place}"
