from importlib.resources import files
from typing import Any

import httpx
import pytest
from sandbox_asking import TICKETS, ask, listed

from unified_cli.catalogue import Catalogue, read
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.store import SandboxStore


@pytest.mark.parametrize("identity", ["rec 7/ä", "../../x", "a?b#c%2F", "100%", "日本", "import"])
def test_any_id_is_just_an_id(bare_client: httpx.Client, identity: str) -> None:
    made = ask(bare_client, TICKETS, method="POST", json={"id": identity, "name": "x"})
    assert (made.status_code, made.json()["id"]) == (201, identity)
    query = httpx.URL("http://x", params={"q": identity}).query.decode()
    path = f"{TICKETS}/{query[2:].replace('+', '%20')}"
    assert ask(bare_client, path).json() == made.json()
    assert ask(bare_client, path, method="PATCH", json={"name": "y"}).json()["name"] == "y"
    assert ask(bare_client, path, method="DELETE").json() == {"id": identity}
    assert ask(bare_client, path).status_code == 404


def test_an_id_that_is_taken_is_a_conflict_of_the_provider(bare_client: httpx.Client) -> None:
    answer = ask(bare_client, TICKETS, method="POST", json={"id": "tickets-1"})
    assert answer.status_code == 409
    assert (answer.json()["truto_is_remote_error"], answer.json()["raw_response"]) == (
        True,
        {"duplicate": "id"},
    )


def test_the_id_may_be_in_the_body(bare_client: httpx.Client) -> None:
    changed = ask(bare_client, TICKETS, method="PATCH", json={"id": "tickets-2", "name": "by body"})
    assert ask(bare_client, f"{TICKETS}/tickets-2").json() == changed.json()
    deleted = ask(bare_client, TICKETS, method="DELETE", json={"id": "tickets-2"})
    assert (deleted.status_code, deleted.headers["allow"]) == (
        405,
        "GET, HEAD, OPTIONS, PATCH, POST",
    )
    nothing = ask(bare_client, TICKETS, method="PATCH", json={"name": "whose?"})
    assert nothing.json()["truto_error_insight"]["missing_required_body_fields"]["value"] == ["id"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": [1]}, 422),
        ({"name": {"a": 1}}, 422),
        ({"name": 7}, 422),
        ({"name": True}, 422),
        ({"tags": "x"}, 422),
        ({"tags": {}}, 422),
        ({"status": [1]}, 422),
        ({"status": {"id": {}}}, 422),
        ({"status": {"id": True}}, 422),
        ({"status": {"id": None}}, 422),
        ({"status": {"id": "x", "name": {}}}, 422),
        ({"tags": [1]}, 422),
        ({"tags": [{"id": []}]}, 422),
        ({"remote_data": [None]}, 422),
        ({"created_at": ""}, 422),
        ({"created_at": "2024-01-01T12:99:00Z"}, 422),
        ({"created_at": "2024-01-01", "tags": ["a", {"id": 1}, {"name": "b"}]}, 200),
        ({"name": None, "tags": [], "status": {"id": "x"}}, 200),
        ({"status": "ticket_status-1", "unheard": [1]}, 200),
    ],
)
def test_a_known_field_has_its_type(
    bare_client: httpx.Client, body: dict[str, Any], status: int
) -> None:
    before = ask(bare_client, f"{TICKETS}/tickets-2").json()
    created = ask(bare_client, TICKETS, method="POST", json=body)
    changed = ask(bare_client, f"{TICKETS}/tickets-2", method="PATCH", json=body)
    assert (created.status_code, changed.status_code) == (201 if status == 200 else status, status)
    if status == 422:
        assert changed.json()["truto_is_remote_error"]
        assert changed.json()["raw_response"]["field"] in body
        assert ask(bare_client, f"{TICKETS}/tickets-2").json() == before


