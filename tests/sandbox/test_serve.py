"""`unified sandbox serve` for containers and CI: a token and a host that are given, a
file when it is ready, a log.
"""

import re
import socket
import time
from pathlib import Path

import httpx
import pytest
from front_door import Unified
from sandbox_asking import TICKETS
from sandbox_shop import Shop

TOKEN = "compose-0123456789"


@pytest.mark.parametrize("source", ["file", "environment"])
def test_a_token_that_is_given_is_asked_for_and_never_printed(tmp_path: Path, source: str) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    (tmp_path / "token").chmod(0o600)
    options = ("--token-file", str(tmp_path / "token")) if source == "file" else ()
    given = TOKEN if source == "environment" else "other"
    with Shop(*options, UNIFIED_TOKEN=given) as server:
        assert [line.partition("=")[0] for line in server.lines] == [
            "export UNIFIED_BASE_URL",
            "export UNIFIED_ACCOUNT_ID",
        ]
        assert (server.get(token=TOKEN).status_code, server.get(token="other-one").status_code) == (
            200,
            401,
        )
        code, said, _ = server.end()
    assert (code, TOKEN in said) == (143, False)


def test_it_starts_again_with_the_same_token_port_and_records(tmp_path: Path) -> None:
    port = "0"
    state = str(tmp_path / "state.db")
    ids = []
    for _ in range(2):
        with Shop("--port", port, "--state", state, UNIFIED_TOKEN=TOKEN) as server:
            port = str(server.port)
            ids.append(server.ask("POST", TICKETS, {"name": "kept"})["id"])
            server.end()
    assert ids == ["tickets-new-1", "tickets-new-2"]


def test_another_name_of_the_host_is_answered_where_it_is_allowed() -> None:
    options = ("--host", "0.0.0.0", "--allow-host", "sandbox", "--allow-host", "Api.test:4010")
    with Shop(*options, UNIFIED_TOKEN=TOKEN) as server:
        assert server.url == f"http://127.0.0.1:{server.port}"
        answers = {
            host: server.get(Host=host).status_code
            for host in (
                "sandbox",
                f"sandbox:{server.port}",
                "sandbox:80",
                "api.test:4010",
                "api.test:1",
                "localhost",
            )
        }
        assert answers == {
            "sandbox": 200,
            f"sandbox:{server.port}": 200,
            "sandbox:80": 200,
            "api.test:4010": 200,
            "api.test:1": 421,
            "localhost": 421,
        }
        for host in (
            "evil.example",
            f"evil.sandbox:{server.port}",
            "sandbox.evil.example",
            "sandbox:x",
        ):
            assert server.get(Host=host).status_code == 421
        assert server.get(Host="sandbox", Origin="http://sandbox").status_code == 403
        _, said, _ = server.end()
    assert "warning: other machines can reach the sandbox, and nothing is encrypted\n" in said


@pytest.mark.parametrize(
    "name", ["*", "*.example.com", "http://sandbox", "sandbox/", "a b", "sandbox:", ""]
)
def test_a_pattern_is_not_a_host_name(unified: Unified, name: str) -> None:
    result = unified(["sandbox", "serve", "--state", ":memory:", "--allow-host", name])
    said = f"error: --allow-host {name}: not a host name (NAME or NAME:PORT, without wildcards)\n"
    assert (result.code, result.stderr) == (2, said)


def test_an_address_that_is_not_here_is_refused(unified: Unified) -> None:
    result = unified("sandbox serve --state :memory: --host 192.0.2.1")
    refusal = "cannot listen on 192.0.2.1, port 0: Cannot assign requested address"
    assert (result.code, result.stderr) == (
        11,
        f"error: {refusal} (is it an address of this machine?)\n",
    )
    result = unified("sandbox serve --state :memory: --host no.such.host.invalid")
    said = "error: --host no.such.host.invalid: no address of that name is known here\n"
    assert (result.code, result.stderr) == (2, said)


def test_the_ready_file_is_there_while_it_listens(tmp_path: Path) -> None:
    ready = tmp_path / "ready.env"
    ready.write_text("old")
    with Shop("--ready-file", str(ready)) as server:
        text = ready.read_text()
        assert text == "".join(server.lines).replace("export ", "")
        assert ready.stat().st_mode & 0o777 == 0o600
        values = dict(line.split("=", 1) for line in text.splitlines())
        assert server.get(token=values["UNIFIED_TOKEN"]).status_code == 200
        assert server.end()[0] == 143
    assert not ready.exists()


def test_an_unwritable_ready_file_is_reported(unified: Unified, tmp_path: Path) -> None:
    for name, why in (
        (str(tmp_path), "not a regular file"),
        (str(tmp_path / "missing" / "ready"), "No such file or directory"),
    ):
        result = unified(["sandbox", "serve", "--state", ":memory:", "--ready-file", name])
        assert (result.code, result.stderr) == (
            11,
            f"error: cannot write --ready-file {name}: {why}\n",
        )


def test_the_log_shows_each_request_in_a_line() -> None:
    with Shop("-v", "--faults", "reset=2", UNIFIED_TOKEN=TOKEN) as server:
        assert server.get().status_code == 200
        with pytest.raises(httpx.TransportError):
            server.get()
        server.get(f"{TICKETS}/{TOKEN}%1b[31m")
        server.get(Host="evil.example")
        _, said, _ = server.end()
    start = r"\d\d:\d\d:\d\d GET /unified/ticketing/tickets"
    query = r"\?integrated_account_id=full&limit=1 ->"
    patterns = [
        rf"{start}{query} 200 OK, \d+ bytes, \d+\.\d ms",
        rf"{start}{query} connection reset, \d+\.\d ms",
        rf"{start}/\*\*\*%1b\[31m{query} 404 Not Found, \d+ bytes, \d+\.\d ms",
        rf"{start}{query} 421 Misdirected Request, \d+ bytes, \d+\.\d ms",
    ]
    lines = said.splitlines()[1:-1]
    assert [bool(re.fullmatch(*pair)) for pair in zip(patterns, lines, strict=True)] == [
        True
    ] * 4, said


def test_the_log_shows_bodies_with_vv() -> None:
    with Shop("-vv", UNIFIED_TOKEN=TOKEN) as server:
        server.get(f"{TICKETS}/none")
        _, said, _ = server.end()
    assert '    content-type: application/json; charset=utf-8\n    {"statusCode":404,' in said


def test_a_sigterm_ends_it_at_once_though_answers_are_slow() -> None:
    with Shop("--faults", "slow=60s", UNIFIED_TOKEN=TOKEN) as server:
        line = (
            f"GET {TICKETS}?integrated_account_id=full HTTP/1.1\r\nHost:"
            f" 127.0.0.1:{server.port}\r\n"
        )
        clients = [
            socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(20)
        ]
        for client in clients:
            client.sendall(f"{line}Authorization: Bearer {TOKEN}\r\n\r\n".encode())
        time.sleep(0.3)
        code, said, seconds = server.end()
        for client in clients:
            client.close()
    assert (code, said.splitlines()[1:]) == (143, ["error: terminated"])
    assert seconds < 30


def test_a_state_in_a_folder_that_is_not_there_is_refused(unified: Unified, tmp_path: Path) -> None:
    result = unified(f"sandbox serve --state {tmp_path}/typo/x.db")
    assert (result.code, result.stderr) == (
        11,
        f"error: there is no folder {tmp_path}/typo (mkdir -p {tmp_path}/typo)\n",
    )
    assert not (tmp_path / "typo").exists()
