import json
from typing import Any

import httpx
import pytest

from unified_cli.catalogue import Catalogue, Operation, load
from unified_cli.sandbox.app import Sandbox
from unified_cli.sandbox.examples import example
from unified_cli.sandbox.store import Store
from unified_cli.sandbox.transport import InProcess

TICKETS = "/unified/ticketing/tickets"
USERS = "/unified/user-directory/users"


def listed(client: httpx.Client, path: str, query: str = "") -> list[Any]:
    """All records that a query gives, page by page."""
    found: list[Any] = []
    cursor = ""
    while cursor is not None:
        at = f"&next_cursor={cursor}" if cursor else ""
        page = client.get(f"{path}?integrated_account_id=full&limit=20&{query}{at}").json()
        assert "result" in page, page
        found += page["result"]
        cursor = page["next_cursor"]
    return found


@pytest.fixture
def client(sandbox: Sandbox) -> Any:
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        yield client


def ask(client: httpx.Client, path: str, query: str = "", method: str = "GET", **more: Any) -> httpx.Response:
    return client.request(method, f"{path}?integrated_account_id=full&{query}", **more)


@pytest.mark.parametrize(
    ("query", "test"),
    [
        ("status=active", lambda one: one["status"] == "active"),
        ("status[eq]=active", lambda one: one["status"] == "active"),
        ("status[ne]=active", lambda one: one["status"] != "active"),
        ("status[in][]=active&status[in][]=invited", lambda one: one["status"] in ("active", "invited")),
        ("status[in][0]=active&status[in][1]=invited", lambda one: one["status"] in ("active", "invited")),
        ("status[in]=active,invited", lambda one: one["status"] in ("active", "invited")),
        ("status[]=active&status[]=invited", lambda one: one["status"] in ("active", "invited")),
        ("created_at[gt]=2025-01-01", lambda one: one["created_at"] > "2025-01-01"),
        ("created_at[lte]=2025-01-01T00:00:00%2B00:00", lambda one: one["created_at"] <= "2025-01-01T00:00:00.000Z"),
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
def test_filters_keep_what_they_name(client: httpx.Client, query: str, test: Any) -> None:
    everyone = listed(client, USERS)
    wanted = [one for one in everyone if test(one)]
    assert wanted
    assert listed(client, USERS, query) == wanted


def test_a_pointer_is_found_by_its_id_and_by_its_name(client: httpx.Client) -> None:
    solved = [one for one in listed(client, TICKETS) if one["status"]["name"] == "Solved"]
    for query in ("status=Solved", "status_id=ticket_status-5", "status[id]=ticket_status-5", "status[name]=Solved"):
        assert listed(client, TICKETS, query) == solved


@pytest.mark.parametrize("way", ["asc", "desc"])
def test_lists_are_sorted_across_pages(client: httpx.Client, way: str) -> None:
    everyone = listed(client, USERS)
    ordered = sorted(everyone, key=lambda one: one["created_at"], reverse=way == "desc")
    assert listed(client, USERS, f"sort_by[created_at]={way}") == ordered


@pytest.mark.parametrize("order", ["", "sort_by[name]=asc"])
def test_pages_lead_back_to_where_they_came_from(client: httpx.Client, order: str) -> None:
    first = ask(client, TICKETS, f"limit=10&{order}").json()
    second = ask(client, TICKETS, f"limit=10&{order}&next_cursor={first['next_cursor']}").json()
    third = ask(client, TICKETS, f"limit=10&{order}&next_cursor={second['next_cursor']}").json()
    back = ask(client, TICKETS, f"limit=10&{order}&next_cursor={third['prev_cursor']}").json()
    assert back["result"] == second["result"]
    start = ask(client, TICKETS, f"limit=10&{order}&next_cursor={back['prev_cursor']}").json()
    assert (start["result"], start["prev_cursor"], first["prev_cursor"]) == (first["result"], None, None)
    assert (
        ask(client, TICKETS, f"limit=10&{order}&next_cursor={back['next_cursor']}").json()["result"] == third["result"]
    )


def test_a_list_goes_on_where_it_was_though_records_come_and_go(client: httpx.Client) -> None:
    before = listed(client, TICKETS)
    first = ask(client, TICKETS, "limit=10").json()
    for gone in ("tickets-3", "tickets-10", "tickets-12"):
        ask(client, f"{TICKETS}/{gone}", method="DELETE")
    new = ask(client, TICKETS, method="POST", json={"name": "late"}).json()
    rest, cursor = [], first["next_cursor"]
    while cursor is not None:
        page = ask(client, TICKETS, f"limit=10&next_cursor={cursor}").json()
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
def test_a_bad_page_is_refused(client: httpx.Client, query: str) -> None:
    answer = ask(client, TICKETS, query)
    assert (answer.status_code, list(answer.json())) == (400, ["statusCode", "error", "message"])


def test_a_cursor_is_good_for_its_query_only(client: httpx.Client) -> None:
    cursor = ask(client, TICKETS, "limit=5&status=Open").json()["next_cursor"]
    assert ask(client, TICKETS, f"limit=2&status=Open&next_cursor={cursor}").status_code == 200
    for other in (f"status=Closed&next_cursor={cursor}", f"next_cursor={cursor}"):
        assert "another query" in ask(client, TICKETS, other).json()["message"]
    other = client.get(f"{TICKETS}?integrated_account_id=full:b&status=Open&next_cursor={cursor}")
    assert other.status_code == 400


def test_a_cursor_expires(catalogue: Catalogue, store: Store) -> None:
    now = [1_700_000_000.0]
    sandbox = Sandbox(catalogue, store, wall=lambda: now[0])
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        cursor = ask(client, TICKETS).json()["next_cursor"]
        now[0] += 86_000
        assert ask(client, TICKETS, f"next_cursor={cursor}").status_code == 200
        now[0] += 1_000
        assert "expired" in ask(client, TICKETS, f"next_cursor={cursor}").json()["message"]


def test_pages_have_a_usual_and_a_greatest_size(client: httpx.Client) -> None:
    sizes = [
        ask(client, TICKETS, query).json()["result_count"] for query in ("", "limit=", "limit=7", "limit=99999999999")
    ]
    assert sizes == [50, 50, 7, 120]
    assert ask(client, TICKETS, "limit=3&truto_ignore_limit=true").json()["result_count"] == 50


def test_records_are_shaped_as_the_query_asks(client: httpx.Client) -> None:
    whole = ask(client, USERS, "limit=2").json()["result"]
    keyed = ask(client, USERS, "limit=2&truto_key_by=username").json()["result"]
    assert keyed == {one["username"]: one for one in whole}
    for query in (
        "truto_exclude_fields[]=emails&truto_exclude_fields[]=id",
        "truto_exclude_fields[0]=emails&truto_exclude_fields[1]=id",
        "truto_exclude_fields=emails,id",
    ):
        less = ask(client, USERS, f"limit=2&{query}").json()["result"]
        assert less == [{k: v for k, v in one.items() if k not in ("emails", "id")} for one in whole]
    ticket = ask(client, f"{TICKETS}/tickets-1").json()
    bare = ask(client, f"{TICKETS}/tickets-1", "truto_ignore_remote_data=true").json()
    assert bare == {k: v for k, v in ticket.items() if k != "remote_data"}


def test_the_provider_s_own_answer_can_be_had(client: httpx.Client) -> None:
    tickets = ask(client, TICKETS, "limit=2").json()
    remote = [one["remote_data"] for one in tickets["result"]]
    assert ask(client, TICKETS, "limit=2&truto_response_format=raw").json() == {"data": remote, "has_more": True}
    assert ask(client, TICKETS, "limit=2&truto_response_format=stream").json()["data"] == remote
    assert ask(client, TICKETS, "limit=2&truto_response_format=normalized").json()["result"] == remote
    assert ask(client, f"{TICKETS}/tickets-1", "truto_response_format=raw").json() == remote[0]
    debug = ask(client, TICKETS, "limit=2&truto_response_format=debug").json()
    assert debug["result"] == tickets["result"]
    assert (debug["debug"]["resultCount"], debug["debug"]["isLooping"]) == (2, False)
    one = ask(client, f"{TICKETS}/tickets-1", "truto_response_format=debug").json()
    assert list(one) == ["result", "debug"]


@pytest.mark.parametrize("identity", ["rec 7/ä", "../../x", "a?b#c%2F", "100%", "日本", "import"])
def test_any_id_is_just_an_id(client: httpx.Client, identity: str) -> None:
    made = ask(client, TICKETS, method="POST", json={"id": identity, "name": "x"})
    assert (made.status_code, made.json()["id"]) == (201, identity)
    path = f"{TICKETS}/{httpx.URL('http://x', params={'q': identity}).query.decode()[2:].replace('+', '%20')}"
    assert ask(client, path).json() == made.json()
    assert ask(client, path, method="PATCH", json={"name": "y"}).json()["name"] == "y"
    assert ask(client, path, method="DELETE").json() == {"id": identity}
    assert ask(client, path).status_code == 404


def test_an_id_that_is_taken_is_a_conflict_of_the_provider(client: httpx.Client) -> None:
    answer = ask(client, TICKETS, method="POST", json={"id": "tickets-1"})
    assert answer.status_code == 409
    assert (answer.json()["truto_is_remote_error"], answer.json()["raw_response"]) == (True, {"duplicate": "id"})


def test_the_id_may_be_in_the_body(client: httpx.Client) -> None:
    changed = ask(client, TICKETS, method="PATCH", json={"id": "tickets-2", "name": "by body"})
    assert ask(client, f"{TICKETS}/tickets-2").json() == changed.json()
    assert ask(client, TICKETS, method="DELETE", json={"id": "tickets-2"}).json() == {"id": "tickets-2"}
    assert ask(client, f"{TICKETS}/tickets-2").status_code == 404
    nothing = ask(client, TICKETS, method="PATCH", json={"name": "whose?"})
    assert nothing.json()["truto_error_insight"]["missing_required_body_fields"]["value"] == ["id"]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"{", 400),
        (b"{} {}", 400),
        (b'{"a":NaN}', 400),
        (b'{"a":"\xff"}', 400),
        (b"[" * 100_000, 400),
        (b"[1]", 422),
        (b'"x"', 422),
        (b'{"id":{}}', 422),
        (b'{"id":""}', 422),
    ],
)
def test_a_body_that_cannot_be_meant_is_refused(client: httpx.Client, content: bytes, status: int) -> None:
    answer = ask(client, TICKETS, method="POST", content=content, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["statusCode"]) == (status, status)


