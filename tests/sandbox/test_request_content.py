import json

import httpx
import pytest
from sandbox_asking import TICKETS, USERS, ask

from unified_cli.catalogue import Operation, load
from unified_cli.sandbox.sample_requests import example

ODD = [
    {
        "status": [1],
        "urls": 1,
        "format": {},
        "sequence": "x",
        "from": {"a": 1},
        "to": 7,
        "cc": [[1]],
        "subject": [],
    },
    {
        "status": {"a": []},
        "urls": [1],
        "file_url": 3,
        "file_name": {"a": 1},
        "content_type": "\n",
        "roles": [1, "x"],
    },
    {
        "file_name": "\ud800",
        "name": "\ud800",
        "\ud800": 1,
        "attachments": [{"content_bytes": 1}],
        "is_draft": True,
    },
    {
        "name": None,
        "emails": "x",
        "users": {"a": 1},
        "page": "pages-1",
        "body": 5,
        "created_at": 7,
        "remote_data": 1,
    },
]


@pytest.mark.parametrize(
    "operation", [one for one in load() if one.changes], ids=lambda one: one.command
)
def test_odd_records_break_nothing(bare_client: httpx.Client, operation: Operation) -> None:
    base = f"/unified/{operation.api}/{operation.resource}"
    shown = example(operation)
    path = operation.path.replace("{id}", shown.identity or "")
    query = "&".join(f"{name}={value}" for name, value in shown.query.items())
    headers = {"content-type": "application/json"}
    identities = [f"{operation.resource}-1"]
    needed = shown.body or {}
    bodies = [more for body in ODD for more in (body, {**body, **needed})]
    for more in [*bodies, {**needed, "id": "\ud800"}]:
        answer = ask(
            bare_client, path, query, operation.method, content=json.dumps(more), headers=headers
        )
        assert answer.status_code < 500
        wrapped = answer.json().get("result", answer.json()) if answer.content else {}
        if isinstance(wrapped, dict) and "id" in wrapped:
            identities.append(wrapped["id"])
    for look in (
        "",
        "sort_by[status]=asc",
        "status=x&limit=3",
        "truto_key_by=name",
        "truto_response_format=raw",
    ):
        assert ask(bare_client, base, look).status_code < 500
    for identity in dict.fromkeys(map(str, identities)):
        for look in ("", "truto_response_format=raw"):
            assert ask(bare_client, f"{base}/{identity}", look).status_code < 500
        for action in ("download", "append", "send-draft", "reply-all"):
            answer = ask(bare_client, f"{base}/{action}", method="POST", json={"id": identity})
            assert answer.status_code < 500


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
def test_odd_queries_break_nothing(bare_client: httpx.Client, query: str) -> None:
    assert ask(bare_client, USERS, query).status_code in (200, 400)


@pytest.mark.parametrize(
    "value", ["bytes=" + "9" * 5000 + "-", "bytes=٣-", "bytes=5-3", "items=1-2", "bytes=1-2,4-5"]
)
def test_odd_ranges_break_nothing(bare_client: httpx.Client, value: str) -> None:
    path = "/unified/ticketing/attachments/download"
    answer = ask(bare_client, path, "id=attachments-1", "POST", headers={"range": value.encode()})
    assert answer.status_code in (200, 416)


def test_json_is_refused_long_before_it_is_too_deep_to_read(bare_client: httpx.Client) -> None:
    statuses = set()
    for depth in (50, 300, 900, 1500):
        content = '{"more":' + "[" * depth + "]" * depth + "}"
        answer = ask(
            bare_client,
            TICKETS,
            method="POST",
            content=content,
            headers={"content-type": "application/json"},
        )
        statuses.add((depth, answer.status_code))
        assert ask(bare_client, TICKETS, "name=x").status_code == 200
    assert statuses == {(50, 201), (300, 400), (900, 400), (1500, 400)}
