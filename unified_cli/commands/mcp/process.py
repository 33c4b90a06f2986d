"""Run the server until its input ends, its client is gone, or a signal arrives.

The protocol runs in its own thread, because a signal raises an exception at an
arbitrary point of the main thread. In the protocol's event loop, this exception would
be lost, or printed as a long traceback.
"""

import contextlib
import errno
import select
import threading
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any, BinaryIO, TypeVar

import anyio
import msgspec
from mcp.server import Server
from mcp.server.stdio import stdio_server

from unified_cli import os_limits, signals
from unified_cli.commands.mcp.running_calls import RunningCalls
from unified_cli.errors import StorageError
from unified_cli.json_text import typed_json
from unified_cli.output import stdout
from unified_cli.runtime import Runtime

# A client stops the server by closing the server's standard input. The client expects
# the server to end within 2 s.
# Pending requests have _PATIENCE seconds to complete. Then they are abandoned, and have
# _LAST_ANSWERS seconds to return partial answers.
_PATIENCE, _LAST_ANSWERS = 0.7, 0.6
_LAST_MOMENT = 0.2
T = TypeVar("T")


class _Cancelled(msgspec.Struct):
    request: str | int | None = msgspec.field(default=None, name="requestId")


class _WireMessage(msgspec.Struct):
    id: str | int | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")


class OwedAnswers:
    """The ids of the pending requests."""

    def __init__(self, calls: RunningCalls) -> None:
        self._calls = calls
        self._changed = threading.Condition()
        self._ids: set[str | int] = set()

    def received(self, line: str) -> None:
        """Record a message from the client."""
        message = _decoded_or_empty(line, _WireMessage)
        if message.method == "notifications/cancelled":
            self._forget(_decoded_or_empty(message.params, _Cancelled).request)
        elif message.method is not None and message.id is not None:
            with self._changed:
                self._ids.add(message.id)

    def written(self, line: str) -> None:
        """Record a message to the client."""
        message = _decoded_or_empty(line, _WireMessage)
        if message.method is None:
            self._forget(message.id)

    def settle(self) -> None:
        """Wait briefly until every request has its answer."""
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, _PATIENCE)
        self._calls.abandon()
        with self._changed:
            self._changed.wait_for(lambda: not self._ids, _LAST_ANSWERS)

    def _forget(self, identifier: str | int | None) -> None:
        with self._changed:
            self._ids -= {identifier}
            self._changed.notify_all()


class Requests(TextIOWrapper):
    """The messages of the client, one per line.

    The end of the input is reported only after `OwedAnswers.settle` has waited for
    pending answers.
    """

    def __init__(self, stdin: BinaryIO, owed: OwedAnswers) -> None:
        super().__init__(stdin, encoding="utf-8", errors="replace")
        self._owed = owed

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """Return the next message, or "" at the end."""
        line = super().readline(size)
        if line:
            self._owed.received(line)
        else:
            self._owed.settle()
        return line

    def close(self) -> None:
        """Do nothing: the underlying stream stays open."""
        with contextlib.suppress(OSError, ValueError):
            self.detach()


class Answers(TextIOWrapper):
    """The messages to the client, one per line."""

    def __init__(self, output: BinaryIO, owed: OwedAnswers) -> None:
        super().__init__(output, encoding="utf-8")
        self._owed = owed

    def write(self, text: str, /) -> int:
        """Write a message immediately."""
        size = super().write(text)
        super().flush()
        self._owed.written(text)
        return size

    def close(self) -> None:
        """Do nothing: the underlying stream stays open."""
        with contextlib.suppress(OSError, ValueError):
            self.detach()


def _decoded_or_empty(text: str | msgspec.Raw, kind: type[T]) -> T:
    try:
        return typed_json.decode(text.encode() if isinstance(text, str) else bytes(text), kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return kind()


def run(runtime: Runtime, server: Server[Any], calls: RunningCalls) -> None:
    """Serve until the input ends, or the client has closed standard output.

    Raises StorageError if a stream is unusable, and ClosedError if the client has
    closed standard output although an answer is pending.
    """
    stdout.bypass_pager(runtime)
    stdin, output = runtime.stdin, runtime.stdout
    if stdin is None or output is None:
        raise StorageError("mcp serve needs standard input and output, but one of them is closed")
    if runtime.stdin_is_terminal:
        runtime.stderr.line(
            "waiting for an agent on standard input; `unified mcp config` prints how an agent"
            " starts this server"
        )
    over = threading.Event()
    failures: list[BaseException] = []
    protocol = os_limits.start_thread(
        lambda: _noted(lambda: _speak(server, stdin, output, calls), failures, over)
    )
    os_limits.start_thread(lambda: _noted(lambda: _wait_for_the_end_of(output), failures, over))
    try:
        while not over.wait(signals.LONGEST_WAIT):
            pass
    finally:
        calls.close()
    protocol.join(_LAST_MOMENT)
    if failures:
        raise _cause(failures[0])
    if protocol.is_alive():
        raise stdout.ClosedError


def _noted(work: Callable[[], None], failures: list[BaseException], over: threading.Event) -> None:
    try:
        work()
    except BaseException as error:  # noqa: BLE001  `run` raises the error
        failures.append(error)
    finally:
        over.set()


def _speak(server: Server[Any], stdin: BinaryIO, output: BinaryIO, calls: RunningCalls) -> None:
    owed = OwedAnswers(calls)
    anyio.run(_serve, server, Requests(stdin, owed), Answers(output, owed))


async def _serve(server: Server[Any], stdin: Requests, output: Answers) -> None:
    async with stdio_server(anyio.wrap_file(stdin), anyio.wrap_file(output)) as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def _wait_for_the_end_of(output: BinaryIO) -> None:
    """Wait until the client has closed our output.

    Waits forever on platforms without `poll`, which cannot detect the end.
    """
    if not hasattr(select, "poll"):
        threading.Event().wait()
    reader = select.poll()
    # Even with no events, poll reports errors and a closed pipe.
    reader.register(output, 0)
    reader.poll()


def _cause(error: BaseException) -> BaseException:
    """Return the error that ended the server.

    Returns the first error of an exception group. An OSError becomes the error of a
    failed write to standard output.
    """
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, OSError) and error.errno != errno.EPERM:
        return stdout.failure(error)
    return error