@pytest.mark.parametrize(
    "text",
    ["1.10", "12345678901234567890", "9" * 5000, "1e400", "-0.0", '"\\ud83d\\ude00"', '"\\ud83d"', '{"a" : [ 1 , 2 ]}'],
    ids=["zero", "long", "very long", "vast", "negative zero", "escaped", "half a pair", "spaced"],
)
def test_what_was_posted_comes_back_as_it_was_written(client: httpx.Client, text: str) -> None:
    content = f'{{"name":"x","value":{text}}}'
    made = ask(client, TICKETS, method="POST", content=content.encode(), headers={"content-type": "application/json"})
    assert f'"value":{text}' in made.text
    one = f"{TICKETS}/{made.json(parse_int=str)['id']}"
    assert ask(client, one).text == made.text
    assert f'"value":{text}' in ask(client, one, method="PATCH", json={"name": "y"}).text
    assert f'"value":{text}' in ask(client, TICKETS, "limit=500").text


def test_a_repeated_key_is_answered_again_and_done_once(client: httpx.Client, store: Store) -> None:
    headers = {"idempotency-key": "k1"}
    first = ask(client, TICKETS, method="POST", json={"name": "once"}, headers=headers)
    again = ask(client, TICKETS, method="POST", json={"name": "other"}, headers=headers)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    elsewhere = client.post(f"{TICKETS}?integrated_account_id=full:b", json={"name": "b"}, headers=headers)
    assert elsewhere.json()["name"] == "b"
    assert [row[-1] for row in store.effects() if row[3] == "k1"] == [1, 1]
    names = [one["name"] for one in listed(client, TICKETS)]
    assert (names.count("once"), names.count("other")) == (1, 0)


