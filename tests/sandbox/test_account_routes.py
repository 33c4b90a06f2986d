"""The routes about the connections: the list, one of them, what it offers, its
provider's own records.
"""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sandbox_asking import TICKETS

from unified_cli.catalogue import Catalogue
from unified_cli.sandbox.accounts import KINDS
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore

ACCOUNTS = "/integrated-account"
FIELDS = [
    "id",
    "tenant_id",
    "environment_id",
    "environment_integration_id",
    "status",
    "is_sandbox",
    "authentication_method",
    "region",
    "context",
    "object_store_context_fields",
    "integration",
    "created_at",
    "updated_at",
    "last_error",
    "last_forbidden_error",
    "last_action_run_result",
]


def pages(client: httpx.Client, query: str = "") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(f"{ACCOUNTS}?limit=7&next_cursor={cursor}&{query}").json()
        found += page["result"]
        cursor = page["next_cursor"]
    return found


def test_the_list_has_every_kind_and_a_fleet_that_differs(bare_client: httpx.Client) -> None:
    listed = pages(bare_client)
    ids = [one["id"] for one in listed]
    assert ids[: len(KINDS)] == [*KINDS]
    assert len(ids) == len(set(ids)) == len(KINDS) + 26
    assert all([*one] == FIELDS for one in listed)
    assert {one["status"] for one in listed} == {
        "active", "needs_reauth", "validation_error", "connecting", "post_install_error",
    }  # fmt: skip
    assert len({one["integration"]["name"] for one in listed}) == 6
    assert {one["is_sandbox"] for one in listed} == {True, False}
    assert [bare_client.get(f"{ACCOUNTS}/{one['id']}").json() for one in listed] == listed
    assert listed == pages(bare_client)


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("status=needs_reauth", lambda one: one["status"] == "needs_reauth"),
        (
            "status[in]=needs_reauth,connecting",
            lambda one: one["status"] in ("needs_reauth", "connecting"),
        ),
        ("is_sandbox=true", lambda one: one["is_sandbox"]),
        ("integration.name=deskly", lambda one: one["integration"]["name"] == "deskly"),
        ("tenant_id=empty", lambda one: one["tenant_id"] == "empty"),
        ("created_at[gt]=2025-01-01", lambda one: one["created_at"] > "2025-01-01"),
        ("updated_at[lte]=2025-01-01", lambda one: one["updated_at"] < "2025-01-01"),
    ],
)
def test_a_filter_of_the_list_works(bare_client: httpx.Client, query: str, fits: Any) -> None:
    wanted = [one for one in pages(bare_client) if fits(one)]
    assert pages(bare_client, query) == wanted
    assert 0 < len(wanted) < 30


def test_a_page_says_how_long_it_may_be_and_a_bad_one_is_refused(bare_client: httpx.Client) -> None:
    first = bare_client.get(f"{ACCOUNTS}?limit=5").json()
    second = bare_client.get(f"{ACCOUNTS}?limit=5&next_cursor={first['next_cursor']}").json()
    assert [*first] == ["result", "next_cursor", "limit"]
    assert (len(first["result"]), first["limit"]) == (5, 5)
    assert [one["id"] for one in second["result"]] == [*KINDS][5:10]
    whole = bare_client.get(ACCOUNTS).json()
    assert (len(whole["result"]), whole["limit"]) == (len(KINDS) + 26, 5000)
    for query in (
        "limit=0",
        "limit=",
        "next_cursor=x",
        f"status=active&next_cursor={first['next_cursor']}",
    ):
        assert bare_client.get(f"{ACCOUNTS}?{query}").status_code == 400


def test_a_connection_that_was_written_to_is_listed(bare_client: httpx.Client) -> None:
    bare_client.post(f"{TICKETS}?integrated_account_id=full:new-customer", json={"name": "a"})
    assert pages(bare_client)[-1]["id"] == "full:new-customer"
    assert bare_client.get(f"{ACCOUNTS}/nothing").status_code == 404


@pytest.fixture
def guarded(catalogue: Catalogue, store: SandboxStore) -> Iterator[httpx.Client]:
    sandbox = Sandbox(catalogue, store, token="the-token", control=True)
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        yield client


def test_the_token_of_one_connection_is_good_for_that_one_only(guarded: httpx.Client) -> None:
    def status(path: str, token: str) -> int:
        return guarded.get(path, headers={"Authorization": f"Bearer {token}"}).status_code

    own = "the-token:full:acme"
    assert status(TICKETS, own) == 200
    assert status(f"{TICKETS}?integrated_account_id=full:acme", own) == 200
    assert status(f"{TICKETS}?integrated_account_id=full", own) == 403
    assert status("/proxy/tickets", own) == 200
    assert [status("/-/sandbox", token) for token in (own, "the-token")] == [403, 200]
    assert [
        status(f"{ACCOUNTS}{path}", own) for path in ("/me", "", "/full:acme", "/full:acme/tools")
    ] == [
        200,
        403,
        403,
        403,
    ]
    me = guarded.get(f"{ACCOUNTS}/me", headers={"Authorization": f"Bearer {own}"}).json()
    assert (me["id"], me["tenant_id"]) == ("full:acme", "acme")
    assert status(f"{ACCOUNTS}/me", "the-token") == 404
    for wrong in ("the-token:nothing", "the-tokenfull", "the-token:", "other:full", "the-toke"):
        assert status(ACCOUNTS, wrong) == 401


