"""The transport of a call: its sockets have the deadline's, its errors are those of httpx."""

import httpcore
import httpx
import pytest
from faults.rig import Clock

from unified_cli.http.transport.connection_state import ConnectionState
from unified_cli.http.transport.network_backend import DeadlineBackend
from unified_cli.http.transport.network_transport import NetworkTransport


@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:1"])
def test_a_connection_obeys_the_deadline(proxy: str | None) -> None:
    clock = Clock()
    state = ConnectionState(clock.now)
    state.start(clock.now() + 5)
    transport = NetworkTransport(DeadlineBackend(state), None, httpcore.Proxy(proxy) if proxy else None)
    # Nobody listens there; without the deadline the connection would be refused.
    clock.sleep(10)
    with transport, pytest.raises(httpx.ConnectTimeout, match="deadline has passed"):
        transport.handle_request(httpx.Request("GET", "https://127.0.0.1:1/"))


def test_an_attempt_is_over_after_a_minute_however_late_the_deadline() -> None:
    clock = Clock()
    state = ConnectionState(clock.now)
    state.start(clock.now() + 600)
    assert 59 < state.remaining(1000) <= 60
    clock.sleep(59)
    assert state.remaining(1000) <= 1
    state.extend()
    assert 59 < state.remaining(1000) <= 60
    clock.sleep(60)
    with pytest.raises(httpcore.ReadTimeout):
        state.remaining(1000)


class _Failing(httpcore.NetworkBackend):
    """Sockets that cannot be had."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def connect_tcp(self, *_: object, **__: object) -> httpcore.NetworkStream:
        raise self._error


# All that httpcore exports and httpx has too, but for those that stand for several others.
_RAISED = [
    kind
    for name, kind in vars(httpcore).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and hasattr(httpx, name) and not kind.__subclasses__()
]


@pytest.mark.parametrize("kind", _RAISED, ids=lambda kind: kind.__name__)
def test_every_error_of_httpcore_is_the_one_of_httpx(kind: type[Exception]) -> None:
    request = httpx.Request("GET", "http://127.0.0.1:1/")
    same = getattr(httpx, kind.__name__)
    with NetworkTransport(_Failing(kind("words")), None) as transport, pytest.raises(same, match=r"^words$") as caught:
        transport.handle_request(request)
    assert type(caught.value) is same
    assert isinstance(caught.value.__cause__, kind)
