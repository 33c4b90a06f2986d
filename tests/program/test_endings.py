"""How the program ends when a user stops it, or without its streams: in processes of
its own.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from faults.case import CREATE, LIST, PAGE
from faults.script import CLOSE, Listener, Script, Trickle, Wait, reply
from front_door import ROOT, Unified, interrupt_beside, wait_until_asleep

from unified_cli.output import stdout
from unified_cli.runtime import Runtime

SERVED: Script = [reply(PAGE)]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., tuple[Listener, subprocess.Popen[bytes]]]]:
    """Start the program against a script; the listener and the process, which the end
    of the test ends.
    """
    with contextlib.ExitStack() as ending:

        def begin(
            command: str,
            script: Script = SERVED,
            environ: Mapping[str, str] | None = None,
            shell: str = 'exec "$@"',
            **more: Any,
        ) -> tuple[Listener, subprocess.Popen[bytes]]:
            listener = Listener(script)
            listener.start({})
            ending.callback(listener.stop)
            streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
            process = subprocess.Popen(
                [
                    "/bin/sh",
                    "-c",
                    shell,
                    "sh",
                    sys.executable,
                    "-P",
                    "-m",
                    "unified_cli",
                    *command.split(),
                ],
                cwd=tmp_path,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": str(tmp_path),
                    "PYTHONPATH": str(ROOT),
                    "UNIFIED_BASE_URL": f"http://127.0.0.1:{listener.port}",
                    "UNIFIED_TOKEN": "CANARY-0123456789",
                    "UNIFIED_ACCOUNT_ID": "A1",
                    **(environ or {}),
                },
                **{**streams, **more},
            )
            ending.enter_context(process)
            ending.callback(process.kill)
            return listener, process

        yield begin


def end(process: subprocess.Popen[bytes]) -> tuple[int, bytes, str]:
    """The exit code, stdout and stderr, which never hold a traceback or the token."""
    stdout, stderr = process.communicate(timeout=60)
    told = (stderr or b"").decode()
    assert "Traceback" not in told
    assert "Exception ignored" not in told
    assert "CANARY" not in told
    return process.returncode, stdout or b"", told


def until(fact: Callable[[], object]) -> None:
    """Wait until it is so."""
    limit = time.monotonic() + 30
    while not fact():
        assert time.monotonic() < limit
        time.sleep(0.005)


WAITING = {
    "for an answer": [[Wait(20)]],
    "in the middle of an answer": [[reply(b"", length=99), Trickle(b"x" * 99, 0.2)]],
    "for the next try": [reply(b"", 429, {"Retry-After": "20"})],
}
SIGNALS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("waiting", WAITING)
def test_a_signal_ends_a_read_at_once(start: Any, waiting: str, number: signal.Signals) -> None:
    listener, process = start(LIST, WAITING[waiting])
    until(lambda: listener.requests)
    time.sleep(0.05)
    process.send_signal(number)
    code, stdout, told = end(process)
    assert (code, stdout) == (SIGNALS[number][0], b"")
    assert told.splitlines()[-1] == f"error: {SIGNALS[number][1]}"


# `timeout` of coreutils sends each signal twice: to the process and to its group.
@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_signal_that_meets_a_write_leaves_its_key(
    start: Any, number: signal.Signals, times: int
) -> None:
    listener, process = start(f"{CREATE} --idempotency-key k-1", [[Wait(20)]])
    until(lambda: listener.requests)
    for _ in range(times):
        process.send_signal(number)
        time.sleep(0.0005)
    code, word = SIGNALS[number]
    path = "POST /unified/ticketing/tickets"
    assert end(process) == (
        code,
        b"",
        (
            f"error: {word}; {path} may or may not have been done; to repeat it safely:"
            " --idempotency-key k-1\n"
        ),
    )


@pytest.mark.parametrize("command", [f"{LIST} --all", "export ticketing/tickets --to dump"])
def test_a_signal_without_a_wait_to_interrupt_is_still_noticed(start: Any, command: str) -> None:
    listener, process = start(command, [reply(PAGE.replace(b"null", b'"2"')), [Wait(60)]])
    until(lambda: len(listener.requests) == 2)
    time.sleep(0.2)
    interrupt_beside(process)
    before = time.monotonic()
    assert end(process)[0] == 130
    assert time.monotonic() - before < 30


def test_a_signal_just_before_input_is_read_is_still_noticed() -> None:
    program = """
import threading, time
from unified_cli import signals
from unified_cli.runtime import PatientReader
signals.handle_signals()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
PatientReader(0).read(1)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        until(partial(_caught, process.pid, signal.SIGINT))
        wait_until_asleep(process.pid)
        interrupt_beside(process)
        try:
            assert process.wait(20) == -signal.SIGINT
        finally:
            process.kill()


