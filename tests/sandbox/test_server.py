import contextlib
import http.client
import json
import re
import signal
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from sandbox_asking import TICKETS
from sandbox_shop import Shop

from unified_cli.catalogue import Operation, load
from unified_cli.errors import StorageError, UsageError
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox, running, unified_sandbox
from unified_cli.sandbox.sample_requests import example
from unified_cli.sandbox.server import listen

__all__ = ["unified_sandbox"]
OPERATIONS = list(load())


def test_three_lines_say_how_to_reach_it(shop: Shop) -> None:
    assert list(shop.said) == ["UNIFIED_BASE_URL", "UNIFIED_TOKEN", "UNIFIED_ACCOUNT_ID"]
    assert shop.said["UNIFIED_ACCOUNT_ID"] == "full"
    assert shop.ask("GET", TICKETS)["result"]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.command)
def test_every_operation_answers_a_client_that_is_not_ours(
    shared: UnifiedSandbox, operation: Operation
) -> None:
    shown = example(operation)
    query = urlencode(
        {"integrated_account_id": f"full:{operation.command.replace(' ', '-')}", **shown.query}
    )
    target = f"{shared.url}{operation.path.replace('{id}', shown.identity or '')}?{query}"
    body = None if shown.body is None else json.dumps(dict(shown.body)).encode()
    headers = {"Authorization": f"Bearer {shared.token}", "Content-Type": "application/json"}
    request = urllib.request.Request(target, body, headers, method=operation.method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        content, kind = answer.read(), answer.headers["content-type"]
        assert answer.status == (201 if operation.name == "create" else 200)
    if operation.name == "download":
        assert (len(content), "json" in kind) == (int(answer.headers["content-length"]), False)
        return
    value = json.loads(content)
    keys = {"read": ["id"], "write": ["id"], "delete": ["id"], "action": ["result"]}[operation.kind]
    expected = ["result", "next_cursor", "prev_cursor", "result_count"] if operation.lists else keys
    assert list(value)[: len(expected)] == expected


@pytest.fixture(scope="module")
def shared() -> Iterator[UnifiedSandbox]:
    with running() as sandbox:
        yield sandbox


def test_a_script_for_the_real_service_runs_unchanged(shop: Shop) -> None:
    with shop.client() as client:
        account = {"integrated_account_id": shop.said["UNIFIED_ACCOUNT_ID"]}
        users, cursor = [], None
        while True:
            page = client.get(
                "/unified/user-directory/users",
                params={
                    **account,
                    "limit": 25,
                    "created_at[gt]": "2024-01-01",
                    **({"next_cursor": cursor} if cursor else {}),
                },
            )
            users += page.raise_for_status().json()["result"]
            cursor = page.json()["next_cursor"]
            if cursor is None:
                break
        assert len(users) == len({one["id"] for one in users}) == 60
        for name in ("truto_exclude_fields[]", "truto_exclude_fields[0]"):
            slim = client.get(
                "/unified/user-directory/users", params={**account, name: "emails"}
            ).json()
            assert ["emails" in one for one in slim["result"]] == [False] * len(slim["result"])
            assert slim["result"]
        suspended = client.post(
            "/unified/user-directory/users/suspend",
            params=account,
            json={"user_id": users[4]["id"]},
        )
        assert suspended.raise_for_status().json()["result"]["id"] == users[4]["id"]
        files = client.get("/unified/ticketing/attachments", params=account).json()["result"]
        asked = {**account, "file_url": files[0]["file_url"], "truto_response_format": "stream"}
        with client.stream(
            "POST", "/unified/ticketing/attachments/download", params=asked, json={}
        ) as answer:
            assert answer.headers["content-type"] == files[0]["content_type"]
            assert sum(map(len, answer.iter_bytes())) == files[0]["size"]
        missing = client.get("/unified/ticketing/tickets/none", params=account)
        assert (missing.status_code, missing.json()["error"]) == (404, "Not Found")


def test_a_port_in_use_is_reported(shop: Shop) -> None:
    with pytest.raises(
        StorageError, match=f"cannot listen on 127.0.0.1, port {shop.port}: .*--port 0"
    ):
        listen(shop.port)
    with pytest.raises(UsageError, match="70000"):
        listen(70000)


def test_a_killed_server_has_kept_all_it_acknowledged(tmp_path: Path) -> None:
    state = tmp_path / "sandbox.db"
    shop = Shop("--state", str(state))
    acknowledged: list[str] = []

    def work() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError):
            while True:
                acknowledged.append(shop.ask("POST", TICKETS, {"name": "kept"})["id"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 150:
        time.sleep(0.005)
    shop.end(signal.SIGKILL)
    for thread in threads:
        thread.join()
    assert len(set(acknowledged)) == len(acknowledged)
    with Shop("--state", str(state)) as again:
        for identity in acknowledged:
            assert again.ask("GET", f"{TICKETS}/{identity}")["name"] == "kept"


def test_a_hundred_thousand_records_are_paged_through_in_little_memory() -> None:
    with Shop("--records", "ticketing/accounts=100000") as shop:
        with shop.client() as client:
            params: dict[str, Any] = {"integrated_account_id": "full", "limit": 500}
            ids: list[str] = []
            for _ in range(40):
                page = client.get("/unified/ticketing/accounts", params=params).json()
                ids += [one["id"] for one in page["result"]]
                params["next_cursor"] = page["next_cursor"]
        assert ids == [f"accounts-{number}" for number in range(1, 20_001)]
        status = Path(f"/proc/{shop.process.pid}/status")
        if status.exists():
            peak = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
            assert peak
            assert int(peak[1]) < 80 * 1024


def test_faults_reach_a_client_on_the_wire(unified_sandbox: UnifiedSandbox) -> None:
    unified_sandbox.faults("reset=1,lose-reply=1", {"fault": "429=1", "path": "*/teams"})
    headers = {"Authorization": f"Bearer {unified_sandbox.token}", "Idempotency-Key": "k"}
    params = {"integrated_account_id": "full"}
    with httpx.Client(
        base_url=unified_sandbox.url, headers=headers, params=params, timeout=20
    ) as client:
        with pytest.raises(httpx.ReadError):
            client.get(TICKETS)
        assert client.get("/unified/ticketing/teams").status_code == 429
        with pytest.raises(httpx.TransportError):
            client.post(TICKETS, json={"name": "once"})
        assert client.post(TICKETS, json={"name": "once"}).json()["name"] == "once"
    assert unified_sandbox.effects("k") == 1
    assert sum(row["count"] for row in unified_sandbox.requests()) == 4
    unified_sandbox.faults()
    unified_sandbox.reset()
    assert (unified_sandbox.effects("k"), unified_sandbox.requests()) == (0, [])


def test_a_broken_answer_breaks_on_the_wire(unified_sandbox: UnifiedSandbox) -> None:
    unified_sandbox.faults("truncate=1")
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(
            f"{unified_sandbox.url}{TICKETS}?integrated_account_id=full",
            headers=headers,
            timeout=20,
        )


def test_the_fixture_tells_its_accounts(unified_sandbox: UnifiedSandbox) -> None:
    headers = {"Authorization": f"Bearer {unified_sandbox.token}"}
    with httpx.Client(base_url=unified_sandbox.url, headers=headers, timeout=60) as client:
        statuses = {
            account: client.get(
                "/unified/ticketing/teams", params={"integrated_account_id": account}
            ).status_code
            for account in unified_sandbox.accounts
        }
    refused = {"blocked": 503, "needs-reauth": 401, "dead-provider": 502}
    refused |= {"directory": 404, "sales": 404}
    assert statuses == {account: refused.get(account, 200) for account in unified_sandbox.accounts}


def test_ctrl_c_ends_it(tmp_path: Path) -> None:
    shop = Shop("--state", str(tmp_path / "sandbox.db"))
    assert shop.end(signal.SIGINT)[0] == 130
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", shop.port), timeout=60).close()
