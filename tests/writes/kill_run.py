"""Kills a run, or what resumes it, at every point, or interrupts it at lines of the
program; then says what `runs show` tells, and resumes it to its end.

A process of its own without threads, as `kill_command.py`. Reads a job as JSON on
standard input; prints one JSON line for each crash point.
"""

import gc
import io
import json
import os
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import read_once
from kill_command import Crash
from line_stops import watch_lines

from unified_cli.main import main
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

_INTERRUPTED = 130


class Interrupt(Crash):
    """Is interrupted at a line of the program instead, as by Ctrl-C."""

    def patch(self) -> None:
        watch_lines(self.interrupt)

    def interrupt(self) -> None:
        self.points += 1
        if self.points == self.at:
            raise KeyboardInterrupt


class Home:
    """The folders of one crash point, and the commands that are run there."""

    def __init__(self, job: dict[str, Any], at: int) -> None:
        self.job = job
        self.at = at
        self.data = Path(job["folder"]) / f"data-{at}"

    def run(self, argv: list[str], crash: Crash | None = None) -> tuple[int, bytes]:
        """The exit code, negative where it was killed, and what was printed."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            self._in_child(argv, crash, write)
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            printed = pipe.read()
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), printed

    def _in_child(self, argv: list[str], crash: Crash | None, pipe: int) -> None:
        send = os.write
        # Data in the kernel survives a kill, so nothing waits for a disk here.
        os.fsync = lambda _: None
        if crash:
            crash.patch()
        stdout = io.BytesIO()
        folders = {"config": Path(self.job["folder"]) / "config", "data": self.data}
        stdin = io.BytesIO(self.job["stdin"].replace("{n}", str(self.at)).encode())
        code = main(
            [word.replace("{n}", str(self.at)) for word in argv],
            Runtime(stdin, stdout, Stderr(None), {}, folders=folders),
        )
        send(pipe, stdout.getvalue())
        os._exit(code)

    def run_id(self) -> str | None:
        """The id of the run, if it was begun."""
        found = [path.name.partition(".")[0] for path in (self.data / "runs").glob("2*.ndjson")]
        return found[0] if found else None

    def left(self, run: str | None) -> list[str]:
        """The files beside the journal of the run."""
        return [
            path.name
            for path in self.data.rglob("*")
            if path.is_file() and path.name != f"{run}.ndjson"
        ]

    def shown(self, run: str | None) -> list[Any]:
        """The output of `runs show`."""
        if run is None:
            return []
        code, printed = self.run(["runs", "show", run, "-o", "json"])
        assert code == 0, printed
        found: list[Any] = json.loads(printed)["result"]
        return found


def at_point(job: dict[str, Any], at: int) -> dict[str, Any]:
    """Kill at one point, look, and resume."""
    home = Home(job, at)
    run = None
    argv = job["argv"]
    if job["prepare"]:
        home.run(job["argv"])
        run = home.run_id()
        argv = ["runs", "resume", run]
    code, _ = home.run(argv, (Interrupt if job["interrupt"] else Crash)(at))
    run = run or home.run_id()
    looked = time.monotonic()
    shown = home.shown(run)
    ended = home.run(["runs", "resume", run])[0] if run else None
    after = home.shown(run)
    # A run killed before it had a journal is removed by the next command that reads
    # runs next.
    assert home.run(["runs", "list"])[0] == 0
    return {
        "point": at,
        "killed": code < 0 or code == _INTERRUPTED,
        "looked": looked,
        "shown": shown,
        "code": ended,
        "after": after,
        "left": home.left(run),
    }


def warm_up(job: dict[str, Any]) -> None:
    """Import what the commands need, so that the children have it."""
    # None of those below takes a lock.
    import_module("filelock")
    folders = {"config": Path(job["folder"]) / "config", "data": Path(job["folder"]) / "data-0"}
    argv = [word.replace("{n}", "0") for word in job["argv"]]
    main(
        [*argv, "--dry-run"], Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), {}, folders=folders)
    )
    main(["runs", "list"], Runtime(io.BytesIO(), io.BytesIO(), Stderr(None), {}, folders=folders))
    read_once.help_of(argv, *(["runs", name] for name in ("list", "show", "resume")))


if __name__ == "__main__":
    job = json.load(sys.stdin)
    warm_up(job)
    gc.freeze()
    at, killed = job["from"], True
    while killed:
        point = at_point(job, at)
        killed = point["killed"]
        sys.stdout.write(json.dumps(point) + "\n")
        at += job["step"]
