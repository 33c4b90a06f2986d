"""Processes that begin with their modules: most of what a short program costs is
importing them. A parent imports them once, and forks.

    process = forking.start(["export", …], environ, preload=forking.EXPORT)

It is used as one of subprocess. The parent is this file as a program: it gets a job and
the descriptors of its streams from a socket, and a child of it waits for the process
that does the job.
"""

import atexit
import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import IO, Any, Self

MAIN = "from unified_cli.__main__ import run\nrun()\n"
"""The program itself."""
EXPORT = (
    "unified_cli.app",
    "unified_cli.commands.export.run",
    "unified_cli.commands.export.delta_table",
    "obstore.store",
    "pyarrow.parquet",
)
SERVER = ("unified_cli.app", "unified_cli.commands.mcp.process")
CLUSTER = (*EXPORT, "distributed.cli.dask_worker", "distributed.cli.dask_scheduler")
_NUMBER = 4


class Forked:
    """A process, and its streams where they are pipes."""

    def __init__(self, report: socket.socket, streams: Sequence[IO[bytes] | None]) -> None:
        self._report = report
        self.stdin, self.stdout, self.stderr = streams
        self.pid = self._number()
        self.returncode: int | None = None
        self._readers: list[_Reader] = []

    def _number(self) -> int:
        return int.from_bytes(self._report.recv(_NUMBER, socket.MSG_WAITALL))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream:
                stream.close()
        self.wait()

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, when it has ended."""
        if (code := self._ended(timeout)) is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return code

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._report], [], [], timeout)[0]:
            self.returncode = os.waitstatus_to_exitcode(self._number())
            self._report.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[bytes, bytes]:
        """All that it prints, when it has ended; again, if it took too long."""
        if self.stdin:
            self.stdin.close()
        if not self._readers:
            self._readers = [_Reader(one) for one in (self.stdout, self.stderr)]
        self.wait(timeout)
        stdout, stderr = (reader.content() for reader in self._readers)
        return stdout, stderr


class _Reader(threading.Thread):
    """Reads a stream to its end."""

    def __init__(self, stream: IO[bytes] | None) -> None:
        super().__init__(daemon=True)
        self._stream, self._content = stream, b""
        self.start()

    def run(self) -> None:
        if self._stream and not self._stream.closed:
            with self._stream:
                self._content = self._stream.read()

    def content(self) -> bytes:
        """All of it."""
        self.join()
        return self._content


def start(
    argv: Sequence[str],
    environ: Mapping[str, str],
    *,
    preload: Sequence[str],
    program: str = MAIN,
    stdin: int | None = None,
    output: int = subprocess.PIPE,
) -> Forked:
    """The program with these words, in this environment, that has imported these
    modules. Its input is nothing, unless it is a pipe.
    """
    pipes: list[IO[bytes] | None] = [None, None, None]
    theirs: list[int] = []
    for number in range(3):
        if (stdin if number == 0 else output) == subprocess.PIPE:
            ends = os.pipe()
            theirs.append(ends[number > 0])
            pipes[number] = os.fdopen(ends[number == 0], "wb" if number == 0 else "rb")
        else:
            theirs.append(os.open(os.devnull, os.O_RDONLY) if number == 0 else os.dup(output))
    report, other = socket.socketpair()
    try:
        job = {"argv": [*argv], "environ": {**environ}, "program": program}
        _parent(tuple(preload)).send(json.dumps(job).encode(), [*theirs, other.fileno()])
    finally:
        other.close()
        for one in theirs:
            os.close(one)
    return Forked(report, pipes)


class _Parent:
    """The process that forks."""

    def __init__(self, preload: Sequence[str]) -> None:
        self._control, other = socket.socketpair()
        self._lock = threading.Lock()
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-W", "ignore", __file__, str(other.fileno()), *preload],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                env={
                    "PATH": os.environ["PATH"],
                    "PYTHONPATH": os.pathsep.join(one for one in sys.path if one),
                },
            )

    def send(self, job: bytes, descriptors: list[int]) -> None:
        with self._lock:
            socket.send_fds(self._control, [len(job).to_bytes(_NUMBER)], descriptors)
            self._control.sendall(job)

    def end(self) -> None:
        self._control.close()
        self._process.wait()


@cache
def _parent(preload: tuple[str, ...]) -> _Parent:
    made = _Parent(preload)
    atexit.register(made.end)
    return made


def _serve(control: socket.socket) -> dict[str, Any] | None:
    """Fork for each job; gives it in the process that is to do it."""
    while True:
        head, descriptors, *_ = socket.recv_fds(control, _NUMBER, 4)
        if not head:
            _reap()
            return None
        job = json.loads(control.recv(int.from_bytes(head), socket.MSG_WAITALL))
        if os.fork() == 0:
            control.close()
            _watch(descriptors)
            return job  # type: ignore[no-any-return]
        for one in descriptors:
            os.close(one)
        _reap()


def _reap() -> None:
    """Forget those that wait for a process that ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _watch(descriptors: list[int]) -> None:
    """Fork once more, and tell how that process ends; returns in it, with its
    streams.
    """
    *streams, report = descriptors
    if child := os.fork():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for one in streams:
            os.close(one)
        os.write(report, child.to_bytes(_NUMBER))
        _, status = os.waitpid(child, 0)
        os.write(report, status.to_bytes(_NUMBER))
        os._exit(0)
    os.close(report)
    for number, one in enumerate(streams):
        os.dup2(one, number)
        os.close(one)


def _main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        # What needs an extra is missing where that is not installed.
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()
    if job := _serve(control):
        os.environ.clear()
        os.environ.update(job["environ"])
        sys.argv = ["-c", *job["argv"]]
        # As where Python is given a program: the working directory is first.
        sys.path[0] = ""
        exec(job["program"], {"__name__": "__main__"})


if __name__ == "__main__":
    _main()
