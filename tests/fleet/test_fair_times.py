"""How long 32 connections take that each give a page in two seconds, beside what they
take at least.
"""

import http.client
import json
import math
import os
import shlex
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
from campaigns import size
from front_door import ROOT
from many_connections import account
from pages import cursor_of, offer, served
from server import Reply, Seen, Service, serving
from wire import started

NUMBER, PAGES, SECONDS = 32, 3, 2.0
NAMES = [f"c{at:02}" for at in range(NUMBER)]
MOST = 1.5
LISTS = ("tags", "tickets", "teams")


class Job(NamedTuple):
    """A command, its exit code, and how many requests of each of its connections the
    service takes.

    Where the service is `busy` with others, it takes the first one only when the time
    of all is over.
    """

    command: str
    requests: int = PAGES
    code: int = 0
    busy: bool = False


JOBS = {
    "list": Job("ticketing tags list --all -p c*"),
    "--expect": Job("ticketing tags list --expect 'length == 3' -p c*"),
    "--until": Job("ticketing tags list --all --until 'length == 3' -p c*"),
    "schema": Job("schema ticketing/tags -p c*"),
    "export": Job("export ticketing/tags --to {folder}/dump -p c*"),
    "diff": Job("diff ticketing/tags --from c00 --to c31"),
    "import": Job("import ticketing/tags {folder}/in.ndjson --operation update -p c* --yes"),
    "fan-out write": Job("ticketing tags update t1 -f name=x -p c* --yes", 1, busy=True),
    "update -": Job("ticketing tags update - -p c* --yes"),
    "capabilities --probe": Job(
        f"capabilities {' '.join(f'ticketing/{one}' for one in LISTS)} --probe -p c*", 5
    ),
    "an agent's read": Job("mcp serve"),
}
LINES = "".join(
    f'{{"_profile":"{name}","id":"t{at}","name":"x"}}\n' for at in range(PAGES) for name in NAMES
)


class Slow:
    """A service that accepts one request of each connection in this many seconds."""

    def __init__(self, service: Service, *, busy: bool) -> None:
        self.url = service.url
        self.taken = Counter[str]()
        self.refused = 0
        self._busy = busy
        self._lock = threading.Lock()
        self._free_at: dict[str, float] = {}
        service.reply = self.reply

    def reply(self, seen: Seen) -> Reply:
        """Take the request, or say in whole seconds when it would be taken."""
        whose, now = self.whose(seen), time.monotonic()
        with self._lock:
            first = now + (PAGES - 1) * SECONDS if self._busy else now
            left = self._free_at.setdefault(whose, first) - now
            if left > 0:
                self.refused += 1
                return Reply(429, b"{}", {"Retry-After": str(math.ceil(left))})
            self._free_at[whose] = now + SECONDS
            self.taken[whose] += 1
        return self.good(seen)

    @staticmethod
    def whose(seen: Seen) -> str:
        """The connection that is asked for."""
        return seen.segments[1] if seen.segments[0] == "integrated-account" else account(seen)

    @staticmethod
    def good(seen: Seen) -> Reply:
        """The answer to an accepted request."""
        last = seen.segments[-1]
        if last == "capabilities":
            return served(offer({"ticketing": {one: ["list", "get"] for one in LISTS}}))
        if seen.segments[0] == "integrated-account":
            return served({"id": last, "status": "active"})
        if last not in LISTS:
            return served({"id": last})
        at = int(cursor_of(seen) or 0)
        onward = str(at + 1) if at + 1 < PAGES else None
        return served({"result": [{"id": f"t{at}", "name": "x"}], "next_cursor": onward})


def seconds_at_least(job: Job) -> float:
    """The time of as many threads as connections that retry exactly when they may."""
    with serving() as service:
        slow = Slow(service, busy=job.busy)
        address = urlsplit(slow.url)

        def ask(name: str) -> None:
            client = http.client.HTTPConnection(address.netloc, timeout=60)
            left = job.requests
            while left:
                client.request("GET", f"/unified/ticketing/tags?integrated_account_id=a-{name}")
                answer = client.getresponse()
                answer.read()
                left -= answer.status == 200
                if left:
                    time.sleep(float(answer.headers.get("Retry-After", SECONDS)))
            client.close()

        began = time.monotonic()
        with ThreadPoolExecutor(NUMBER) as threads:
            list(threads.map(ask, NAMES))
        return time.monotonic() - began


def seconds_of(job: Job, folder: Path) -> float:
    """The time of the program from start to end, without a cache."""
    folder.mkdir()
    token = folder / "token"
    token.write_text("t-0123456789\n")
    token.chmod(0o600)
    (folder / "in.ndjson").write_text(LINES)
    tables = "".join(f'[profiles.{name}]\naccount_id = "a-{name}"\n' for name in NAMES)
    config = folder / "config.toml"
    with serving() as service:
        slow = Slow(service, busy=job.busy)
        config.write_text(f'base_url = "{slow.url}"\ntoken_file = "{token}"\n{tables}')
        config.chmod(0o600)
        run = agent_seconds if job.command == "mcp serve" else command_seconds
        seconds = run(job, folder, config)
    assert {*slow.taken.values()} == {job.requests}
    return seconds


def command_seconds(job: Job, folder: Path, config: Path) -> float:
    """How long a command takes."""
    argv = shlex.split(job.command.format(folder=folder))
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "UNIFIED_CONFIG": str(config)}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "unified_cli", *argv],
        env={**environ, "PYTHONPATH": str(ROOT)},
        input=LINES.encode(),
        capture_output=True,
        timeout=300,
        check=False,
    )
    seconds = time.monotonic() - began
    assert done.returncode == job.code, done.stderr.decode()
    return seconds


def agent_seconds(_: Job, folder: Path, config: Path) -> float:
    """How long an agent waits for all records of all connections, which are one
    answer.
    """
    with started(folder, "", UNIFIED_CONFIG=str(config)) as agent:
        agent.begin()
        began = time.monotonic()
        read = {"operation": "ticketing tags list", "profile": "c*", "limit": 1000}
        agent.call(1, "read", **read, max_bytes=262_144)
        (content,) = agent.receive()["result"]["content"]
        seconds = time.monotonic() - began
    assert len(json.loads(content["text"])["records"]) == NUMBER * PAGES, content["text"]
    return seconds


@pytest.mark.long(nightly="measures times, and the jobs of CI go on beside each other")
@pytest.mark.parametrize("name", JOBS)
def test_every_reader_and_sender_takes_at_most_half_as_long_again(
    name: str, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    if name == "an agent's read":
        pytest.importorskip("mcp.server", reason="needs the extra mcp")
    job, ratios = JOBS[name], []
    for at in range(size(3, 1)):
        least, seconds = seconds_at_least(job), seconds_of(job, tmp_path / f"home-{at}")
        ratios.append(seconds / least)
        record_property(f"{name} {at}", f"{seconds:.2f} s, at least {least:.2f} s")
        print(f"{name}: {seconds:.2f} s, at least {least:.2f} s")  # noqa: T201  shown with -s
    assert statistics.median(ratios) <= MOST, ratios
