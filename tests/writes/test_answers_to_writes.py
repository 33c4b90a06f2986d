"""Many writes at once: each is sent once, or again with the same key."""

import json
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from faults.case import envelope, failure
from faults.script import CLOSE, RESET, Call, Listener, Script, Step, Wait, chunked, reply
from front_door import Unified

from unified_cli.errors import AbandonedError

SECONDS = 60
"""How long a test waits for what should come at once."""
CREATED = reply(b'{"id":"x"}', 201)
Lines = Callable[..., Path]
Import = Callable[..., Any]


@contextmanager
def listening(script: Script) -> Iterator[Listener]:
    listener = Listener(script)
    listener.start({})
    try:
        yield listener
    finally:
        listener.stop()


@pytest.fixture
def imported(unified: Unified, tmp_path: Path) -> Import:
    """Import records into a listener; gives the result, and of each line what became of
    it.
    """

    def run(
        listener: Listener, records: Sequence[object], flags: str = "--workers 1", **more: Any
    ) -> Any:
        path = tmp_path / "in.ndjson"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        address = {
            "UNIFIED_BASE_URL": f"http://127.0.0.1:{listener.port}",
            "UNIFIED_ACCOUNT_ID": "a",
        }
        environ = {
            **address,
            "UNIFIED_TOKEN": "t-0123456789",
            "UNIFIED_RATE": "0",
            **more.pop("environ", {}),
        }
        result = unified(f"import ticketing/tags {path} --yes {flags}", environ=environ, **more)
        became = {}
        for name in ("done", "failed", "in-doubt", "not-tried"):
            file = path.with_name(f"in.ndjson.unified-{name}.ndjson")
            lines = file.read_text().splitlines() if file.exists() else []
            became |= {json.loads(line)["_import"]["line"]: name for line in lines}
        return result, [became[number] for number in sorted(became)]

    return run


def named(count: int) -> list[dict[str, str]]:
    return [{"name": f"n{number}"} for number in range(count)]


def keys(listener: Listener) -> list[bytes]:
    return [re.findall(rb"Idempotency-Key: (\S+)", one)[0] for one in listener.requests]


ENDS: dict[str, tuple[list[Step], str]] = {
    "a broken connection": ([RESET], "in-doubt"),
    "a closed connection": ([CLOSE], "in-doubt"),
    "half an answer, then the end": ([CREATED[:-5], CLOSE], "in-doubt"),
    "half a head, then the end": ([CREATED[:20], CLOSE], "in-doubt"),
    "half an answer, then nothing": ([CREATED[:-5], Wait(3), CLOSE], "in-doubt"),
    "nothing": ([Wait(3), CLOSE], "in-doubt"),
    "a success that is a failure": ([reply(envelope(500))], "in-doubt"),
    "a success that is cut short": ([reply(b'{"id":')], "in-doubt"),
    "the service failed": ([failure(500)], "in-doubt"),
    "a redirect": ([reply(b"", 303, {"Location": "/x"})], "in-doubt"),
    "a refusal": ([failure(422)], "failed"),
    "a page for people": ([reply(b"<html>", 201, kind="text/html")], "in-doubt"),
    "an answer in chunks": ([chunked(b'{"id":', b'"x"}')], "done"),
    "an interim answer": ([b"HTTP/1.1 100 Continue\r\n\r\n" + CREATED], "done"),
    "an answer in pieces": (
        [CREATED[:30], Wait(0.05), CREATED[30:-3], Wait(0.05), CREATED[-3:]],
        "done",
    ),
    "an answer, and the end": ([reply(b'{"id":"x"}', 201, {"Connection": "close"}), CLOSE], "done"),
    "more than an answer": ([CREATED + b"HTTP/1.1 500 No\r\n\r\n"], "done"),
    "no content": ([reply(b"", 204, kind=None)], "done"),
    "a limit that is over at once": ([failure(429, headers={"Retry-After": "0"})], "done"),
}


