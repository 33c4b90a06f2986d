"""A sandbox of the operating system may refuse what the program only asks to know, or
could do without.
"""

import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from file_writers import Workshop, Writer, writers
from front_door import ROOT, Unified

REFUSED = "Operation not permitted"
READERS = {
    "-p old -p new ticketing tags list -o ndjson": 0,
    "-p old ticketing tags list --all -o csv": 0,
    "-p old ticketing tags list --all --jq length": 0,
    "-p old ticketing tags list --expect 'length > 0'": 0,
    "-p old ticketing tags list --until 'length > 0'": 0,
    "-p old -p new request GET /unified/ticketing/tags": 0,
    "-p old ticketing tags get tags-1": 0,
    "diff ticketing/tags --from old --to new": 14,
    "plan ticketing/tags --from old --to new --same-ids": 0,
    "-p new apply p.plan --dry-run": 0,
    "-p old schema ticketing/tags": 0,
    "-p old -p new capabilities": 0,
    "-p old connections list": 0,
    "profile test old new": 0,
    "profile list": 0,
    "doctor old": 0,
    "runs list": 0,
    "operations --openapi": 0,
    "completion bash": 0,
}
# The program, in which a call is refused.
PROGRAM = """
import resource, socket, sys
def refuse(*_, **more):
    raise PermissionError(1, "Operation not permitted")
if sys.argv.pop(1) == "limits":
    resource.getrlimit = resource.setrlimit = refuse
else:
    socket.socketpair = refuse
from unified_cli.__main__ import run
run()
"""


@pytest.fixture
def workshop(
    tmp_path: Path,
    unified: Unified,
    config: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Workshop:
    """A folder with profiles and input, in a process that is refused all these
    calls.
    """
    monkeypatch.chdir(tmp_path)
    found = Workshop(tmp_path, unified, config)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(1, REFUSED)

    monkeypatch.setattr(resource, "getrlimit", refuse)
    monkeypatch.setattr(resource, "setrlimit", refuse)
    monkeypatch.setattr(socket, "socketpair", refuse)
    return found


@writers()
def test_commands_that_write_files_work(writer: Writer, workshop: Workshop) -> None:
    result = workshop.run(writer)
    assert (result.code, REFUSED in result.stderr) == (writer.code, False), result.stderr
    assert workshop.written(writer) != []


@pytest.mark.parametrize(("command", "code"), READERS.items())
def test_commands_that_read_work(command: str, code: int, workshop: Workshop) -> None:
    result = workshop(command)
    assert (result.code, REFUSED in result.stderr) == (code, False), result.stderr


def started(refused: str, command: str, home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, refused, *command.split()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("refused", ["limits", "pairs of sockets"])
def test_the_sandbox_serves(refused: str, tmp_path: Path) -> None:
    with started(refused, "sandbox serve --port 0", tmp_path) as running:
        assert running.stderr
        assert "listens on" in running.stderr.readline()
        running.send_signal(signal.SIGTERM)
        assert running.wait(60) == 143


@pytest.mark.extra
@pytest.mark.skipif(find_spec("mcp") is None, reason="needs the extra mcp")
@pytest.mark.parametrize(
    ("refused", "code", "said"),
    [
        ("limits", 0, ""),
        ("pairs of sockets", 11, f"error: the operating system: {REFUSED}\n"),
    ],
)
def test_a_server_for_agents_serves_or_says_why_not(
    refused: str, code: int, said: str, tmp_path: Path
) -> None:
    with started(refused, "mcp serve -p sandbox", tmp_path) as running:
        assert running.communicate(timeout=60)[1] == said
        assert running.returncode == code


class PanicException(BaseException):
    """The exception of a library written in Rust."""

    __module__ = "pyo3_runtime"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (
            'failed to create UnixStream: Os { code: 1, kind: PermissionDenied, message: "no" }',
            11,
            f"error: the operating system: {REFUSED}\n",
        ),
        ("index out of bounds", 1, "error: a bug, sorry: RuntimeError at "),
    ],
)
def test_the_panic_of_a_library_prints_no_traceback(
    text: str, code: int, said: str, unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    def panic(*_: Any) -> None:
        raise PanicException(text)

    monkeypatch.setattr("unified_cli.commands.operation.mode.run", panic)
    result = unified("-p sandbox ticketing tags list")
    assert (result.code, result.stderr[: len(said)]) == (code, said)
