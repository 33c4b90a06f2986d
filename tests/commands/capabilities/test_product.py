"""`capabilities --product`: what a product offers, as for a connection, before anybody
has connected it.
"""

import json

import pytest
from front_door import Unified
from published.publishing import ENVIRONMENT, OWN, publishing, shape

from unified_cli import hints
from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

PRODUCT = shape("product-capabilities")
NAME = PRODUCT.path.split("/")[2]


def test_it_is_shown_as_for_a_connection(unified: Unified) -> None:
    with publishing() as published:
        result = unified(
            f"capabilities --product {NAME} -o ndjson", environ=published.environ(account=None)
        )
        assert [one.path for one in published.seen] == [PRODUCT.path]
        assert "integrated_account_id" not in dict(published.seen[0].query)
        beside = "also offered: 1 resource of the provider (tickets)\n"
        assert (result.code, result.stderr) == (0, beside)
        of_connection = unified("capabilities -o ndjson", environ=published.environ())
    records = [json.loads(line) for line in result.stdout.splitlines()]
    others = [json.loads(line) for line in of_connection.stdout.splitlines()]
    assert [[*one] for one in records] == [[*one] for one in others]
    found = {
        (one["api"], one["resource"], one["operation"])
        for one in records
        if one["state"] == "offered"
    }
    assert found == {
        (one["model"], one["resource"], method)
        for one in PRODUCT.body["unified"]
        for method in one["methods"]
    }
    assert {(one["_profile"], one["status"], one["blocked"]) for one in records} == {
        (NAME, None, None)
    }


def test_some_of_it_can_be_asked_for(unified: Unified) -> None:
    with publishing() as published:
        environ = {**published.environ(), "UNIFIED_READ_ONLY": "1"}
        result = unified(f"capabilities ticketing/comments --product {NAME}", environ=environ)
    states = {line.split("\t")[3]: line.split("\t")[4] for line in result.stdout.splitlines()}
    assert {one for one, state in states.items() if state == "offered"} == {"create", "list"}


@pytest.mark.parametrize("account", [None, "me"])
def test_the_token_of_a_single_connection_is_refused_with_a_hint(
    account: str | None, unified: Unified
) -> None:
    with publishing() as published:
        result = unified(f"capabilities --product {NAME}", environ=published.environ(OWN, account))
    assert (result.code, result.stdout) == (7, "")
    assert hints.OWN_TOKEN in result.stderr


@pytest.mark.parametrize(
    ("typed", "code"),
    [("--product nope", 4), ("--product a/b", 2), ("--product ''", 2), ("--product x --probe", 2),
     ("--product x -p a -p b", 2)],
)  # fmt: skip
def test_a_request_that_is_impossible_is_explained(typed: str, code: int, unified: Unified) -> None:
    with publishing() as published:
        result = unified(f"capabilities {typed}", environ=published.environ(ENVIRONMENT))
    assert (result.code, result.stdout) == (code, "")
    assert result.stderr.startswith("error: ")


def test_a_missing_product_is_reported_as_missing(unified: Unified) -> None:
    with publishing() as published:
        result = unified("capabilities --product nope", environ=published.environ(ENVIRONMENT))
    assert result.stderr.splitlines()[0].endswith(
        "(give its slug or its id, which `unified connections list` shows)"
    )
    assert "account" not in result.stderr


def test_a_product_without_an_api_is_reported_as_such(unified: Unified) -> None:
    with publishing() as published:
        published.change("product-capabilities", lambda body: {**body, "unified": []})
        result = unified(
            f"capabilities ticketing/tags --product {NAME} -o ndjson", environ=published.environ()
        )
    whys = {json.loads(line)["why"] for line in result.stdout.splitlines()}
    assert whys == {"no unified API is installed or mapped for this product"}


def test_a_read_only_profile_says_nothing_of_a_product(unified: Unified, config: object) -> None:
    config('[profiles.a]\nbase_url = "sandbox:"\naccount_id = "full"\nread_only = true\n')  # type: ignore[operator]
    result = unified("-p a capabilities ticketing/tickets --product deskly")
    assert result.code == 0
    assert "read-only" not in result.stdout


@pytest.mark.parametrize(
    ("form", "begins"),
    [("json", "{"), ("md", "# Deskly"), ("html -o raw", "<!doctype html><title>Deskly")],
)
def test_the_description_of_a_product_is_printed(
    form: str, begins: str, unified: Unified, unified_sandbox: UnifiedSandbox
) -> None:
    environ = {"UNIFIED_BASE_URL": unified_sandbox.url, "UNIFIED_TOKEN": unified_sandbox.token}
    request = f"request GET /unified/meta/ticketing/deskly -q format={form}"
    result = unified(request, environ=environ)
    assert (result.code, result.stderr) == (0, "")
    assert result.stdout.startswith(begins)
    own = {**environ, "UNIFIED_TOKEN": f"{unified_sandbox.token}:full", "UNIFIED_ACCOUNT_ID": "me"}
    refused = unified(request, environ=own)
    assert (refused.code, hints.OWN_TOKEN in refused.stderr) == (7, True)
