"""Who answers: the loop what needs no wait, a thread all else."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import httpx
import pytest
from sandbox_asking import TICKETS

from unified_cli.catalogue import load
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.fault_plan import Faults
from unified_cli.sandbox.server import Server
from unified_cli.sandbox.store import SandboxStore

ACCOUNT = "integrated_account_id=full"
FULL = f"{TICKETS}?{ACCOUNT}"
SLOW = f"{TICKETS}?integrated_account_id=slow"
DOWNLOAD = "/unified/ticketing/attachments/download?integrated_account_id=full&id=attachments-1"


@contextmanager
def server(
    sleep: Callable[[float], object] = lambda _seconds: None,
    faults: str = "",
    threads: list[str] | None = None,
    tickets: int = 60,
) -> Iterator[str]:
    """A sandbox without a token; `threads` takes the names of those that answer."""

    def wall() -> float:
        if threads is not None:
            threads.append(threading.current_thread().name)
        return time.time()

    with ExitStack() as stack:
        store = stack.enter_context(
            closing(SandboxStore.open(None, records={("ticketing", "tickets"): tickets}))
        )
        sandbox = Sandbox(load(), store, faults=Faults.parse(faults), wall=wall, sleep=sleep)
        served = stack.enter_context(closing(Server(sandbox)))
        thread = threading.Thread(target=served.run, name="loop", daemon=True)
        thread.start()
        try:
            yield served.url
        finally:
            served.stop()
            thread.join()


def test_as_many_requests_as_a_client_has_workers_are_served_at_the_same_time() -> None:
    # None of them gets on before all of them have begun.
    together = threading.Barrier(64)
    every = httpx.Limits(max_connections=64)
    with (
        server(lambda _seconds: together.wait(30)) as url,
        httpx.Client(base_url=url, limits=every, timeout=60) as client,
        ThreadPoolExecutor(64) as clients,
    ):
        codes = list(clients.map(lambda _client: client.get(SLOW).status_code, range(64)))
    assert codes == [200] * 64


def test_one_client_is_served_by_few_threads() -> None:
    before = set(threading.enumerate())
    with server() as url, httpx.Client(base_url=url) as client:
        assert {client.get(SLOW).status_code for _ in range(50)} == {200}
        serving = [
            one
            for one in threading.enumerate()
            if one not in before and one.name.startswith("waitress-")
        ]
    assert len(serving) == 2


@pytest.mark.parametrize(
    ("method", "target", "faults", "answers"),
    [
        ("GET", FULL, "500=9", "loop"),
        ("POST", FULL, "", "loop"),
        ("GET", SLOW, "", "waitress"),
        ("GET", SLOW.replace("slow", "%73low:x"), "", "waitress"),
        ("GET", FULL, "slow=1ms", "waitress"),
        ("POST", DOWNLOAD, "", "waitress"),
        ("POST", f"/batch-request?{ACCOUNT}", "", "waitress"),
    ],
)
def test_a_response_that_may_be_slow_is_made_by_a_thread(
    method: str, target: str, faults: str, answers: str
) -> None:
    threads: list[str] = []
    with server(faults=faults, threads=threads) as url:
        assert httpx.request(
            method, f"{url}{target}", json={"name": "n"} if method == "POST" else None
        ).status_code
    assert {name.partition("-")[0] for name in threads} == {answers}


@pytest.mark.parametrize(
    ("tickets", "query", "answers"),
    [
        (60, "status=open", "loop"),
        (6000, "limit=5&next_cursor=", "loop"),
        (6000, "limit=5&status=open", "waitress"),
    ],
)
def test_many_records_are_looked_through_by_a_thread(
    tickets: int, query: str, answers: str
) -> None:
    threads: list[str] = []
    with server(threads=threads, tickets=tickets) as url:
        assert httpx.get(f"{url}{FULL}&{query}").status_code == 200
    assert {name.partition("-")[0] for name in threads} == {answers}


def test_a_large_body_is_read_by_a_thread() -> None:
    threads: list[str] = []
    with server(threads=threads) as url:
        assert httpx.post(f"{url}{FULL}", json={"name": "n" * 100_000}).status_code == 201
    assert all(name.startswith("waitress-") for name in threads)


def test_a_waiting_answer_delays_no_other() -> None:
    going, over = threading.Event(), threading.Event()

    def wait(_seconds: float) -> None:
        going.set()
        over.wait(30)

    with server(wait) as url, ThreadPoolExecutor(1) as other:
        slow = other.submit(httpx.get, f"{url}{SLOW}", timeout=60)
        assert going.wait(30)
        assert httpx.get(f"{url}{FULL}", timeout=60).status_code == 200
        assert not slow.done()
        over.set()
        assert slow.result().status_code == 200


def test_a_client_that_reads_nothing_delays_no_other() -> None:
    request = f"GET {FULL}&limit=500 HTTP/1.1\r\nHost: {{}}\r\n\r\n"
    with server() as url, ExitStack() as stack:
        host, _, port = url.removeprefix("http://").partition(":")
        for _ in range(100):
            connection = stack.enter_context(
                socket.create_connection((host, int(port)), timeout=60)
            )
            connection.sendall(request.format(f"{host}:{port}").encode() * 20)
        assert httpx.get(f"{url}{FULL}", timeout=30).status_code == 200