@pytest.mark.parametrize(("steps", "end"), ENDS.values(), ids=ENDS)
def test_a_write_that_may_have_been_done_is_sent_once(
    steps: list[Step], end: str, imported: Import, config: Callable[[str], Path]
) -> None:
    config("idempotency_window = 0\n")
    with listening([CREATED, CREATED, steps, CREATED]) as listener:
        result, became = imported(listener, named(4), "--workers 1 --timeout 1 --retries 2")
    assert (became, result.code) == (
        ["done", "done", end, "done"],
        {"done": 0, "failed": 9, "in-doubt": 10}[end],
    )
    sent = Counter(keys(listener))
    assert len(sent) == 4
    # A 429 says that nothing was done.
    again = steps == ENDS["a limit that is over at once"][0]
    assert sorted(sent.values()) == [1, 1, 1, 1 + again]


REPEATED = [
    name
    for name, (_, end) in ENDS.items()
    if end == "in-doubt" and name not in {"a redirect", "a page for people"}
]


@pytest.mark.parametrize("name", REPEATED)
def test_a_write_is_repeated_with_the_same_key_if_keys_are_honoured(
    name: str, imported: Import
) -> None:
    slept = list[threading.Thread]()

    def sleep(_seconds: float) -> None:
        slept.append(threading.current_thread())

    with listening([CREATED, CREATED, ENDS[name][0], CREATED]) as listener:
        result, became = imported(
            listener, named(4), "--workers 1 --timeout 1 --retries 2", sleep=sleep
        )
    assert (became, result.code) == (["done"] * 4, 0)
    # A worker waits before the next attempt, so that the answers to others are read
    # in between.
    assert threading.current_thread() not in slept
    assert sorted(Counter(keys(listener)).values()) == [1, 1, 1, 2]


def test_an_abandoned_import_still_records_the_answer_to_a_sent_write(imported: Import) -> None:
    given_up = threading.Event()

    def check() -> None:
        if given_up.is_set():
            raise AbandonedError("nobody wants it any more")

    with listening([CREATED, CREATED, [Call(given_up.set), Wait(0.05), CREATED]]) as listener:
        _, became = imported(listener, named(5), check=check)
    assert became[:3] == ["done"] * 3
    assert "done" not in became[3:]
    assert len(listener.requests) == 3


def test_a_slow_answer_delays_no_other(imported: Import) -> None:
    others, in_time = threading.Event(), list[bool]()
    slow = [Call(lambda: in_time.append(others.wait(SECONDS))), CREATED]
    script: Script = [[Wait(0.01), CREATED]] * 4
    with listening([*script, slow, *([CREATED] * 14), [Call(others.set), CREATED]]) as listener:
        result, became = imported(listener, named(20), "--workers 2")
    assert (result.code, became) == (0, ["done"] * 20)
    assert in_time == [True]
    assert (len(listener.requests), len({*keys(listener)})) == (20, 20)


def test_a_write_ends_at_its_timeout(imported: Import) -> None:
    asked = list[float]()
    with listening(
        [CREATED, [Call(lambda: asked.append(time.monotonic())), Wait(SECONDS)]]
    ) as listener:
        clock = {"monotonic": time.monotonic, "sleep": time.sleep}
        _, became = imported(listener, named(2), "--workers 1 --timeout 1.6 --retries 0", **clock)
        took = time.monotonic() - asked[0]
    assert became == ["done", "in-doubt"]
    assert 1.5 < took < SECONDS


def test_a_line_takes_one_wait_for_the_disk(
    imported: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced, sync = list[int](), os.fsync

    def counting(descriptor: int) -> None:
        synced.append(descriptor)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", counting)
    with listening([[Wait(0.002), reply(b"", 204, kind=None)]]) as listener:
        result, became = imported(listener, named(40))
    assert (result.code, became) == (0, ["done"] * 40)
    # And a few for the files.
    assert 40 <= len(synced) < 60
