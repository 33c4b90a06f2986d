"""The transport of a call: its sockets obey the deadline, and what it reads is one
answer or an error.
"""

import gc
import select
import socket
import ssl
import threading
import time
import weakref
from base64 import b64encode
from contextlib import closing, suppress
from pathlib import Path

import httpx
import pytest
from faults import authority
from faults.rig import Clock
from faults.script import CLOSE, Answer, Listener, Trickle, reply

from unified_cli.config import address
from unified_cli.http.attempt import Outcome
from unified_cli.http.transport import network_errors
from unified_cli.http.transport.network_transport import NetworkTransport
from unified_cli.http.transport.proxy import NetworkRoute, ProxySetting
from unified_cli.http.transport.response_reader import ResponseReader
from unified_cli.http.transport.sockets import ConnectionState, DeadlineSocket
from unified_cli.http.transport.tls import tls_context


@pytest.mark.parametrize("proxy", [None, "http://127.0.0.1:1"])
def test_a_connection_obeys_the_deadline(proxy: str | None) -> None:
    clock = Clock()
    state = ConnectionState(clock.now)
    state.start(clock.now() + 5)
    setting = ProxySetting("HTTPS_PROXY", proxy, httpx.URL(proxy)) if proxy else None
    transport = NetworkTransport(state, None, setting)
    # No one listens there; without the deadline the connection would be refused.
    clock.sleep(10)
    with transport, pytest.raises(httpx.ConnectTimeout, match="deadline has passed"):
        transport.handle_request(httpx.Request("GET", "https://127.0.0.1:1/"))


def test_an_attempt_is_over_after_a_minute_however_late_the_deadline() -> None:
    clock = Clock()
    state = ConnectionState(clock.now)
    state.start(clock.now() + 600)
    assert 59 < state.seconds() <= 60
    clock.sleep(59)
    assert state.seconds() <= 1
    state.extend()
    assert 59 < state.seconds() <= 60
    assert 4 < state.seconds(5) <= 5
    clock.sleep(60)
    with pytest.raises(TimeoutError):
        state.seconds()


@pytest.mark.parametrize(
    ("before", "outcome"), [(False, Outcome.PERMANENT), (True, Outcome.NOT_SENT)]
)
def test_a_silent_handshake_is_tried_again_where_one_has_succeeded_before(
    before: bool, outcome: Outcome
) -> None:
    state = ConnectionState(Clock().now)
    state.speaks_tls = before
    state.handshake_seconds = 10.0
    route = NetworkRoute(address.parse("https://service.example", "a test"), None, "a test")
    failure = network_errors.failure_of(httpx.ConnectTimeout("late"), route, state)
    assert failure.outcome is outcome
    assert (
        failure.reason
        == "service.example accepted the connection, but no TLS handshake came within 10.0 s"
    )
    assert failure.hint == (None if before else "it may not speak TLS; is the port right?")


OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
NEXT = OK + b"Content-Length: 8\r\n\r\nsmuggled"
PAD = b"x" * 70_000


class Given(DeadlineSocket):
    """A connection on which the answer comes in pieces of that size, and ends."""

    def __init__(self, data: bytes, size: int) -> None:
        self.pieces = [data[at : at + size] for at in range(0, len(data), size)]
        self.became = ""

    def receive(self) -> bytes:
        return self.pieces.pop(0) if self.pieces else b""

    def keep(self) -> None:
        self.became = "kept"

    def close(self) -> None:
        self.became = "closed"


def read(data: bytes, size: int, method: str = "GET") -> tuple[int, bytes, str]:
    """The status, the body, and what became of the connection."""
    connection = Given(data, size)
    reader = ResponseReader(connection, method)
    return reader.status, b"".join(reader), connection.became


