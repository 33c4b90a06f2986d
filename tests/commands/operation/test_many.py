"""Many connections at once: each paced on its own, good results never hidden by a bad
one.
"""

import csv
import errno
import io
import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from front_door import Clock, Unified
from pages import served, tickets
from server import Reply, Seen, Service

Config = Callable[[str], Path]
LIST = "ticketing tickets list"
CHARACTERS = ["full"] * 16 + ["blocked", "slow", "rate-limited", "dead-provider"]
TWO = """
[profiles.one]
account_id = "a-1"
tags = ["prod", "eu"]
[profiles.two]
account_id = "a-2"
tags = ["prod"]
[profiles.other]
account_id = "a-3"
"""


def by_account(service: Service, answers: dict[str, Any]) -> None:
    def reply(seen: Seen) -> Reply:
        answer = answers[dict(seen.query)["integrated_account_id"]]
        return answer(seen) if callable(answer) else served({"result": answer})

    service.reply = reply


def refusing(status: int, message: str = "no") -> Callable[[Seen], Reply]:
    return lambda _: served({"statusCode": status, "error": "Error", "message": message}, status)


def twenty(config: Config) -> list[str]:
    names = [f"c{number:02}" for number in range(20)]
    tables = (
        f'[profiles.{name}]\naccount_id = "{kind}:{name}"\n'
        for name, kind in zip(names, CHARACTERS, strict=True)
    )
    config('base_url = "sandbox:"\n' + "".join(tables))
    return names