SEVERAL = [
    LIST,
    "export ticketing/tickets --to dump",
    "capabilities ticketing",
    "ticketing tickets get 1 --expect true",
]


@pytest.mark.parametrize("command", [*SEVERAL, f"{CREATE} -y"])
def test_a_signal_ends_the_wait_for_a_token_and_prevents_the_next(
    start: Any, command: str, tmp_path: Path
) -> None:
    asked, program = tmp_path / "asked", tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $$ >>'{asked}'\nexec sleep 60\n")
    program.chmod(0o700)
    names = [f"p{number}" for number in range(10)]
    config(
        tmp_path,
        "".join(
            f'[profiles.{name}]\naccount_id = "{name}"\n{token(program, name)}' for name in names
        ),
    )
    _, process = start(f"-p * {command}", environ={"UNIFIED_TOKEN": ""})
    # Many run at a time.
    until(lambda: asked.exists() and len(asked.read_text().split()) == 8)
    process.send_signal(signal.SIGINT)
    before = time.monotonic()
    code, _, told = end(process)
    assert (code, time.monotonic() - before < 30) == (130, True), told
    pids = asked.read_text().split()
    assert len(pids) == 8
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def config(home: Path, text: str) -> None:
    """The config file of a home."""
    path = home / ".config/unified/config.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    path.chmod(0o600)


def token(program: Path, name: str) -> str:
    """The line of a profile whose token this program prints."""
    return f'token_command = ["{program}", "{name}"]\n'


def test_a_signal_is_reported_to_programs_as_json(start: Any) -> None:
    listener, process = start(f"{LIST} -o json", [[Wait(20)]])
    until(lambda: listener.requests)
    process.send_signal(signal.SIGINT)
    code, _, told = end(process)
    assert code == 130
    assert told.startswith('{"error": {"code": "interrupted", "exit": 130, ')


def test_a_second_ctrl_c_ends_the_program_at_once(start: Any) -> None:
    listener, process = start(LIST, [[Wait(20)]])
    until(lambda: listener.requests)
    for _ in range(2):
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
    assert end(process)[0] == 130


def test_ctrl_c_while_the_program_is_loaded_prints_no_traceback(start: Any) -> None:
    for delay in (0.0, 0.02, 0.04, 0.08):
        _, process = start(LIST, [[Wait(20)]])
        until(partial(_caught, process.pid, signal.SIGINT))
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        assert end(process)[0] == 130


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_in_a_callback_is_not_lost(name: str, code: int) -> None:
    # Like the module lock of an import: Python prints exceptions there, and
    # continues.
    script = f"""
import os, signal, time, weakref
from unified_cli import signals
class Gone: pass
one = Gone()
kept = weakref.ref(one, lambda _: os.kill(os.getpid(), signal.{name}))
signals.handle_signals()
try:
    del one
    time.sleep(20)
except KeyboardInterrupt as stop:
    os._exit(signals.exit_code(stop))
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (code, b"")


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
@pytest.mark.parametrize("module", ["unified_cli.main", "unified_cli.app"])
def test_a_signal_while_a_class_is_made_is_not_wrapped(module: str, name: str, code: int) -> None:
    # Before 3.12 Python makes a RuntimeError of it, with the signal as its cause.
    script = f"""
import os, signal, sys
import unified_cli.__main__ as program
class Member:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.{name})
class Finder:
    @staticmethod
    def find_spec(name, *_):
        if name == "{module}":
            type("Made", (), {{"member": Member()}})
