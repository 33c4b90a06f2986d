"""Pages: complete, cut on request or broken off, and never in a circle."""

import io
import json
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import by_cursor, cursor_of, envelope, serve, served, tickets
from server import Reply, Seen, Service

LIST = "ticketing tickets list"


def test_all_reads_every_page_and_says_so(unified: Unified, service: Service) -> None:
    serve(service, [tickets(3), [], tickets(2, 3)])
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert result.stdout.split() == ["t-0", "t-1", "t-2", "t-3", "t-4"]
    assert (result.stderr, result.code) == ("complete: 5 records in 3 pages\n", 0)


def test_without_all_it_is_one_page_and_the_rest_is_named(
    unified: Unified, service: Service
) -> None:
    serve(service, [tickets(2), tickets(2, 2)])
    result = unified(f"{LIST} -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("t-0\nt-1\n", 0, 1)
    assert result.stderr == "there are more records: --all, or --cursor c1\n"


def test_every_page_request_carries_connection_cursor_and_query_once(
    unified: Unified, service: Service
) -> None:
    serve(service, [tickets(1), tickets(1, 1), tickets(1, 2)])
    unified(f"{LIST} --all -o ids -q status=open --page-size 7", environ=service.environ)
    common = [("integrated_account_id", "acct-1"), ("status", "open"), ("limit", "7")]
    assert [seen.query for seen in service.seen] == [
        common,
        [*common, ("next_cursor", "c1")],
        [*common, ("next_cursor", "c2")],
    ]


def test_only_page_size_sends_the_wires_limit(unified: Unified, service: Service) -> None:
    serve(service, [tickets(9)])
    unified(f"{LIST} --limit 3", environ=service.environ)
    assert [name for seen in service.seen for name, _ in seen.query] == ["integrated_account_id"]


def test_a_limit_requests_no_unneeded_page(unified: Unified, service: Service) -> None:
    serve(service, [tickets(100), tickets(100, 100)])
    result = unified(f"{LIST} --limit 10 -o ids", environ=service.environ)
    assert result.stdout.split() == [f"t-{number}" for number in range(10)]
    assert (result.code, len(service.seen)) == (0, 1)
    assert (
        result.stderr
        == "cut on request after 10 records in 1 page; to continue: --cursor after:10:\n"
    )


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 7, 8])
def test_cuts_put_together_are_the_whole(limit: int, unified: Unified, service: Service) -> None:
    serve(service, [tickets(3), tickets(3, 3), [], tickets(2, 6)])
    found: list[str] = []
    cursor = ""
    while cursor is not None:
        asked = f"{LIST} --limit {limit}" + (f" --cursor {shlex.quote(cursor)}" if cursor else "")
        result = unified(asked, environ=service.environ)
        assert result.code == 0
        found += [record["id"] for record in result.json["result"]]
        cursor = result.json["next_cursor"]
    assert found == [f"t-{number}" for number in range(8)]


@pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5"])
def test_a_limit_is_a_number_of_records(limit: str, unified: Unified, service: Service) -> None:
    result = unified([*LIST.split(), "--limit", limit], environ=service.environ)
    assert (result.stdout, result.code, service.seen) == ("", 2, [])
    assert result.stderr.startswith(
        "error: unified ticketing tickets list: invalid value for '--limit': "
    )


def test_a_cursor_that_comes_back_ends_the_run(unified: Unified, service: Service) -> None:
    page = {"result": tickets(1), "next_cursor": "same"}
    by_cursor(service, {None: page, "same": page})
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.code, len(service.seen), result.stdout) == (5, 2, "t-0\n")
    assert "the cursor did not advance" in result.stderr
    assert result.stderr.endswith("stopped after 1 record in 1 page; to continue: --cursor same\n")


def test_a_longer_circle_is_noticed_too(unified: Unified, service: Service) -> None:
    circle = {None: "a", "a": "b", "b": "a"}

    def reply(seen: Seen) -> Reply:
        # The circle is left some time, so that a reader that misses it fails instead
        # of going on for ever.
        onward = circle[cursor_of(seen)] if len(service.seen) < 20 else None
        return served({"result": tickets(1, len(service.seen)), "next_cursor": onward})

    service.reply = reply
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("t-1\nt-2\n", 5, 3)
    assert (
        "the cursor did not advance: page 3 of GET /unified/ticketing/tickets leads back to a page"
        in result.stderr
    )


def test_a_hundred_empty_pages_in_a_row_are_enough(unified: Unified, service: Service) -> None:
    serve(service, [tickets(1), *([[]] * 99), tickets(1, 1), *([[]] * 200), tickets(1, 2)])
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code) == ("t-0\nt-1\n", 9)
    assert len(service.seen) == 201
    assert "gave up after 100 empty pages in a row" in result.stderr


@pytest.mark.parametrize("end", ['""', "null", None])
def test_a_list_ends_without_a_next_cursor(
    end: str | None, unified: Unified, service: Service
) -> None:
    body = b'{"result": [{"id": "1"}]' + (f', "next_cursor": {end}'.encode() if end else b"") + b"}"
    by_cursor(service, {None: body})
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("1\n", 0, 1)


