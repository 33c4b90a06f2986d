"""`unified request` over several connections: reads of any path, labelled, page by
page.
"""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import cursor_of, served, tickets
from server import Reply, Seen, Service

Config = Callable[[str], Path]
NAMES = ("one", "two", "three")
PATHS = ["/proxy/tickets", "/custom/v2/tickets", "/unified/ticketing/tickets"]
SEARCH = "/proxy/tickets/search"
BODY = '{"query":"open"}'


def account(seen: Seen) -> str:
    return dict(seen.query)["integrated_account_id"]


@pytest.fixture(name="fleet")
def _fleet(service: Service, config: Config) -> Service:
    """Three connections, each with two pages of records of its own."""
    tables = "".join(f'[profiles.{name}]\naccount_id = "{name}"\n' for name in NAMES)
    config(f'base_url = "{service.url}"\nrate = 0\n{tables}')

    def reply(seen: Seen) -> Reply:
        whose, second = account(seen), cursor_of(seen) == "c1"
        records = [{**one, "whose": whose} for one in tickets(1, 2 if second else 0)]
        return served({"result": records, "next_cursor": None if second else "c1"})

    service.reply = reply
    return service


def requests(path: str) -> str:
    return f"POST {path} -d '{BODY}'" if path == SEARCH else f"GET {path}"


@pytest.mark.parametrize("path", [*PATHS, SEARCH])
def test_every_page_of_every_connection_is_read(
    path: str, unified: Unified, fleet: Service
) -> None:
    result = unified(
        f"request {requests(path)} -p '*' --all -o ndjson --page-size 1", environ=fleet.environ
    )
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.code == 0, result.stderr
    assert sorted((one["_profile"], one["whose"], one["id"]) for one in records) == sorted(
        (name, name, identity) for name in NAMES for identity in ("t-0", "t-2")
    )
    assert "6 records in 6 pages from 3 of 3 connections" in result.stderr
    assert {dict(seen.query)["limit"] for seen in fleet.seen} == {"1"}
    keys = [seen.headers.get("idempotency-key") for seen in fleet.seen]
    # Each page of a search has its own.
    assert len({*keys}) == (6 if path == SEARCH else 1)


@pytest.mark.parametrize("path", [*PATHS, SEARCH])
def test_without_pages_each_answer_is_a_record(path: str, unified: Unified, fleet: Service) -> None:
    result = unified(f"request {requests(path)} -p one -p two", environ=fleet.environ)
    found = {one["_profile"]: one for one in result.json["result"]}
    assert (result.code, [*found]) == (0, [*found]), result.stderr
    assert {name: one["result"][0]["whose"] for name, one in found.items()} == {
        "one": "one",
        "two": "two",
    }
    assert {one["next_cursor"] for one in found.values()} == {"c1"}


@pytest.mark.parametrize(
    ("form", "line"),
    [
        ("-o csv --columns id,whose", "two,t-2,two"),
        ("-o tsv --columns id", "two\tt-2"),
        ("-o ndjson --columns id", '{"_profile":"two","id":"t-2"}'),
        ("-o ndjson --jq '{id}'", '{"_profile":"two","id":"t-2"}'),
        ("-o json", '{"_profile":"two","id": "t-2", "name": "Ticket 2", "whose": "two"}'),
        ("-o yaml", "- _profile: two\n  id: t-2"),
    ],
)
def test_in_every_format(form: str, line: str, unified: Unified, fleet: Service) -> None:
    result = unified(f"request GET /proxy/tickets -p '*' --all {form}", environ=fleet.environ)
    assert (result.code, line in result.stdout) == (0, True), result.stdout


def test_a_limit_is_for_each(unified: Unified, fleet: Service) -> None:
    result = unified("request GET /proxy/tickets -p '*' --limit 1 -o ndjson", environ=fleet.environ)
    assert (result.code, result.stdout.count("\n"), len(fleet.seen)) == (0, 3, 3)
    assert "cut on request: 3 connections; to continue: -p NAME for one of them\n" in result.stderr


