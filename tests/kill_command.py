"""Kills a command before every call that changes a file or talks to a socket and in
each write, and runs it again.

A process of its own without threads, so that it can fork: each command runs in a child
that already has all modules. Reads a job as JSON on standard input; prints one JSON
line for each crash point.
"""

import gc
import io
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any

import read_once

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

OS_CALLS = ("write", "replace", "link", "unlink", "ftruncate", "mkdir")
SOCKET_CALLS = ("send", "sendall", "recv")


class Crash:
    """Dies at point `at`: before a call, or in a write, of which half the bytes got
    out.
    """

    def __init__(self, at: int) -> None:
        self.at = at
        self.points = 0
        self.last_words: Callable[[], Any] = lambda: None

    def patch(self) -> None:
        for name in OS_CALLS:
            setattr(os, name, self.watched(getattr(os, name), tearing=name == "write"))
        for name in SOCKET_CALLS:
            setattr(socket.socket, name, self.watched(getattr(socket.socket, name), tearing=False))

    def watched(self, call: Callable[..., Any], *, tearing: bool) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self.point()
            if tearing:
                self.point(lambda: call(args[0], bytes(args[1])[: len(args[1]) // 2]))
            return call(*args, **kwargs)

        return wrapper

    def point(self, torn: Callable[[], Any] = lambda: None) -> None:
        self.points += 1
        if self.points == self.at:
            torn()
            self.last_words()
            os.kill(os.getpid(), signal.SIGKILL)


def in_child(
    argv: list[str], environ: dict[str, str], folder: Path, crash: Crash | None
) -> tuple[int, bool]:
    """The exit code of a command, and whether it was killed."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        send = os.write
        # Data in the kernel survives a kill, so nothing waits for a disk here.
        os.fsync = lambda _: None
        if crash:
            crash.patch()
            crash.last_words = lambda: send(write, json.dumps([*sys.modules]).encode())
        folders = {"config": folder / "config", "data": folder / "data"}
        runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), environ, folders=folders)
        code = main(argv, runtime)
        send(write, json.dumps([*sys.modules]).encode())
        os._exit(code)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        modules = json.loads(pipe.read() or "[]")
    _, status = os.waitpid(child, 0)
    for name in modules:
        # Modules that one child imported, the next ones find; some libraries make
        # modules that have no file.
        with suppress(ImportError):
            import_module(name)
    return os.waitstatus_to_exitcode(status), os.WIFSIGNALED(status)


def run(job: dict[str, Any]) -> None:
    """Every crash point, or some: `argv` may hold `{n}`, and so may the files that are
    made afresh each time.
    """
    folder = Path(job["folder"])
    read_once.help_of(job["argv"])
    gc.freeze()
    for at in count(job["first"], job["step"]):
        name = str(at)
        for file, content in job["files"].items():
            made = folder / file.replace("{n}", name)
            made.write_text(content.replace("{n}", name))
            # One of them may be a config, which no other user may write.
            made.chmod(0o600)
        argv = [word.replace("{n}", name) for word in job["argv"]]
        environ = {
            variable: value.replace("{n}", name) for variable, value in job["environ"].items()
        }
        _, killed = in_child(argv, environ, folder, Crash(at))
        code, _ = in_child(argv, environ, folder, None)
        sys.stdout.write(json.dumps({"point": name, "killed": killed, "code": code}) + "\n")
        if not killed:
            return


if __name__ == "__main__":
    run(json.load(sys.stdin))