@pytest.mark.parametrize("cursor", ["17", "12345678901234567890123456789012345678901234567890"])
def test_a_cursor_that_is_a_number_is_sent_digit_by_digit(
    cursor: str, unified: Unified, service: Service
) -> None:
    last = envelope(b'[{"id": "2"}]')
    by_cursor(service, {None: envelope(b'[{"id": "1"}]', cursor), cursor: last})
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code) == ("1\n2\n", 0)
    assert cursor_of(service.seen[1]) == cursor
    for form in ("json", "ids"):
        said = unified(f"{LIST} -o {form}", environ=service.environ).stderr
        assert said.endswith(f"there are more records: --all, or --cursor {cursor}\n")
    assert unified(f"{LIST} --cursor {cursor} -o ids", environ=service.environ).stdout == "2\n"


@pytest.mark.parametrize("cursor", ["0", "false", "{}", '["x"]', "-17", "1.5", "1e3"])
def test_a_cursor_that_is_not_text_is_refused(
    cursor: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: envelope(b'[{"id": "1"}]', cursor)})
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("", 5, 1)
    assert f"has a cursor that is not text: {cursor}" in result.stderr


@pytest.mark.parametrize(
    "cursor",
    [
        "a+b/c=d&e#f%g h",
        "ä€😀",
        "x" * 8192,
        "https://evil.example/?integrated_account_id=other",
        "a\\u0020\tb",
        "null",
    ],
)
def test_a_cursor_is_sent_unchanged_and_only_to_our_origin(
    cursor: str, unified: Unified, service: Service
) -> None:
    by_cursor(
        service, {None: {"result": [], "next_cursor": cursor}, cursor: {"result": tickets(1)}}
    )
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code) == ("t-0\n", 0)
    assert [cursor_of(seen) for seen in service.seen] == [None, cursor]


def test_pages_that_come_earn_repeats_for_those_that_fail(
    unified: Unified, service: Service
) -> None:
    failed: set[str | None] = set()

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) not in failed:
            failed.add(cursor_of(seen))
            return served({"statusCode": 500, "error": "x", "message": "down"}, 500)
        at = int(cursor_of(seen) or 0)
        return served({"result": tickets(1, at), "next_cursor": str(at + 1) if at < 109 else None})

    service.reply = reply
    result = unified(f"{LIST} --all -o ids --rate 0", environ=service.environ)
    assert (result.code, len(result.stdout.split())) == (0, 110)


@pytest.mark.parametrize("status", [400, 404, 410, 422])
def test_an_expired_cursor_ends_with_12(status: int, unified: Unified, service: Service) -> None:
    gone = {"statusCode": status, "error": "Gone", "message": "cursor expired"}
    by_cursor(
        service,
        {None: {"result": tickets(1), "next_cursor": "c1"}, "c1": lambda: served(gone, status)},
    )
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("t-0\n", 12, 2)
    assert "the service no longer accepts the cursor of page 2" in result.stderr


def test_a_refused_page_size_shows_the_services_message(unified: Unified, service: Service) -> None:
    refusal = {"statusCode": 400, "error": "Bad Request", "message": "limit must be at most 100"}
    service.reply = lambda _: served(refusal, 400)
    result = unified(f"{LIST} --all --page-size 1000", environ=service.environ)
    assert (result.stdout, result.code, len(service.seen)) == ("", 4, 1)
    assert "limit must be at most 100" in result.stderr


def test_a_partial_page_is_reported_at_the_end(unified: Unified, service: Service) -> None:
    partial = {"result": tickets(1, 1), "next_cursor": "c2", "is_partial_response": True}
    by_cursor(
        service,
        {
            None: {"result": tickets(1), "next_cursor": "c1"},
            "c1": partial,
            "c2": {"result": tickets(1, 2)},
        },
    )
    result = unified(f"{LIST} --all -o ids", environ=service.environ)
    assert (result.stdout, result.code) == ("t-0\nt-1\nt-2\n", 9)
    assert result.stderr.endswith(
        "the provider left something out of page 2 (--allow-partial accepts that)\n"
    )
    assert unified(f"{LIST} --all -o ids --allow-partial", environ=service.environ).code == 0


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (lambda: Reply(502, b"<html>", {"Content-Type": "text/html"}), 5),
        (lambda: Reply(200, b'{"result": [{"id"', {"Content-Type": "application/json"}), 5),
        (
            lambda: served({"statusCode": 401, "error": "Unauthorized", "message": "expired"}, 401),
            7,
        ),
        (
            lambda: served(
                {"statusCode": 429, "error": "Too Many Requests", "message": "slow"}, 429
            ),
            8,
        ),
    ],
)
@pytest.mark.parametrize("output", ["json", "ndjson", "csv", "ids"])
def test_an_unanswered_page_ends_the_run(
    output: str, bad: Any, code: int, unified: Unified, service: Service
) -> None:
    serve(service, [tickets(2), tickets(2, 2), []])
    good = service.reply
    service.reply = lambda seen: bad() if cursor_of(seen) == "c2" else good(seen)
    result = unified(f"{LIST} --all -o {output}", environ=service.environ)
    assert result.code == code
    assert "stopped after 4 records in 2 pages; to continue: --cursor c2" in result.stderr
    if output == "json":
        with pytest.raises(json.JSONDecodeError):
            json.loads(result.raw)
    else:
        assert result.stdout.count("\n") == (5 if output == "csv" else 4)
        assert result.stdout.endswith("\n")