def test_the_tools_describe_the_provider_s_methods(
    bare_client: httpx.Client, catalogue: Catalogue
) -> None:
    tools = bare_client.get(f"{ACCOUNTS}/full/tools").json()["result"]
    assert {(one["resource"], one["method"]) for one in tools} <= {
        (one.resource, one.name) for one in catalogue
    }
    assert {one["resource"] for one in tools} == {one.resource for one in catalogue}
    assert len({one["name"] for one in tools}) == len(tools)
    one = next(one for one in tools if (one["resource"], one["method"]) == ("tickets", "get"))
    assert (one["name"], one["required"]) == ("get_tickets", ["id"])
    desk = bare_client.get(f"{ACCOUNTS}/help-desk/tools?methods=list,create").json()["result"]
    assert {one["method"] for one in desk} == {"list", "create"}
    told = bare_client.get(f"{ACCOUNTS}/help-desk/capabilities").json()["unified"]
    assert {one["model"] for one in told} == {"ticketing"}
    assert bare_client.get(f"{ACCOUNTS}/nothing/tools").status_code == 404
    product = bare_client.get("/integration/stafflist/capabilities").json()
    assert {one["model"] for one in product["unified"]} == {"user-directory"}
    assert "account" not in product
    assert bare_client.get("/integration/nothing/capabilities").status_code == 404


@pytest.mark.parametrize(
    ("methods", "found"),
    [
        ("read", {"list", "get"}),
        ("write", {"create", "update", "delete"}),
        ("custom", {"download", "import"}),
        ("read,import", {"list", "get", "import"}),
        ("search", set()),
    ],
)
def test_a_group_of_methods_is_named_by_a_word(
    methods: str, found: set[str], bare_client: httpx.Client
) -> None:
    tools = bare_client.get(f"{ACCOUNTS}/help-desk/tools?methods={methods}").json()["result"]
    assert {one["method"] for one in tools} == found


def test_a_crm_offers_what_the_catalogue_lacks(bare_client: httpx.Client) -> None:
    told = bare_client.get(f"{ACCOUNTS}/sales/capabilities").json()
    assert told["integration"]["category"] == "crm"
    offered = {f"{one['model']}/{one['resource']}": one["methods"] for one in told["unified"]}
    assert offered.keys() == {"ticketing/tickets", "crm/contacts", "crm/deals"}
    assert ("search" in offered["ticketing/tickets"], "win" in offered["crm/deals"]) == (True, True)
    assert bare_client.get("/integration/dealdesk/capabilities").json()["unified"]
    for account in ("full", "help-desk", "limited"):
        others = bare_client.get(f"{ACCOUNTS}/{account}/capabilities").json()["unified"]
        assert not any("search" in one["methods"] or one["model"] == "crm" for one in others)
        refused = bare_client.get(f"/unified/crm/contacts?integrated_account_id={account}")
        assert refused.status_code == 404


def test_a_proxy_gives_the_provider_s_own_records(bare_client: httpx.Client) -> None:
    account = {"integrated_account_id": "full", "limit": "2"}
    page = bare_client.get("/proxy/tickets", params=account).json()
    unified = bare_client.get(TICKETS, params=account).json()["result"]
    assert page["result"] == [one["remote_data"] for one in unified]
    more = bare_client.get(
        "/proxy/tickets", params={**account, "next_cursor": page["next_cursor"]}
    ).json()
    assert [one["gid"] for one in more["result"]] == [10_003, 10_004]
    assert bare_client.get("/proxy/tickets/tickets-1", params=account).json() == page["result"][0]
    people = {**account, "integrated_account_id": "directory"}
    own = bare_client.get("/proxy/users", params=people).json()["result"]
    listed = bare_client.get("/unified/user-directory/users", params=people).json()["result"]
    # A record without the provider's own is given unchanged.
    assert own == listed


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("DELETE", "/proxy/tickets", 405),
        ("POST", "/proxy/tickets/nothing", 405),
        ("GET", "/batch-request", 405),
        ("GET", "/file", 405),
        ("GET", "/custom", 404),
        ("GET", "/proxy/nothing", 404),
        ("GET", "/proxy/tickets/", 404),
        ("GET", "/proxy/tickets/a/b", 404),
        ("GET", "/proxy", 404),
        ("POST", ACCOUNTS, 405),
        ("DELETE", f"{ACCOUNTS}/full", 405),
        ("GET", f"{ACCOUNTS}/", 404),
        ("GET", f"{ACCOUNTS}s", 404),
        ("GET", f"{ACCOUNTS}/full/nothing", 404),
        ("GET", "/integration", 404),
        ("GET", "/integration/deskly", 404),
        ("POST", "/integration/deskly/capabilities", 405),
    ],
)
def test_nothing_else_is_there(
    bare_client: httpx.Client, method: str, path: str, status: int
) -> None:
    assert bare_client.request(method, f"{path}?integrated_account_id=full").status_code == status