sys.meta_path.insert(0, Finder)
sys.argv = ["unified", "profile", "list"]
program.run()
"""
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=False, timeout=60, text=True
    )
    assert (ended.returncode, "Traceback" in ended.stderr, "bug" in ended.stderr) == (
        code,
        False,
        False,
    )


def _caught(pid: int, number: int) -> bool:
    """Whether the process has a handler of its own for the signal, beyond Python's
    first one.
    """
    status = Path(f"/proc/{pid}/status").read_text()
    mask = next(line for line in status.splitlines() if line.startswith("SigCgt")).split()[1]
    return bool(int(mask, 16) >> (signal.SIGTERM - 1) & 1) and bool(
        int(mask, 16) >> (number - 1) & 1
    )


def test_a_program_started_to_ignore_ctrl_c_still_does(start: Any) -> None:
    listener, process = start(LIST, [[Wait(0.5), reply(PAGE)]], shell='trap "" INT; exec "$@"')
    until(lambda: listener.requests)
    process.send_signal(signal.SIGINT)
    assert end(process)[:2] == (0, PAGE + b"\n")


LONG = b'{"result":["' + b"x" * 300_000 + b'"]}'


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_141_and_no_word(start: Any, unbuffered: str) -> None:
    _, process = start(LIST, [reply(LONG)], {"PYTHONUNBUFFERED": unbuffered})
    process.stdout.close()
    process.stdout = None
    assert end(process) == (141, b"", "")


@pytest.mark.parametrize(
    "command", [LIST, "--version", "--help", "operations", f"{LIST} --dry-run"]
)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_at_stdout_is_11(start: Any, command: str, unbuffered: str) -> None:
    with Path("/dev/full").open("wb") as full:
        _, process = start(command, environ={"PYTHONUNBUFFERED": unbuffered}, stdout=full)
        code, _, told = end(process)
    assert (code, told) == (11, "error: cannot write to standard output: No space left on device\n")


def test_a_full_disk_does_not_hide_that_a_write_was_done(start: Any) -> None:
    with Path("/dev/full").open("wb") as full:
        _, process = start(
            f"{CREATE} --idempotency-key k-1 -o json", [reply(b"{}", 201)], stdout=full
        )
        code, _, told = end(process)
    error = json.loads(told)["error"]
    assert (code, error["status"], error["idempotency_key"]) == (11, 201, "k-1")
    assert (
        error["message"] == "cannot write to standard output: No space left on device; POST"
        " /unified/ticketing/tickets was done (to repeat it safely: --idempotency-key k-1)"
    )


@pytest.mark.parametrize(
    "command", ["--version", "--help", "operations", f"{LIST} --dry-run", LIST, CREATE]
)
def test_a_closed_stdout_is_11_before_anything_is_sent(start: Any, command: str) -> None:
    listener, process = start(command, shell='exec "$@" >&-')
    code, _, told = end(process)
    assert (code, told) == (11, "error: standard output is closed, so the result cannot be shown\n")
    assert listener.requests == []


def test_a_closed_stdin_does_not_matter_where_nothing_is_read(start: Any) -> None:
    _, process = start(LIST, shell='exec "$@" <&-')
    assert end(process) == (0, PAGE + b"\n", "")


def test_a_closed_stdin_is_reported_when_it_is_read(start: Any) -> None:
    listener, process = start("ticketing tickets create -d -", shell='exec "$@" <&-')
    assert end(process) == (2, b"", "error: -d - reads standard input, which is closed\n")
    assert listener.requests == []


@pytest.mark.parametrize(
    ("command", "script", "code"),
    [
        (LIST, [reply(PAGE)], 0),
        (LIST, [reply(b"{}", 404)], 4),
        (CREATE, [[CLOSE]], 10),
        ("nonsense", [b""], 2),
    ],
)
@pytest.mark.parametrize("stderr", ["closed", "full", "gone"])
def test_the_exit_code_stays_right_without_stderr(
    start: Any, command: str, script: Script, code: int, stderr: str
) -> None:
    command = f"{command} --retries 0 -v" if code != 2 else command
    if stderr == "closed":
        _, process = start(command, script, shell='exec "$@" 2>&-')
    elif stderr == "full":
        with Path("/dev/full").open("wb") as full:
            _, process = start(command, script, stderr=full)
    else:
        _, process = start(command, script)
        process.stderr.close()
        process.stderr = None
    assert end(process)[0] == code


def test_all_three_closed_ends_with_a_code(start: Any) -> None:
    _, process = start(LIST, shell='exec "$@" <&- >&- 2>&-')
    assert end(process)[0] == 11


def page(number: int) -> bytes:
    """One of thirty pages of four records, each of a kilobyte: together more than a
    pipe holds.
    """
    records = [{"id": f"t-{number}-{place}", "text": "x" * 1000} for place in range(4)]
    return reply(
        json.dumps(
            {"result": records, "next_cursor": f"c-{number}" if number < 29 else None}
        ).encode()
    )


def test_a_pipe_that_does_not_wait_gets_everything_once(start: Any) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    _, process = start(
        "ticketing tickets list --all -o ndjson", [*map(page, range(30))], stdout=writing
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        time.sleep(1)
        lines = pipe.read().splitlines()
    assert end(process)[0] == 0
    assert (len(lines), len({*lines})) == (120, 120)


def test_what_was_written_as_a_signal_came_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as pipe, monkeypatch.context() as patched:
        for name in ("stdout", "stderr"):
            patched.setattr(sys, name, pipe)
        patched.setattr(sys, "stdin", None)
        runtime, really = Runtime.system(), os.write

        def write_and_stop(descriptor: int, data: bytes) -> int:
            patched.setattr(os, "write", really)
            really(descriptor, data)
            raise KeyboardInterrupt

        for write in (runtime.stderr.exact, lambda text: stdout.write(runtime, [text.encode()])):
            patched.setattr(os, "write", write_and_stop)
            with pytest.raises(KeyboardInterrupt):
                write("first ")
            write("then ")
    with os.fdopen(reading) as pipe:
        assert pipe.read().split() == ["first", "then"] * 2


def test_the_mode_of_a_pipe_is_left_as_it_is(start: Any) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    _, process = start(LIST, [reply(LONG)], stdout=writing)
    with os.fdopen(reading, "rb") as pipe:
        time.sleep(0.4)
        assert not os.get_blocking(writing)
        os.close(writing)
        assert pipe.read() == LONG + b"\n"
    assert end(process)[0] == 0


def test_input_that_does_not_wait_is_read_to_its_end(start: Any) -> None:
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    listener, process = start(
        "ticketing tickets delete - --yes", [reply(b"", 204)] * 4, stdin=reading
    )
    os.close(reading)
    with os.fdopen(writing, "wb", buffering=0) as pipe:
        for number in range(4):
            time.sleep(0.4)
            pipe.write(f"t-{number}\n".encode())
    assert end(process)[0] == 0
    assert len(listener.requests) == 4


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("--help", 0),
        ("profile list", 0),
        ("-p sandbox ticketing tickets get tickets-1", 0),
        ("ticketing tickets list", 3),
        ("profile path", 3),
        ("profile add acme -a 1", 3),
    ],
)
def test_a_user_without_a_home_is_served(
    command: str, code: int, unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(_: int) -> None:
        raise KeyError

    monkeypatch.setattr("pwd.getpwuid", unknown)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    result = unified(command, folders=None)
    assert (result.code, "a bug" in result.stderr) == (code, False)


def test_names_in_the_working_directory_are_not_imported(tmp_path: Path, start: Any) -> None:
    for name in ("httpx", "json", "typer", "unified_cli"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')")
    _, process = start(LIST)
    assert end(process) == (0, PAGE + b"\n", "")


BEGINS_ANEW = "; to continue: run the same command again, which starts again"
READERS = {
    f"{LIST} -p * --expect true --junit x.xml": (
        f"0 of 2 connections, 0 records; x.xml is not written{BEGINS_ANEW}"
    ),
    f"{LIST} --expect true": f"0 records{BEGINS_ANEW}",
    "schema ticketing/tickets -p *": f"0 of 2 connections, 0 records{BEGINS_ANEW}",
    "capabilities ticketing -p *": f"0 of 2 connections, nothing printed{BEGINS_ANEW}",
    "profile test -p *": f"0 of 2 connections, nothing printed{BEGINS_ANEW}",
}


@pytest.mark.parametrize("command", READERS)
def test_a_signal_says_what_a_reader_has_done(start: Any, tmp_path: Path, command: str) -> None:
    written = tmp_path / "config.toml"
    written.write_text(
        "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in ("a", "b"))
    )
    written.chmod(0o600)
    listener, process = start(command, [[Wait(20)]], {"UNIFIED_CONFIG": str(written)})
    until(lambda: len(listener.requests) == 1 + ("*" in command))
    time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    code, stdout, told = end(process)
    assert (code, stdout) == (143, b"")
    assert told.splitlines()[-1] == f"error: terminated; stopped after {READERS[command]}"


def test_a_signal_says_what_was_waited_for(start: Any) -> None:
    listener, process = start(f"{LIST} --until length==5 --every 20")
    until(lambda: listener.requests)
    wait_until_asleep(process.pid)
    process.send_signal(signal.SIGINT)
    code, stdout, told = end(process)
    assert (code, stdout) == (130, b"")
    last = "1 read, last result: --until 'length==5' gives false"
    assert told.splitlines()[-1] == f"error: interrupted; stopped after {last}{BEGINS_ANEW}"


def test_a_signal_says_how_many_connections_were_asked(start: Any) -> None:
    page = (
        b'{"result":[{"id":"a","status":"active"},{"id":"b","status":"active"}],"next_cursor":null}'
    )
    listener, process = start("connections list --health", [reply(page), [Wait(20)]])
    until(lambda: len(listener.requests) == 3)
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    code, stdout, told = end(process)
    assert (code, stdout) == (130, b"")
    done = f"0 of 2 connections, nothing printed{BEGINS_ANEW}"
    assert told.splitlines()[-1] == f"error: interrupted; stopped after {done}"
