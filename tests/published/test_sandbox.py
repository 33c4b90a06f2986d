"""The sandbox answers as is published: the same files say how."""

import json
from typing import Any

import httpx
import pytest
from publishing import ACCOUNT, Shape, differences, names, shape

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

FIRST = {"ticketing": "tickets-1", "user-directory": "users-1"}
# Which request, and of which connection, ends with such an error.
ERRORS = {
    "wrong-token": ("full", {}),
    "own-token": ("full", {}),
    "no-account": ("", {}),
    "not-found": ("nothing", {}),
    "no-writes": ("read-only", {"name": "x"}),
    "blocked": ("blocked", {}),
    "needs-login": ("needs-reauth", {}),
    "missing-scopes": ("missing-scopes", {"name": "x"}),
}
TOKENS = {"own-connection": ":full", "error-own-token": ":full", "error-wrong-token": "-wrong"}


def asked(
    sandbox: UnifiedSandbox, name: str, one: Shape, account: str, sends: Any
) -> httpx.Response:
    path = (
        one.path.replace(ACCOUNT, account)
        .replace("9001", "tickets-1")
        .replace("paperdesk", "deskly")
    )
    scoped = path.split("/")[1] in ("unified", "proxy", "custom")
    # A file is sent as a form.
    content: dict[str, Any] = (
        {"files": {"file": ("x.txt", b"x")}} if name == "file" else {"json": sends}
    )
    return httpx.request(
        one.method,
        sandbox.url + path,
        params={**({"integrated_account_id": account} if scoped and account else {}), **one.query},
        **(content if one.method in ("POST", "PATCH") else {}),
        headers={"Authorization": f"Bearer {sandbox.token}{TOKENS.get(name, '')}"},
        timeout=20,
    )


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        (name, kind)
        for name in names()
        if not name.startswith("error-")
        # Writes are tried once.
        for kind in (
            ["full", "missing-scopes", "remapped"] if shape(name).method == "GET" else ["full"]
        )
    ],
)
def test_the_sandbox_answers_as_is_published(
    unified_sandbox: UnifiedSandbox, name: str, kind: str
) -> None:
    one = shape(name)
    # The id in the file is another's.
    sends = {
        "unified-action": {"user_id": "users-1"},
        "batch": {**(one.sends or {}), "integrated_account_id": "full"},
        "refresh-credentials": {"id": "full"},
        **{key: {"integrated_account_id": "full"} for key in ("link-token", "account-token")},
    }.get(name, one.sends)
    answer = asked(unified_sandbox, name, one, "full" if name == "own-connection" else kind, sends)
    assert answer.status_code == one.status
    assert differences(answer.json(), one.body, one.optional) == []


@pytest.mark.parametrize("name", ERRORS)
def test_the_sandbox_refuses_as_is_published(unified_sandbox: UnifiedSandbox, name: str) -> None:
    one = shape(f"error-{name}")
    account, sends = ERRORS[name]
    answer = asked(unified_sandbox, f"error-{name}", one, account, sends)
    assert answer.status_code == one.status
    assert differences(answer.json(), one.body, one.optional) == []


def test_a_rate_limit_is_answered_as_published(
    unified_sandbox: UnifiedSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = shape("error-rate-limit")
    # A busy machine may need longer for a few requests than the window of the limit.
    monkeypatch.setattr(unified_sandbox._sandbox, "_wall", lambda: 0.0)
    answers = [asked(unified_sandbox, "", one, "rate-limited", {}) for _ in range(6)]
    assert [answer.status_code == one.status for answer in answers] == [False] * 5 + [True]
    answer = answers[-1]
    assert answer.headers["retry-after"].isdigit()


def test_an_offer_is_narrowed_as_is_published(unified_sandbox: UnifiedSandbox) -> None:
    def offer(account: str = "full", **query: str) -> Any:
        place = f"{unified_sandbox.url}/integrated-account/{account}/capabilities"
        return httpx.get(
            place, params=query, headers={"Authorization": f"Bearer {unified_sandbox.token}"}
        ).json()

    whole = offer()
    assert {"proxy", "unified"} <= whole.keys()
    assert {one["method"] for entry in whole["proxy"] for one in entry["methods"]} == {"list"}
    every = offer(has_description="false")["proxy"]
    assert {one["method"] for entry in every for one in entry["methods"]} >= {
        "list", "get", "create", "delete", "download",
    }  # fmt: skip
    assert len(every) >= len(whole["proxy"])
    assert "proxy" not in offer(type="unified")
    assert "unified" not in offer(type="proxy")
    assert "statusCode" in offer(type="other")
    one = offer(resource="tickets,users")
    assert {entry["resource"] for part in ("proxy", "unified") for entry in one[part]} == {
        "tickets",
        "users",
    }
    assert (
        offer(type="proxy", methods="get", has_description="false")["proxy"][0]["methods"][0][
            "method"
        ]
        == "get"
    )
    assert {entry["model"] for entry in offer("help-desk")["unified"]} == {"ticketing"}
    assert offer("blocked")["account"] | {"authentication_method": ""} == {
        "id": "blocked", "status": "active", "authentication_method": "", "is_blocked": True,
    }  # fmt: skip
    assert {entry["env_overridden"] for entry in offer("remapped")["unified"]} == {True}


def test_shapes_that_differ_are_distinct() -> None:
    one = shape("capabilities")
    assert differences(json.loads(json.dumps(one.body)), one.body, one.optional) == []
    old = {
        "integrated_account_id": "full",
        "type": "unified",
        "unified": {"ticketing": {"tickets": ["list"]}},
    }
    assert "unified is dict, not list" in differences(old, one.body, one.optional)
    assert "integration is missing" in differences(old, one.body, one.optional)
    assert "type is not published" in differences(old, one.body, one.optional)