@pytest.mark.parametrize("result", ["null", "{}", '"x"', "7"])
@pytest.mark.parametrize("how", ["--all", "-o ndjson", "--limit 5", "-o table"])
def test_an_answer_that_is_not_a_page_is_not_an_empty_page(
    how: str, result: str, unified: Unified, service: Service
) -> None:
    by_cursor(service, {None: f'{{"result": {result}}}'.encode()})
    ended = unified(f"{LIST} {how}", environ=service.environ)
    assert (ended.stdout, ended.code) == ("", 5)
    assert "is not a page of records" in ended.stderr


@pytest.mark.parametrize("more", ["--all", "--limit 9", "--all --out {}"])
def test_a_bare_array_after_pages_with_cursors_is_an_error(
    more: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    pages = {
        None: envelope(b'[{"id":"1"}]', '"c1"'),
        "c1": envelope(b'[{"id":"2"}]', '"c2"'),
        "c2": b'\n [{"id":"3"}]',
    }
    by_cursor(service, pages)
    result = unified(f"{LIST} -o ndjson {more.format(tmp_path / 'out')}", environ=service.environ)
    assert (result.code, len(service.seen)) == (5, 3)
    assert (
        "page 3 of GET /unified/ticketing/tickets is a bare array without a cursor" in result.stderr
    )
    assert not (tmp_path / "out").exists()


def test_a_bare_array_is_a_page(unified: Unified, service: Service) -> None:
    by_cursor(service, {None: tickets(2)})
    assert unified(f"{LIST} --all -o ids", environ=service.environ).stdout == "t-0\nt-1\n"


def test_the_next_page_is_requested_before_this_one_is_written(
    unified: Unified, service: Service
) -> None:
    asked = threading.Event()
    serve(service, [tickets(1), tickets(1, 1)])
    good = service.reply

    def reply(seen: Seen) -> Reply:
        if cursor_of(seen) == "c1":
            asked.set()
        return good(seen)

    service.reply = reply

    class Waiting(io.BytesIO):
        def write(self, data: Any) -> int:
            assert asked.wait(60), "the next page is asked for only after this one is written"
            return super().write(data)

    stdout = Waiting()
    assert unified(f"{LIST} --all -o ids", environ=service.environ, stdout=stdout).code == 0
    assert stdout.getvalue() == b"t-0\nt-1\n"


def test_a_cursor_is_sent_and_shown_for_one_page_too(unified: Unified, service: Service) -> None:
    serve(service, [tickets(1), tickets(1, 1)])
    result = unified(f"{LIST} --cursor c1", environ=service.environ)
    assert (result.json["result"], cursor_of(service.seen[0])) == (tickets(1, 1), "c1")
    shown = unified(f"{LIST} --cursor c1 --dry-run", environ=service.environ)
    assert shown.json["url"].endswith("&next_cursor=c1")


FORMATS = [
    "",
    "-o raw",
    "-o yaml",
    "-o csv",
    "-o ids",
    "--jq '.result|length'",
    "--jq .id -o ndjson",
    "--columns id",
]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("cursor", "onward"), [("c1", "c1"), ("a b'c", "'a b'\"'\"'c'")])
@pytest.mark.parametrize("padding", [0, 600_000], ids=["a small page", "a large page"])
def test_a_list_with_more_pages_says_so_in_every_format(
    form: str, cursor: str, onward: str, padding: int, unified: Unified, service: Service
) -> None:
    records = [{"id": "1", "text": "x" * padding}]
    service.reply = lambda _: served({"result": records, "next_cursor": cursor})
    result = unified(f"ticketing tickets list {form}", environ=service.environ)
    assert (result.code, result.stderr) == (
        0,
        f"there are more records: --all, or --cursor {onward}\n",
    )
    service.reply = lambda _: served({"result": records, "next_cursor": None})
    assert unified(f"ticketing tickets list {form}", environ=service.environ).stderr == ""


@pytest.mark.parametrize("cursor", ["null", '"c1"', "9" * 10_000])
def test_a_number_of_thousands_of_digits_is_passed_on(
    cursor: str, unified: Unified, service: Service
) -> None:
    body = b'{"result":[{"id":"1","n":%s,"x":1e999999}],"next_cursor":%s}' % (
        b"9" * 10_000,
        cursor.encode(),
    )
    service.reply = lambda _: Reply(200, body, {"Content-Type": "application/json"})
    result = unified("ticketing tickets list", environ=service.environ)
    more = "there are more records: --all, or --cursor c1\n" if cursor == '"c1"' else ""
    assert (result.raw, result.code, result.stderr) == (body + b"\n", 0, more)
