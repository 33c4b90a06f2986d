import contextlib
import http.client
import resource
import socket

import httpx
import pytest
from sandbox_asking import TICKETS
from sandbox_shop import Shop, raw

from unified_cli.sandbox.server import listen


@pytest.mark.parametrize(
    "headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}]
)
def test_without_its_token_it_says_nothing(shop: Shop, headers: dict[str, str]) -> None:
    paths = (
        f"{TICKETS}?integrated_account_id=full",
        "/-/sandbox",
        "/nowhere",
        "/integrated-account/full/capabilities",
    )
    with httpx.Client(base_url=shop.url, headers=headers) as client:
        for path in paths:
            answer = client.get(path)
            assert (answer.status_code, answer.json()["error"]) == (401, "Unauthorized")


@pytest.mark.parametrize(
    ("line", "headers", "status"),
    [
        ("GET", "Host: evil.example", 421),
        ("GET", "Host: 127.0.0.1.evil.example:{port}", 421),
        ("GET", "Host: 127.0.0.1:1", 421),
        ("GET", "Host: 127.0.0.1:{port}\nOrigin: http://127.0.0.1:9", 403),
        ("GET", "Host: 127.0.0.1:{port}\nOrigin: null", 403),
        ("GET", "Host: 127.0.0.1:{port}\nSec-Fetch-Site: cross-site", 403),
        (
            "POST",
            (
                "Host: 127.0.0.1:{port}\nOrigin: http://evil.example\nContent-Type:"
                " text/plain\nContent-Length: 0"
            ),
            403,
        ),
        (
            "OPTIONS",
            (
                "Host: 127.0.0.1:{port}\nOrigin:"
                " http://evil.example\nAccess-Control-Request-Method: POST"
            ),
            403,
        ),
        ("GET", "Host: localhost:{port}", 200),
        ("GET", "Host: [::1]:{port}", 200),
    ],
)
def test_no_web_page_gets_in(shop: Shop, line: str, headers: str, status: int) -> None:
    token = f"Authorization: Bearer {shop.token}\nConnection: close\n"
    path = f"{TICKETS}?integrated_account_id=full&limit=1"
    found, answer = raw(
        shop, f"{line} {path} HTTP/1.1\n{headers.format(port=shop.port)}\n{token}\n"
    )
    assert found == status
    assert b"access-control-" not in answer.lower()
    assert (b"tickets-1" in answer) == (status == 200)


@pytest.mark.parametrize(
    ("address", "host", "status"),
    [
        ("http://127.0.0.1:{port}", "127.0.0.1:{port}", 200),
        ("HTTP://localhost:{port}", "evil.example", 200),
        ("http://evil.example", "127.0.0.1:{port}", 421),
        ("http://", "127.0.0.1:{port}", 421),
    ],
)
def test_a_request_line_may_hold_the_whole_address(
    shop: Shop, address: str, host: str, status: int
) -> None:
    line = f"GET {address}{TICKETS}?integrated_account_id=full&limit=1 HTTP/1.1\nHost: {host}\n"
    token = f"Authorization: Bearer {shop.token}\nConnection: close\n\n"
    found, answer = raw(shop, line.format(port=shop.port) + token)
    assert (found, b"tickets-1" in answer) == (status, status == 200)


def test_it_listens_to_this_machine_only() -> None:
    sockets = listen(0)
    names = [one.getsockname()[:2] for one in sockets]
    for one in sockets:
        one.close()
    assert {name for name, _ in names} <= {"127.0.0.1", "::1"}
    assert len({port for _, port in names}) == 1


def test_a_body_without_end_is_refused_before_it_is_read(shop: Shop) -> None:
    head = f"POST {TICKETS} HTTP/1.1\nHost: 127.0.0.1:{shop.port}\nContent-Length: 1073741824\n\n"
    assert raw(shop, head)[0] == 413
    connection = http.client.HTTPConnection("127.0.0.1", shop.port, timeout=60)
    with contextlib.suppress(OSError):
        # The server may hang up while we still send.
        connection.request(
            "POST", TICKETS, (b"x" * 65536 for _ in range(1024)), encode_chunked=True
        )
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
        assert connection.getresponse().status == 413
    assert shop.ask("GET", TICKETS)["result"]


def test_slow_and_idle_connections_do_not_keep_others_out(shop: Shop) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(1200, hard - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
    with contextlib.ExitStack() as stack:
        for number in range(count):
            connection = stack.enter_context(
                socket.create_connection(("127.0.0.1", shop.port), timeout=60)
            )
            if number % 4 == 0:
                connection.sendall(b"POST / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nslow")
        assert shop.ask("GET", TICKETS)["result"]
        assert shop.ask("POST", TICKETS, {"name": "still here"})["name"] == "still here"
