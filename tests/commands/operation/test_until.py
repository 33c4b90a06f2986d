"""`--until`: a read is repeated until it is as it is waited for, in vain at most for so
long.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pexpect
import pytest
from front_door import Clock, Process, Unified, wait_until_asleep
from junitparser import JUnitXml
from pages import served
from server import Reply, Seen, Service

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
Config = Callable[[str], Path]
WAIT = ["ticketing", "tickets", "get", "t-1", "--until", '.status == "done"']


def states(service: Service, *answers: Any) -> None:
    """Give these answers one after the other, the last for ever; an int is a status."""
    left = list(answers)

    def reply(_: Seen) -> Reply:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, int):
            return served({"statusCode": answer, "error": "Error", "message": "no"}, answer)
        return served(answer)

    service.reply = reply


def wait(
    unified: Unified,
    service: Service,
    words: Sequence[str],
    clock: Clock | None = None,
    **more: Any,
) -> Any:
    clock = clock or Clock()
    return unified(
        [*words], environ=service.environ, monotonic=clock.now, sleep=clock.sleep, **more
    )


def test_a_record_that_comes_and_changes(unified: Unified, service: Service) -> None:
    states(
        service, 404, {"id": "t-1", "status": "new"}, {"id": "t-1"}, {"id": "t-1", "status": "done"}
    )
    clock = Clock()
    result = wait(unified, service, WAIT, clock)
    assert (result.json, result.code) == ({"id": "t-1", "status": "done"}, 0)
    # Off a terminal the condition is printed every ten seconds.
    assert result.stderr == (
        "2 reads, 0.2 per second, waiting 5 s (15 s in total): "
        "--until '.status == \"done\"' gives false\n"
    )
    assert clock.slept == [5, 5, 5]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'no module named jq' >&2; exit 1", "ended with 1: no module named jq"),
        ("kill -9 $$", "ended with -9"),
    ],
)
def test_a_process_for_jq_that_cannot_start_ends_it_at_once(
    script: str,
    why: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states(service, {"id": "t-1"})
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))
    clock = Clock()
    result = wait(unified, service, WAIT, clock)
    assert (result.code, result.stdout, clock.slept) == (11, "", [])
    assert (
        result.stderr == f"error: a process for a jq program {why} at the start (unified doctor)\n"
    )


def test_an_empty_list_is_not_yet(unified: Unified, service: Service) -> None:
    states(service, {"result": []}, {"result": [{"id": "1"}]})
    clock = Clock()
    words = ["ticketing", "tickets", "list", "--until", "all(.[]; .id)", "--every", "2"]
    result = wait(unified, service, words, clock)
    assert (result.json["result"], result.code, clock.slept) == ([{"id": "1"}], 0, [2])


def test_it_gives_up_in_time_with_the_last_value(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    states(service, {"id": "t-1", "status": "new"})
    clock, file = Clock(), tmp_path / "result.xml"
    words = [*WAIT[:4], "--until", ".status", "--wait-timeout", "12", "--junit", str(file), "-v"]
    result = wait(unified, service, words, clock)
    assert (result.stdout, result.code, clock.slept) == ("", 14, [5, 5, 2])
    assert (
        result.stderr.splitlines()[-1]
        == "error: not true after 12 s: --until '.status' gives \"new\""
    )
    assert (
        "next read in 5.0 s, 12 s left: --until '.status' gives \"new\""
        in result.stderr.splitlines()
    )
    ((case,),) = [list(suite) for suite in JUnitXml.fromfile(str(file))]
    assert (case.name, case.result[0].message) == (
        "--until '.status'",
        result.stderr.splitlines()[-1][7:],
    )
    assert case.time == 12


def test_a_terminal_shows_the_condition_and_then_only_the_result(
    service: Service, tmp_path: Path
) -> None:
    states(service, {"status": "new"}, {"status": "new"}, {"status": "done"})
    environ = {**os.environ, **service.environ, "HOME": str(tmp_path), "TERM": "xterm"}
    arguments = ["-m", "unified_cli", *WAIT, "--every", "1"]
    child = pexpect.spawn(
        sys.executable, arguments, env=environ, encoding="utf-8", dimensions=(24, 100)
    )
    child.expect("waiting 1 s: --until '.status == \"done\"' gives false")
    child.expect(pexpect.EOF, timeout=60)
    assert COLOUR.sub("", child.before.rpartition("\x1b[K")[2]).split() == [
        "{",
        '"status":',
        '"done"',
        "}",
    ]


def test_a_list_that_did_not_come_is_not_printed_as_an_empty_one(
    unified: Unified, service: Service
) -> None:
    states(service, {"result": []})
    result = wait(
        unified, service, ["ticketing", "tickets", "list", "--until", "true", "-o", "json"]
    )
    assert (result.stdout, result.code) == ("", 14)
    assert "not true after 600 s: the list is empty" in result.stderr


def test_it_fails_early(unified: Unified, service: Service) -> None:
    states(service, {"status": "new"}, {"status": "failed"})
    clock = Clock()
    result = wait(unified, service, [*WAIT, "--fail-if", '.status == "failed"'], clock)
    assert (result.json, result.code, clock.slept) == ({"status": "failed"}, 14, [5])
    said = "--fail-if '.status == \"failed\"' is true; --until '.status == \"done\"' gives false"
    assert result.stderr == f"error: {said}\n"


def test_the_record_that_ended_the_wait_is_checked_too(unified: Unified, service: Service) -> None:
    states(service, 404, {"status": "done"})
    result = wait(unified, service, [*WAIT, "--expect", ".id"])
    assert (result.stderr, result.code) == ("error: --expect '.id' gives null\n", 14)


def test_a_failure_ends_it(unified: Unified, service: Service) -> None:
    states(service, {"status": "new"}, 401)
    assert wait(unified, service, WAIT).code == 7


def test_several_are_read_until_the_last_is_there(
    unified: Unified, service: Service, config: Config
) -> None:
    config('[profiles.a]\naccount_id = "a"\n[profiles.b]\naccount_id = "b"\n')
    asked: list[str] = []

    def reply(seen: Seen) -> Reply:
        account = dict(seen.query)["integrated_account_id"]
        asked.append(account)
        return served({"status": "done" if account == "a" or len(asked) > 4 else "new"})

    service.reply = reply
    result = wait(unified, service, [*WAIT, "-p", "?", "-o", "ndjson"])
    assert result.stdout == '{"_profile":"a","status": "done"}\n{"_profile":"b","status": "done"}\n'
    assert (result.code, sorted(asked)) == (0, ["a", "b", "b", "b", "b"])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(service: Service, number: int, tmp_path: Path) -> None:
    states(service, {"status": "new"})
    environ = {**os.environ, **service.environ, "HOME": str(tmp_path)}
    command = [sys.executable, "-m", "unified_cli", *WAIT, "--every", "60"]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        while not service.seen:
            time.sleep(0.01)
        # Before, it runs a jq program, which a signal ends in another way.
        wait_until_asleep(waiting.pid)
        waiting.send_signal(number)
        _, stderr = waiting.communicate(timeout=60)
    assert waiting.returncode == (130 if number == signal.SIGINT else 143)
    assert b"error: " in stderr


ENDLESS = "last(range(1e12))"
LARGE = '"x" * (1000000000 + length)'


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ["--until", ENDLESS],
            14,
            f"not true after 0.5 s: --until '{ENDLESS}': the program did not end within 0.5 s",
        ),
        (
            ["--until", "false", "--fail-if", ENDLESS],
            14,
            "not true after 0.5 s: --until 'false' gives false",
        ),
        (
            ["--until", "true", "--expect", ENDLESS],
            14,
            f"--expect '{ENDLESS}': the program did not end within 0.5 s",
        ),
        (["--until", "true", "--jq", ENDLESS], 2, "--jq: the program did not end within 0.5 s"),
    ],
)
def test_a_program_that_does_not_end_is_ended_in_time(
    process: Process, service: Service, tmp_path: Path, words: Sequence[str], code: int, said: str
) -> None:
    states(service, {"status": "new"})
    began = time.monotonic()
    file = tmp_path / "result.xml"
    result = process(
        [*WAIT[:4], *words, "--wait-timeout", "0.5", "--junit", str(file)], environ=service.environ
    )
    assert (result.stderr.decode().splitlines()[-1], result.returncode) == (f"error: {said}", code)
    assert time.monotonic() - began < 60
    assert file.exists() == (code == 14)


def test_a_program_that_was_ended_is_not_run_for_the_next_connection(
    process: Process, service: Service, tmp_path: Path
) -> None:
    states(service, {"status": "new"})
    config = tmp_path / "config.toml"
    config.write_text(
        "".join(f'[profiles.p{number}]\naccount_id = "{number}"\n' for number in range(100))
    )
    config.chmod(0o600)
    began = time.monotonic()
    command = ["-p", "p*", *WAIT[:4], "--until", ENDLESS, "--wait-timeout", "0.5"]
    result = process(command, environ={**service.environ, "UNIFIED_CONFIG": str(config)})
    assert (
        result.stderr.decode()
        .splitlines()[-1]
        .startswith("error: 100 of 100 expectations do not hold, first p0: ")
    )
    assert (result.returncode, time.monotonic() - began < 40) == (14, True)


def test_a_program_without_enough_memory_is_reported(service: Service, tmp_path: Path) -> None:
    states(service, {"status": "new"})
    environ = {**os.environ, **service.environ, "HOME": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "unified_cli",
        *WAIT[:4],
        "--until",
        LARGE,
        "--wait-timeout",
        "2",
    ]
    limited = ["/bin/sh", "-c", 'ulimit -v 600000; exec "$@"', "sh", *command]
    result = subprocess.run(limited, env=environ, capture_output=True, timeout=60, check=False)
    assert b"its process ended with -" in result.stderr.splitlines()[-1]
    assert result.returncode == 14


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_command(
    service: Service, tmp_path: Path, kind: signal.Signals
) -> None:
    states(service, {"status": "new"})
    environ = {**os.environ, **service.environ, "HOME": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "unified_cli",
        *WAIT[:4],
        "--until",
        ENDLESS,
        "--wait-timeout",
        "60",
    ]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as waiting:
        children = Path(f"/proc/{waiting.pid}/task/{waiting.pid}/children")
        until = time.monotonic() + 20
        while not (found := children.read_text().split()):
            assert time.monotonic() < until
            time.sleep(0.01)
        time.sleep(0.1)
        waiting.send_signal(kind)
    assert waiting.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[kind]
    while Path(f"/proc/{found[0]}").exists():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_the_programs_of_a_wait_give_what_they_give_without(
    unified: Unified, service: Service
) -> None:
    states(
        service,
        {"id": "t-1", "name": "ß\ud83d\ude00", "big": 12345678901234567890, "status": "done"},
    )
    result = wait(
        unified,
        service,
        [*WAIT, "--expect", '.name == "ß😀"', "--jq", ".name, .missing", "-o", "json"],
    )
    assert (result.stdout, result.code) == ("ß😀\nnull\n", 0)
    result = wait(unified, service, [*WAIT, "--expect", 'error("no\\nthing")'])
    assert (result.stderr, result.code) == (
        "error: --expect 'error(\"no\\nthing\")': no thing\n",
        14,
    )


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tickets get 1 --expect true",
        "ticketing tickets list",
        "ticketing tickets list --follow",
    ],
)
def test_a_time_to_wait_needs_something_to_wait_for(
    unified: Unified, service: Service, command: str
) -> None:
    result = wait(unified, service, [*command.split(), "--wait-timeout", "3"])
    assert (result.stderr, result.code) == ("error: --wait-timeout needs --until JQ\n", 2)
    assert service.seen == []


@pytest.mark.parametrize("seconds", ["0", "x", "inf"])
def test_a_time_to_wait_is_a_number(unified: Unified, service: Service, seconds: str) -> None:
    result = wait(unified, service, [*WAIT, "--wait-timeout", seconds])
    assert (result.code, service.seen) == (2, [])
    said = "invalid value for '--wait-timeout': must be a number of seconds above 0"
    assert f"{said}, not '{seconds}'" in result.stderr
