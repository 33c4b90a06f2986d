from typing import Any

import httpx
import pytest

from unified_cli.catalogue import Catalogue
from unified_cli.sandbox.accounts import KINDS, UNSUPPORTED, kind_of
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore

TICKETS = "/unified/ticketing/tickets"


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def client(catalogue: Catalogue, store: SandboxStore, slept: list[float]) -> Any:
    sandbox = Sandbox(catalogue, store, wall=lambda: 1_700_000_000.25, sleep=slept.append)
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        yield client


def ask(
    client: httpx.Client, account: str, method: str = "GET", path: str = TICKETS, **more: Any
) -> httpx.Response:
    return client.request(method, path, params={"integrated_account_id": account}, **more)


def refused(answer: httpx.Response) -> tuple[int, bool]:
    body = answer.json()
    assert body["statusCode"] == answer.status_code
    return answer.status_code, body.get("truto_is_remote_error", False)


def test_every_character_is_described_in_a_sentence() -> None:
    assert all(text.endswith(".") and text[0].isupper() for text in KINDS.values())


@pytest.mark.parametrize(
    ("account", "kind"),
    [
        ("full", "full"),
        ("full:acme", "full"),
        ("slow:a:b", "slow"),
        ("full:", None),
        ("Full", None),
        ("", None),
    ],
)
def test_a_connection_is_named_by_its_kind_or_has_it_before_a_colon(
    account: str, kind: str | None
) -> None:
    assert kind_of(account) == kind


def test_an_unknown_connection_is_not_found(client: httpx.Client) -> None:
    answer = ask(client, "62f44730-dd91-461e-bd6a-aedd9e0ad79d")
    assert refused(answer) == (404, False)
    assert "62f44730" in answer.json()["message"]


def test_connections_of_one_kind_have_records_of_their_own(client: httpx.Client) -> None:
    made = ask(client, "full:a", "POST", json={"name": "mine"}).json()
    ask(client, "full:a", "DELETE", f"{TICKETS}/tickets-1")
    assert ask(client, "full:b", path=f"{TICKETS}/{made['id']}").status_code == 404
    assert ask(client, "full:b", path=f"{TICKETS}/tickets-1").status_code == 200
    people = [
        ask(client, f"full:{name}", path="/unified/ticketing/users").json()["result"]
        for name in "ab"
    ]
    assert people[0] != people[1]


def test_the_empty_connection_fills_up(client: httpx.Client) -> None:
    assert ask(client, "empty").json() == {
        "result": [],
        "next_cursor": None,
        "prev_cursor": None,
        "result_count": 0,
    }
    assert ask(client, "empty", path=f"{TICKETS}/tickets-1").status_code == 404
    made = ask(client, "empty", "POST", json={"name": "first"}).json()
    assert ask(client, "empty").json()["result"] == [made]


@pytest.mark.parametrize(
    ("account", "read", "write"),
    [
        ("read-only", None, (405, False)),
        ("missing-scopes", None, (403, True)),
        ("blocked", (503, False), (503, False)),
        ("needs-reauth", (401, True), (401, True)),
        ("dead-provider", (502, True), (502, True)),
    ],
)
def test_a_character_refuses(client: httpx.Client, account: str, read: Any, write: Any) -> None:
    got = ask(client, account)
    assert got.status_code == 200 if read is None else refused(got) == read
    for method, path in (
        ("POST", TICKETS),
        ("PATCH", f"{TICKETS}/tickets-1"),
        ("DELETE", f"{TICKETS}/tickets-1"),
    ):
        assert refused(ask(client, account, method, path)) == write


def test_missing_scopes_are_named(client: httpx.Client) -> None:
    insight = ask(client, "missing-scopes", "POST").json()["truto_error_insight"]
    assert insight["forbidden_error"]["value"] == {"missing_scopes": ["ticketing.tickets.write"]}


def test_a_limited_rate_says_when_to_come_back(client: httpx.Client) -> None:
    answers = [ask(client, "rate-limited") for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == [
        "4",
        "3",
        "2",
        "1",
        "0",
        "0",
    ]
    last = answers[-1]
    assert (last.headers["ratelimit-limit"], last.headers["retry-after"]) == ("5;w=2", "2")
    assert refused(last) == (429, True)
    assert ask(client, "rate-limited:other").status_code == 200


def test_the_slow_connection_is_slow(client: httpx.Client, slept: list[float]) -> None:
    assert ask(client, "slow").status_code == 200
    assert slept == [1.0]


def test_tiny_pages_are_read_to_the_end(client: httpx.Client) -> None:
    def records(account: str, limit: int) -> list[str]:
        found, cursor = [], ""
        while cursor is not None:
            params = {"integrated_account_id": account, "limit": limit, "next_cursor": cursor}
            page = client.get("/unified/ticketing/teams", params=params).json()
            assert len(page["result"]) <= (3 if account == "tiny-pages" else limit)
            found += [one["id"] for one in page["result"]]
            cursor = page["next_cursor"]
        return found

    assert records("tiny-pages", 50) == records("full", 50)


def test_a_partial_list_has_less_than_get(client: httpx.Client) -> None:
    page = ask(client, "partial").json()
    assert page["is_partial_response"] is True
    first = page["result"][0]
    whole = ask(client, "partial", path=f"{TICKETS}/{first['id']}").json()
    assert first.items() < whole.items()


def test_a_limited_provider_lacks_resources(client: httpx.Client, catalogue: Catalogue) -> None:
    for operation in catalogue:
        if operation.lists:
            status = ask(client, "limited", path=operation.path).status_code
            assert status == (404 if operation.resource in UNSUPPORTED else 200)