def test_a_refused_write_leaves_its_key_free(client: httpx.Client) -> None:
    headers = {"idempotency-key": "k2"}
    assert ask(client, TICKETS, method="POST", json={"id": "tickets-1"}, headers=headers).status_code == 409
    assert ask(client, TICKETS, method="POST", json={"name": "fine"}, headers=headers).status_code == 201


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/unified", 404),
        ("GET", "/unified/ticketing", 404),
        ("GET", "/unified/ticketing/", 404),
        ("GET", "/unified/ticketing/nothing", 404),
        ("GET", "/unified/nothing/tickets", 404),
        ("GET", "/unified/ticketing/tickets/", 404),
        ("GET", "/unified/ticketing/tickets/a/b", 404),
        ("GET", "/unified/ticketing/tickets/meta/nothing", 404),
        ("PUT", "/unified/ticketing/tickets/tickets-1", 405),
        ("PUT", "/unified/ticketing/tickets", 405),
        ("POST", "/unified/ticketing/ticket_types", 405),
        ("DELETE", "/unified/ticketing/attachments/attachments-1", 405),
        ("GET", "/-/sandbox", 404),
    ],
)
def test_a_path_that_is_none_is_refused(client: httpx.Client, method: str, path: str, status: int) -> None:
    answer = ask(client, path, method=method)
    assert (answer.status_code, answer.json()["statusCode"]) == (status, status)
    assert "allow" in answer.headers if status == 405 else True


