"""The options that name the connection may come right after the program's name."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

LIST = "voice calls list --dry-run"


@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("-a acct-2", ""),
        ("-p sandbox -a acct-2", ""),
        ("-a acct-1", "-a acct-2"),
        ("-p sandbox", "--account-id acct-2"),
    ],
)
def test_the_connection_may_be_named_before_the_api(
    early: str, late: str, unified: Unified, service: Service
) -> None:
    result = unified(f"{early} {LIST} {late}", environ=service.environ)
    assert (result.stderr, result.code) == ("", 0)
    assert result.json["url"].endswith("?integrated_account_id=acct-2")


def test_the_service_and_the_token_may_be_named_before_the_api(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("t-from-file")
    environ = {"UNIFIED_ACCOUNT_ID": "acct-1"}
    words = (
        f"--base-url {service.environ['UNIFIED_BASE_URL']} --token-file {tmp_path}/token voice"
        " calls list"
    )
    assert unified(words, environ=environ).code == 0
    assert (
        unified(
            words.replace(f"file {tmp_path}/token", "stdin"), environ=environ, stdin=b"t-piped\n"
        ).code
        == 0
    )
    assert [seen.headers["authorization"] for seen in service.seen] == [
        "Bearer t-from-file",
        "Bearer t-piped",
    ]


def test_an_account_before_the_api_belongs_to_one_connection(
    unified: Unified, config: Callable[[str], Path]
) -> None:
    config('[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id = "2"\n')
    result = unified("-a 7 -p a -p b voice calls list")
    assert (result.stderr, result.code) == (
        "error: -a names one connection, but -p names several (leave out -a or -p)\n",
        2,
    )


def test_profiles_before_the_api_and_after_it_are_selected_together(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(
        '[profiles.a]\naccount_id = "1"\n[profiles.b]\naccount_id = "2"\n[profiles.c]\naccount_id ='
        ' "3"\n'
    )
    deleted = "ticketing tickets delete 7"
    asked = unified(f"-p a {deleted} -p b", environ=service.environ)
    assert (asked.code, service.seen) == (2, [])
    assert unified(f"-p a {deleted} -p b --yes", environ=service.environ).code == 0
    assert {dict(seen.query)["integrated_account_id"] for seen in service.seen} == {"1", "2"}
    service.seen.clear()
    service.reply = lambda _: Reply(200, b'{"result":[],"next_cursor":null}')
    assert unified("-p ? voice calls list -p '!c'", environ=service.environ).code == 0
    assert {dict(seen.query)["integrated_account_id"] for seen in service.seen} == {"1", "2"}


@pytest.mark.parametrize(
    "command",
    ["import ticketing/tags {}", "capabilities ticketing", "schema ticketing/tags", "doctor"],
)
def test_a_format_that_a_command_does_not_have_is_refused_before_anything_is_sent(
    command: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    records = tmp_path / "tags.ndjson"
    records.write_text('{"name": "a"}\n')
    result = unified(f"-o ids {command.format(records)}", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert "this command does not support -o ids (choose from table, " in result.stderr
    assert [*tmp_path.glob("*.unified-*")] == []
