"""`unified request`: the path is typed as in a URL."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from pages import serve, tickets
from server import Reply, Service


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("/unified/a%2Fb/c", "/unified/a%2Fb/c"),
        ("/unified/a%2fb", "/unified/a%2Fb"),
        ("/unified/x;y=1:2@3", "/unified/x%3By%3D1%3A2%403"),
        ("'/unified/a b/ü'", "/unified/a%20b/%C3%BC"),
        ("/unified/100%25", "/unified/100%25"),
    ],
)
def test_the_server_decodes_the_parts_that_were_typed(
    typed: str, sent: str, unified: Unified
) -> None:
    url = unified(f"-p sandbox -a full request GET {typed} --dry-run").json["url"]
    assert url.partition("?")[0] == f"http://sandbox{sent}"


@pytest.mark.parametrize("path", ["/unified/%zz", "/unified/100%", "/unified/%2"])
def test_a_percent_sign_that_begins_no_escape_is_refused(path: str, unified: Unified) -> None:
    result = unified(f"-p sandbox request GET {path}")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: the path {path} has a % without two hexadecimal digits (write %25 for"
        " a percent sign)\n"
    )


SEARCHES = [
    "/unified/ticketing/tickets/search",
    "/proxy/tickets/search",
    "/custom/v2/search",
    "'/custom/search?a=b'",
    "/custom/sear%63h",
]
BODY = '{"query":"open","id":10158500000000001}'
FORMATS = [
    "-o json",
    "-o ndjson",
    "-o csv --columns id",
    "-o ids",
    "-o table",
    "-o ndjson --jq .id",
]


def searched(service: Service) -> list[tuple[str, bytes, dict[str, str]]]:
    return [(seen.method, seen.body, dict(seen.query)) for seen in service.seen]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("path", SEARCHES)
def test_all_pages_of_a_search_are_read(
    path: str, form: str, unified: Unified, service: Service
) -> None:
    serve(service, [tickets(2), tickets(2, 2), tickets(1, 4)])
    command = f"request POST {path} -d '{BODY}' --all --page-size 2 {form}"
    result = unified(command, environ=service.environ)
    assert result.code == 0, result.stderr
    assert all(result.stdout.count(f"t-{number}") == 1 for number in range(5))
    assert "complete: 5 records in 3 pages" in result.stderr
    assert [(method, body) for method, body, _ in searched(service)] == [
        ("POST", BODY.encode())
    ] * 3
    cursors = [query.get("next_cursor") for _, _, query in searched(service)]
    assert (cursors, {query["limit"] for _, _, query in searched(service)}) == (
        [None, "c1", "c2"],
        {"2"},
    )
    assert len({seen.headers["idempotency-key"] for seen in service.seen}) == 3


def test_a_page_of_a_search_is_sent_again_with_its_key(unified: Unified, service: Service) -> None:
    serve(service, [tickets(1), tickets(1, 1)])
    answers = service.reply
    service.reply = lambda seen: Reply(502) if len(service.seen) in (1, 3) else answers(seen)
    result = unified(f"request POST {SEARCHES[0]} -d '{{}}' --all -o ids", environ=service.environ)
    assert (result.code, result.stdout) == (0, "t-0\nt-1\n")
    keys = [seen.headers["idempotency-key"] for seen in service.seen]
    assert (keys[0] == keys[1], keys[2] == keys[3], keys[0] == keys[2]) == (True, True, False)


@pytest.mark.parametrize("more", ["--all", "--limit 3", ""])
def test_a_search_is_a_read(
    more: str, unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config(
        f'base_url = "{service.url}"\n[profiles.a]\naccount_id = "1"\ntoken = "t-0123456789"\n'
        "read_only = true\n"
    )
    serve(service, [tickets(2), tickets(2, 2)])
    found = unified(f"-p a request POST /proxy/tickets/search -d '{{}}' {more} -o ids --retries 0")
    assert found.code == 0, found.stderr
    service.reply = lambda _: Reply(502)
    lost = unified(f"-p a request POST /proxy/tickets/search -d '{{}}' {more} --retries 0")
    assert (lost.code, "may or may not" in lost.stderr) == (5, False)
    refused = unified("-p a request POST /proxy/tickets/search/7 -d '{}'")
    assert (refused.code, "is read-only" in refused.stderr) == (13, True)


def test_a_search_in_a_file_is_resumed_by_its_body(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [tickets(1), tickets(1, 1)])
    answers = service.reply
    command = f"request POST {SEARCHES[0]} --all -o ndjson --retries 0 --out {tmp_path}/out"
    service.reply = lambda seen: Reply(502) if len(service.seen) == 2 else answers(seen)
    assert unified(f"{command} -f a=1", environ=service.environ).code == 5
    service.reply = answers
    other = unified(f"{command} -f a=2", environ=service.environ)
    assert (other.code, "another body" in other.stderr, len(service.seen)) == (12, True, 2)
    again = unified(f"{command} -f a=1", environ=service.environ)
    assert (again.code, len(service.seen)) == (0, 3), again.stderr
    assert [json.loads(line)["id"] for line in (tmp_path / "out").read_text().splitlines()] == [
        "t-0",
        "t-1",
    ]


@pytest.mark.parametrize("more", ["--all", "--limit 3"])
@pytest.mark.parametrize(
    "line",
    [
        "POST /unified/ticketing/tickets",
        "POST /custom/search/7",
        "POST /custom/searches",
        "POST /custom/x?path=/search",
        "PATCH /custom/search",
        "PUT /proxy/search",
        "DELETE /proxy/tickets/search",
    ],
)
def test_nothing_else_has_pages(line: str, more: str, unified: Unified, service: Service) -> None:
    body = "" if line.startswith("DELETE") else "-d '{}'"
    result = unified(f"request {line} {body} {more}", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert "has no pages" in result.stderr


def test_a_key_is_for_one_page(unified: Unified, service: Service) -> None:
    command = f"request POST {SEARCHES[0]} -d '{{}}' --idempotency-key k"
    result = unified(f"{command} --all", environ=service.environ)
    assert (result.code, service.seen) == (2, [])
    assert "each page has its own idempotency key" in result.stderr
    assert unified(command, environ=service.environ).code == 0
    assert [seen.headers["idempotency-key"] for seen in service.seen] == ["k"]


def test_a_search_can_be_replayed(unified: Unified, service: Service, tmp_path: Path) -> None:
    serve(service, [tickets(1), tickets(1, 1)])
    command = f"request POST {SEARCHES[0]} -f a=1 --all -o ids"
    recorded = unified(f"{command} --record {tmp_path}/a.har", environ=service.environ)
    replayed = unified(f"{command} --replay {tmp_path}/a.har", environ=service.environ)
    assert (recorded.code, replayed.stdout) == (0, recorded.stdout)
    assert unified(f"{command} -f b=2 --replay {tmp_path}/a.har", environ=service.environ).code == 5
