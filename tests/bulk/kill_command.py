"""Kills a command at every call that changes a file or talks to a socket, in turn, and runs it again.

A process of its own without threads, so that it can fork: each command runs in a child that already has all modules.
Reads a job as JSON on standard input; prints one JSON line for each crash point.
"""

import gc
import io
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

OS_CALLS = ("write", "fsync", "replace", "link", "unlink", "ftruncate")
SOCKET_CALLS = ("send", "sendall", "recv")


class Crash:
    """Dies at call `at`; a write that is to be `torn` gets half of its bytes out before."""

    def __init__(self, at: int, *, torn: bool) -> None:
        self.at = at
        self.torn = torn
        self.calls = 0

    def patch(self) -> None:
        for name in OS_CALLS:
            setattr(os, name, self.watched(getattr(os, name), tearing=self.torn and name == "write"))
        for name in SOCKET_CALLS:
            setattr(socket.socket, name, self.watched(getattr(socket.socket, name), tearing=False))

    def watched(self, call: Callable[..., Any], *, tearing: bool) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                if tearing:
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*args, **kwargs)

        return wrapper


def in_child(argv: list[str], environ: dict[str, str], folder: Path, crash: Crash | None) -> tuple[int, bool]:
    """The exit code of a command, and whether it was killed."""
    child = os.fork()
    if child == 0:
        if crash:
            crash.patch()
        folders = {"config": folder / "config", "data": folder / "data"}
        runtime = Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), environ, folders=folders)
        os._exit(main(argv, runtime))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), os.WIFSIGNALED(status)


def run(job: dict[str, Any]) -> None:
    """Every crash point: `argv` may hold `{n}`, and so may the files that are made afresh each time."""
    folder = Path(job["folder"])
    for torn in (False, True):
        at = 0
        while True:
            at += 1
            name = f"{at}{'t' if torn else ''}"
            for file, content in job["files"].items():
                (folder / file.replace("{n}", name)).write_text(content.replace("{n}", name))
            argv = [word.replace("{n}", name) for word in job["argv"]]
            _, killed = in_child(argv, job["environ"], folder, Crash(at, torn=torn))
            code, _ = in_child(argv, job["environ"], folder, None)
            sys.stdout.write(json.dumps({"point": name, "killed": killed, "code": code}) + "\n")
            if not killed:
                break


if __name__ == "__main__":
    # Imports that the first child would make, and every other one again.
    from unified_cli import app  # noqa: F401
    from unified_cli.bulk.import_ import importer, record_map, result_files  # noqa: F401
    from unified_cli.call import downloading, response_output  # noqa: F401
    from unified_cli.cli import connect  # noqa: F401
    from unified_cli.commands.import_records import import_command, import_run  # noqa: F401
    from unified_cli.storage import file_lock  # noqa: F401

    gc.freeze()
    run(json.load(sys.stdin))
