"""Standard input and output of the server, which know the requests that still have to be answered."""

import contextlib
import threading
from io import TextIOWrapper
from typing import BinaryIO, TypeVar

import msgspec

from unified_cli.commands.mcp.serving.running_calls import RunningCalls
from unified_cli.json_text import typed_json

T = TypeVar("T")

# A message that is no valid request is never answered. The end of the input waits so long for others.
_UNANSWERED = 1.5


class _Cancelled(msgspec.Struct):
    request: str | int | None = msgspec.field(default=None, name="requestId")


class _WireMessage(msgspec.Struct):
    id: str | int | None = None
    method: str | None = None
    params: msgspec.Raw = msgspec.Raw(b"{}")


class OwedAnswers:
    """The ids of the requests that came and were not answered yet."""

    def __init__(self, calls: RunningCalls) -> None:
        self._calls = calls
        self._changed = threading.Condition()
        self._ids: set[str | int] = set()

    def received(self, line: str) -> None:
        """Note a message of the client."""
        message = _decoded(line, _WireMessage)
        if message.method == "notifications/cancelled":
            self._forget(_decoded(message.params, _Cancelled).request)
        elif message.method is not None and message.id is not None:
            with self._changed:
                self._ids.add(message.id)

    def written(self, line: str) -> None:
        """Note a message to the client."""
        message = _decoded(line, _WireMessage)
        if message.method is None:
            self._forget(message.id)

    def settle(self) -> None:
        """Wait until every request has its answer."""
        self._calls.input_ended()
        with self._changed:
            while not self._changed.wait_for(lambda: not self._ids, _UNANSWERED) and self._calls.any:
                pass

    def _forget(self, identifier: str | int | None) -> None:
        with self._changed:
            self._ids -= {identifier}
            self._changed.notify_all()


class Requests(TextIOWrapper):
    """What the client sends, a message a line. It ends when the input has ended and everything is answered."""

    def __init__(self, taken: BinaryIO, owed: OwedAnswers) -> None:
        super().__init__(taken, encoding="utf-8", errors="replace")
        self._owed = owed

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        """The next message, empty at the end."""
        line = super().readline(size)
        if line:
            self._owed.received(line)
        else:
            self._owed.settle()
        return line

    def close(self) -> None:
        """Leave the stream below open."""
        with contextlib.suppress(OSError, ValueError):
            self.detach()


class Answers(TextIOWrapper):
    """What is sent to the client, a message a line."""

    def __init__(self, given: BinaryIO, owed: OwedAnswers) -> None:
        super().__init__(given, encoding="utf-8")
        self._owed = owed

    def write(self, text: str, /) -> int:
        """Write a message at once."""
        size = super().write(text)
        super().flush()
        self._owed.written(text)
        return size

    def close(self) -> None:
        """Leave the stream below open."""
        with contextlib.suppress(OSError, ValueError):
            self.detach()


def _decoded(text: str | msgspec.Raw, kind: type[T]) -> T:
    """The message, empty where it is none, which the protocol deals with."""
    try:
        return typed_json.decode(text.encode() if isinstance(text, str) else bytes(text), kind)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return kind()
