"""Imports that are stopped by hand, and how a long one tells where it is."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT, Clock, Unified
from server import Reply, Seen, Service


def running(argv: list[str], service: Service, folder: Path) -> "subprocess.Popen[bytes]":
    environ = {
        **service.environ,
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
        "UNIFIED_RATE": "0",
    }
    return subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *argv],
        env={**environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


# `timeout` of coreutils sends each signal twice: to the process and to its group.
@pytest.mark.parametrize("times", [1, 100])
@pytest.mark.parametrize(("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_at_once_and_the_next_run_continues(
    kind: signal.Signals, code: int, times: int, unified: Unified, service: Service, tmp_path: Path
) -> None:
    half, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def reply(seen: Seen) -> Reply:
        if len(done) == 5 and not go_on.is_set():
            half.set()
            go_on.wait(60)
        if seen.headers["idempotency-key"] not in done:
            done.append(seen.headers["idempotency-key"])
        return Reply(201, json.dumps({"id": seen.json["name"]}).encode())

    service.reply = reply
    path = tmp_path / "in"
    path.write_text("".join(json.dumps({"name": str(number)}) + "\n" for number in range(10)))
    argv = ["import", "ticketing/tags", str(path), "--workers", "1"]
    with running(argv, service, tmp_path) as first:
        assert half.wait(60)
        for _ in range(times):
            first.send_signal(kind)
            time.sleep(0.0005)
        _, said = first.communicate(timeout=60)
        assert first.returncode == code
    go_on.set()
    word = "interrupted" if code == 130 else "terminated"
    begun, *_, last = said.decode().splitlines()
    assert last == (
        f"error: {word}; stopped after 5 of 10 records, 1 more was sent; to continue:"
        f" unified runs resume {begun.removeprefix('run ')}"
    )
    again = unified(argv, environ={**service.environ, "UNIFIED_RATE": "0"})
    assert (again.code, len(done)) == (0, 10)


def test_a_long_import_tells_rate_and_time_left(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    clock = Clock()

    def reply(_: Seen) -> Reply:
        clock.at += 2
        return Reply()

    service.reply = reply
    path = tmp_path / "in"
    path.write_text("{}\n" * 100)
    result = unified(
        f"import ticketing/tags {path} --workers 1 --rate 0",
        environ=service.environ,
        monotonic=clock.now,
    )
    lines = result.notes.splitlines()
    assert lines[0] == "5 of 100 records, 0.5 per second, about 3 min 10 s left"
    assert lines[-1] == "100 of 100 records, 0.5 per second"
    assert (
        unified(
            f"import ticketing/tags {path} --rate 0 --quiet --restart", environ=service.environ
        ).stderr
        == ""
    )


def test_a_lost_answer_names_the_key_in_the_journal(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(200, b"{", {"Content-Type": "application/json"})
    path = tmp_path / "in"
    path.write_text("{}\n")
    assert unified(f"import ticketing/tags {path}", environ=service.environ).code == 10
    key = service.seen[0].headers["idempotency-key"]
    marks: list[Any] = [
        json.loads(line)["_import"]
        for line in Path(f"{path}.unified-in-doubt.ndjson").read_text().splitlines()
    ]
    assert [mark["key"] for mark in marks] == [key]