SIZES = [1, 7, 100_000]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("data", "status", "body", "became"),
    [
        (OK + b"Content-Length: 2\r\n\r\nab", 200, b"ab", "kept"),
        (OK + b"Content-Length: 0\r\n\r\n", 200, b"", "kept"),
        (OK + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", 200, b"ab", "kept"),
        (
            OK + b"content-length:2\r\nX: y\r\nCONTENT-LENGTH:\t2 \r\nContent-Length: 2\r\n\r\nab",
            200,
            b"ab",
            "kept",
        ),
        (OK + b"X-Empty:\r\nContent-Length:\t2  \r\n\r\nab", 200, b"ab", "kept"),
        (OK + b"Set-Cookie: \x01\x1b\xff\r\nContent-Length: 2\r\n\r\nab", 200, b"ab", "kept"),
        (b"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nab", 200, b"ab", "kept"),
        (b"HTTP/1.1 204 \r\nContent-Length: 2\r\n\r\n", 204, b"", "kept"),
        (b"HTTP/1.1 304 Same\r\nContent-Length: 2\r\n\r\n", 304, b"", "kept"),
        (b"HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nab", 999, b"ab", "kept"),
        (
            b"HTTP/1.1 103 Soon\r\nContent-Length: 9\r\n\r\n" * 9
            + OK
            + b"Content-Length: 2\r\n\r\nab",
            200,
            b"ab",
            "kept",
        ),
        (
            b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nab",
            200,
            b"ab",
            "closed",
        ),
        (OK + b"Connection: x, Close\r\nContent-Length: 2\r\n\r\nab", 200, b"ab", "closed"),
        (OK + b"\r\nab", 200, b"ab", "closed"),
        (OK + b"\r\n", 200, b"", "closed"),
        (CHUNKED + b"1\r\na\r\n01;e=1\r\nb\r\n0\r\n\r\n", 200, b"ab", "kept"),
        (CHUNKED + b"2\r\nab\r\n0\r\nX-Sum: 1\r\n\r\n", 200, b"ab", "kept"),
        (
            CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 9\r\n\r\n")
            + b"2\r\nab\r\n0\r\n\r\n",
            200,
            b"ab",
            "closed",
        ),
        (CHUNKED.replace(b"1.1", b"1.0") + b"2\r\nab\r\n0\r\n\r\n", 200, b"ab", "closed"),
    ],
)
def test_an_answer_is_read_to_its_end(
    data: bytes, status: int, body: bytes, became: str, size: int
) -> None:
    assert read(data, size) == (status, body, became)


@pytest.mark.parametrize("more", [NEXT, b"\r\n", b"\n", b"x", b"HTTP/1.1 "])
@pytest.mark.parametrize(
    ("data", "method", "body"),
    [
        (OK + b"Content-Length: 2\r\n\r\nab", "GET", b"ab"),
        (OK + b"Content-Length: 2\r\n\r\n", "HEAD", b""),
        (b"HTTP/1.1 204 Gone\r\n\r\n", "GET", b""),
        (CHUNKED + b"2\r\nab\r\n0\r\n\r\n", "GET", b"ab"),
        (CHUNKED + b"2\r\nab\r\n0\r\nX: 1\r\n\r\n", "GET", b"ab"),
        (CHUNKED, "HEAD", b""),
    ],
)
def test_bytes_after_an_answer_close_the_connection(
    data: bytes, method: str, body: bytes, more: bytes
) -> None:
    assert read(data, 100_000, method)[1:] == (body, "kept")
    assert read(data + more, 100_000, method)[1:] == (body, "closed")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"\r\n" + NEXT,
        NEXT.replace(b"1.1", b"2.0"),
        NEXT.replace(b"1.1", b"1.2"),
        NEXT.replace(b"HTTP", b"RTSP"),
        NEXT.replace(b"200", b"099"),
        NEXT.replace(b"200", b"20"),
        NEXT.replace(b"200", b"2000"),
        NEXT.replace(b"OK", b"O\0K"),
        NEXT.replace(b"\r\n", b"\n"),
        NEXT.replace(b"OK\r\n", b"OK\n"),
        NEXT.replace(b"OK\r\n", b"OK\r"),
        b"HTTP/1.1 101 Other\r\n\r\n" + NEXT,
        b"HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + NEXT,
        OK + b"X: a\r\n b\r\n\r\n",
        OK + b" X: a\r\n\r\n",
        OK + b"X : a\r\n\r\n",
        OK + b"Content-Length : 2\r\n\r\nab",
        OK + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        OK + b"X\r\n\r\n",
        OK + b": a\r\n\r\n",
        OK + b"X: a\0b\r\n\r\n",
        OK + b"X: a\vb\r\n\r\n",
        OK + b"X: a\rY: b\r\n\r\n",
        OK + b"X: \r\r\nY: b\r\n\r\n",
        OK + b"X: a\nY: b\r\n\r\n",
        OK + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        OK + b"Content-Length: 2\r\nContent-Length: 02\r\n\r\nab",
        OK + b"Content-Length: 2\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc",
        OK + b"Content-Length: 2, 2\r\n\r\nab",
        OK + b"Content-Length: +2\r\n\r\nab",
        OK + b"Content-Length:\r\n\r\nab",
        OK + b"Content-Length: 000000000000000000002\r\n\r\nab",
        OK + b"Content-Length: " + b"0" * 5000 + b"2\r\n\r\nab",
        OK + b"Content-Length: 3\r\n\r\nab",
        OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        OK + b"Transfer-Encoding: identity\r\n\r\nab",
        OK + b"Transfer-Encoding: \x01chunked\r\n\r\n0\r\n\r\n",
        CHUNKED + b"2\r\nab\r\n0\r\n",
        CHUNKED + b"2\r\nabc\r\n0\r\n\r\n",
        CHUNKED + b"2\nab\n0\n\n",
        CHUNKED + b"2 \r\nab\r\n0\r\n\r\n",
        CHUNKED + b"0x2\r\nab\r\n0\r\n\r\n",
        CHUNKED + b"-2\r\nab\r\n0\r\n\r\n",
        CHUNKED + b"\r\nab\r\n0\r\n\r\n",
        CHUNKED + b"0\r\nX: a\r\n b\r\n\r\n",
        CHUNKED + b"0\r\nX: a\0\r\n\r\n",
        CHUNKED + b"0\r\nTransfer-Encoding: gzip\r\n\r\n",
        CHUNKED + b"0\r\nContent-Length: 3\r\n\r\n",
        OK + b"X: " + PAD + b"\r\n\r\n",
        CHUNKED + b"1;" + PAD + PAD + b"\r\nx\r\n0\r\n\r\n",
        CHUNKED + b"0\r\nX: " + PAD + PAD + b"\r\n\r\n",
    ],
)
def test_answers_that_either_parser_refuses_are_refused(data: bytes, size: int) -> None:
    with pytest.raises(httpx.RemoteProtocolError) as caught:
        read(data, min(size, 60_000) if len(data) < 1000 else 60_000)
    # It holds nothing from the peer, so it needs no cleaning.
    assert str(caught.value).isascii()
    assert str(caught.value).isprintable()


