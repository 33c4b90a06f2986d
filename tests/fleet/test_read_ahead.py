"""The next page of a list is read while this one is written, whichever waits for the
other.
"""

import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NoReturn, cast

import httpx
import pytest
from front_door import Unified
from pages import cursor_of, envelope, serve, served, tickets
from server import Reply, Seen, Service

from unified_cli.catalogue import load
from unified_cli.config.address import Address
from unified_cli.fleet import read
from unified_cli.http import page_body
from unified_cli.http.client import Client
from unified_cli.http.pagination import Span
from unified_cli.http.request import Request
from unified_cli.http.response import Response

LIST = "ticketing tickets list --all -o ndjson --rate 0"
SERVICE = load().service
PAGES = [tickets(2), tickets(2, 2), tickets(2, 4)]
SECONDS = 60
"""How long a test waits for what should come at once."""


class Transport(httpx.BaseTransport):
    """Three pages; notes in which thread each is read, and in which it is closed."""

    def __init__(self, before: Callable[[int], object] = lambda _: None, pages: int = 3) -> None:
        self._before = before
        self._pages = pages
        self.threads: list[threading.Thread] = []
        self.closed = threading.Event()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.threads.append(threading.current_thread())
        number = int(request.url.params.get("next_cursor", "1"))
        self._before(number)
        cursor = f'"{number + 1}"' if number < self._pages else "null"
        body = f'{{"result": [{{"id": "{number}"}}], "next_cursor": {cursor}}}'.encode()
        return httpx.Response(
            200, headers={"Content-Type": "application/json"}, stream=httpx.ByteStream(body)
        )

    def close(self) -> None:
        self.closed.set()


def environ() -> dict[str, str]:
    return {
        "UNIFIED_BASE_URL": "https://api.example.com",
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_ACCOUNT_ID": "a",
    }


