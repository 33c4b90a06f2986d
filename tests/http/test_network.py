"""The one private attribute of a library that the deadline rests on."""

import httpx
import pytest
from faults.rig import Clock

from unified_cli.http.transport.network import ConnectionState, WatchedBackend


@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:1"])
def test_httpcore_still_takes_its_sockets_from_the_pools_backend(proxy: str | None) -> None:
    clock = Clock()
    exchange = ConnectionState(clock.now)
    exchange.start(clock.now() + 5)
    transport = httpx.HTTPTransport(proxy=proxy)
    transport._pool._network_backend = WatchedBackend(exchange)
    # Nobody listens there; that the exchange's deadline is met tells that its sockets are used.
    clock.sleep(10)
    with transport, pytest.raises(httpx.ConnectTimeout, match="deadline has passed"):
        transport.handle_request(httpx.Request("GET", "https://127.0.0.1:1/"))
