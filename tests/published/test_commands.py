"""Every command that reads a published shape, against a service that answers exactly
so.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from junitparser import JUnitXml
from publishing import ACCOUNT, ENVIRONMENT, OWN, PublishedService, names, shape

OFFERED = {
    "ticketing tickets": {"list", "create", "get"},
    "ticketing comments": {"list", "create"},
    "ticketing attachments": {"list", "download"},
    "user-directory users": {"list", "suspend"},
}
ALSO = "also offered: 1 resource of the provider (tickets)\n"
LOGIN = "invalid_grant: the refresh token is not valid"


def offered(result: Any) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for one in map(json.loads, result.stdout.splitlines()):
        if one["state"] == "offered":
            found.setdefault(f"{one['api']} {one['resource']}", set()).add(one["operation"])
    return found


def blocked(body: Any) -> Any:
    body["account"]["is_blocked"] = True
    return body


def changed(**members: Any) -> Any:
    return lambda body: {**body, **members}


def test_offers_and_refusals_match_the_file(unified: Unified, published: PublishedService) -> None:
    environ = published.environ()
    result = unified("capabilities -o ndjson", environ=environ)
    assert (result.code, result.stderr) == (0, ALSO)
    assert offered(result) == OFFERED
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert {one["state"] for one in lines} == {"offered", "refused", "extra"}
    assert lines[0] == {
        "_profile": ACCOUNT,
        "api": "ticketing",
        "resource": "accounts",
        "operation": "list",
        "state": "refused",
        "why": "not in the service's list of what it offers",
        "status": "active",
        "blocked": False,
        "held": None,
    }
    whys = {
        one["why"] for one in lines if f"{one['api']}/{one['resource']}" == "ticketing/comments"
    }
    assert whys == {"the environment has its own mapping for it", lines[0]["why"]}
    assert [seen.target for seen in published.seen] == [
        f"/integrated-account/{ACCOUNT}/capabilities?has_description=false",
        f"/integrated-account/{ACCOUNT}",
    ]
    assert (
        unified("capabilities ticketing/tickets -o json", environ=environ).json["capabilities"][0][
            "blocked"
        ]
        is False
    )
    csv = unified("capabilities ticketing/comments -o csv", environ=environ).stdout.splitlines()
    assert csv[:2] == [
        "_profile,api,resource,operation,state,why,status,blocked",
        (
            f"{ACCOUNT},ticketing,comments,list,offered,the environment has its own mapping"
            " for it,active,no"
        ),
    ]
    (suite,) = JUnitXml.fromstring(
        unified("capabilities ticketing/tickets -o junit", environ=environ).raw
    )
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 0, 0, 3)


def test_a_blocked_account_stands_out(unified: Unified, published: PublishedService) -> None:
    published.change("capabilities", blocked)
    environ = published.environ()
    result = unified("capabilities ticketing/tickets", environ=environ, tty=True, columns=120)
    assert result.stdout.splitlines()[1:] == [
        "ticketing/tickets  no  no  no  no  no",
        "  import: no",
        "L list, C create, G get, U update, D delete",
        "",
        "refused (ticketing tickets update, ticketing tickets delete, ticketing tickets import):",
        f"    {ACCOUNT}",
        f"the account is blocked: {ACCOUNT}",
    ]
    assert result.stderr == ""
    line = json.loads(
        unified("capabilities ticketing/tickets -o ndjson", environ=environ).stdout.splitlines()[0]
    )
    assert (line["state"], line["why"]) == ("offered", "the account is blocked")
    assert (line["status"], line["blocked"], line["held"]) == ("active, blocked", True, "blocked")
    (suite,) = JUnitXml.fromstring(
        unified("capabilities ticketing/tickets -o junit", environ=environ).raw
    )
    assert (suite.failures, suite.skipped) == (3, 3)


def test_a_connection_that_lacks_scopes_stands_out(
    unified: Unified, published: PublishedService
) -> None:
    lacking = shape("connections").body["result"][1]["last_forbidden_error"]
    published.change("connection", changed(last_forbidden_error=lacking))
    environ = published.environ()
    said = "lacks scopes: tickets:write, read:tags (tickets create, 2024-09-11 17:02:44)"
    result = unified("capabilities ticketing/tickets", environ=environ, tty=True, columns=120)
    assert result.stderr == f"{ACCOUNT}: {said}\n"
    lines = map(
        json.loads,
        unified("capabilities ticketing/tickets -o ndjson", environ=environ).stdout.splitlines(),
    )
    assert {
        one["operation"]: (one["why"], one["status"]) for one in lines if one["state"] == "offered"
    } == {
        "list": (None, "active, lacks scopes"),
        "get": (None, "active, lacks scopes"),
        "create": (said, "active, lacks scopes"),
    }
    doctor = unified("doctor --network -o json", environ=environ)
    assert doctor.code == 0
    (one,) = (one for one in doctor.json["findings"] if one["check"] == "connection")
    assert (one["level"], one["message"].partition("; ")[2]) == (
        "warning",
        f"token accepted; active, {said}",
    )
    test = unified("profile test -o json", environ=environ)
    assert (test.code, test.json["profiles"][0]["verdict"]) == (0, "active, lacks scopes")


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({}, 5),
        ([], 5),
        ({"unified": None}, 5),
        ({"unified": {"ticketing": {"tickets": ["list"]}}}, 5),
        ({"unified": [7, {"model": "ticketing"}]}, 5),
        ("text", 5),
        ({"proxy": []}, 5),
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error(
    unified: Unified, published: PublishedService, answer: Any, code: int
) -> None:
    published.change("capabilities", lambda _: answer)
    result = unified("capabilities ticketing/tickets", environ=published.environ())
    assert (result.code, "unknown" in result.stdout) == (code, False)
    assert "the answer names no operations" in result.stderr


def test_partly_known_facts_are_reported_and_the_rest_used(
    unified: Unified, published: PublishedService
) -> None:
    def alter(body: Any) -> Any:
        del body["account"], body["auth"], body["proxy"], body["integration"]
        body["unified"][0] |= {"methods": ["list", 7, "list", None], "more": 1}
        body["unified"] += [
            7,
            {"model": "ticketing", "resource": "tags"},
            {"model": 1, "resource": "tags", "methods": []},
        ]
        return body

    published.change("capabilities", alter)
    result = unified("capabilities -o ndjson", environ=published.environ())
    assert (result.code, result.stderr) == (
        0,
        f"{ACCOUNT}: 3 entries of its offer cannot be read\n",
    )
    assert offered(result) == {**OFFERED, "ticketing tickets": {"list"}}


def test_half_a_surrogate_pair_hides_nothing(unified: Unified, published: PublishedService) -> None:
    published.change("capabilities", lambda body: {**body, "environment_id": "\ud800"})
    result = unified("capabilities -o ndjson", environ=published.environ())
    assert (result.code, result.stderr, offered(result)) == (0, ALSO, OFFERED)


def test_a_connection_without_installed_apis_is_not_an_error(
    unified: Unified, published: PublishedService
) -> None:
    published.change("capabilities", changed(unified=[]))
    result = unified("capabilities ticketing/tickets -o ndjson", environ=published.environ())
    assert (result.code, result.stderr) == (0, "")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert {(one["state"], one["why"]) for one in lines} == {
        ("refused", "no unified API is installed or mapped for this connection")
    }


def test_a_refusal_is_answered_with_the_offers(
    unified: Unified, published: PublishedService
) -> None:
    result = unified("ticketing tags list", environ=published.environ(), tty=True, columns=200)
    assert result.code == 4
    assert (
        "; of ticketing, this connection offers only tickets, comments, attachments"
        in result.stderr
    )


def test_an_offer_cached_by_another_version_is_ignored(
    unified: Unified, published: PublishedService, tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("config", "cache", "data")}
    world: dict[str, Any] = {
        "environ": published.environ(),
        "folders": folders,
        "tty": True,
        "columns": 200,
    }
    said = "of ticketing, this connection offers only tickets, comments, attachments"
    assert said in unified("ticketing tags list", **world).stderr
    (kept,) = (tmp_path / "cache" / "capabilities").iterdir()
    published.seen.clear()
    assert said in unified("ticketing tags list", **world).stderr
    assert len(published.seen) == 1
    old = json.loads(kept.read_text())
    kept.write_text(json.dumps({**old, "value": {"ticketing": {"tags": ["list"]}}}))
    assert said in unified("ticketing tags list", **world).stderr
    assert len(published.seen) == 3


def test_an_expectation_is_skipped_where_it_is_not_offered(
    unified: Unified, published: PublishedService, tmp_path: Path
) -> None:
    report = tmp_path / "report.xml"
    unified(
        f"ticketing tags list --expect 'length > 0' --junit {report}", environ=published.environ()
    )
    (suite,) = JUnitXml.fromstring(report.read_bytes())
    assert (suite.tests, suite.skipped) == (1, 1)
    failed = unified("ticketing tickets list --expect 'length > 1'", environ=published.environ())
    assert failed.code == 14


def test_connections_are_listed_with_their_problems(
    unified: Unified, published: PublishedService
) -> None:
    environ = published.environ(account=None)
    result = unified("connections list", environ=environ)
    assert (result.code, result.stderr) == (0, "")
    assert [line.split("\t")[1:5] for line in result.stdout.splitlines()] == [
        ["paperdesk", "north-mill", "active", "no"],
        ["paperdesk", "salt-harbour", "active, lacks scopes", "no"],
        ["paperdesk", "grey-lantern", "needs_reauth", "no"],
        ["paperdesk", "tall-pine", "paused", "yes"],
    ]
    found = unified("connections list -o json", environ=environ)
    assert "canary" not in found.stdout
    assert found.json["connections"][1] == {
        "id": "1f2d7a90-8a8e-4a4a-b6a4-f0d2c9e1aa12",
        "product": "paperdesk",
        "category": "ticketing",
        "tenant": "salt-harbour",
        "status": "active",
        "blocked": None,
        "sandbox": False,
        "created": "2024-09-01 10:00:00",
        "updated_at": "2024-09-12 08:30:15",
        "authentication_method": "oauth2",
        "region": "eu",
        "last_error": "",
        "last_forbidden_error": {
            "resource": "tickets",
            "method": "create",
            "missing_scopes": ["tickets:write", "read:tags"],
            "occurred_at": "2024-09-11 17:02:44",
        },
        "profiles": [],
    }
    for where in (
        '.region == "wnam"',
        '.last_error | test("invalid_grant")',
        '.status == "needs_reauth"',
        '.authentication_method | endswith("credentials")',
        '.updated_at > "2024" and .tenant == "grey-lantern"',
    ):
        one = unified(["connections", "list", "--where", where], environ=environ).stdout
        assert [line.split("\t")[2] for line in one.splitlines()] == ["grey-lantern"], where


def test_the_health_of_connections_is_asked(unified: Unified, published: PublishedService) -> None:
    published.change("capabilities", blocked)
    result = unified("connections list --health", environ=published.environ(account=None))
    assert [(line.split("\t")[3], line.split("\t")[-1]) for line in result.stdout.splitlines()] == [
        ("active, blocked", "the account is blocked"),
        ("needs_reauth", f"the connection needs a new login (needs_reauth: {LOGIN})"),
        ("paused", "the connection's status is paused"),
        (
            "active, lacks scopes",
            "lacks scopes: tickets:write, read:tags (tickets create, 2024-09-11 17:02:44)",
        ),
    ]
    counts = "2 of 4 connections failing, counted as in profile test; not counted: "
    assert (result.code, result.stderr) == (0, f"{counts}paused 1, lacks scopes 1\n")
    wrong = published.answers["GET", f"/integrated-account/{ACCOUNT}/capabilities"]
    published.change("capabilities", lambda _: [])
    again = unified("connections list --health", environ=published.environ(account=None))
    last = f"\nerror: 1 of 4 connections failed: {ACCOUNT}\n"
    assert (again.code, again.stderr.endswith(last)) == (9, True)
    assert wrong.status == 200


@pytest.mark.parametrize(
    ("status", "word", "code"),
    [
        ("active", "ready", 0),
        ("needs_reauth", "needs authorising", 7),
        ("expired", "needs authorising", 7),
        ("blocked", "blocked", 7),
        ("validation_error", "validation_error", 5),
        ("connecting", "connecting", 0),
        ("a_new_one", "a_new_one", 0),
    ],
)
def test_the_status_of_a_connection_is_its_health(
    unified: Unified, published: PublishedService, status: str, word: str, code: int
) -> None:
    published.change("connection", changed(status=status))
    published.change(
        "capabilities", lambda body: {**body, "account": {**body["account"], "status": status}}
    )
    result = unified("profile test -o json --quiet", environ=published.environ())
    assert (result.code, result.json["profiles"][0]["verdict"]) == (code, word)
    assert unified("doctor --network --quiet", environ=published.environ()).code == code


def test_a_blocked_connection_is_not_healthy(unified: Unified, published: PublishedService) -> None:
    published.change("capabilities", blocked)
    result = unified("profile test", environ=published.environ())
    assert (result.code, result.stdout.split("\t")[1]) == (7, "blocked")
    assert "unified connections refresh -p NAME, or a new login by its owner" in result.stdout


COMMANDS = {
    "connections": "request GET /integrated-account",
    "connection": f"request GET /integrated-account/{ACCOUNT}",
    "capabilities": f"request GET /integrated-account/{ACCOUNT}/capabilities",
    "product-capabilities": "request GET /integration/paperdesk/capabilities",
    "tools": f"request GET /integrated-account/{ACCOUNT}/tools",
    "batch": f"request POST /batch-request -f integrated_account_id={ACCOUNT}",
    "file": "request POST /file -d '{}' --yes --quiet",
    "refresh-credentials": f"request POST /integrated-account/refresh-credentials -f id={ACCOUNT}",
    "link-token": f"request POST /link-token -f integrated_account_id={ACCOUNT}",
    "account-token": (f"request POST /integrated-account/token -f integrated_account_id={ACCOUNT}"),
    "account-mcp": f"request POST /integrated-account/{ACCOUNT}/mcp -d '{{}}'",
    "log": "request GET /log",
    "unified-list": "ticketing tickets list",
    "unified-record": "ticketing tickets get 9001",
    "unified-create": "ticketing tickets create -f name=x",
    "unified-update": "ticketing tickets update 9001 -f name=x",
    "unified-delete": "ticketing tickets delete 9001 --yes",
    "unified-action": "user-directory users suspend -f user_id=u-7",
    "unified-method": "request GET /unified/ticketing/tickets/meta/list",
    "proxy-list": "request GET /proxy/tickets",
    "proxy-record": "request GET /proxy/tickets/9001",
    "custom": "request POST /custom/tickets/merge -d '{}'",
    "own-connection": "request GET /integrated-account/me",
}
BESIDE = (
    "connections",
    "connection",
    "capabilities",
    "product-capabilities",
    "tools",
    "batch",
    "file",
    "refresh-credentials",
    "account-token",
    "account-mcp",
    "link-token",
    "log",
    "own-connection",
)


def test_every_shape_has_a_command() -> None:
    assert {name for name in names() if not name.startswith("error-")} == {*COMMANDS}


def without_context(body: Any) -> Any:
    if isinstance(body, list):
        return [without_context(one) for one in body]
    return (
        {k: without_context(v) for k, v in body.items() if k != "context"}
        if isinstance(body, dict)
        else body
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_an_answer_is_passed_on_and_the_account_named_where_it_is_due(
    unified: Unified, published: PublishedService, name: str
) -> None:
    own = name == "own-connection"
    account = None if name in BESIDE else ACCOUNT
    result = unified(
        COMMANDS[name], environ=published.environ(OWN if own else ENVIRONMENT, account)
    )
    assert (result.code, result.stderr) == (0, "")
    published_body = shape(name).body
    assert result.json == (without_context(published_body) if name in BESIDE else published_body)
    (seen,) = published.seen
    assert [key for key, _ in seen.query] == ([] if name in BESIDE else ["integrated_account_id"])


@pytest.mark.parametrize("items", ["result", "results"])
def test_a_list_of_the_platform_is_read_by_either_name(
    unified: Unified, published: PublishedService, items: str
) -> None:
    published.change(
        "connections", lambda body: {items: body["result"], "next_cursor": None, "limit": 5000}
    )
    environ = published.environ(account=None)
    assert len(unified("connections list", environ=environ).stdout.splitlines()) == 4
    listed = unified("request GET /integrated-account --all -o ids", environ=environ)
    assert (listed.code, len(listed.stdout.splitlines())) == (0, 4)