def test_a_reference_by_id_alone_is_answered_as_an_object(bare_client: httpx.Client) -> None:
    body = {"status": "ticket_status-1", "tags": ["tags-1", {"id": "tags-2", "name": "x"}]}
    made = ask(bare_client, TICKETS, method="POST", json=body).json()
    assert made["status"] == {"id": "ticket_status-1"}
    assert made["tags"] == [{"id": "tags-1"}, {"id": "tags-2", "name": "x"}]


@pytest.mark.parametrize(
    ("path", "name", "value", "values"),
    [
        (
            TICKETS,
            "truto_response_format",
            "xml",
            "unified raw normalized stream debug",
        ),
        (TICKETS, "truto_ignore_remote_data", "82", "true false 1 0"),
        (TICKETS, "truto_ignore_limit", "", "true false 1 0"),
        ("/integrated-account", "is_sandbox", "2", "true false 1 0"),
    ],
)
def test_a_parameter_of_the_service_has_its_values(
    bare_client: httpx.Client, path: str, name: str, value: str, values: str
) -> None:
    answer = ask(bare_client, path, f"{name}={value}")
    message = f"{name} must be {values.replace(' ', ' or ')}, not {value!r}"
    assert (answer.status_code, answer.json()["message"]) == (400, message)


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
def test_an_invalid_body_is_refused(bare_client: httpx.Client, content: bytes, status: int) -> None:
    answer = ask(
        bare_client,
        TICKETS,
        method="POST",
        content=content,
        headers={"content-type": "application/json"},
    )
    assert (answer.status_code, answer.json()["statusCode"]) == (status, status)


@pytest.mark.parametrize(
    "text",
    [
        "1.10",
        "12345678901234567890",
        "9" * 5000,
        "1e400",
        "-0.0",
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '{"a" : [ 1 , 2 ]}',
    ],
    ids=["zero", "long", "very long", "vast", "negative zero", "escaped", "half a pair", "spaced"],
)
def test_a_posted_body_comes_back_unchanged(bare_client: httpx.Client, text: str) -> None:
    content = f'{{"name":"x","value":{text}}}'
    made = ask(
        bare_client,
        TICKETS,
        method="POST",
        content=content.encode(),
        headers={"content-type": "application/json"},
    )
    assert f'"value":{text}' in made.text
    one = f"{TICKETS}/{made.json(parse_int=str)['id']}"
    assert ask(bare_client, one).text == made.text
    assert f'"value":{text}' in ask(bare_client, one, method="PATCH", json={"name": "y"}).text
    assert f'"value":{text}' in ask(bare_client, TICKETS, "limit=500").text


def test_a_repeated_key_is_answered_again_and_done_once(
    bare_client: httpx.Client, store: SandboxStore
) -> None:
    headers = {"idempotency-key": "k1"}
    first = ask(bare_client, TICKETS, method="POST", json={"name": "once"}, headers=headers)
    again = ask(bare_client, TICKETS, method="POST", json={"name": "other"}, headers=headers)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    elsewhere = bare_client.post(
        f"{TICKETS}?integrated_account_id=full:b", json={"name": "b"}, headers=headers
    )
    assert elsewhere.json()["name"] == "b"
    assert [row[-1] for row in store.effects() if row[3] == "k1"] == [1, 1]
    names = [one["name"] for one in listed(bare_client, TICKETS)]
    assert (names.count("once"), names.count("other")) == (1, 0)


def test_a_refused_write_leaves_its_key_free(bare_client: httpx.Client) -> None:
    headers = {"idempotency-key": "k2"}
    assert (
        ask(
            bare_client, TICKETS, method="POST", json={"id": "tickets-1"}, headers=headers
        ).status_code
        == 409
    )
    assert (
        ask(bare_client, TICKETS, method="POST", json={"name": "fine"}, headers=headers).status_code
        == 201
    )


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
        ("POST", "/unified/user-directory/me", 405),
        ("DELETE", "/unified/user-directory/activities/activities-1", 405),
        ("GET", "/-/sandbox", 404),
    ],
)
def test_an_unknown_path_is_refused(
    bare_client: httpx.Client, method: str, path: str, status: int
) -> None:
    answer = ask(bare_client, path, method=method)
    assert (answer.status_code, answer.json()["statusCode"]) == (status, status)
    assert ("allow" in answer.headers) == (status == 405)


