"""Many lists at once: each page is read once, and a slow list holds up no other."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from faults import authority
from faults.case import envelope, failure
from faults.script import CLOSE, RESET, Call, Listener, Script, Step, Wait, chunked, reply
from front_door import Unified

from unified_cli import os_limits
from unified_cli.errors import StorageError
from unified_cli.fleet.pool import WorkerPool

Config = Callable[[str], Path]
LIST = "-p c* ticketing tickets list --all -o ndjson --rate 0"
SECONDS = 60
"""How long a test waits for what should come at once."""


def body(number: int, last: int) -> bytes:
    """One of these pages, with two records."""
    records = [{"id": f"{number}-{at}", "name": "x" * 99} for at in range(2)]
    return json.dumps(
        {"result": records, "next_cursor": f"c{number + 1}" if number < last else None}
    ).encode()


def pages(last: int) -> list[Sequence[Step]]:
    return [[reply(body(number, last))] for number in range(1, last + 1)]


@contextmanager
def listening(
    config: Config, scripts: Sequence[Script], *, tls: bool = False, more: str = ""
) -> Iterator[list[Listener]]:
    """A listener for each script, and the profiles c0, c1 … that lead to them."""
    listeners = [Listener(script, authority.context("good") if tls else None) for script in scripts]
    address = "https://localhost" if tls else "http://127.0.0.1"
    token = config("").with_name("token")
    token.write_text("t-0123456789\n")
    token.chmod(0o600)
    tables = (
        f'[profiles.c{number}]\naccount_id = "a{number}"\n'
        f'base_url = "{address}:{one.port}"\ntoken_file = "{token}"\n'
        for number, one in enumerate(listeners)
    )
    config(more + "".join(tables))
    for one in listeners:
        one.start({})
    try:
        yield listeners
    finally:
        for one in listeners:
            one.stop()


def records_of(stdout: str) -> dict[str, list[str]]:
    """The ids that each profile gave, in their order."""
    found: dict[str, list[str]] = {}
    for record in map(json.loads, stdout.splitlines()):
        found.setdefault(record["_profile"], []).append(record["id"])
    return found


def ids(last: int) -> list[str]:
    return [f"{number}-{at}" for number in range(1, last + 1) for at in range(2)]


@pytest.mark.parametrize("tls", [False, True])
def test_each_list_has_its_own_connection(
    tls: bool, unified: Unified, config: Config, tmp_path: Path
) -> None:
    authority.write(tmp_path / "authority.pem")
    more = f'ca_bundle = "{tmp_path}/authority.pem"\n' if tls else ""
    with listening(config, [pages(6)] * 4, tls=tls, more=more) as listeners:
        result = unified(LIST)
    assert (result.code, result.stderr) == (0, "48 records in 24 pages from 4 of 4 connections\n")
    assert records_of(result.stdout) == {f"c{number}": ids(6) for number in range(4)}
    assert [(len(one.requests), one.connections) for one in listeners] == [(6, 1)] * 4


@pytest.mark.parametrize("workers", [1, 2])
def test_a_thread_that_waits_for_a_slot_goes_first(
    workers: int, unified: Unified, config: Config
) -> None:
    # Of one service, so that the lists share the limit of a token.
    listener = Listener([[Wait(0.02), reply(body(number, 99))] for number in range(1, 40)])
    tables = "".join(f'[profiles.c{number}]\naccount_id = "a{number}"\n' for number in range(5))
    config(f'base_url = "http://127.0.0.1:{listener.port}"\n{tables}')
    listener.start({})
    environ = {"UNIFIED_TOKEN": "t-0123456789"}
    result = unified(f"{LIST.replace('--all', '--limit 12')} --workers {workers}", environ=environ)
    listener.stop()
    assert (result.code, result.stdout.count("\n")) == (0, 60)
    asked = [re.findall(rb"account_id=(a\d)", one)[0] for one in listener.requests]
    assert {*Counter(asked).values()} == {6}
    # All begin before one is at its end; a few continue until the others are in the
    # queue.
    assert len({*asked[:20]}) == 5


def test_a_page_of_which_a_part_is_missing_holds_up_no_other_list(
    unified: Unified, config: Config
) -> None:
    others, in_time = threading.Event(), list[bool]()
    first, second, third = (page[0] for page in pages(3))
    assert isinstance(second, bytes)
    slow: Script = [
        [first],
        [second[:99], Call(lambda: in_time.append(others.wait(SECONDS))), second[99:]],
        [third],
    ]
    quick = [*pages(8)[:-1], [Call(others.set), *pages(8)[-1]]]
    with listening(config, [slow, quick]) as listeners:
        result = unified(LIST)
    assert (result.code, records_of(result.stdout)) == (0, {"c0": ids(3), "c1": ids(8)})
    assert [len(one.requests) for one in listeners] == [3, 8]
    assert in_time == [True]


AGAIN = {
    "the service fails": [failure(503, headers={"Retry-After": "0"})],
    "a page in a success that is a failure": [reply(envelope(500))],
    "a page cut short within its length": [reply(b'{"result":[{"id":"1-')],
    "a broken connection": [RESET],
    "a closed connection": [CLOSE],
    "half a page, then the end": [reply(body(2, 3))[:99], CLOSE],
    "what only looks like the end of its chunks": [
        chunked(b'{"result":["\n0\r\n\r\n', end=b""),
        Wait(0.3),
        CLOSE,
    ],
}


@pytest.mark.parametrize("steps", AGAIN.values(), ids=AGAIN)
def test_a_page_is_asked_for_again_by_the_rules_of_every_request(
    steps: Sequence[Step], unified: Unified, config: Config
) -> None:
    first, second, third = pages(3)
    with listening(
        config, [[first, steps, second, third], pages(3)], more="retries = 1\n"
    ) as listeners:
        result = unified(LIST)
    assert (result.code, records_of(result.stdout)) == (0, {"c0": ids(3), "c1": ids(3)})
    assert [len(one.requests) for one in listeners] == [4, 3]


@pytest.mark.parametrize("steps", AGAIN.values(), ids=AGAIN)
def test_an_unanswered_page_is_retried_like_any_request(
    steps: Sequence[Step], unified: Unified, config: Config
) -> None:
    # The script repeats its last answer.
    with listening(config, [[*pages(3)[:1], steps], pages(3)], more="retries = 2\n") as listeners:
        result = unified(LIST)
    assert (result.code, records_of(result.stdout)) == (9, {"c0": ids(1), "c1": ids(3)})
    assert "; stopped after 2 records in 1 page; to continue: -p c0 --cursor c2\n" in result.stderr
    # A connection that ends without an answer may have been idle for too long: that is
    # no attempt.
    assert [len(one.requests) for one in listeners] == [
        4 + (len(steps) == 1 and steps[0] in {RESET, CLOSE}),
        3,
    ]


FRAMINGS = {
    "the connection closed after each": lambda page: [
        reply(page, headers={"Connection": "close"}),
        CLOSE,
    ],
    "more than the socket holds": lambda page: [reply(page[:-1] + b" " * 100_000 + b"}")],
}


@pytest.mark.parametrize("framed", FRAMINGS.values(), ids=FRAMINGS)
def test_a_page_counts_once_however_it_is_framed(
    framed: Callable[[bytes], list[Step]], unified: Unified, config: Config
) -> None:
    script = [framed(body(number, 30)) for number in range(1, 31)]
    with listening(config, [script, pages(3)]) as listeners:
        result = unified(LIST.replace("--rate 0", "--rate 50"))
    assert (result.code, result.stderr) == (0, "66 records in 33 pages from 2 of 2 connections\n")
    assert [len(one.requests) for one in listeners] == [30, 3]


def test_a_length_beside_chunks_says_nothing(unified: Unified, config: Config) -> None:
    page = chunked(body(2, 3), end=b"", headers="Content-Length: 20\r\n")
    script: Script = [*pages(3)[:1], [page, Wait(0.3), b"0\r\n\r\n"], *pages(3)[2:]]
    with listening(config, [script, pages(3)], more="retries = 0\n") as listeners:
        result = unified(LIST)
    assert (result.code, records_of(result.stdout)) == (0, {"c0": ids(3), "c1": ids(3)})
    assert [len(one.requests) for one in listeners] == [3, 3]


@pytest.mark.parametrize("several", [True, False])
def test_a_page_is_given_though_the_next_one_cannot_be_asked_for(
    several: bool, unified: Unified, config: Config
) -> None:
    page = json.dumps({"result": [{"id": "1"}], "next_cursor": "/" * 25_000}).encode()
    with listening(config, [[reply(page)], pages(3)]):
        result = unified(LIST if several else LIST.replace("c*", "c0"))
    found = [json.loads(line)["id"] for line in result.stdout.splitlines()]
    assert (result.code, found.count("1"), len(found)) == ((9, 1, 7) if several else (2, 1, 1))
    assert "url too long; stopped after 1 record in 1 page; to continue: " in result.stderr.lower()


def test_a_page_that_is_not_answered_ends_its_own_list_only(
    unified: Unified, config: Config
) -> None:
    silent: Script = [*pages(2)[:1], [Wait(SECONDS)]]
    began = time.monotonic()
    with listening(config, [silent, pages(4)], more="retries = 0\n") as listeners:
        result = unified(f"{LIST} --timeout 1")
        took = time.monotonic() - began
    assert (result.code, records_of(result.stdout)) == (9, {"c0": ids(1), "c1": ids(4)})
    assert "127.0.0.1 did not answer in time; nothing was received" in result.stderr
    assert [len(one.requests) for one in listeners] == [2, 4]
    assert took < SECONDS / 2


@pytest.mark.parametrize("most", [1, 2, 3])
def test_all_jobs_are_done_with_fewer_threads(
    most: int, unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = list[object]()
    start = os_limits.start_thread

    def refusing(work: Callable[[], None]) -> threading.Thread:
        if getattr(work, "__func__", None) is WorkerPool._run:
            started.append(work)
            if len(started) > most:
                raise StorageError("no more threads")
        return start(work)

    monkeypatch.setattr(os_limits, "start_thread", refusing)
    scripts = [[[Wait(0.01), *page] for page in pages(6)] for _ in range(6)]
    with listening(config, scripts) as listeners:
        result = unified(f"{LIST} --workers 2")
    assert (result.code, records_of(result.stdout)) == (
        0,
        {f"c{number}": ids(6) for number in range(6)},
    )
    assert [len(one.requests) for one in listeners] == [6] * 6
