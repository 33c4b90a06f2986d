"""Several requests in one: only for the selected connection, repeated under its key,
and what failed is named.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from publishing import ACCOUNT, ENVIRONMENT, OWN, PublishedService
from server import Reply, Service

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

READS = [{"resource": "ticketing/tickets", "method": "list"}]
ERRORS = {
    "ticketing/tags": [
        {"statusCode": 404, "error": "Not Found", "message": "no such resource"},
        {"code": 7},
    ],
    "ticketing/users": ["out of order"],
    "ticketing/teams": [],
}


def batch(body: Any) -> list[str]:
    return [
        "request",
        "POST",
        "/batch-request",
        "-d",
        body if isinstance(body, str) else json.dumps(body),
    ]


@pytest.mark.parametrize(
    "body", [{"resources": READS}, {}, {"integrated_account_id": ACCOUNT, "resources": READS}]
)
def test_the_selected_connection_is_filled_in(
    unified: Unified, published: PublishedService, body: Any
) -> None:
    result = unified(batch(body), environ=published.environ())
    assert (result.code, result.stderr) == (0, "")
    (seen,) = published.seen
    assert (seen.target, seen.json) == (
        "/batch-request",
        {"integrated_account_id": ACCOUNT, **body},
    )
    assert seen.headers["idempotency-key"]


@pytest.mark.parametrize(
    "body",
    [
        '{"integrated_account_id": "other"}',
        '{"\\u0069ntegrated_account_id": "other"}',
        '{"integrated_account_id": "other", "integrated_account_id": "ACCOUNT"}',
        '{"integrated_account_id": "ACCOUNT", "integrated_account_id": "other"}',
        (
            '{"resources": [{"resource": "a/b", "method": "list", "query":'
            ' {"integrated_account_id": "other"}}]}'
        ),
        '{"integrated_account_id": null}',
        '{"integrated_account_id": 7}',
    ],
)
def test_another_connection_is_refused(
    unified: Unified, published: PublishedService, body: str
) -> None:
    result = unified(batch(body.replace("ACCOUNT", ACCOUNT)), environ=published.environ())
    assert (result.code, result.stdout, published.seen) == (13, "", [])
    other = json.loads(body.replace("ACCOUNT", "x")).get("integrated_account_id", "other")
    told = other if other in ("other", None, 7) else "other"
    word = told if isinstance(told, str) else json.dumps(told)
    assert (
        result.stderr
        == f"error: the body's integrated_account_id is {word}, but for the selected connection it"
        f" is {ACCOUNT}; nothing was sent (remove it from the body, or select its connection with"
        f" -a {word})\n"
    )


@pytest.mark.parametrize(
    "path", ["/batch-request/", "batch-request", "/Batch-Request", "/batch%2Drequest"]
)
def test_so_it_is_however_the_path_is_spelled(
    unified: Unified, published: PublishedService, path: str
) -> None:
    body = '{"integrated_account_id": "other"}'
    result = unified(["request", "POST", path, "-d", body], environ=published.environ())
    assert (result.code, published.seen) == (13, [])


def test_the_profile_is_named(
    unified: Unified, published: PublishedService, config: Callable[[str], Path]
) -> None:
    config(
        f'base_url = "{published.url}"\n[profiles.acme]\naccount_id = "{ACCOUNT}"\ntoken ='
        f' "{ENVIRONMENT}"\n'
    )
    result = unified(["-p", "acme", *batch({"integrated_account_id": "other"})])
    assert (result.code, published.seen) == (13, [])
    assert f'but for profile "acme" it is {ACCOUNT}' in result.stderr


def test_the_same_connection_twice_is_a_mistake(
    unified: Unified, published: PublishedService
) -> None:
    body = f'{{"integrated_account_id": "{ACCOUNT}", "integrated_account_id": "{ACCOUNT}"}}'
    result = unified(batch(body), environ=published.environ())
    assert (result.code, published.seen) == (2, [])
    assert result.stderr == "error: integrated_account_id is in the body 2 times\n"


def test_without_a_connection_the_body_names_it(
    unified: Unified, published: PublishedService
) -> None:
    environ = published.environ(account=None)
    missing = unified(batch({"resources": READS}), environ=environ)
    assert (missing.code, published.seen) == (3, [])
    assert "no account id" in missing.stderr
    assert unified(batch({"integrated_account_id": ACCOUNT}), environ=environ).code == 0
    own = unified(batch({"resources": READS}), environ=published.environ(OWN, "me"))
    assert own.code == 7


def test_the_shown_request_is_the_one_that_would_be_sent(
    unified: Unified, published: PublishedService
) -> None:
    shown = unified([*batch({"args": {"n": 1}}), "--dry-run"], environ=published.environ())
    assert shown.json["body"] == {"integrated_account_id": ACCOUNT, "args": {"n": 1}}
    assert published.seen == []


def test_errors_in_an_answer_are_named(unified: Unified, published: PublishedService) -> None:
    published.change("batch", lambda body: {**body, "errors": ERRORS})
    result = unified(batch({"resources": READS}), environ=published.environ())
    assert (result.code, result.json["errors"]) == (9, ERRORS)
    assert (
        result.stderr == "error: 3 requests of the batch failed: ticketing/tags: no such resource; "
        'ticketing/tags: {"code":7}; ticketing/users: out of order\n'
    )
    quiet = unified([*batch({}), "--jq", ".result | length"], environ=published.environ())
    assert (quiet.code, quiet.stdout) == (9, "1\n")


@pytest.mark.parametrize("errors", [{}, None, [], {"ticketing/tags": []}])
def test_an_empty_error_is_ignored(
    unified: Unified, published: PublishedService, errors: Any
) -> None:
    published.change("batch", lambda body: {**body, "errors": errors})
    assert unified(batch({}), environ=published.environ()).code == 0


def test_it_is_repeated_under_its_key(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    service.reply = lambda _: Reply(
        502 if len(service.seen) == 1 else 200, b'{"result": {}, "errors": {}}'
    )
    result = unified(batch({}), environ=service.environ)
    assert result.code == 0
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 1
    assert len(service.seen) == 2
    service.seen.clear()
    service.reply = lambda _: Reply(502)
    config("idempotency_window = 0\n")
    result = unified(batch({}), environ=service.environ)
    assert (result.code, len(service.seen)) == (10, 1)


def test_the_sandbox_runs_one(unified: Unified, unified_sandbox: UnifiedSandbox) -> None:
    environ = {
        "UNIFIED_BASE_URL": unified_sandbox.url, "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_ACCOUNT_ID": "full:batch", "UNIFIED_RATE": "0",
    }  # fmt: skip
    requests = [
        {"resource": "ticketing/tickets", "method": "list", "query": {"limit": 50}},
        {"resource": "ticketing/tags", "method": "get", "id": "tags-1"},
        {"resource": "ticketing/tags", "method": "create", "body": {"name": "by batch"}},
        {"resource": "ticketing/teams", "method": "get", "id": "nothing"},
        {"resource": "users", "method": "list", "persist": False},
    ]
    command = [*batch({"resources": requests}), "--idempotency-key", "k-1"]
    result = unified(command, environ=environ)
    found = result.json["result"]
    assert len(found["ticketing/tickets"]) > 50
    assert [one["name"] for one in found["ticketing/tags"]][1:] == ["by batch"]
    assert "users" not in found
    assert (
        result.stderr
        == "error: 1 request of the batch failed: ticketing/teams: ticketing/teams has no record"
        " 'nothing'\n"
    )
    assert result.code == 9
    assert unified(command, environ=environ).stdout == result.stdout
    assert unified_sandbox.effects("k-1") == 1
