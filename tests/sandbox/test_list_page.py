from typing import Any

import httpx
import pytest
from sandbox_asking import TICKETS, USERS, ask, listed

from unified_cli.catalogue import Catalogue
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore


@pytest.mark.parametrize(
    ("query", "test"),
    [
        ("status=active", lambda one: one["status"] == "active"),
        ("status[eq]=active", lambda one: one["status"] == "active"),
        ("status[ne]=active", lambda one: one["status"] != "active"),
        (
            "status[in][]=active&status[in][]=invited",
            lambda one: one["status"] in ("active", "invited"),
        ),
        (
            "status[in][0]=active&status[in][1]=invited",
            lambda one: one["status"] in ("active", "invited"),
        ),
        ("status[in]=active,invited", lambda one: one["status"] in ("active", "invited")),
        ("status[]=active&status[]=invited", lambda one: one["status"] in ("active", "invited")),
        ("created_at[gt]=2025-01-01", lambda one: one["created_at"] > "2025-01-01"),
        (
            "created_at[lte]=2025-01-01T00:00:00%2B00:00",
            lambda one: one["created_at"] <= "2025-01-01T00:00:00.000Z",
        ),
        (
            "created_at[gte]=2024-06-01&created_at[lt]=2025-06-01",
            lambda one: "2024-06-01" <= one["created_at"] < "2025-06-01",
        ),
        ("is_email_verified=true", lambda one: one["is_email_verified"]),
        ("identifiers[employee_number]=00003", lambda one: one["id"] == "users-3"),
        ("roles=roles-2", lambda one: "roles-2" in [role["id"] for role in one["roles"]]),
        ("or[0][id]=users-1&or[1][id]=users-2", lambda one: one["id"] in ("users-1", "users-2")),
        ("and[0][status]=active&and[1][id]=users-1", lambda one: one["id"] == "users-1"),
        ("no_such_field=1", lambda _one: True),
    ],
)
def test_filters_keep_what_they_name(bare_client: httpx.Client, query: str, test: Any) -> None:
    everyone = listed(bare_client, USERS)
    wanted = [one for one in everyone if test(one)]
    assert wanted
    assert listed(bare_client, USERS, query) == wanted


def test_a_filter_has_at_most_as_many_values_as_can_be_compared(bare_client: httpx.Client) -> None:
    assert (
        ask(bare_client, USERS, f"id[in]={','.join(['users-1'] * 1000)}").json()["result"][0]["id"]
        == "users-1"
    )
    refused = ask(bare_client, USERS, f"id[in]={',' * 1000}")
    assert refused.status_code == 400
    assert refused.json()["message"] == "id[in] has 1,001 values, and at most 1,000 are compared"


def test_a_pointer_is_found_by_its_id_and_by_its_name(bare_client: httpx.Client) -> None:
    solved = [one for one in listed(bare_client, TICKETS) if one["status"]["name"] == "completed"]
    for query in (
        "status=completed",
        "status_id=ticket_status-5",
        "status[id]=ticket_status-5",
        "status[name]=completed",
    ):
        assert listed(bare_client, TICKETS, query) == solved


@pytest.mark.parametrize("way", ["asc", "desc"])
def test_lists_are_sorted_across_pages(bare_client: httpx.Client, way: str) -> None:
    everyone = listed(bare_client, USERS)
    ordered = sorted(everyone, key=lambda one: one["created_at"], reverse=way == "desc")
    assert listed(bare_client, USERS, f"sort_by[created_at]={way}") == ordered


@pytest.mark.parametrize("order", ["", "sort_by[name]=asc"])
def test_pages_lead_back_to_where_they_came_from(bare_client: httpx.Client, order: str) -> None:
    first = ask(bare_client, TICKETS, f"limit=10&{order}").json()
    second = ask(
        bare_client, TICKETS, f"limit=10&{order}&next_cursor={first['next_cursor']}"
    ).json()
    third = ask(
        bare_client, TICKETS, f"limit=10&{order}&next_cursor={second['next_cursor']}"
    ).json()
    back = ask(bare_client, TICKETS, f"limit=10&{order}&next_cursor={third['prev_cursor']}").json()
    assert back["result"] == second["result"]
    start = ask(bare_client, TICKETS, f"limit=10&{order}&next_cursor={back['prev_cursor']}").json()
    assert (start["result"], start["prev_cursor"], first["prev_cursor"]) == (
        first["result"],
        None,
        None,
    )
    assert (
        ask(bare_client, TICKETS, f"limit=10&{order}&next_cursor={back['next_cursor']}").json()[
            "result"
        ]
        == third["result"]
    )


def test_a_list_continues_at_its_place_while_records_come_and_go(bare_client: httpx.Client) -> None:
    before = listed(bare_client, TICKETS)
    first = ask(bare_client, TICKETS, "limit=10").json()
    for gone in ("tickets-3", "tickets-10", "tickets-12"):
        ask(bare_client, f"{TICKETS}/{gone}", method="DELETE")
    new = ask(bare_client, TICKETS, method="POST", json={"name": "late"}).json()
    rest, cursor = [], first["next_cursor"]
    while cursor is not None:
        page = ask(bare_client, TICKETS, f"limit=10&next_cursor={cursor}").json()
        rest += page["result"]
        cursor = page["next_cursor"]
    assert first["result"] + rest == [one for one in before if one["id"] != "tickets-12"] + [new]


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=-1",
        "limit=x",
        "limit=1.5",
        "limit[a]=1",
        "next_cursor=x",
        "next_cursor=%00",
        "next_cursor=%F0%9F%98%80",
        "sort_by=name",
        "sort_by[name]=up",
    ],
)
def test_a_bad_page_is_refused(bare_client: httpx.Client, query: str) -> None:
    answer = ask(bare_client, TICKETS, query)
    assert (answer.status_code, list(answer.json())) == (400, ["statusCode", "error", "message"])