def test_a_page_can_be_read_before_the_next_is_answered(service: Service, tmp_path: Path) -> None:
    serve(service, PAGES)
    good, read, in_time = service.reply, threading.Event(), []

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c1":
            # The second page comes when the first was read from the pipe; were it
            # written only then, both would wait.
            in_time.append(read.wait(60))
        return good(seen)

    service.reply = reply
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **service.environ}
    argv = [sys.executable, "-m", "unified_cli", *LIST.split()]
    with subprocess.Popen(
        argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        first = [json.loads(running.stdout.readline())["id"] for _ in range(2)]
        read.set()
        rest = [json.loads(line)["id"] for line in running.stdout]
    assert (first, rest, running.returncode) == (["t-0", "t-1"], ["t-2", "t-3", "t-4", "t-5"], 0)
    assert in_time == [True]


def test_exactly_one_page_is_asked_for_while_this_one_is_written(
    unified: Unified, service: Service
) -> None:
    serve(service, [*PAGES, tickets(2, 6)])
    asked: list[int] = []

    class Stdout:
        """Notes how many requests had come when a page was written; a request is seen a
        moment after it is sent.
        """

        def write(self, data: bytes) -> int:
            expected = min(len(asked) + 2, 4)
            until = time.monotonic() + SECONDS
            while len(service.seen) < expected and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(0.1)
            asked.append(len(service.seen))
            return len(data)

        def flush(self) -> None: ...

    result = unified(LIST, environ=service.environ, stdout=Stdout())
    assert (result.code, asked) == (0, [2, 3, 4, 4])


@pytest.mark.parametrize("size", [2000, 300], ids=["large pages", "small pages"])
def test_a_slow_reader_does_not_use_up_the_time_of_the_service(
    size: int, service: Service, tmp_path: Path
) -> None:
    serve(
        service,
        [[{"id": f"t-{page}-{at}", "text": "x" * size} for at in range(100)] for page in range(6)],
    )
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **service.environ}
    argv = [sys.executable, "-m", "unified_cli", *LIST.split(), "--timeout", "1"]
    with subprocess.Popen(
        argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        assert running.stderr
        # By now its pipe is full, and the answer to the latest request has come.
        time.sleep(2.5)
        lines = sum(1 for _ in running.stdout)
        said = running.stderr.read().decode()
    assert (lines, running.returncode, len(service.seen)) == (600, 0, 6)
    assert said == "complete: 600 records in 6 pages\n"


@pytest.mark.parametrize(
    "options", ["", "--all", "--limit 1", "--out {tmp_path}/t -o ndjson --all"]
)
def test_one_page_is_read_without_a_second_thread(
    options: str, unified: Unified, tmp_path: Path
) -> None:
    transport = Transport(pages=1)
    command = f"ticketing tickets list {options.format(tmp_path=tmp_path)}"
    assert unified(command, environ=environ(), transport=lambda: transport).code == 0
    assert transport.threads == [threading.current_thread()]
    assert transport.closed.is_set()


@pytest.mark.parametrize("options", ["--all", "--limit 3", "--out {tmp_path}/t -o ndjson --all"])
def test_pages_after_the_first_are_read_in_one_daemon_thread(
    options: str, unified: Unified, tmp_path: Path
) -> None:
    transport = Transport()
    command = f"ticketing tickets list {options.format(tmp_path=tmp_path)}"
    assert unified(command, environ=environ(), transport=lambda: transport).code == 0
    first, second, third = transport.threads
    assert (first, second, second.daemon) == (threading.current_thread(), third, True)
    assert transport.closed.is_set()


def test_an_error_of_reading_comes_after_the_pages_before(
    unified: Unified, service: Service
) -> None:
    serve(service, PAGES)
    good = service.reply
    service.reply = lambda seen: served({}, 400) if cursor_of(seen) == "c2" else good(seen)
    result = unified(LIST, environ=service.environ)
    assert (result.code, result.stdout.count("\n")) == (12, 4)
    assert "stopped after 4 records in 2 pages; to continue: --cursor c2" in result.stderr


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (OSError(28, "No space left on device"), 11),
        (BrokenPipeError(32, "Broken pipe"), 141),
        (KeyboardInterrupt(), 130),
    ],
)
def test_reading_stops_at_once_when_writing_ends(
    error: BaseException, code: int, unified: Unified
) -> None:
    requested, release = threading.Event(), threading.Event()

    def before(number: int) -> None:
        if number == 2:
            requested.set()
            release.wait(SECONDS)

    class Stdout:
        def write(self, _data: bytes) -> NoReturn:
            assert requested.wait(SECONDS)
            raise error

        def flush(self) -> None: ...

    transport = Transport(before)
    started = time.monotonic()
    result = unified(LIST, environ=environ(), transport=lambda: transport, stdout=Stdout())
    assert (result.code, time.monotonic() - started < SECONDS / 2) == (code, True)
    # The connection belongs to the request under way for as long as that lasts.
    assert not transport.closed.is_set()
    release.set()
    assert transport.closed.wait(SECONDS)
    assert len(transport.threads) == 2
    transport.threads[1].join(SECONDS)
    assert not transport.threads[1].is_alive()


class Halves:
    """A client of a list of four pages, each with half a surrogate pair."""

    def __init__(self) -> None:
        self.pages = 0

    def send(self, _request: Request, *, page: bool) -> Response:
        self.pages += 1
        onward = f"c{self.pages}" if self.pages < 4 else ""
        body = envelope(b'["\\ud83d"]', f'"{onward}"')
        return Response(
            200, httpx.Headers(), body, page=page_body.decode(body, SERVICE) if page else None
        )

    def close(self) -> None:
        """Nothing to close."""


def test_a_page_that_was_used_is_not_kept() -> None:
    request = Request(
        "GET", Address("https", "api.example.com", 443), "/unified/ticketing/tickets", (), "a"
    )
    with closing(read.pages(cast("Client", Halves()), request, SERVICE, Span())) as found:
        first = weakref.ref(next(found).records)
        for _ in range(2):
            next(found)
        assert first() is None
