"""`unified logs`: what the service did, without the credentials in it."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import cursor_of, served
from server import Seen, Service

Config = Callable[[str], Path]
SECRET = "sk_live_0123456789abcdef"
NAMES = ("one", "two", "three")


def entry(number: int, account: str, **more: Any) -> dict[str, Any]:
    status = 502 if number % 4 == 0 else 200
    return {
        "timestamp": f"2026-11-27T10:00:{number % 60:02}.000Z",
        "integrated_account_id": account,
        "resource": "ticketing/tickets",
        "method": "list",
        "http_url": f"https://api.example/v3/tickets?api_key={SECRET}&page={number}",
        "http_status_code": status,
        "duration": 100 + number,
        "logs": [
            f"GET https://api.example/v3?access_token={SECRET}",
            json.dumps({"authorization": f"Bearer {SECRET}"}),
        ],
        "message": "upstream failed" if status == 502 else "ok",
        **more,
    }


@pytest.fixture(name="logged")
def _logged(service: Service, config: Config) -> Service:
    """Each connection has as many pages of a hundred entries as are asked for."""
    tables = "".join(f'[profiles.{name}]\naccount_id = "id-{name}"\n' for name in NAMES)
    config(f'base_url = "{service.url}"\nrate = 0\n{tables}')

    def reply(seen: Seen) -> Any:
        at = int((cursor_of(seen) or "c0")[1:])
        account = dict(seen.query)["log_type_filter[integrated_account_id]"]
        entries = [entry(number, account) for number in range(at * 100, at * 100 + 100)]
        return served({"result": entries, "next_cursor": f"c{at + 1}" if at < 19 else None})

    service.reply = reply
    return service


def test_the_last_hour_of_one(unified: Unified, logged: Service) -> None:
    result = unified("logs -p one -o ndjson", environ=logged.environ)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert (result.code, len(records), len(logged.seen)) == (0, 1000, 10), result.stderr
    assert {record["integrated_account_id"] for record in records} == {"id-one"}
    assert not any("_profile" in record for record in records)
    asked = dict(logged.seen[0].query)
    assert "integrated_account_id" not in asked
    assert (asked["log_type"], asked["limit"]) == ("unified_proxy_api", "100")
    assert asked["log_type_filter[integrated_account_id]"] == "id-one"
    since, until = (datetime.fromisoformat(asked[f"created_at[{one}]"]) for one in ("gt", "lt"))
    assert (until - since).total_seconds() == 3600
    assert "cut on request after 1000 records in 10 pages" in result.stderr
    assert "--limit N reads more" in result.stderr


@pytest.mark.parametrize("profiles", ["-p one", "-p '*'"])
def test_failed_actions_are_selected(profiles: str, unified: Unified, logged: Service) -> None:
    result = unified(f"logs {profiles} --failed --limit 40 -o ndjson", environ=logged.environ)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    several = profiles != "-p one"
    connections = len(NAMES) if several else 1
    assert (result.code, len(records)) == (0, 10 * connections), result.stderr
    assert {record["http_status_code"] for record in records} == {502}
    assert all(("_profile" in record) is several for record in records)
    assert f"{10 * connections} of {40 * connections} entries failed" in result.stderr


@pytest.mark.parametrize("form", ["json", "ndjson", "csv", "tsv", "table", "yaml", "markdown"])
@pytest.mark.parametrize("more", ["", "--columns http_url,logs", "-vv"])
def test_credentials_are_masked(
    more: str, form: str, unified: Unified, logged: Service, tmp_path: Path
) -> None:
    result = unified(f"logs -p one --limit 3 -o {form} {more}", environ=logged.environ)
    assert result.code == 0, result.stderr
    assert SECRET not in result.stdout + result.stderr
    assert not any(
        SECRET.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    )
    if more == "--columns http_url,logs" or form in ("json", "ndjson", "yaml"):
        assert "page=2" in result.stdout


def test_on_a_pipe_it_is_lines(unified: Unified, logged: Service) -> None:
    result = unified("logs -p one --limit 2", environ=logged.environ)
    head, first, _ = result.stdout.splitlines()
    assert head.split("\t") == [
        *("timestamp", "resource", "method", "http_status_code", "duration", "message")
    ]
    assert first.split("\t")[3:] == ["502", "100", "upstream failed"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ("--since 32d", "longer ago than the 31 days"),
        ("--since yesterday", "--since takes a time"),
        ("-p one -p two -a x", "-a names one connection"),
        ("-p one -p two -o ids", "cannot tell connections apart"),
    ],
)
def test_wrong_options_are_refused(more: str, why: str, unified: Unified, logged: Service) -> None:
    result = unified(f"logs {more}", environ=logged.environ)
    assert (result.code, logged.seen, why in result.stderr) == (2, [], True), result.stderr


def test_one_of_several_has_no_log(unified: Unified, logged: Service) -> None:
    answers = logged.reply
    refused = {"statusCode": 403, "error": "Forbidden", "message": "no"}
    logged.reply = lambda seen: served(refused, 403) if "id-two" in seen.target else answers(seen)
    result = unified("logs -p '*' --limit 1 -o ndjson", environ=logged.environ)
    assert (result.code, result.stdout.count("\n")) == (9, 2)
    assert "two: " in result.stderr
    assert "--cursor" not in result.stderr


def test_the_sandbox_has_one(unified: Unified, config: Config) -> None:
    config(
        'base_url = "sandbox:"\n[profiles.a]\naccount_id = "needs-reauth"\n'
        '[profiles.b]\naccount_id = "full"\n'
    )
    found = unified("logs -p a --failed -o ndjson")
    records = [json.loads(line) for line in found.stdout.splitlines()]
    assert (found.code, {one["http_status_code"] for one in records}) == (0, {401}), found.stderr
    assert len(records) == 24
    both = unified("logs -p a -p b --since 31d --limit 250 -o ndjson")
    assert (both.code, both.stdout.count("\n")) == (0, 500), both.stderr
    assert "sandbox-credential" not in both.stdout