def test_an_unread_body_closes_the_connection() -> None:
    connection = Given(OK + b"Content-Length: 4\r\n\r\nabcd", 40)
    reader = ResponseReader(connection, "GET")
    assert next(iter(reader))
    reader.close()
    assert connection.became == "closed"


@pytest.mark.parametrize("data", [NEXT, CHUNKED + b"0\r\n\r\n"])
def test_an_answer_is_gone_as_soon_as_it_has_been_read(data: bytes) -> None:
    # Without waiting for the garbage collector, which a run of many pages cannot
    # afford.
    reader = ResponseReader(Given(data, 40), "GET")
    assert b"".join(reader) in (b"smuggled", b"")
    known = weakref.ref(reader)
    gc.disable()
    del reader
    assert known() is None
    gc.enable()


@pytest.mark.parametrize(
    ("idle", "connections"),
    [(29.0, 1), (31.0, 2)],
)
def test_an_idle_connection_is_used_for_half_a_minute(idle: float, connections: int) -> None:
    clock = Clock()
    state = ConnectionState(clock.now)
    listener = Listener([reply(b"{}")])
    listener.start({})
    with NetworkTransport(state, None, None) as transport:
        for _ in range(2):
            state.start(clock.now() + 5)
            response = transport.handle_request(
                httpx.Request("GET", f"http://127.0.0.1:{listener.port}/")
            )
            assert (response.status_code, response.read()) == (200, b"{}")
            clock.sleep(idle)
    listener.stop()
    assert (listener.connections, state.reused) == (connections, connections == 1)


@pytest.mark.parametrize(
    "headers",
    [
        {"X": "a\r\nEvil: 1"},
        {"X": "a\nEvil: 1"},
        {"X": "a\0"},
        {"X\r\nEvil": "1"},
        {"X Y": "1"},
        {"": "1"},
    ],
)
def test_a_request_that_would_be_more_than_one_is_not_sent(headers: dict[str, str]) -> None:
    state = ConnectionState(Clock().now)
    listener = Listener([reply(b"{}")])
    listener.start({})
    request = httpx.Request("GET", f"http://127.0.0.1:{listener.port}/", headers=headers)
    with NetworkTransport(state, None, None) as transport, pytest.raises(httpx.LocalProtocolError):
        transport.handle_request(request)
    listener.stop()
    assert listener.requests == []


@pytest.mark.parametrize("pieces", [[b"abc", b"d"], [b"a"], []])
def test_a_body_of_another_length_than_its_headers_say_does_not_pass_it(
    pieces: list[bytes],
) -> None:
    state = ConnectionState(Clock().now)
    listener = Listener([reply(b"{}")])
    listener.start({})
    url = f"http://127.0.0.1:{listener.port}/"
    request = httpx.Request("POST", url, headers={"Content-Length": "3"}, content=iter(pieces))
    with NetworkTransport(state, None, None) as transport, pytest.raises(httpx.LocalProtocolError):
        transport.handle_request(request)
    listener.stop()
    assert not any(b"abcd" in request for request in listener.requests)


