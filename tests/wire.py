"""An agent without a library: it starts the program and speaks the protocol's lines
itself, as its recipe needs.
"""

import contextlib
import json
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import forking
from forking import Forked
from server import Service

BEGIN: tuple[dict[str, Any], ...] = (
    {
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "wire", "version": "1"},
        },
    },
    {"method": "notifications/initialized"},
)


class Wire:
    """A server with its two pipes and its standard error."""

    def __init__(self, process: Forked) -> None:
        self.process = process

    def send(self, *messages: dict[str, Any]) -> None:
        """Write messages in one piece, so that nothing comes between them."""
        assert self.process.stdin
        self.process.stdin.write(b"".join(map(line, messages)))
        self.process.stdin.flush()

    def begin(self) -> Any:
        """Shake hands; gives what the server says of itself."""
        self.send(*BEGIN)
        answer = self.receive()
        assert answer["id"] == 0
        return answer["result"]

    def call(self, number: int, tool: str, **arguments: Any) -> None:
        """Call a tool, whose answer comes later."""
        self.send(called(number, tool, **arguments))

    def receive(self) -> Any:
        """The next message."""
        assert self.process.stdout
        return json.loads(self.process.stdout.readline())

    def close_input(self) -> None:
        """Close the end that is written to."""
        assert self.process.stdin
        self.process.stdin.close()

    def close_output(self) -> None:
        """Close the end that is read from."""
        assert self.process.stdout
        self.process.stdout.close()

    def seconds_to_its_end(self) -> float:
        """How long the process takes to end."""
        began = time.monotonic()
        self.process.wait(30)
        return time.monotonic() - began

    def end(self) -> tuple[int, str]:
        """The exit code, and standard error."""
        assert self.process.stderr
        code = self.process.wait(30)
        return code, self.process.stderr.read().decode()


def called(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    """The message that calls a tool."""
    return {"id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def line(message: dict[str, Any]) -> bytes:
    """A message as it is on the wire."""
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


@contextlib.contextmanager
def started(folder: Path, options: str, **environ: str) -> Iterator[Wire]:
    """The program with these options of `mcp serve`."""
    own = {"HOME": str(folder), "PATH": os.defpath, **environ}
    argv = ["mcp", "serve", *options.split()]
    with forking.start(argv, own, preload=forking.SERVER, stdin=subprocess.PIPE) as process:
        # Shortly before the test itself has to end: a machine with much to do takes its
        # time.
        over = threading.Timer(170, process.kill)
        over.start()
        try:
            yield Wire(process)
        finally:
            process.kill()
            over.cancel()
            # Bytes that a closed pipe refused cannot be flushed either.
            with contextlib.suppress(BrokenPipeError):
                if process.stdin:
                    process.stdin.close()


def asked(service: Service, number: int) -> None:
    """Wait until the service was asked so often."""
    until = time.monotonic() + 30
    while len(service.seen) < number:
        assert time.monotonic() < until, f"{len(service.seen)} requests came"
        time.sleep(0.01)
