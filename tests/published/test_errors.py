"""Errors as published, and the message for each."""

import pytest
from front_door import Unified
from publishing import ACCOUNT, ENVIRONMENT, PublishedService

LIST, TICKETS = "ticketing tickets list", "/unified/ticketing/tickets"
CREATE = "ticketing tickets create -f name=x"
PROXY = "request GET /proxy/tickets"
REVOKED = "its owner must sign in again: unified connections link -p NAME makes a token for that"
SUPPORT = (
    "the account is blocked; unified connections refresh -p NAME, or a new login by its owner"
    " (unified connections link -p NAME), may unblock it; otherwise the service's support can"
)


@pytest.mark.parametrize(
    ("name", "command", "code", "said"),
    [
        (
            "not-found",
            LIST,
            4,
            [f"the service answered 404 to GET {TICKETS}: There is nothing here"],
        ),
        ("no-writes", CREATE, 4, ["the service answered 405", "A sandbox account takes no writes"]),
        ("blocked", LIST, 7, ["The integrated account is blocked", SUPPORT]),
        (
            "needs-login",
            LIST,
            7,
            ["the provider answered 401", f": The refresh token was revoked ({REVOKED})"],
        ),
        (
            "missing-scopes",
            CREATE,
            7,
            ["the provider answered 403", "missing scopes: tickets:write"],
        ),
        ("validation", CREATE, 4, ["The body is not valid", "\n  name: is required\n"]),
        (
            "details",
            PROXY,
            4,
            ["the provider answered 400 to GET /proxy/tickets: the filter is not known\n"],
        ),
    ],
)
def test_an_error_is_printed_in_its_own_words(
    unified: Unified,
    published: PublishedService,
    name: str,
    command: str,
    code: int,
    said: list[str],
) -> None:
    method = "POST" if command == CREATE else "GET"
    published.fail(name, "/proxy/tickets" if "proxy" in command else TICKETS, method)
    result = unified(command, environ=published.environ())
    assert result.code == code
    for words in said:
        assert words in result.stderr


def test_a_rule_comes_last_and_is_called_one(unified: Unified, published: PublishedService) -> None:
    published.fail("conditional", TICKETS, "POST")
    result = unified(CREATE, environ=published.environ())
    rule = "collection (body fields): needed where a ticket belongs to a project"
    assert (
        result.stderr
        == f"error: the provider answered 422 to POST {TICKETS}: subject is too long\n  not the"
        f" cause, but sometimes required: {rule}\n"
    )
    assert result.code == 4


def test_a_limit_is_waited_for(unified: Unified, published: PublishedService) -> None:
    published.fail("rate-limit", TICKETS)
    result = unified(f"{LIST} --timeout 5", environ=published.environ())
    assert (result.code, "429" in result.stderr) == (8, True)


def test_a_call_without_an_account_names_the_missing_option(
    unified: Unified, published: PublishedService
) -> None:
    published.fail("no-account", TICKETS)
    result = unified(LIST, environ=published.environ(ENVIRONMENT, ACCOUNT))
    assert (result.code, "integrated_account_id is required" in result.stderr) == (4, True)