def test_the_connection_must_be_named_once(client: httpx.Client) -> None:
    answer = client.get(TICKETS)
    assert answer.status_code == 400
    value = answer.json()["truto_error_insight"]["missing_required_query_parameters"]["value"]
    assert value == ["integrated_account_id"]
    assert client.get(f"{TICKETS}?integrated_account_id=full&integrated_account_id=empty").status_code == 400


def test_a_method_tells_its_schema(client: httpx.Client) -> None:
    told = ask(client, f"{TICKETS}/meta/list").json()
    assert told["schema"]["properties"]["status"] == {"type": "object"}
    move = ask(client, "/unified/ats/applications/meta/move-stage").json()
    assert list(move["request_body_schema"]["properties"]) == ["application_id", "stage_id", "user_id", "candidate_id"]


def test_a_connection_tells_its_routes(client: httpx.Client, catalogue: Catalogue) -> None:
    told = client.get("/integrated-account/full/capabilities?type=unified").json()["unified"]
    assert [(a, r, o) for a, rs in told.items() for r, os in rs.items() for o in os] == [
        (one.api, one.resource, one.name) for one in catalogue
    ]
    limited = client.get("/integrated-account/limited/capabilities?type=unified").json()["unified"]
    assert "tags" not in limited["ticketing"]


def test_a_new_line_in_the_catalogue_is_a_working_route(store: Store) -> None:
    text = """
    [service]
    prefix = "/unified"
    connection = "integrated_account_id"
    items = "result"
    cursor = "next_cursor"
    page_size = "limit"
    partial = "is_partial_response"
    outward = ""
    harmless = "download"
    [api.parcels]
    title = "Parcels"
    [api.parcels.resources]
    deliveries = "crud postpone download"
    """
    sandbox = Sandbox(load(text), store)
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        path = "/unified/parcels/deliveries"
        assert len(listed(client, path)) == 60
        first = ask(client, f"{path}/deliveries-1").json()
        assert first["name"] == "Delivery 1"
        late = ask(client, f"{path}/postpone", method="POST", json={"delivery_id": "deliveries-1", "to": "May"}).json()
        assert late["result"] == first | {"to": "May", "updated_at": late["result"]["updated_at"]}
        assert ask(client, f"{path}/deliveries-1").json() == late["result"]
        assert ask(client, f"{path}/download", "id=deliveries-1", method="POST").content


