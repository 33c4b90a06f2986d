"""The token of a connection, that of an environment, and a wrong one: the calls that
work, and the messages of the rest.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from publishing import ACCOUNT, ENVIRONMENT, OWN, PublishedService

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

ME = "/integrated-account/me"
FOR_BOTH = {
    "list": "ticketing tickets list",
    "all": "ticketing tickets list --all -o ndjson",
    "get": "ticketing tickets get 9001",
    "create": "ticketing tickets create -f name=x",
    "update": "ticketing tickets update 9001 -f name=x",
    "delete": "ticketing tickets delete 9001 --yes",
    "action": "user-directory users suspend -f user_id=u-7",
    "expect": "ticketing tickets list --expect 'length == 1'",
    "proxy": "request GET /proxy/tickets",
    "custom": "request POST /custom/tickets/merge -d '{}'",
    "schema": "schema ticketing/tickets",
    "test": "profile test",
    "doctor": "doctor --network",
}
FOR_THE_ENVIRONMENT = {
    "capabilities": "capabilities ticketing/tickets",
    "connections": "connections list",
    "batch": "request POST /batch-request -d '{}'",
    "tools": f"request GET /integrated-account/{ACCOUNT}/tools",
    "product": "request GET /integration/paperdesk/capabilities",
    "file": "request POST /file -d '{}' --yes --quiet",
    "log": "logs",
    "token": f"request POST /integrated-account/token -f integrated_account_id={ACCOUNT}",
    "mcp": f"request POST /integrated-account/{ACCOUNT}/mcp -d '{{}}'",
    "link": f"request POST /link-token -f integrated_account_id={ACCOUNT}",
}
NOT_OPEN = "the token of a single connection may not do this: use the environment's token"


def scoped(published: PublishedService) -> list[list[str]]:
    """The names in the queries of the requests about records."""
    return [
        [name for name, _ in seen.query]
        for seen in published.seen
        if seen.segments[0] in "unified proxy custom"
    ]


@pytest.mark.parametrize("name", FOR_BOTH)
def test_with_its_own_token_no_account_is_sent(
    unified: Unified, published: PublishedService, name: str
) -> None:
    result = unified(FOR_BOTH[name], environ=published.environ(OWN, "me"))
    assert result.code == 0, result.stderr
    assert published.seen[0].path == ME
    assert all("integrated_account_id" not in names for names in scoped(published))
    assert bool(scoped(published)) is (name not in ("test", "doctor"))


@pytest.mark.parametrize("name", [*FOR_BOTH, *FOR_THE_ENVIRONMENT])
def test_with_the_token_of_the_environment_the_account_is_named(
    unified: Unified, published: PublishedService, name: str
) -> None:
    result = unified({**FOR_BOTH, **FOR_THE_ENVIRONMENT}[name], environ=published.environ())
    assert result.code == 0, result.stderr
    assert all(names[0] == "integrated_account_id" for names in scoped(published))


@pytest.mark.parametrize("name", FOR_THE_ENVIRONMENT)
def test_the_error_names_actions_that_a_connections_own_token_may_not_do(
    unified: Unified, published: PublishedService, name: str
) -> None:
    result = unified(FOR_THE_ENVIRONMENT[name], environ=published.environ(OWN, "me"))
    assert result.code == 7
    assert NOT_OPEN in result.stdout + result.stderr


@pytest.mark.parametrize("name", [*FOR_BOTH, *FOR_THE_ENVIRONMENT])
@pytest.mark.parametrize("account", ["me", ACCOUNT])
def test_a_wrong_token_is_refused(
    unified: Unified, published: PublishedService, name: str, account: str
) -> None:
    command = {**FOR_BOTH, **FOR_THE_ENVIRONMENT}[name]
    result = unified(command, environ=published.environ("tk-w-5555555555", account))
    assert result.code == 7
    assert {seen.method for seen in published.seen} <= {"GET", "POST", "PATCH", "DELETE"}
    assert len(published.seen) == 1


@pytest.mark.parametrize("name", FOR_BOTH)
def test_a_forgotten_account_id_sends_nothing(
    unified: Unified, published: PublishedService, name: str
) -> None:
    for token in (ENVIRONMENT, OWN):
        result = unified(FOR_BOTH[name], environ=published.environ(token, None))
        assert (result.code, published.seen) == (3, [])
    assert "no account id" in result.stdout + result.stderr


def test_the_token_of_the_environment_belongs_to_no_single_connection(
    unified: Unified, published: PublishedService
) -> None:
    result = unified(
        "ticketing tickets delete 9001 --yes -a me", environ=published.environ(account=None)
    )
    assert result.code == 4
    assert 'the account id "me" is for the token of a single connection' in result.stderr
    assert [seen.path for seen in published.seen] == [ME]


def test_shown_commands_request_nothing(unified: Unified, published: PublishedService) -> None:
    environ = published.environ(OWN, "me")
    shown = unified("ticketing tickets update 9001 -f name=x --dry-run", environ=environ)
    assert shown.json["url"] == f"{published.url}/unified/ticketing/tickets/9001"
    curl = unified("ticketing tickets list -q limit=2 --as curl", environ=environ)
    assert f"{published.url}/unified/ticketing/tickets?limit=2' " in curl.stdout
    assert published.seen == []


def test_the_identity_is_the_id_that_the_service_gives(
    unified: Unified, published: PublishedService, config: Callable[[str], Path], tmp_path: Path
) -> None:
    config(f'base_url = "{published.url}"\n[profiles.own]\naccount_id = "me"\ntoken = "{OWN}"\n')
    environ = {"UNIFIED_PROFILE": "own"}
    assert unified(f"export ticketing/tickets --to {tmp_path}/dump", environ=environ).code == 0
    assert ACCOUNT in (tmp_path / "dump" / "manifest.json").read_text()
    # Another connection's token continues none of it.
    published.change("own-connection", lambda body: {**body, "id": "another-connection"})
    again = unified(f"export ticketing/tickets --to {tmp_path}/dump", environ=environ)
    assert again.code == 12
    published.change("own-connection", lambda body: body)
    sent = unified("ticketing tickets update - -f name=y", environ=environ, stdin=b"9001\n9001\n")
    assert sent.code == 0, sent.stderr
    (run,) = (one for one in unified("runs list -o json").json["runs"] if one["id"] in sent.stderr)
    shown = unified(["runs", "show", run["id"], "-o", "json"]).stdout
    assert (shown.count(f'"account_id":"{ACCOUNT}"'), '"account_id":"me"' in shown) == (2, False)


def test_profiles_with_tokens_of_their_own_are_several_connections(
    unified: Unified, published: PublishedService, config: Callable[[str], Path]
) -> None:
    config(
        f'base_url = "{published.url}"\n'
        f'[profiles.own]\naccount_id = "me"\ntoken = "{OWN}"\n'
        f'[profiles.same]\naccount_id = "{ACCOUNT}"\ntoken = "{ENVIRONMENT}"\n'
        f'[profiles.wrong]\naccount_id = "me"\ntoken = "{ENVIRONMENT}"\n'
    )
    read = unified("-p own -p same ticketing tickets list -o ndjson")
    assert read.code == 0, read.stderr
    assert "own, same are the same connection" in read.stderr
    assert {json.loads(line)["_profile"] for line in read.stdout.splitlines()} == {"own", "same"}
    write = unified("-p own -p same ticketing tickets create -f name=x --yes")
    assert (write.code, "are the same connection" in write.stderr) == (2, True)
    part = unified("-p own -p wrong ticketing tickets list -o ndjson")
    assert (part.code, len(part.stdout.splitlines())) == (9, 1)


def test_the_sandbox_knows_such_tokens(unified: Unified, unified_sandbox: UnifiedSandbox) -> None:
    own = {
        "UNIFIED_BASE_URL": unified_sandbox.url,
        "UNIFIED_TOKEN": f"{unified_sandbox.token}:help-desk",
    }
    listed = unified("-a me ticketing tickets list --limit 1 -o ids", environ=own)
    assert (listed.code, listed.stdout) == (0, "tickets-1\n")
    assert unified("profile test", environ={**own, "UNIFIED_ACCOUNT_ID": "me"}).code == 0
    refused = unified("-a me capabilities ticketing/tickets", environ=own)
    assert (refused.code, NOT_OPEN in refused.stderr) == (7, True)
    whole = {**own, "UNIFIED_TOKEN": unified_sandbox.token}
    assert unified("-a me ticketing tickets list", environ=whole).code == 4
