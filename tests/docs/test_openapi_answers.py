"""The document describes what the sandbox serves: status, media type and body of every
operation.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from front_door import ROOT

from unified_cli.catalogue import Operation, load
from unified_cli.docs.openapi import document
from unified_cli.sandbox.application import Sandbox
from unified_cli.sandbox.in_process import InProcess
from unified_cli.sandbox.sample_requests import example, required_fields, required_parameters
from unified_cli.sandbox.store import SandboxStore

CATALOGUE = load()
OPERATIONS = list(CATALOGUE)
DOCUMENT = document(CATALOGUE)
COMPONENTS = DOCUMENT["components"]
# Any path of a provider, requests of several kinds in one, a form, and a schema: what
# they take and answer depends on the connection.
UNDESCRIBED = ("/custom/", "/batch-request", "/file", "/unified/ticketing/tickets/meta/")
ACTIONS = [one for one in OPERATIONS if one.kind == "action"]


def command(operation: Operation) -> str:
    return operation.command


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    store = SandboxStore.open(None)
    with httpx.Client(
        transport=InProcess(Sandbox(CATALOGUE, store)), base_url="http://sandbox"
    ) as client:
        yield client
    store.close()


def resolved(value: dict[str, Any]) -> dict[str, Any]:
    """The schema of a reference."""
    if "$ref" not in value:
        return value
    _, _, kind, name = value["$ref"].split("/")
    found: dict[str, Any] = COMPONENTS[kind][name]
    return found


def described(method: str, path: str) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][path][method.lower()]
    return found


def check(answer: httpx.Response, operation: dict[str, Any]) -> None:
    """Fail where an answer is not as an operation of the document describes it."""
    responses = operation["responses"]
    status = str(answer.status_code)
    response = resolved(responses.get(status) or responses[f"{status[0]}XX"])
    kind = answer.headers["content-type"].partition(";")[0]
    media = response["content"].get(kind) or response["content"]["*/*"]
    if media["schema"].get("format") == "binary":
        return
    schema = {**media["schema"], "components": COMPONENTS}
    # Only here: importing it takes as long as all other libraries of the tests
    # together.
    from openapi_schema_validator import OAS31Validator, oas31_format_checker  # noqa: PLC0415

    errors = OAS31Validator(schema, format_checker=oas31_format_checker).iter_errors(answer.json())
    assert [f"{error.json_path}: {error.message}" for error in errors] == []


def send(client: httpx.Client, operation: Operation, query: Any, body: Any) -> httpx.Response:
    path = operation.path.replace("{id}", example(operation).identity or "")
    account = {"integrated_account_id": f"full:{operation.command.replace(' ', '-')}"}
    more = {} if body is None else {"json": body}
    return client.request(operation.method, path, params={**account, **query}, **more)


def test_the_document_is_valid_and_its_names_are_distinct() -> None:
    from openapi_spec_validator import validate  # noqa: PLC0415  as above

    validate(DOCUMENT)
    operations = [one for item in DOCUMENT["paths"].values() for one in item.values()]
    for names in (
        [one["operationId"] for one in operations],
        [*COMPONENTS["schemas"], *COMPONENTS["responses"]],
        [*COMPONENTS["parameters"]],
    ):
        spelled = Counter(re.sub("[^a-z0-9]", "", name.lower()) for name in names)
        assert [name for name, count in spelled.items() if count > 1] == []
    assert all(
        re.fullmatch("[A-Z][A-Za-z0-9]+", name)
        for kind in COMPONENTS
        for name in COMPONENTS[kind]
        if kind != "securitySchemes"
    )


def test_every_component_is_used() -> None:
    text = str(DOCUMENT)
    names = [f"#/components/{kind}/{name}'" for kind, found in COMPONENTS.items() for name in found]
    assert [name for name in names if name not in text and "securitySchemes" not in name] == []


@pytest.mark.parametrize("operation", OPERATIONS, ids=command)
def test_an_answer_is_as_described(client: httpx.Client, operation: Operation) -> None:
    shown = example(operation)
    answer = send(client, operation, shown.query, shown.body)
    assert answer.status_code == (201 if operation.name == "create" else 200)
    found = described(operation.method, operation.path)
    check(answer, found)
    names = {resolved(one)["name"] for one in found["parameters"]}
    assert {*shown.query} <= names
    refused = send(client, operation, {"integrated_account_id": "nothing"}, shown.body)
    assert refused.status_code == 404
    check(refused, found)


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.lists], ids=command)
def test_every_record_is_as_described(client: httpx.Client, operation: Operation) -> None:
    answer = send(client, operation, {"limit": 500}, None)
    assert answer.json()["result"]
    check(answer, described(operation.method, operation.path))


@pytest.mark.parametrize("operation", ACTIONS, ids=command)
def test_only_needed_fields_of_an_action_are_required(
    client: httpx.Client, operation: Operation
) -> None:
    shown = example(operation)
    fields, parameters = required_fields(operation), required_parameters(operation)
    found = described(operation.method, operation.path)
    body = resolved(found["requestBody"]["content"]["application/json"]["schema"])
    assert body.get("required", []) == fields
    every = [resolved(one) for one in found["parameters"]]
    told = [one for one in every if one["required"] or one.get("description") == "Required"]
    assert [one["name"] for one in told] == ["integrated_account_id", *parameters]
    # The draft that the test before has sent is gone.
    query = {"integrated_account_id": f"full:needs-{operation.name}"}
    query |= {name: shown.query[name] for name in parameters}
    content = {name: (shown.body or {})[name] for name in fields}
    assert send(client, operation, query, content).status_code == 200
    for name in (*parameters, *fields):
        less = [
            {one: value for one, value in given.items() if one != name}
            for given in (query, content)
        ]
        refused = send(client, operation, *less)
        assert (refused.status_code, "missing required" in refused.json()["message"]) == (400, True)
        check(refused, found)


@pytest.mark.parametrize("operation", ACTIONS, ids=command)
def test_an_empty_value_of_a_needed_field_is_neither_described_nor_taken(
    client: httpx.Client, operation: Operation
) -> None:
    from openapi_schema_validator import OAS31Validator  # noqa: PLC0415  as above

    found = described(operation.method, operation.path)
    body = found["requestBody"]["content"]["application/json"]["schema"]
    validator = OAS31Validator({**body, "components": COMPONENTS})
    shown = example(operation)
    content = dict(shown.body or {})
    assert validator.is_valid(content)
    assert found["requestBody"]["required"] == bool(required_fields(operation))
    for name in required_fields(operation):
        for empty in (None, "", [], {"id": ""}):
            given = {**content, name: empty}
            answer = send(client, operation, shown.query, given)
            assert not (validator.is_valid(given) and answer.status_code == 400), given


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.name in ("create", "update")], ids=command
)
def test_the_body_of_a_write_is_described(client: httpx.Client, operation: Operation) -> None:
    from openapi_schema_validator import OAS31Validator  # noqa: PLC0415  as above

    found = described(operation.method, operation.path)
    assert not found["requestBody"]["required"]
    assert send(client, operation, {}, None).is_success
    schema = found["requestBody"]["content"]["application/json"]["schema"]
    validator = OAS31Validator({**schema, "components": COMPONENTS})
    fields = resolved(schema)["properties"]
    alone = {
        name: "tags-1"
        for name, one in fields.items()
        if {"$ref": "#/components/schemas/SentReference"} in one.get("anyOf", ())
    }
    for body in (dict.fromkeys(fields), alone):
        assert validator.is_valid(body)
        answer = send(client, operation, {}, body)
        assert answer.is_success, answer.text
        check(answer, found)


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one.name == "update"], ids=command
)
def test_an_update_by_its_body_is_as_described(client: httpx.Client, operation: Operation) -> None:
    path = operation.path.removesuffix("/{id}")
    account = {"integrated_account_id": "full:by-body"}
    answer = client.patch(path, params=account, json={"id": example(operation).identity})
    assert answer.status_code == 200
    found = described("PATCH", path)
    check(answer, found)
    from openapi_schema_validator import OAS31Validator  # noqa: PLC0415  as above

    body = found["requestBody"]["content"]["application/json"]["schema"]
    validator = OAS31Validator({**body, "components": COMPONENTS})
    for wrong in ({}, {"id": ""}, {"id": None}, {"id": 5}):
        assert not validator.is_valid(wrong)
        assert client.patch(path, params=account, json=wrong).status_code in (400, 422)


BESIDE: dict[str, dict[str, Any]] = {
    "GET /integrated-account": {},
    "GET /integrated-account/{id}": {},
    "GET /integrated-account/{id}/capabilities": {},
    "GET /integrated-account/{id}/tools": {"params": {"methods": "read"}},
    "GET /integration/{id}/capabilities": {},
    "GET /proxy/{resource}": {"params": {"integrated_account_id": "full"}},
    "GET /proxy/{resource}/{id}": {"params": {"integrated_account_id": "full"}},
    "POST /integrated-account/refresh-credentials": {"json": {"id": "full"}},
    "POST /integrated-account/token": {"json": {"integrated_account_id": "full"}},
    "POST /integrated-account/{id}/mcp": {"json": {}},
    "POST /link-token": {"json": {"integrated_account_id": "full"}},
    "GET /log": {
        "params": {
            "log_type": "unified_proxy_api",
            "created_at[gt]": "2026-11-27T10:00:00Z",
            "created_at[lt]": "2026-11-27T11:00:00Z",
        }
    },
}
IDS = {"proxy": "tickets-1", "integration": "deskly"}


@pytest.mark.parametrize("line", BESIDE)
def test_a_route_beside_the_operations_answers_as_described(
    client: httpx.Client, line: str
) -> None:
    method, path = line.split()
    place = path.format(resource="tickets", id=IDS.get(path.split("/")[1], "full"))
    answer = client.request(method, place, **BESIDE[line])
    assert answer.status_code == 200, answer.text
    check(answer, described(method, path))


def test_every_route_beside_the_operations_is_tried() -> None:
    paths = {one.path for one in OPERATIONS}
    routes = {
        f"{method.upper()} {path}"
        for path, item in DOCUMENT["paths"].items()
        if path not in paths
        for method in item
    }
    # It is that of a connection's own token, of which this sandbox has none.
    assert routes - {"GET /integrated-account/me"} == {*BESIDE}


PUBLISHED = [
    json.loads(path.read_text())["request"]
    for path in sorted((ROOT / "tests/published/shapes").glob("*.json"))
]


@pytest.mark.parametrize("request_", PUBLISHED, ids=lambda one: f"{one['method']} {one['path']}")
def test_published_facts_are_in_the_document(request_: dict[str, Any]) -> None:
    kinds = {re.sub(r"{\w+}", "[^/]+", path): item for path, item in DOCUMENT["paths"].items()}
    found = [
        operation
        for kind, item in kinds.items()
        for method, operation in item.items()
        if re.fullmatch(kind, request_["path"]) and method == request_["method"].lower()
    ]
    assert found or request_["path"].startswith(UNDESCRIBED), request_
    names = {
        resolved(one)["name"] for operation in found for one in operation.get("parameters", ())
    }
    for name in request_.get("query", {}):
        assert name in names or name.partition("[")[0] in names, name


@pytest.mark.parametrize(
    "account", ["blocked", "needs-reauth", "dead-provider", "missing-scopes", "read-only"]
)
def test_an_error_is_as_described(client: httpx.Client, account: str) -> None:
    answer = client.post(
        "/unified/ticketing/tickets", params={"integrated_account_id": account}, json={}
    )
    assert answer.status_code >= 400
    check(answer, described("POST", "/unified/ticketing/tickets"))