def test_a_limit_of_one_provider_slows_only_its_own_connection(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    limited = {
        "statusCode": 429,
        "error": "Too Many",
        "message": "slow down",
        "truto_is_remote_error": True,
    }
    asked = Counter[str]()

    def reply(seen: Seen) -> Reply:
        query = dict(seen.query)
        account = query["integrated_account_id"]
        asked[account] += 1
        if account == "a-1" and asked[account] == 1:
            return Reply(
                429,
                json.dumps(limited).encode(),
                {"Content-Type": "application/json", "Retry-After": "1"},
            )
        at = int(query.get("next_cursor", 0))
        return served(
            {
                "result": tickets(1, at),
                "next_cursor": str(at + 1) if at < 39 and account == "a-2" else None,
            }
        )

    service.reply = reply
    clock = Clock()
    world = {"monotonic": clock.now, "sleep": clock.sleep}
    result = unified(
        f"{LIST} --all -o ndjson -p one -p two --workers 1", environ=service.environ, **world
    )
    assert (result.code, asked) == (0, {"a-1": 2, "a-2": 40})
    # Half the rate would not let forty pages through without a wait for the next
    # window.
    assert sum(clock.slept) < 5


def test_twenty_connections_of_which_two_cannot_answer(unified: Unified, config: Config) -> None:
    names = twenty(config)
    world = {"monotonic": time.monotonic, "sleep": time.sleep}
    result = unified(f"{LIST} --all -o ndjson -p c* --page-size 20 --workers 20", **world)
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.code == 9
    assert all(next(iter(record)) == "_profile" for record in records)
    assert Counter(record["_profile"] for record in records) == {
        name: 120 for name in names if name not in {"c16", "c19"}
    }
    assert len({(record["_profile"], record["id"]) for record in records}) == 18 * 120
    first, *told = result.stderr.splitlines()
    assert first.startswith("c19: retry 1 of 4 in ")
    assert told[0] == "retries: c19 4"
    assert told[1] == "2160 records in 108 pages from 18 of 20 connections"
    assert [line.partition(":")[0] for line in told[2:4]] == ["c16", "c19"]
    assert "2 of 20 connections failed: c16, c19" in told[4]


def test_in_order_means_one_connection_after_the_other(unified: Unified, config: Config) -> None:
    names = twenty(config)[:5]
    chosen = " ".join(f"-p {name}" for name in reversed(names))
    result = unified(f"{LIST} --all -o ndjson {chosen} --ordered --page-size 50")
    shown = [json.loads(line)["_profile"] for line in result.stdout.splitlines()]
    assert sorted(dict.fromkeys(shown)) == names
    assert sum(1 for one, other in pairwise(shown) if one != other) == 4
    again = unified(f"{LIST} --all -o ndjson {chosen} --ordered --page-size 50")
    assert again.stdout == result.stdout


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("-p one -p two", ["a-1", "a-2"]),
        ("-p tag:prod", ["a-1", "a-2"]),
        ("-p tag:eu", ["a-1"]),
        ("-p t* -p one", ["a-2", "a-1"]),
        ("-p o*", ["a-1", "a-3"]),
        ("-p one -p one", ["a-1"]),
    ],
)
def test_which_connections_are_meant(
    chosen: str, expected: list[str], unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {account: tickets(1) for account in ("a-1", "a-2", "a-3")})
    result = unified(f"{LIST} -o ndjson {chosen}", environ=service.environ)
    assert result.code == 0
    assert sorted(dict(seen.query)["integrated_account_id"] for seen in service.seen) == sorted(
        expected
    )
    assert [
        json.loads(line).get("_profile") is not None for line in result.stdout.splitlines()
    ] == [True] * len(expected)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"{LIST} -p x*", 3),
        (f"{LIST} -p tag:none", 3),
        (f"{LIST} -p one -p nobody", 3),
        (f"{LIST} -p sand* -p *box", 3),
        (f"{LIST} -p o* -a other", 2),
        (f"{LIST} -p o* -o ids", 2),
        (f"{LIST} -p o* -o raw", 2),
        (f"{LIST} -p o* --cursor c", 2),
        (f"{LIST} -p o* --all --out x", 2),
        (f"{LIST} -p o* --workers 65", 2),
        ("ticketing tickets create -p o* -f name=x", 2),
        ("ticketing tickets delete 1 -p one -p two", 2),
        ("request POST /unified/x -p one -p two", 2),
    ],
)
def test_options_of_one_connection_are_refused_for_several_before_anything_is_sent(
    command: str, code: int, unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    result = unified(command.split(), environ=service.environ)
    assert (result.stdout, result.code, service.seen) == ("", code, [])


def test_all_failing_alike_end_with_the_common_code(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": refusing(401), "a-2": refusing(403), "a-3": refusing(401)})
    result = unified(f"{LIST} -o csv -p *", environ=service.environ)
    assert (result.stdout, result.code) == ("", 7)
    assert result.stderr.endswith("error: all 3 connections failed\n")
    by_account(service, {"a-1": refusing(401), "a-2": refusing(404), "a-3": refusing(401)})
    assert unified(f"{LIST} -o csv -p *", environ=service.environ).code == 9


def test_json_is_one_document_closed_though_a_connection_failed(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": tickets(2), "a-2": refusing(404), "a-3": tickets(1)})
    result = unified(f"{LIST} -p * --ordered", environ=service.environ)
    assert result.code == 9
    assert [list(record) for record in result.json["result"]] == [["_profile", "id", "name"]] * 3
    assert list(result.json) == ["result"]


def test_csv_begins_with_the_profile_and_keeps_known_columns_in_any_order_of_answers(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": [{"id": "1"}], "a-2": [{"id": "2", "number": "7"}], "a-3": []})
    result = unified(f"{LIST} -o csv -p * --ordered", environ=service.environ)
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert (list(rows[0])[:3], result.code) == (["_profile", "id", "name"], 0)
    assert [(row["_profile"], row["id"], row["number"]) for row in rows] == [
        ("one", "1", ""),
        ("two", "2", "7"),
    ]
    chosen = unified(f"{LIST} -o csv -p * --ordered --columns id", environ=service.environ)
    assert chosen.stdout == "_profile,id\none,1\ntwo,2\n"


def test_get_over_several(unified: Unified, service: Service, config: Config) -> None:
    config(TWO)
    by_account(service, {name: lambda _: served({"id": "7"}) for name in ("a-1", "a-2", "a-3")})
    result = unified(
        "ticketing tickets get 7 -o ndjson -p tag:prod --ordered", environ=service.environ
    )
    assert (result.stdout, result.code) == (
        '{"_profile":"one","id": "7"}\n{"_profile":"two","id": "7"}\n',
        0,
    )


def test_a_record_that_is_not_an_object_can_be_labelled_too(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": [None, {}], "a-2": ["x"], "a-3": []})
    result = unified(f"{LIST} -o ndjson -p * --ordered", environ=service.environ)
    lines = [
        '{"_profile":"one","_record":null}',
        '{"_profile":"one"}',
        '{"_profile":"two","_record":"x"}',
    ]
    assert result.stdout.splitlines() == lines


def test_a_limit_is_per_connection_and_prints_the_command_to_continue(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": tickets(3), "a-2": tickets(1), "a-3": tickets(3)})
    result = unified(f"{LIST} -o ndjson -p tag:prod --ordered --limit 2", environ=service.environ)
    assert result.stdout.count("\n") == 3
    assert (
        "one: cut on request after 2 records in 1 page; to continue: --cursor after:2:"
        in result.stderr
    )


def test_a_providers_429_holds_only_its_connection(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    asked: Counter[str] = Counter()
    limited = {
        "statusCode": 429,
        "error": "Too Many Requests",
        "message": "slow",
        "truto_is_remote_error": True,
    }

    def reply(seen: Seen) -> Reply:
        account = dict(seen.query)["integrated_account_id"]
        asked[account] += 1
        if account == "a-1" and asked[account] == 1:
            return Reply(
                429,
                json.dumps(limited).encode(),
                {"Content-Type": "application/json", "Retry-After": "30"},
            )
        return served({"result": tickets(1)})

    service.reply = reply
    clock = Clock()
    world = {"monotonic": clock.now, "sleep": clock.sleep}
    result = unified(
        f"{LIST} -o ndjson -p * --ordered --workers 1", environ=service.environ, **world
    )
    assert (result.code, sum(asked.values())) == (0, 4)
    # One wait of half a minute, for the one connection.
    assert [round(seconds) for seconds in clock.slept if seconds > 1] == [30]


def test_like_notes_are_one_line_and_failures_are_last(
    unified: Unified, service: Service, config: Config
) -> None:
    config("".join(f"[profiles.c{number:02}]\naccount_id = 'a-{number}'\n" for number in range(20)))
    broken = {f"a-{number}": refusing(404) for number in (3, 5, 7, 9)}
    by_account(
        service,
        {f"a-{number}": tickets(3) for number in range(20)} | broken | {"a-11": refusing(401)},
    )
    result = unified(f"{LIST} -o csv -p * --ordered --limit 2", environ=service.environ)
    *lines, alike, alone, last = result.stderr.splitlines()
    assert (result.code, lines) == (
        9,
        [
            "cut on request: 15 connections; to continue: -p NAME for one of them",
            "30 records in 15 pages from 15 of 20 connections",
        ],
    )
    assert alike.startswith("4 failed for similar reasons (c03, c05, c07, c09); the error of c03: ")
    assert alone.startswith("c11: ")
    few = "failed (4 may not offer the list): c03, c05, "
    assert last.startswith(f"error: 5 of 20 connections {few}")


def test_retries_of_a_connection_are_reported_once_and_counted(
    unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    by_account(service, {"a-1": refusing(500), "a-2": tickets(1), "a-3": tickets(1)})
    result = unified(f"{LIST} -o csv -p one -p two --ordered", environ=service.environ)
    told = [line for line in result.stderr.splitlines() if "retr" in line]
    assert [line.partition(" in ")[0] for line in told] == ["one: retry 1 of 4", "retries: one 4"]
    assert result.stderr.splitlines()[-2].startswith("one: ")


def test_a_program_sees_whose_a_record_is_and_cannot_change_it(
    unified: Unified, config: Config
) -> None:
    one, two = twenty(config)[:2]
    read = f"{LIST} --limit 1 -o ndjson -p {one} -p {two} --ordered --quiet --jq"
    for program in (
        "{_profile, id}",
        "{id}",
        '{_profile: "other", id}',
        '._profile = "other" | {id, _profile}',
    ):
        lines = unified([*read.split(), program]).stdout.splitlines()
        assert lines == [f'{{"_profile":"{name}","id":"tickets-1"}}' for name in (one, two)]
    lines = unified([*read.split(), "._profile"]).stdout.splitlines()
    assert lines == [f'{{"_profile":"{name}","_record":"{name}"}}' for name in (one, two)]


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (b'{"_profile":1,"id":2}', b'{"_profile_served":1,"id":2}'),
        (b'{"_profile":1,"_profile":2}', b'{"_profile_served":1,"_profile_served_served":2}'),
        (
            b'{"_profile":1,"_profile_served":2}',
            b'{"_profile_served_served":1,"_profile_served":2}',
        ),
        (
            rb'{"x":1.1,"\u005fprofile":1,"_profile_served":2,"_profile":3,"x":5}',
            b'{"x":1.1,"_profile_served_served":1,"_profile_served":2,"_profile_served_served_served":3,"x":5}',
        ),
        (rb'{"_profile":"\ud800","\u007f":1}', rb'{"_profile_served":"\ud800","\u007f":1}'),
    ],
)
def test_no_value_of_a_served_name_is_lost(
    record: bytes, shown: bytes, unified: Unified, service: Service, config: Config
) -> None:
    config(TWO)
    service.reply = lambda _: served(b'{"result":[' + record + b"]}")
    result = unified(f"{LIST} -o ndjson -p one -p two --ordered", environ=service.environ)
    lines = [b'{"_profile":"%b",%b\n' % (name, shown[1:]) for name in (b"one", b"two")]
    assert (result.raw, result.code) == (b"".join(lines), 0)


class FirstWrite(io.BytesIO):
    """A stdout whose first write lasts until the pages of all other connections are
    there; later ones may fail.
    """

    def __init__(self, service: Service, pages: dict[str, Any], *, fails: bool = False) -> None:
        super().__init__()
        self.pieces: list[bytes] = []
        self._begun, self._over = threading.Event(), threading.Event()
        self._fails = fails
        self._late = [*pages][1:]
        service.reply = lambda seen: self._reply(dict(seen.query)["integrated_account_id"], pages)

    def _reply(self, account: str, pages: dict[str, Any]) -> Reply:
        if account in self._late:
            # One after the other, so that they come in that order.
            assert self._begun.wait(60)
            time.sleep(0.2 * (1 + self._late.index(account)))
        if account == self._late[-1]:
            threading.Timer(0.3, self._over.set).start()
        return served({"result": pages[account]})

    def write(self, data: Any) -> int:
        self._begun.set()
        assert self._over.wait(60)
        if self.pieces and self._fails:
            raise OSError(errno.ENOSPC, "No space left on device")
        self.pieces.append(bytes(data))
        return len(data)


PAGES = {f"a-{number}": [{"id": str(number)}] for number in (1, 2, 3)}


def test_pages_that_are_there_already_are_written_at_once(
    unified: Unified, service: Service, config: Config
) -> None:
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{TWO}')
    stdout = FirstWrite(service, PAGES)
    result = unified(f"{LIST} -p '*' -o ndjson", stdout=stdout)
    one, two, other = (
        b'{"_profile":"%b","id": "%d"}\n' % name
        for name in ((b"one", 1), (b"two", 2), (b"other", 3))
    )
    assert (result.code, stdout.pieces) == (0, [one, two + other])


def test_pages_before_one_that_cannot_be_shown_are_printed(
    unified: Unified, service: Service, config: Config
) -> None:
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{TWO}')
    stdout = FirstWrite(service, {**PAGES, "a-3": [{"id": 3}]})
    words = [
        *LIST.split(),
        "-p",
        "*",
        "-o",
        "ndjson",
        "--jq",
        'if .id == 3 then error("no") else .id end',
    ]
    result = unified(words, stdout=stdout)
    assert (result.code, b"".join(stdout.pieces)) == (
        9,
        b'{"_profile":"one","_record":"1"}\n{"_profile":"two","_record":"2"}\n',
    )


def test_pages_that_could_not_be_written_do_not_count(
    unified: Unified, service: Service, config: Config
) -> None:
    config(f'base_url = "{service.url}"\ntoken = "t-0123456789"\n{TWO}')
    stdout = FirstWrite(service, PAGES, fails=True)
    result = unified(f"{LIST} -p '*' -o ndjson", stdout=stdout)
    torn = [
        line
        for line in result.stderr.splitlines()
        if "0 records in 0 pages and part of another" in line
    ]
    assert (result.code, [line.partition(":")[0] for line in torn], len(stdout.pieces)) == (
        11,
        ["two", "other"],
        1,
    )
