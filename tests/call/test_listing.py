"""How a reading ends when something outside ends it: a reader that goes, a full disk, a
signal.
"""

import fcntl
import json
import os
import resource
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import peak_memory
import pytest
from front_door import Clock, Process, Unified
from pages import cursor_of, serve, served
from server import Reply, Seen, Service

LIST = ["ticketing", "tickets", "list", "--all", "-o", "ndjson", "--rate", "0"]
PAGES = [[{"id": f"t-{page}-{at}", "text": "x" * 1000} for at in range(100)] for page in range(40)]


def start(service: Service, home: Path, *argv: str, **more: Any) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *argv],
        env={"PATH": os.environ["PATH"], "HOME": str(home), **service.environ},
        stderr=subprocess.PIPE,
        **more,
    )


def holding(service: Service, cursor: str) -> threading.Event:
    """Serve the pages, but never answer for this one; the event says that it was asked
    for.
    """
    asked = threading.Event()
    serve(service, PAGES)
    good = service.reply

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == cursor:
            asked.set()
            service.over.wait(60)
        return good(seen)

    service.reply = reply
    return asked


def test_a_closed_output_ends_it_silently_with_141_after_at_most_two_requests(
    service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    gone = threading.Event()
    after: list[Seen] = []
    good = service.reply

    def reply(seen: Seen) -> Reply:
        if gone.is_set():
            after.append(seen)
        return good(seen)

    service.reply = reply
    child = start(service, tmp_path, *LIST, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline().startswith(b'{"id": "t-0-0"')
    gone.set()
    child.stdout.close()
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (141, b"")
    assert len(after) <= 2


def test_a_full_device_ends_it_with_11(service: Service, tmp_path: Path) -> None:
    serve(service, PAGES)
    with Path("/dev/full").open("wb") as full:
        child = start(service, tmp_path, *LIST, stdout=full)
        _, said = child.communicate(timeout=60)
    assert (child.returncode, b"No space left on device" in said) == (11, True)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_at_once_and_prints_where_to_continue(
    number: int, code: int, service: Service, tmp_path: Path
) -> None:
    asked = holding(service, "c3")
    child = start(service, tmp_path, *LIST, stdout=subprocess.PIPE)
    assert child.stdout
    # The page before is written when the next one was asked for.
    read = [child.stdout.readline() for _ in range(300)]
    assert asked.wait(30)
    time.sleep(0.2)
    child.send_signal(number)
    rest, said = child.communicate(timeout=60)
    assert (child.returncode, len(read), rest) == (code, 300, b"")
    assert b"stopped after 300 records in 3 pages; to continue: --cursor c3" in said


def waiting(pipe: int) -> int:
    """How many bytes are in a pipe."""
    found: int = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
    return found


def test_a_signal_while_output_is_blocked_reports_the_torn_page(
    service: Service, tmp_path: Path
) -> None:
    serve(service, PAGES)
    child = start(service, tmp_path, *LIST, stdout=subprocess.PIPE)
    assert child.stdout
    until = time.monotonic() + 30
    # The first page alone is more than a pipe takes.
    while waiting(child.stdout.fileno()) < 60_000 and time.monotonic() < until:
        time.sleep(0.05)
    child.send_signal(signal.SIGINT)
    child.wait(60)
    printed, said = child.communicate()
    assert (child.returncode, printed.endswith(b"\n")) == (130, False)
    torn = b"stopped after 0 records in 0 pages and part of another; to continue: from the start"
    assert torn in said


def test_a_silent_service_is_reported_on_a_reused_connection_too(
    service: Service, process: Process
) -> None:
    holding(service, "c1")
    result = process([*LIST, "--timeout", "1", "--retries", "0"], environ=service.environ)
    error = json.loads(result.stderr)["error"]
    assert (result.returncode, len(service.seen)) == (6, 2)
    assert error["message"] == (
        "127.0.0.1 did not answer in time; nothing was received; "
        "stopped after 100 records in 1 page; to continue: --cursor c1"
    )


def test_a_list_that_ends_after_many_repeated_records_says_so(
    unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": 1}]] * 200)
    good = service.reply

    def every_second(seen: Seen) -> Reply:
        failing = served({"statusCode": 500, "error": "Internal", "message": "no"}, 500)
        return failing if len(service.seen) % 2 else good(seen)

    service.reply = every_second
    clock = Clock()
    result = unified(
        "ticketing tickets list --all -o ids",
        environ=service.environ,
        monotonic=clock.now,
        sleep=clock.sleep,
    )
    assert (result.code, result.stdout.count("\n")) == (5, 124)
    hint = "the service failed; try again later; this run has used up its retries"
    assert result.stderr.splitlines()[-1] == (
        f"error: the service answered 500 to GET /unified/ticketing/tickets: no ({hint}); "
        "stopped after 124 records in 124 pages; to continue: --cursor c124"
    )


def test_a_signal_prints_where_each_of_several_connections_continues(
    service: Service, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        "".join(f'[profiles.c-{number}]\naccount_id = "a-{number}"\n' for number in range(3))
    )
    config.chmod(0o600)
    serve(service, PAGES[:2])
    good, held = service.reply, threading.Semaphore(0)

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) and dict(seen.query)["integrated_account_id"] != "a-1":
            held.release()
            service.over.wait(60)
        return good(seen)

    service.reply = reply
    child = subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *LIST, "-p", "c-*"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            **service.environ,
            "UNIFIED_CONFIG": str(config),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert held.acquire(timeout=30)
    assert held.acquire(timeout=30)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    *lines, last = said.decode().splitlines()
    assert (child.returncode, lines) == (
        130,
        [
            "c-0: stopped after 100 records in 1 page; to continue: -p c-0 --cursor c1",
            "c-2: stopped after 100 records in 1 page; to continue: -p c-2 --cursor c1",
        ],
    )
    message = json.loads(last)["error"]["message"]
    assert message == "interrupted; stopped after 1 of 3 connections; to continue: see above"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_signal_leaves_a_file_that_can_be_continued(
    number: int, code: int, service: Service, process: Process, tmp_path: Path
) -> None:
    asked = holding(service, "c3")
    target = tmp_path / "t"
    child = start(service, tmp_path, *LIST, "--out", str(target))
    assert asked.wait(30)
    child.send_signal(number)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, target.exists()) == (code, False)
    assert number == signal.SIGKILL or b"; to continue: run the same command again" in said
    serve(service, PAGES)
    again = process([*LIST, "--out", str(target)], environ=service.environ)
    assert again.returncode == 0
    assert target.read_bytes().count(b"\n") == 4000
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["t"]


def limited(size: int) -> Callable[[], None]:
    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_ends_it_with_11_and_a_later_run_continues(
    service: Service, process: Process, tmp_path: Path
) -> None:
    serve(service, PAGES)
    target = tmp_path / "t"
    command = [*LIST, "--out", str(target)]
    stopped = process(command, environ=service.environ, preexec_fn=limited(1_000_000))
    assert (stopped.returncode, target.exists()) == (11, False)
    assert b"File too large; the complete pages are kept for the next run" in stopped.stderr
    assert process(command, environ=service.environ).returncode == 0
    assert target.read_bytes().count(b"\n") == 4000


def test_an_export_ends_with_11_where_the_disk_takes_no_more(
    service: Service, process: Process, tmp_path: Path
) -> None:
    serve(service, PAGES)
    command = ["export", "ticketing/t*", "--to", str(tmp_path / "x"), "--rate", "0"]
    stopped = process(command, environ=service.environ, preexec_fn=limited(1_000_000))
    assert stopped.returncode == 11
    assert process(command, environ=service.environ).returncode == 0
    assert process(["export", "--verify", str(tmp_path / "x")]).returncode == 0


def test_memory_stays_flat_however_many_pages(service: Service, tmp_path: Path) -> None:
    peaks = {}
    for output in ("ndjson", "json"):
        for pages in (5, 40):
            serve(service, PAGES[:pages])
            own = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
            measured = peak_memory.of([*LIST, "-o", output], env={**own, **service.environ})
            assert measured.code == 0, measured.stderr
            peaks[output, pages] = measured.mebibytes
    assert max(peaks.values()) <= 45, peaks
    assert peaks["ndjson", 40] - peaks["ndjson", 5] <= 3, peaks
    assert peaks["json", 40] - peaks["json", 5] <= 3, peaks
