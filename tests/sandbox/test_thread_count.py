import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

import httpx
from sandbox_asking import TICKETS

from unified_cli.catalogue import load
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.server import Server
from unified_cli.sandbox.store import SandboxStore

SLOW = f"{TICKETS}?integrated_account_id=slow"


@contextmanager
def server(sleep: Callable[[float], object]) -> Iterator[str]:
    with closing(SandboxStore.open(None)) as store, closing(Server(Sandbox(load(), store, sleep=sleep))) as served:
        thread = threading.Thread(target=served.run, daemon=True)
        thread.start()
        try:
            yield served.url
        finally:
            served.stop()
            thread.join()


def test_as_many_requests_as_a_client_has_workers_are_served_at_the_same_time() -> None:
    # None of them gets on before all of them have begun.
    together = threading.Barrier(64)
    with server(lambda _seconds: together.wait(30)) as url, ThreadPoolExecutor(64) as clients:
        codes = list(clients.map(lambda _client: httpx.get(f"{url}{SLOW}", timeout=60).status_code, range(64)))
    assert codes == [200] * 64


def test_one_client_is_served_by_few_threads() -> None:
    before = set(threading.enumerate())
    with server(lambda _seconds: None) as url, httpx.Client(base_url=url) as client:
        assert {client.get(SLOW).status_code for _ in range(50)} == {200}
        serving = [one for one in threading.enumerate() if one not in before and one.name.startswith("waitress-")]
    assert len(serving) == 2