def test_plain_wsgi_answers_the_same(sandbox: Sandbox, client: httpx.Client) -> None:
    with httpx.Client(transport=httpx.WSGITransport(app=sandbox), base_url="http://sandbox") as plain:
        made = ask(plain, TICKETS, method="POST", json={"id": "rec 7/ä"})
        assert json.loads(made.text)["id"] == "rec 7/ä"
        for path in (
            "/unified/ticketing/teams",
            f"{TICKETS}/rec%207%2F%C3%A4",
            f"{TICKETS}/meta/list",
            "/unified/ticketing/x",
        ):
            assert ask(plain, path).content == ask(client, path).content


ODD = [
    {"status": [1], "urls": 1, "format": {}, "sequence": "x", "from": {"a": 1}, "to": 7, "cc": [[1]], "subject": []},
    {"status": {"a": []}, "urls": [1], "file_url": 3, "file_name": {"a": 1}, "content_type": "\n", "roles": [1, "x"]},
    {"file_name": "\ud800", "name": "\ud800", "\ud800": 1, "attachments": [{"content_bytes": 1}], "is_draft": True},
    {"name": None, "emails": "x", "users": {"a": 1}, "page": "pages-1", "body": 5, "created_at": 7, "remote_data": 1},
]


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("operation", [one for one in load() if one.changes], ids=lambda one: one.command)
def test_odd_records_break_nothing(client: httpx.Client, operation: Operation, body: Any) -> None:
    base = f"/unified/{operation.api}/{operation.resource}"
    shown = example(operation)
    path = operation.path.replace("{id}", shown.identity or "")
    query = "&".join(f"{name}={value}" for name, value in shown.query.items())
    headers = {"content-type": "application/json"}
    identity = f"{operation.resource}-1"
    for more in (body, {**body, **(shown.body or {})}, {**(shown.body or {}), "id": "\ud800"}):
        answer = ask(client, path, query, operation.method, content=json.dumps(more), headers=headers)
        assert answer.status_code < 500
        wrapped = answer.json().get("result", answer.json()) if answer.content else {}
        identity = wrapped.get("id", identity) if isinstance(wrapped, dict) else identity
    for look in ("", "sort_by[status]=asc", "status=x&limit=3", "truto_key_by=name", "truto_response_format=raw"):
        assert ask(client, base, look).status_code < 500
    for look in ("", "truto_response_format=raw"):
        assert ask(client, f"{base}/{identity}", look).status_code < 500
    for action in ("download", "append", "send-draft", "reply-all"):
        assert ask(client, f"{base}/{action}", method="POST", json={"id": identity}).status_code < 500


@pytest.mark.parametrize(
    "query",
    [
        "a" + "[x]" * 5000 + "=1",
        "status[²]=1",
        "status[" + "9" * 5000 + "]=1",
        "status[0][²][]=1",
        "%ff=%fe&status=%00",
    ],
    ids=["deep", "superscript", "long number", "mixed", "bytes"],
)
def test_odd_queries_break_nothing(client: httpx.Client, query: str) -> None:
    assert ask(client, USERS, query).status_code in (200, 400)


@pytest.mark.parametrize("value", ["bytes=" + "9" * 5000 + "-", "bytes=٣-", "bytes=5-3", "items=1-2", "bytes=1-2,4-5"])
def test_odd_ranges_break_nothing(client: httpx.Client, value: str) -> None:
    path = "/unified/ticketing/attachments/download"
    answer = ask(client, path, "id=attachments-1", "POST", headers={"range": value.encode()})
    assert answer.status_code in (200, 416)


def test_json_is_refused_long_before_it_is_too_deep_to_read(client: httpx.Client) -> None:
    statuses = set()
    for depth in (50, 300, 900, 1500):
        content = '{"name":' + "[" * depth + "]" * depth + "}"
        answer = ask(client, TICKETS, method="POST", content=content, headers={"content-type": "application/json"})
        statuses.add((depth, answer.status_code))
        assert ask(client, TICKETS, "name=x").status_code == 200
    assert statuses == {(50, 201), (300, 400), (900, 400), (1500, 400)}
