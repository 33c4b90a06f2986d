"""Run jq programs in a separate process with a time limit."""

import json
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

from unified_cli.errors import StorageError
from unified_cli.runtime import Runtime

if TYPE_CHECKING:
    import subprocess

_WORKER = Path(__file__).with_name("jq_worker.py")
# A program that starts at the deadline may still run this long.
_LEAST_SECONDS = 1.0
_START_SECONDS = 60.0


class JqProcess:
    """Runs jq programs in one separate process until a deadline, for `--until`. Not
    thread-safe.
    """

    def __init__(self, runtime: Runtime, seconds: float) -> None:
        self._runtime = runtime
        self._seconds = seconds
        self._until = runtime.monotonic() + seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child is not None:
            self._child.kill()
        self._end()

    def results(self, program: str, text: str) -> list[str]:
        """Return a program's results for JSON text, as JSON text.

        After a timeout, no more programs run. Raises ValueError if the program fails or
        does not end in time, and StorageError if the process cannot be started.
        """
        if not self._is_over:
            data = text.encode()
            seconds = max(_LEAST_SECONDS, self._until - self._runtime.monotonic())
            request = json.dumps(
                {"program": program, "size": len(data), "seconds": seconds}
            ).encode()
            answer = self._ask(request + b"\n" + data)
            if answer.endswith(b"\n"):
                found = json.loads(answer)
                if "error" in found:
                    raise ValueError(found["error"])
                results: list[str] = found["results"]
                return results
            if (code := self._end()) != -signal.SIGALRM:
                raise ValueError(
                    f"its process ended with {code}, maybe because there was too little memory"
                )
            self._is_over = True
        raise ValueError(f"the program did not end within {self._seconds:g} s")

    def _ask(self, request: bytes) -> bytes:
        child = self._child or self._start()
        assert child.stdin is not None  # noqa: S101  a pipe, as below
        assert child.stdout is not None  # noqa: S101  as above
        try:
            child.stdin.write(request)
            child.stdin.flush()
        except BrokenPipeError:
            return b""
        return child.stdout.readline()

    def _start(self) -> "subprocess.Popen[bytes]":
        """Start the process, and wait until it runs.

        The process reports when it is ready. Without this report, a failed start would
        look like a failed program.
        """
        try:
            self._child = child = subprocess.Popen(  # noqa: S603  our own program, and no shell
                # With -P, Python does not search the folder of the script for modules.
                [sys.executable, "-P", str(_WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise StorageError(
                f"cannot start a process for a jq program: {error.strerror}"
            ) from None
        assert child.stdout is not None  # noqa: S101  a pipe, as above
        poller = select.poll()
        poller.register(child.stdout, select.POLLIN)
        if not poller.poll(_START_SECONDS * 1000):
            raise StorageError(
                f"a process for a jq program did not start within {_START_SECONDS:g} s"
            )
        if child.stdout.readline() != b"ready\n":
            message = child.communicate()[1].decode("utf-8", "replace").strip().rpartition("\n")[2]
            why = f"ended with {child.returncode}" + (f": {message}" if message else "")
            raise StorageError(
                f"a process for a jq program {why} at the start", hint="unified doctor"
            )
        return child

    def _end(self) -> int | None:
        child, self._child = self._child, None
        if child is None:
            return None
        child.communicate()
        return child.returncode
