from pathlib import Path
from typing import Any

import httpx
import pytest
from front_door import Unified

from unified_cli.catalogue import Catalogue
from unified_cli.errors import UsageError
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.fault_plan import Faults, parse
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore

TICKETS = "/unified/ticketing/tickets"
TEAMS = "/unified/ticketing/teams"


class World:
    """A sandbox with faults, a clock that can be turned, and what it slept."""

    def __init__(self, catalogue: Catalogue, store: SandboxStore, spec: str) -> None:
        self.now = 1_700_000_000.0
        self.slept: list[float] = []
        self.store = store
        self.sandbox = Sandbox(
            catalogue,
            store,
            faults=Faults.parse(spec),
            control=True,
            wall=lambda: self.now,
            sleep=self.slept.append,
        )
        self.client = httpx.Client(
            transport=InProcess(self.sandbox),
            base_url="http://sandbox",
            params={"integrated_account_id": "full"},
        )


@pytest.fixture
def world(catalogue: Catalogue, store: SandboxStore, request: pytest.FixtureRequest) -> World:
    return World(catalogue, store, getattr(request, "param", ""))


def with_faults(spec: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("world", [spec], indirect=True, ids=[spec])


def outcomes(world: World, times: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(times):
        try:
            found.append(world.client.get(TEAMS).status_code)
        except httpx.TransportError as error:
            found.append(type(error).__name__)
    return found


@with_faults("429=2,503=3")
def test_a_number_hits_that_request_and_no_other(world: World) -> None:
    assert outcomes(world, 5) == [200, 429, 503, 200, 200]


@with_faults("429")
def test_without_a_chance_every_request_is_hit(world: World) -> None:
    answer = world.client.get(TEAMS)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert outcomes(world, 2) == [429, 429]


@with_faults("503=1")
def test_a_503_is_an_outage_that_passes_and_no_blocked_account(world: World) -> None:
    answer = world.client.get(TEAMS)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert outcomes(world, 1) == [200]


@with_faults("429=20%,reset=10%")
def test_a_share_is_met_and_is_the_same_every_time(
    world: World, catalogue: Catalogue, store: SandboxStore
) -> None:
    seen = outcomes(world, 500)
    assert 60 < seen.count(429) < 140
    assert 25 < seen.count("ReadError") < 75
    assert seen == outcomes(World(catalogue, store, "429=20%,reset=10%"), 500)


@with_faults("truncate=1,html=2,slow=200ms")
def test_answers_break_and_lie_and_wait(world: World) -> None:
    assert outcomes(world, 1) == ["RemoteProtocolError"]
    page = world.client.get(TEAMS)
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html")
    assert world.slept == [0.2, 0.2]


@with_faults("lose-reply=2")
def test_a_lost_reply_has_had_its_effect(world: World) -> None:
    world.client.get(TICKETS)
    assert (
        world.client.post(
            TICKETS, json={"name": "a"}, headers={"idempotency-key": "ka"}
        ).status_code
        == 201
    )
    with pytest.raises(httpx.ReadError):
        world.client.post(TICKETS, json={"name": "b"}, headers={"idempotency-key": "kb"})
    again = world.client.post(TICKETS, json={"name": "b"}, headers={"idempotency-key": "kb"})
    assert again.json()["name"] == "b"
    assert [row[3:] for row in world.store.effects()] == [("ka", 1), ("kb", 1)]


@with_faults("idempotency=off")
def test_a_key_that_is_not_honoured_counts_twice(world: World) -> None:
    for _ in range(2):
        world.client.post(TICKETS, json={"name": "a"}, headers={"idempotency-key": "k"})
    assert [row[3:] for row in world.store.effects()] == [("", 2)]


@with_faults("idempotency=cache500,500=1")
def test_a_kept_500_comes_back_for_its_key(world: World) -> None:
    statuses = [
        world.client.post(TICKETS, json={"name": "a"}, headers={"idempotency-key": key}).status_code
        for key in ("k", "k", "other")
    ]
    assert statuses == [500, 500, 201]
    assert [row[3:] for row in world.store.effects()] == [("other", 1)]


@with_faults("rate=2/10s")
def test_a_rate_is_kept_for_each_connection(world: World) -> None:
    assert outcomes(world, 3) == [200, 200, 429]
    other = world.client.get(TEAMS, params={"integrated_account_id": "full:b"})
    assert other.status_code == 200
    world.now += 10
    assert outcomes(world, 1) == [200]


LIMIT = {"ratelimit-limit": "1;w=10", "ratelimit-remaining": "0", "ratelimit-reset": "10"}


@pytest.mark.parametrize(
    ("word", "admitted", "refused"),
    [
        ("", LIMIT, {**LIMIT, "retry-after": "10"}),
        (",rate-headers=all", LIMIT, {**LIMIT, "retry-after": "10"}),
        (",rate-headers=none", {}, {}),
        (",rate-headers=retry-after", {}, {"retry-after": "10"}),
        (",rate-headers=ratelimit", LIMIT, LIMIT),
    ],
)
def test_a_rate_is_sent_in_the_chosen_headers(
    catalogue: Catalogue,
    store: SandboxStore,
    word: str,
    admitted: dict[str, str],
    refused: dict[str, str],
) -> None:
    world = World(catalogue, store, f"rate=1/10s{word}")
    answers = [world.client.get(TEAMS) for _ in range(2)]
    told = [
        {k: v for k, v in answer.headers.items() if k.startswith(("ratelimit", "retry"))}
        for answer in answers
    ]
    assert [answer.status_code for answer in answers] == [200, 429]
    assert told == [admitted, refused]


@with_faults("page-size=3,empty-pages=2")
def test_an_empty_page_loses_nothing(world: World) -> None:
    pages, cursor = [], ""
    while cursor is not None:
        page = world.client.get(TEAMS, params={"next_cursor": cursor}).json()
        pages.append([one["id"] for one in page["result"]])
        cursor = page["next_cursor"]
    assert [len(page) for page in pages] == [3, 0, 3, 2]
    assert sum(pages, []) == [f"teams-{number}" for number in range(1, 9)]  # noqa: RUF017  four short lists


@with_faults("dup-cursor=2")
def test_a_cursor_that_repeats_leads_to_the_same_page(world: World) -> None:
    first = world.client.get(TEAMS, params={"limit": 2}).json()
    second = world.client.get(
        TEAMS, params={"limit": 2, "next_cursor": first["next_cursor"]}
    ).json()
    assert second["next_cursor"] == first["next_cursor"]


@with_faults("drift")
def test_records_come_and_go_while_a_list_is_paged(world: World) -> None:
    seen, cursor = [], ""
    while cursor is not None:
        page = world.client.get(TEAMS, params={"limit": 1, "next_cursor": cursor}).json()
        seen += [one["id"] for one in page["result"]]
        cursor = page["next_cursor"]
    assert seen[:8] == [f"teams-{number}" for number in range(1, 9)]
    assert seen[8:]
    assert world.client.get(f"{TEAMS}/teams-1").status_code == 404


@with_faults("cursor-ttl=2s")
def test_a_cursor_lives_as_long_as_was_said(world: World) -> None:
    cursor = world.client.get(TEAMS, params={"limit": 2}).json()["next_cursor"]
    world.now += 3
    assert world.client.get(TEAMS, params={"limit": 2, "next_cursor": cursor}).status_code == 400


@pytest.mark.parametrize(
    ("world", "status", "same"),
    [("delete=204", 204, False), ("delete=record", 200, True)],
    indirect=["world"],
)
def test_a_delete_answers_in_the_other_shapes(world: World, status: int, same: bool) -> None:
    before = world.client.get(f"{TEAMS}/teams-1")
    answer = world.client.delete(f"{TEAMS}/teams-1")
    assert (answer.status_code, answer.content) == (status, before.content if same else b"")
    assert world.client.get(f"{TEAMS}/teams-1").status_code == 404


@with_faults("actions=bare")
def test_an_action_answers_without_its_envelope(world: World) -> None:
    answer = world.client.post(
        "/unified/user-directory/users/suspend", json={"user_id": "users-1"}
    ).json()
    assert (answer["id"], answer["status"]) == ("users-1", "suspended")


@pytest.mark.parametrize(
    "spec",
    [
        "429=x",
        "reset=101 %",
        "429=200%",
        "reset=100.5%",
        "slow",
        "slow=5",
        "nothing",
        "idempotency=maybe",
        "page-size=0",
        "rate=5",
        "rate=5/0s",
        "200=1",
        "429=0",
    ],
)
def test_an_invalid_fault_is_reported(spec: str) -> None:
    with pytest.raises(UsageError, match=spec.partition("=")[0]):
        parse(spec)


def test_a_specification_may_have_lines_and_comments() -> None:
    assert parse("429=5%,\n  reset # now and then\n\n") == parse("429=5%,reset")


def test_tests_can_look_in_and_bend(world: World) -> None:
    client = world.client
    rules = {
        "rules": [{"fault": "500=1", "method": "POST", "path": "*/tickets", "account": "full"}]
    }
    assert client.put("/-/sandbox/faults", json=rules).status_code == 200
    assert client.get(TICKETS).status_code == 200
    statuses = [
        client.post(TICKETS, json={}, headers={"idempotency-key": "k"}).status_code
        for _ in range(3)
    ]
    assert statuses == [500, 201, 201]
    told = client.get("/-/sandbox").json()
    assert told["requests"] == [
        {"account": "full", "method": "GET", "path": TICKETS, "count": 1},
        {"account": "full", "method": "POST", "path": TICKETS, "count": 3},
    ]
    assert told["effects"] == [
        {"account": "full", "method": "POST", "path": TICKETS, "key": "k", "effects": 1}
    ]
    assert client.put("/-/sandbox/faults", json={"spec": "429"}).status_code == 200
    assert client.get(TICKETS).status_code == 429
    assert client.delete("/-/sandbox/faults").status_code == 200
    assert client.get(TICKETS).status_code == 200
    cleared = client.post("/-/sandbox/reset").json()
    assert (cleared["requests"], cleared["effects"]) == ([], [])


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"spec":"x"}', b'{"rules":[1]}', b'{"rules":1}',
    b'{"rule":[]}', b'{"rules":[{"fault":"500","acount":"empty"}]}', b"[" * 200_000,
    b'{"spec":"429=' + b"9" * 5000 + b'"}',
])  # fmt: skip
def test_invalid_rules_are_refused(world: World, content: bytes) -> None:
    assert world.client.put("/-/sandbox/faults", content=content).status_code == 400


@pytest.mark.parametrize(
    "word", ["rate={}/1s", "rate=5/{}s", "page-size={}", "429={}", "reset={}", "slow={}ms"]
)
def test_an_absurd_number_is_refused(word: str, unified: Unified, tmp_path: Path) -> None:
    spec = word.format("9" * 5000)
    (tmp_path / "faults").write_text(spec)
    result = unified(f"sandbox serve --state :memory: --faults {tmp_path}/faults")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == f"error: a number of more than nine digits in fault {spec[:40]!r}\n"
