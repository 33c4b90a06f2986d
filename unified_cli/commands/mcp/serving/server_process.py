"""The process of the server: it ends with its input, with its reader, or by a signal.

The protocol runs in a thread of its own. A signal raises an exception in the main thread, at any place: in the loop of
the protocol it would be lost, or be told in many lines.
"""

import select
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from unified_cli import os_limits, signals
from unified_cli.commands.mcp.serving.owed_answers import Answers, OwedAnswers, Requests
from unified_cli.commands.mcp.serving.running_calls import RunningCalls
from unified_cli.errors import StorageError
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

# The process ends within 2 s of its reader.
_LAST_SECONDS = 1.0
_LAST_MOMENT = 0.2


def run(runtime: Runtime, server: Server[Any], calls: RunningCalls) -> None:
    """Serve until the input ends and everything is answered, or the reader of standard output is gone.

    Raises StorageError for a stream that cannot be used, ClosedError where an answer was to come and nobody reads.
    """
    taken, given = runtime.stdin, runtime.stdout
    if taken is None or given is None:
        raise StorageError("mcp serve speaks on standard input and output, and one of them is closed")
    if runtime.stdin_is_terminal:
        runtime.stderr.line("waiting for an agent on standard input; `unified mcp config` makes one start the server")
    over = threading.Event()
    failures: list[BaseException] = []
    protocol = os_limits.start_thread(lambda: _noted(lambda: _speak(server, taken, given, calls), failures, over))
    os_limits.start_thread(lambda: _noted(lambda: _wait_for_the_end_of(given), failures, over))
    try:
        while not over.wait(signals.LONGEST_WAIT):
            pass
    finally:
        calls.close(_LAST_SECONDS)
    protocol.join(_LAST_MOMENT)
    if failures:
        raise _cause(failures[0])
    if protocol.is_alive():
        raise stdout.ClosedError


def _noted(work: Callable[[], None], failures: list[BaseException], over: threading.Event) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001  it is raised in the main thread
        failures.append(error)
    finally:
        over.set()


def _speak(server: Server[Any], taken: BinaryIO, given: BinaryIO, calls: RunningCalls) -> None:
    owed = OwedAnswers(calls)
    anyio.run(_serve, server, Requests(taken, owed), Answers(given, owed))


async def _serve(server: Server[Any], taken: Requests, given: Answers) -> None:
    async with stdio_server(anyio.wrap_file(taken), anyio.wrap_file(given)) as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _wait_for_the_end_of(given: BinaryIO) -> None:
    """Wait until nobody can read what is written any more; for ever where that cannot be known."""
    if not hasattr(select, "poll"):
        threading.Event().wait()
    reader = select.poll()
    # Errors and the end of the other side are always told.
    reader.register(given, 0)
    reader.poll()


def _cause(error: BaseException) -> BaseException:
    """What ended the server: the first error of a group, that of standard output as any command tells it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return stdout.failure(error) if isinstance(error, OSError) else error