@pytest.mark.parametrize("path", [PATHS[0], SEARCH])
@pytest.mark.parametrize("profiles", ["-p one", "-p one -p two"])
def test_read_records_are_checked(
    profiles: str, path: str, unified: Unified, fleet: Service, tmp_path: Path
) -> None:
    junit = tmp_path / "j.xml"
    call = f"request {requests(path)} {profiles} -o ndjson --junit {junit}"
    whole = unified(f"{call} --all --expect 'length == 2'", environ=fleet.environ)
    assert whole.code == 0, whole.stderr
    alone = unified(f"{call} --expect '.next_cursor == null'", environ=fleet.environ)
    assert (alone.code, ".next_cursor == null" in alone.stderr) == (14, True)
    assert f'classname="{"one." if "two" in profiles else ""}request' in junit.read_text()


def test_one_refused_and_one_without_the_path(unified: Unified, fleet: Service) -> None:
    answers = fleet.reply
    error = {"error": "Error", "message": "no"}
    fleet.reply = lambda seen: (
        served({"statusCode": 403, **error}, 403)
        if account(seen) == "two"
        else served({"statusCode": 405, **error}, 405)
        if account(seen) == "three"
        else answers(seen)
    )
    call = "request GET /proxy/tickets -p '*' --all -o ndjson"
    result = unified(call, environ=fleet.environ)
    assert (result.code, result.stdout.count('"_profile":"one"')) == (9, 2)
    assert "2 of 3 connections failed: two, three" in result.stderr
    checked = unified(f"{call} --expect 'length == 2'", environ=fleet.environ)
    assert checked.code == 9
    assert "three: skipped: " in checked.stderr


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("POST /proxy/tickets -d '{}'", "only a read (GET, or POST …/search)"),
        ("POST /proxy/tickets -d '{}' --all", "only a read (GET, or POST …/search)"),
        ("PATCH /proxy/tickets/1 -d '{}'", "only a read (GET, or POST …/search)"),
        ("DELETE /proxy/tickets/1 --yes", "only a read (GET, or POST …/search)"),
        ("POST /link-token -d '{}'", "only a read (GET, or POST …/search)"),
        ("GET /proxy/tickets -a x", "-a names one connection"),
        ("GET /proxy/tickets --cursor c", "a cursor belongs to one connection"),
        ("GET /proxy/tickets -o ids", "cannot tell connections apart"),
        ("GET /proxy/tickets --out x", "--out takes the records of one connection"),
        ("GET /proxy/tickets -d '{}'", "a GET has no body"),
        (f"POST {SEARCH} -d '{{}}' --idempotency-key k", "its own idempotency key"),
        (
            f"POST {SEARCH} --upload {shlex.quote(__file__)}",
            "a file can only be sent once, to one connection",
        ),
        (f'POST {SEARCH} -d \'{{"_profile":"x"}}\'', "a body cannot choose the connection"),
    ],
)
def test_wrong_options_are_refused(call: str, why: str, unified: Unified, fleet: Service) -> None:
    result = unified(f"request {call} -p one -p two", environ=fleet.environ)
    assert (result.code, fleet.seen, why in result.stderr) == (2, [], True), result.stderr


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_only_a_read_is_checked(method: str, unified: Unified, fleet: Service) -> None:
    result = unified(f"request {method} /proxy/tickets/1 -p one --yes --expect true")
    assert (result.code, fleet.seen) == (2, [])
    assert "--expect is for a read" in result.stderr


def test_requests_are_shown(unified: Unified, fleet: Service) -> None:
    result = unified("request GET /proxy/tickets -p one -p two --all --as curl")
    assert (result.code, fleet.seen, result.stdout.count("curl ")) == (0, [], 2)


def test_standard_input_is_read_once(unified: Unified, fleet: Service) -> None:
    call = f"request POST {SEARCH} -d @- -p one -p two --all -o ndjson"
    result = unified(call, environ=fleet.environ, stdin=BODY.encode())
    assert (result.code, {seen.body for seen in fleet.seen}) == (0, {BODY.encode()})