def test_field_mappings_differ(bare_client: httpx.Client) -> None:
    def first(account: str) -> Any:
        return bare_client.get(f"{TICKETS}/tickets-2?integrated_account_id={account}").json()

    assert first("full")["status"].keys() == {"id", "name"}
    remapped = first("remapped")
    assert (remapped["status"].partition("-")[0], remapped["mapped_by"]) == (
        "ticket_status",
        "custom",
    )
    assert first("full").keys() - first("untimed").keys() == {"created_at", "updated_at"}


def test_a_provider_call_is_answered_with_what_the_provider_got(bare_client: httpx.Client) -> None:
    body = {"methodConfig": {"path": "/x"}, "ids": [1.10]}
    asked = bare_client.post("/custom/tickets/merge?integrated_account_id=full&force=1", json=body)
    assert (asked.status_code, asked.json()) == (
        200,
        {
            "result": {
                "method": "POST",
                "path": "/tickets/merge",
                "query": [["force", "1"]],
                "body": {"ids": [1.1]},
            },
            "next_cursor": None,
            "prev_cursor": None,
        },
    )
    refused = {
        "read-only": 405,
        "missing-scopes": 403,
        "blocked": 503,
        "help-desk": 200,
        "nothing": 404,
    }
    for account, status in refused.items():
        assert (
            bare_client.post(f"/custom/x?integrated_account_id={account}", json={}).status_code
            == status
        )
    assert bare_client.get("/custom/x?integrated_account_id=read-only").status_code == 200
    assert bare_client.get("/custom/x").status_code == 400


def test_the_providers_records_can_be_written(bare_client: httpx.Client) -> None:
    def ask(method: str, path: str, body: Any = None) -> Any:
        answer = bare_client.request(
            method, f"/proxy/{path}?integrated_account_id=full:own", json=body
        )
        return answer.status_code, answer.json()

    status, made = ask("POST", "tags", {"name": "x"})
    assert (status, made["name"]) == (201, "x")
    assert ask("PATCH", f"tags/{made['id']}", {"name": "y"})[1]["name"] == "y"
    assert ask("GET", f"tags/{made['id']}")[1]["name"] == "y"
    assert ask("POST", "users/suspend", {"user_id": "users-1"})[0] == 200
    assert ask("DELETE", f"tags/{made['id']}")[0] == 200
    assert ask("GET", f"tags/{made['id']}")[0] == 404


def test_a_batch_that_cannot_be_read_is_refused(bare_client: httpx.Client) -> None:
    def ask(**body: Any) -> int:
        return bare_client.post("/batch-request", json=body).status_code

    one = {"resource": "ticketing/tags", "method": "list"}
    assert ask(integrated_account_id="full", resources=[one]) == 200
    assert ask(resources=[one]) == 400
    assert ask(integrated_account_id="nothing", resources=[one]) == 404
    for resources in (None, {}, [7], [{}], [{**one, "depends_on": ["a"]}]):
        assert ask(integrated_account_id="full", resources=resources) == 422


def test_files_and_new_credentials(bare_client: httpx.Client) -> None:
    stored = bare_client.post("/file", files={"file": ("a.txt", b"content")})
    assert stored.json()["url"].startswith("https://")
    assert bare_client.post("/file", json={"file": "x"}).status_code == 400
    for body, status in (({"id": "full"}, 200), ({"id": "nothing"}, 404), ({}, 400)):
        assert bare_client.post(f"{ACCOUNTS}/refresh-credentials", json=body).status_code == status


DOCUMENTED = "/unified/meta/ticketing/deskly"


def test_a_product_is_documented_in_three_forms(bare_client: httpx.Client) -> None:
    for query in ("", "?format=json", "?integrated_account_id=full"):
        told = bare_client.get(f"{DOCUMENTED}{query}").json()
        assert told["title"] == "Deskly: Unified Ticketing API"
        assert "GET /unified/ticketing/tickets/{id}" in [
            f"GET {one['path']}" for one in told["methods"]
        ]
    page = bare_client.get(f"{DOCUMENTED}?format=md")
    assert page.headers["content-type"] == "text/markdown; charset=utf-8"
    assert page.text.startswith("# Deskly: Unified Ticketing API\n\n- `")
    assert "\n- `tickets list`: List tickets\n" in page.text
    page = bare_client.get(f"{DOCUMENTED}?format=html")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<li><code>tickets list</code>: List tickets</li>" in page.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("?format=pdf", 400),
        ("/", 404),
        ("/more", 404),
        ("/../stafflist", 404),
        ("/../nothing", 404),
        ("/../../ats/deskly", 404),
        ("/../../nothing/deskly", 404),
        ("/../", 404),
    ],
)
def test_an_undocumented_route_is_refused(
    path: str, status: int, bare_client: httpx.Client
) -> None:
    assert bare_client.get(f"{DOCUMENTED}{path}").status_code == status


def test_only_reading_it_is_possible(bare_client: httpx.Client) -> None:
    assert bare_client.post(DOCUMENTED).status_code == 405
