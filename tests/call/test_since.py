"""`--since`: only what changed, also where a provider sends everything, on one
connection, on many and in exports.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import cursor_of, served
from server import Reply, Seen, Service

RECORDS = [
    {"id": "old", "updated_at": "2026-01-01T00:00:00Z"},
    {"id": "at", "updated_at": "2026-01-02T00:00:00+00:00"},
    {"id": "new", "updated_at": "2026-01-02T02:00:01+02:00"},
    {"id": "none"},
    {"id": "null", "updated_at": None},
    {"id": "odd", "updated_at": "yesterday"},
    {"id": "older", "updated_at": "2025-01-01"},
    {"id": "newest", "updated_at": "2026-02-01T00:00:00.5Z"},
]
KEPT = ["new", "none", "null", "odd", "newest"]
SINCE = "2026-01-02"
SENT = "2026-01-02T00:00:00.000000Z"


def serve_all(service: Service, size: int = 3) -> None:
    """A provider that ignores the filter."""

    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        onward = str(at + size) if at + size < len(RECORDS) else None
        return served({"result": RECORDS[at : at + size], "next_cursor": onward})

    service.reply = reply


def ids(text: str) -> list[str]:
    return [json.loads(line)["id"] for line in text.splitlines()]


def filters(service: Service) -> list[Any]:
    return [dict(seen.query).get("updated_at[gt]") for seen in service.seen]


@pytest.fixture
def listed(unified: Unified, service: Service) -> Callable[..., Any]:
    serve_all(service)
    return lambda more: unified(f"ticketing tickets list {more}", environ=service.environ)


def test_a_list_requests_changed_records_and_leaves_out_the_rest(
    listed: Callable[..., Any], service: Service
) -> None:
    result = listed(f"--all -o ndjson --since {SINCE}")
    assert (result.code, ids(result.stdout)) == (0, KEPT)
    assert result.stderr == "complete: 5 records in 3 pages\n"
    assert filters(service) == [SENT] * 3


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        ("2026-01-02T00:00Z", SENT),
        ("2026-01-02T01:00:00+01:00", SENT),
        ("7d", "2026-01-08T00:00:00.000000Z"),
        ("12h", "2026-01-14T12:00:00.000000Z"),
        ("30m", "2026-01-14T23:30:00.000000Z"),
        ("1w", "2026-01-08T00:00:00.000000Z"),
    ],
)
def test_a_time_is_typed_as_iso_or_as_how_long_ago(
    unified: Unified, service: Service, typed: str, sent: str
) -> None:
    serve_all(service)
    now = 1768435200.0  # 2026-01-15
    result = unified(
        f"ticketing tickets list --since {typed}", environ=service.environ, wall=lambda: now
    )
    assert result.code == 0
    assert filters(service) == [sent]


@pytest.mark.parametrize("typed", ["7", "99999999999d", "999999999w", "''", "2026-13-01"])
def test_anything_else_is_refused_before_anything_is_sent(
    listed: Callable[..., Any], service: Service, typed: str
) -> None:
    result = listed(f"--all --since={typed}")
    assert (result.code, result.stdout) == (2, "")
    shown = typed if typed != "''" else ""
    assert (
        result.stderr.splitlines()[-1]
        == f"error: --since takes a time or an age, not {shown!r} (2026-01-31,"
        " 2026-01-31T08:00Z, 7d, 12h)"
    )
    assert service.seen == []


def test_another_filter_by_the_same_time_is_refused(
    listed: Callable[..., Any], service: Service
) -> None:
    result = listed("--since 7d -q 'updated_at[lt]=2026-01-01'")
    assert (result.code, result.stderr.splitlines()[-1]) == (
        2,
        "error: --since filters by updated_at itself (leave out -q updated_at…)",
    )
    assert service.seen == []


# A nanosecond after midnight, and less, as products write it.
JUST_AFTER = [
    "2026-01-02T00:00:00.000000001Z",
    "2026-01-02t00:00:00.000000001z",
    "2026-01-02 00:00:00.000000001+00:00",
    "2026-01-02T00:00:00,000000001Z",
    "20260102T000000.000000001Z",
    "2026-W01-5T00:00:00.000000001Z",
    "2026-01-02T05:30:00.000000001+05:30",
    "2026-01-01T19:00:00.000000001000-05:00",
    "2026-01-02T00:00:00.000000001",
    "2026-01-02T00:00:00.000000000000000001Z",
]


@pytest.mark.parametrize("command", ["list", "fan-out", "export"])
def test_a_stamp_one_nanosecond_after_the_cut_stays_in(
    command: str, unified: Unified, service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    records = [
        {"id": f"just after {at}", "updated_at": stamp} for at, stamp in enumerate(JUST_AFTER)
    ]
    at_the_cut = [
        "2026-01-02T00:00:00.000000000Z",
        "2026-01-02T00:00:00z",
        "20260102T000000,0000000Z",
    ]
    records += [{"id": "at the cut", "updated_at": stamp} for stamp in at_the_cut]
    service.reply = lambda _: served({"result": records, "next_cursor": None})
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n[profiles.a]\naccount_id = "1"\n')
    argv = {
        "list": "ticketing tickets list -p a --all -o ndjson",
        "fan-out": "ticketing tickets list -p 'a*' --all -o ndjson",
        "export": f"export ticketing/tickets -p a --to {tmp_path}/dump",
    }[command]
    result = unified(f"{argv} --since {SINCE}")
    found = (
        (tmp_path / "dump/a/ticketing/tickets.ndjson").read_text()
        if command == "export"
        else result.stdout
    )
    assert (result.code, ids(found)) == (0, [record["id"] for record in records[: len(JUST_AFTER)]])
    assert filters(service) == [SENT]


def test_a_cut_may_be_typed_to_the_nanosecond(unified: Unified, service: Service) -> None:
    stamps = [f"2026-01-02T00:00:00.00000000{digit}Z" for digit in range(1, 6)]
    records = [{"id": stamp, "updated_at": stamp} for stamp in stamps]
    service.reply = lambda _: served({"result": records, "next_cursor": None})
    result = unified(
        f"ticketing tickets list --all -o ndjson --since {stamps[2]}", environ=service.environ
    )
    assert (result.code, ids(result.stdout)) == (0, stamps[3:])
    # The time in the request is cut to microseconds, and so asks for a few more.
    assert filters(service) == [SENT]


def test_one_page_as_json_is_taken_apart_too(listed: Callable[..., Any]) -> None:
    assert [one["id"] for one in listed(f"--since {SINCE}").json["result"]] == ["new"]
    assert listed(f"--since {SINCE} -o raw").code == 2


def test_a_limit_counts_filtered_records_and_continues_where_it_stopped(
    listed: Callable[..., Any],
) -> None:
    first = listed(f"--since {SINCE} --limit 2 -o json")
    assert [one["id"] for one in first.json["result"]] == ["new", "none"]
    cursor = first.json["next_cursor"]
    again = listed(f"--since {SINCE} --all -o ndjson --cursor '{cursor}'")
    assert ids(again.stdout) == ["null", "odd", "newest"]
    # The position holds though the time has moved on.
    assert ids(listed(f"--since 2026-01-03 --all -o ndjson --cursor '{cursor}'").stdout) == [
        "null",
        "odd",
        "newest",
    ]


def test_many_pages_of_old_records_do_not_count_as_empty(
    unified: Unified, service: Service
) -> None:
    def reply(seen: Seen) -> Reply:
        at = int(cursor_of(seen) or 0)
        return served({"result": RECORDS[:1], "next_cursor": str(at + 1) if at < 150 else None})

    service.reply = reply
    environ = {**service.environ, "UNIFIED_RATE": "0"}
    result = unified(f"ticketing tickets list --all --since {SINCE} -o ndjson", environ=environ)
    assert (result.code, result.stdout) == (0, "")
    assert len(service.seen) == 151


def test_a_dry_run_shows_the_filter(listed: Callable[..., Any], service: Service) -> None:
    result = listed(f"--since {SINCE} --dry-run")
    assert "updated_at[gt]=2026-01-02T00" in result.json["url"].replace("%5B", "[").replace(
        "%5D", "]"
    )
    assert service.seen == []


def test_several_connections_have_the_same_filter(
    unified: Unified, service: Service, config: Callable[[str], Path]
) -> None:
    config('[profiles.one]\naccount_id = "1"\n[profiles.two]\naccount_id = "2"\n')
    serve_all(service)
    environ = {
        name: value for name, value in service.environ.items() if name != "UNIFIED_ACCOUNT_ID"
    }
    result = unified(
        f"ticketing tickets list -p '*' --all -o ndjson --ordered --since {SINCE}", environ=environ
    )
    assert (result.code, ids(result.stdout)) == (0, KEPT * 2)
    assert filters(service) == [SENT] * 6


def test_a_file_is_resumed_with_the_same_text(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve_all(service)
    whole = service.reply
    service.reply = lambda seen: served({}, 403) if cursor_of(seen) == "3" else whole(seen)

    def run(since: str, wall: float) -> Any:
        command = f"ticketing tickets list --all -o ndjson --since {since} --out {tmp_path}/out"
        return unified(command, environ=service.environ, wall=lambda: wall)

    assert run("7d", 1767916800.0).code == 7
    service.reply = whole
    assert run("8d", 1767916800.0).code == 12
    assert run("7d", 1767916900.0).code == 0
    assert ids((tmp_path / "out").read_text()) == KEPT


def test_an_export_has_changed_records_and_continues_from_there(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve_all(service)

    def run(more: str) -> Any:
        return unified(
            f"export ticketing/tickets --to {tmp_path}/dump {more}", environ=service.environ
        )

    assert run(f"--since {SINCE} --incremental").code == 0
    folder = tmp_path / "dump" / "acct-1" / "ticketing"
    assert ids((folder / "tickets.ndjson").read_text()) == KEPT
    assert filters(service) == [SENT] * 3
    assert run(f"--since {SINCE} --incremental").code == 0
    # A record without a time is no less new than the last time.
    assert filters(service)[3:] == ["2026-01-31T23:59:00.500000Z"] * 3
    other = run("--since 2026-01-03")
    assert other.code == 12
    step = (
        "choose another folder with --to, or replace the export with --restart, but without -q,"
        " --since and --incremental"
    )
    assert f"was exported with another --since ({step})" in other.stderr
    other = run("--since 2026-01-03 --incremental")
    assert f"was exported with another --since ({step})" in other.stderr
    assert run("--since 2026-01-03 --restart").code == 2
    # The printed step works.
    assert run("--restart").code == 0