class TlsProxy:
    """A proxy that is spoken to in TLS, and passes on to one place what comes after
    CONNECT; answers after a pause.
    """

    def __init__(self, port: int, pause: float = 0) -> None:
        self.asked = b""
        self._pause = pause
        self._to = port
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                self._serve_one(self._listening.accept()[0])

    def _serve_one(self, plain: socket.socket) -> None:
        self.asked = b""
        with authority.context("good").wrap_socket(plain, server_side=True) as client:
            while b"\r\n\r\n" not in self.asked:
                self.asked += client.recv(65536)
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with socket.create_connection(("127.0.0.1", self._to)) as origin:
                client.setblocking(False)
                self._pass_on(client, origin)

    def _pass_on(self, client: ssl.SSLSocket, origin: socket.socket) -> None:
        while True:
            select.select([client, origin], [], [], 0.01)
            with suppress(ssl.SSLWantReadError):
                data = client.recv(65536)
                if not data:
                    return
                origin.sendall(data)
            if select.select([origin], [], [], 0)[0]:
                client.setblocking(True)
                time.sleep(self._pause)
                client.sendall(origin.recv(65536))
                client.setblocking(False)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listening.close()


def test_tls_goes_through_the_tls_of_a_proxy(tmp_path: Path) -> None:
    authority.write(tmp_path / "authority.pem")
    context = tls_context(str(tmp_path / "authority.pem"), {})
    large = b"x" * 3_000_000
    listener = Listener([reply(large), reply(b"{}")], authority.context("good"))
    listener.start({})
    proxy = TlsProxy(listener.port)
    url = f"https://me:s%20cret@localhost:{proxy.port}"
    state = ConnectionState(time.monotonic)
    state.start(time.monotonic() + 30)
    with NetworkTransport(
        state, context, ProxySetting("HTTPS_PROXY", url, httpx.URL(url))
    ) as transport:
        for body in (large, b"{}"):
            request = httpx.Request("POST", "https://api.example.test/", content=large)
            assert transport.handle_request(request).read() == body
    proxy.close()
    listener.stop()
    credentials = b64encode(b"me:s cret")
    assert proxy.asked.startswith(
        b"CONNECT api.example.test:443 HTTP/1.1\r\nHost: api.example.test:443\r\n"
    )
    assert proxy.asked.endswith(b"Proxy-Authorization: Basic " + credentials + b"\r\n\r\n")
    assert (state.reused, state.handshakes) == (True, 2)
    assert [request.endswith(large) for request in listener.requests] == [True, True]
    assert not any(credentials in request for request in listener.requests)


def test_more_than_an_answer_closes_a_connection_within_the_tls_of_a_proxy(tmp_path: Path) -> None:
    authority.write(tmp_path / "authority.pem")
    context = tls_context(str(tmp_path / "authority.pem"), {})
    # In a record of its own, which comes in one of the proxy's together with that of
    # the answer.
    listener = Listener([[reply(b"{}"), NEXT]], authority.context("good"))
    listener.start({})
    proxy = TlsProxy(listener.port, pause=0.1)
    url = f"https://localhost:{proxy.port}"
    state = ConnectionState(time.monotonic)
    state.start(time.monotonic() + 30)
    setting = ProxySetting("HTTPS_PROXY", url, httpx.URL(url))
    with closing(proxy), NetworkTransport(state, context, setting) as transport:
        for _ in range(2):
            assert (
                transport.handle_request(httpx.Request("GET", "https://api.example.test/")).read()
                == b"{}"
            )
            assert not state.reused
    listener.stop()


def test_bytes_one_by_one_within_the_tls_of_a_proxy_do_not_pass_the_deadline(
    tmp_path: Path,
) -> None:
    authority.write(tmp_path / "authority.pem")
    context = tls_context(str(tmp_path / "authority.pem"), {})
    # A record that is never whole.
    listener = Listener(
        [Answer([Trickle(b"\x16\x03\x03\x40\x00" + bytes(60), 0.05), CLOSE], after="nothing")]
    )
    listener.start({})
    proxy = TlsProxy(listener.port)
    url = f"https://localhost:{proxy.port}"
    state = ConnectionState(time.monotonic)
    state.start(time.monotonic() + 1)
    setting = ProxySetting("HTTPS_PROXY", url, httpx.URL(url))
    with (
        closing(proxy),
        NetworkTransport(state, context, setting) as transport,
        pytest.raises(httpx.ConnectTimeout),
    ):
        transport.handle_request(httpx.Request("GET", "https://api.example.test/"))
    listener.stop()
