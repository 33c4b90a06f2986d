"""A write that is answered with content that is no JSON: done if the answer is whole,
by a call as by every run.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from server import Reply, Service

Config = Callable[[str], Path]
TWO = '[profiles.a]\naccount_id = "a"\n[profiles.b]\naccount_id = "b"\n'
TEXT = {"Content-Type": "text/plain"}
GZIP = {**TEXT, "Content-Encoding": "gzip"}
SENDERS = {
    "ticketing tickets update 1 -f name=x": b"",
    "ticketing tickets delete 1 --yes": b"",
    "-p ? ticketing tickets create -f name=x --yes -o ndjson": b"",
    "ticketing tickets update - -f name=x": b"1\n2\n",
    "ticketing tickets delete - --yes": b"1\n2\n",
    "-p ? ticketing tickets update - -f name=x --yes": (
        b'{"_profile":"a","id":"1"}\n{"_profile":"b","id":"1"}\n'
    ),
    "import ticketing/tickets -": b'{"name":"x"}\n{"name":"y"}\n',
}


@pytest.mark.parametrize(("command", "stdin"), SENDERS.items())
def test_a_whole_text_is_a_success(
    unified: Unified, service: Service, config: Config, command: str, stdin: bytes
) -> None:
    config(TWO)
    service.reply = lambda _: Reply(200, b"accepted", TEXT)
    result = unified(command, environ=service.environ, stdin=stdin)
    assert result.code == 0, result.stderr
    assert "fail" not in result.stderr


@pytest.mark.parametrize(("command", "stdin"), SENDERS.items())
def test_a_damaged_text_leaves_it_in_doubt(
    unified: Unified, service: Service, config: Config, command: str, stdin: bytes
) -> None:
    config(TWO)
    service.reply = lambda _: Reply(200, gzip.compress(b"accepted")[:-3], GZIP)
    result = unified(command, environ=service.environ, stdin=stdin)
    assert (result.code, "in doubt" in result.stderr or "may or may not" in result.stderr) == (
        10,
        True,
    ), result.stderr


def test_a_read_needs_records(unified: Unified, service: Service) -> None:
    service.reply = lambda _: Reply(200, b"text", TEXT)
    result = unified("ticketing tickets get -", environ=service.environ, stdin=b"1\n")
    assert (
        result.stderr.splitlines()[0]
        == "line 1: /unified/ticketing/tickets/1 is text/plain, not a record"
    )
    assert result.code == 9
