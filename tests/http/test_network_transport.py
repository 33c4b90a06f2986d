"""The transport of a call: its sockets have the deadline's, its errors are those of httpx."""

import httpcore
import httpx
import pytest
from faults.rig import Clock

from unified_cli.config import address
from unified_cli.http.attempt import Outcome
from unified_cli.http.transport import network_errors
from unified_cli.http.transport.network_backend import ConnectionState, DeadlineBackend
from unified_cli.http.transport.network_transport import NetworkTransport
from unified_cli.http.transport.proxy import NetworkRoute


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


@pytest.mark.parametrize(("before", "outcome"), [(0, Outcome.PERMANENT), (1, Outcome.NOT_SENT)])
def test_a_silent_handshake_is_tried_again_where_one_has_succeeded_before(before: int, outcome: Outcome) -> None:
    state = ConnectionState(Clock().now)
    state.opened()
    for _ in range(before):
        state.secured()
    state.handshake_seconds = 10.0
    route = NetworkRoute(address.parse("https://service.example", "a test"), None, "a test")
    failure = network_errors.failure_of(httpx.ConnectTimeout("late"), route, state)
    assert failure.outcome is outcome
    assert failure.reason == "service.example accepted the connection, but no TLS handshake came within 10.0 s"
    assert failure.hint == (None if before else "it may not speak TLS; is the port right?")


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