def test_the_connection_must_be_named_once(bare_client: httpx.Client) -> None:
    answer = bare_client.get(TICKETS)
    assert answer.status_code == 400
    value = answer.json()["truto_error_insight"]["missing_required_query_parameters"]["value"]
    assert value == ["integrated_account_id"]
    assert (
        bare_client.get(
            f"{TICKETS}?integrated_account_id=full&integrated_account_id=empty"
        ).status_code
        == 400
    )


def test_a_method_tells_its_schema(bare_client: httpx.Client) -> None:
    told = ask(bare_client, f"{TICKETS}/meta/list").json()
    of_product = ask(bare_client, f"{TICKETS}/deskly/meta/list").json()
    assert (
        of_product.pop("response_schema")["properties"].keys()
        == told["schema"]["properties"].keys()
    )
    assert of_product == told
    for path in (
        f"{TICKETS}/nothing/meta/list",
        f"{TICKETS}/deskly/meta/nothing",
        f"{TICKETS}/a/b/meta/list",
    ):
        assert ask(bare_client, path).status_code == 404
    status = told["schema"]["properties"]["status"]
    assert (status["type"], [*status["properties"]]) == ("object", ["name"])
    move = ask(bare_client, "/unified/ats/applications/meta/move-stage").json()
    assert list(move["request_body_schema"]["properties"]) == [
        "application_id",
        "stage_id",
        "user_id",
        "candidate_id",
    ]


def test_a_connection_tells_its_routes(bare_client: httpx.Client, catalogue: Catalogue) -> None:
    told = bare_client.get("/integrated-account/full/capabilities?type=unified").json()["unified"]
    assert [
        (entry["model"], entry["resource"], method) for entry in told for method in entry["methods"]
    ] == [(one.api, one.resource, one.name) for one in catalogue]
    limited = bare_client.get("/integrated-account/limited/capabilities?type=unified").json()[
        "unified"
    ]
    assert ("ticketing", "tags") not in [(entry["model"], entry["resource"]) for entry in limited]


def test_a_new_line_in_the_catalogue_is_a_working_route(store: SandboxStore) -> None:
    service = (
        files("unified_cli.catalogue")
        .joinpath("catalogue.toml")
        .read_text("utf-8")
        .partition("[api.")[0]
    )
    text = f"""{service}
    [api.parcels]
    title = "Parcels"
    [api.parcels.resources]
    deliveries = "crud postpone download"
    """
    sandbox = Sandbox(read(text), store)
    with httpx.Client(transport=InProcess(sandbox), base_url="http://sandbox") as client:
        path = "/unified/parcels/deliveries"
        assert len(listed(client, path)) == 60
        first = ask(client, f"{path}/deliveries-1").json()
        assert first["name"] == "Delivery 1"
        late = ask(
            client,
            f"{path}/postpone",
            method="POST",
            json={"delivery_id": "deliveries-1", "to": "May"},
        ).json()
        assert late["result"] == first | {"to": "May", "updated_at": late["result"]["updated_at"]}
        assert ask(client, f"{path}/deliveries-1").json() == late["result"]
        assert ask(client, f"{path}/download", "id=deliveries-1", method="POST").content


def test_a_created_record_gets_an_id_of_the_sandboxs_own(
    catalogue: Catalogue, store: SandboxStore
) -> None:
    with httpx.Client(
        transport=InProcess(Sandbox(catalogue, store)), base_url="http://sandbox"
    ) as client:
        made = [
            ask(client, TICKETS, method="POST", json={"id": "mine", "name": "x"}) for _ in range(2)
        ]
        assert [one.status_code for one in made] == [201, 201]
        assert [one.json()["id"] for one in made] == ["tickets-new-1", "tickets-new-2"]
        assert ask(client, f"{TICKETS}/mine").status_code == 404