def test_a_cursor_is_good_for_its_query_only(bare_client: httpx.Client) -> None:
    cursor = ask(bare_client, TICKETS, "limit=5&status=open").json()["next_cursor"]
    assert ask(bare_client, TICKETS, f"limit=2&status=open&next_cursor={cursor}").status_code == 200
    for other in (f"status=Closed&next_cursor={cursor}", f"next_cursor={cursor}"):
        assert "another query" in ask(bare_client, TICKETS, other).json()["message"]
    other = bare_client.get(
        f"{TICKETS}?integrated_account_id=full:b&status=open&next_cursor={cursor}"
    )
    assert other.status_code == 400


def test_a_cursor_expires(catalogue: Catalogue, store: SandboxStore) -> None:
    now = [1_700_000_000.0]
    sandbox = Sandbox(catalogue, store, wall=lambda: now[0])
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        cursor = ask(client, TICKETS).json()["next_cursor"]
        now[0] += 86_000
        assert ask(client, TICKETS, f"next_cursor={cursor}").status_code == 200
        now[0] += 1_000
        assert "expired" in ask(client, TICKETS, f"next_cursor={cursor}").json()["message"]


def test_pages_have_a_usual_and_a_greatest_size(bare_client: httpx.Client) -> None:
    sizes = [
        ask(bare_client, TICKETS, query).json()["result_count"]
        for query in ("", "truto_ignore_limit=true&limit=7", "limit=7", "limit=99999999999")
    ]
    assert sizes == [50, 50, 7, 120]
    assert ask(bare_client, TICKETS, "limit=3&truto_ignore_limit=true").json()["result_count"] == 50


def test_a_page_size_without_a_value_is_refused(bare_client: httpx.Client) -> None:
    refused = ask(bare_client, TICKETS, "limit=")
    assert (refused.status_code, refused.json()["message"]) == (
        400,
        "limit must be a whole number from 1 on, not ''",
    )


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("cursor=abc&per_page=5", "cursor, per_page"),
        ("p%C3%A4ge=2", "p%C3%A4ge"),
        (
            "limit=5&next_cursor=&status=open&account_id=accounts-1&remote_query[a]=b&truto_key_by=id",
            None,
        ),
        ("sort_by[name]=asc&or[0][name]=a&created_at[gt]=2020-01-01", None),
    ],
)
def test_parameters_without_an_effect_are_reported(
    bare_client: httpx.Client, query: str, names: str | None
) -> None:
    answer = ask(bare_client, TICKETS, query)
    told = f"ignored, no such parameter or field: {names} (pages take limit and next_cursor)"
    assert (answer.status_code, answer.headers.get("sandbox-warning")) == (200, names and told)


def test_records_are_shaped_as_the_query_asks(bare_client: httpx.Client) -> None:
    whole = ask(bare_client, USERS, "limit=2").json()["result"]
    keyed = ask(bare_client, USERS, "limit=2&truto_key_by=username").json()["result"]
    assert keyed == {one["username"]: one for one in whole}
    for query in (
        "truto_exclude_fields[]=emails&truto_exclude_fields[]=id",
        "truto_exclude_fields[0]=emails&truto_exclude_fields[1]=id",
        "truto_exclude_fields=emails,id",
    ):
        less = ask(bare_client, USERS, f"limit=2&{query}").json()["result"]
        assert less == [
            {k: v for k, v in one.items() if k not in ("emails", "id")} for one in whole
        ]
    ticket = ask(bare_client, f"{TICKETS}/tickets-1").json()
    bare = ask(bare_client, f"{TICKETS}/tickets-1", "truto_ignore_remote_data=true").json()
    assert bare == {k: v for k, v in ticket.items() if k != "remote_data"}


def test_the_provider_s_own_answer_can_be_had(bare_client: httpx.Client) -> None:
    tickets = ask(bare_client, TICKETS, "limit=2").json()
    remote = [one["remote_data"] for one in tickets["result"]]
    assert ask(bare_client, TICKETS, "limit=2&truto_response_format=raw").json() == {
        "data": remote,
        "has_more": True,
    }
    assert (
        ask(bare_client, TICKETS, "limit=2&truto_response_format=stream").json()["data"] == remote
    )
    assert (
        ask(bare_client, TICKETS, "limit=2&truto_response_format=normalized").json()["result"]
        == remote
    )
    assert ask(bare_client, f"{TICKETS}/tickets-1", "truto_response_format=raw").json() == remote[0]
    debug = ask(bare_client, TICKETS, "limit=2&truto_response_format=debug").json()
    assert debug["result"] == tickets["result"]
    assert (debug["debug"]["resultCount"], debug["debug"]["isLooping"]) == (2, False)
    one = ask(bare_client, f"{TICKETS}/tickets-1", "truto_response_format=debug").json()
    assert list(one) == ["result", "debug"]
