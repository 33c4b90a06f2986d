"""The reader of the output leaves, as `head -1` does, while writes are left: the run
says how far it came and how it continues, with `--quiet` too.
"""

import errno
import io
import json
import os
import re
from typing import Any

import pytest
from front_door import Unified
from many_connections import Config, failing, good, profiles
from server import Service

NAMES = [f"c{number:02}" for number in range(12)]
LINES = "".join(f'{{"_profile":"{name}","id":"t1","name":"x"}}\n' for name in NAMES).encode()
FAN_OUT = "ticketing tags update t1 -f name=x -p c* --yes --workers 1"
PIPED = "ticketing tags update - -p c* --yes --workers 1"
WRITES = [(FAN_OUT, "connections"), (PIPED, "records")]


class Head(io.BytesIO):
    """A reader that leaves after this many writes."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self._left = lines

    def write(self, data: Any, /) -> int:
        self._left -= 1
        if self._left < 0:
            raise OSError(errno.EPIPE, os.strerror(errno.EPIPE))
        return super().write(data)


@pytest.fixture
def answered(config: Config, service: Service) -> Service:
    profiles(config, service.url, len(NAMES))
    service.reply = good
    return service


@pytest.mark.parametrize("quiet", ["", " --quiet"])
@pytest.mark.parametrize(("command", "unit"), WRITES)
def test_the_last_line_says_how_to_continue(
    command: str, unit: str, quiet: str, answered: Service, unified: Unified
) -> None:
    ended = unified(f"{command} -o csv{quiet}", stdin=LINES, stdout=Head(1))
    said = re.sub(r"\d{8}-[0-9a-f]{4}", "RUN", ended.stderr)
    sent = len(answered.seen)
    assert ended.code == 141
    assert 0 < sent < len(NAMES)
    assert said.splitlines()[-2:] == [
        f"error: the reader closed the output; stopped after {sent} of 12 {unit}",
        "  unified runs resume RUN",
    ]


@pytest.mark.parametrize("command", [FAN_OUT, PIPED])
def test_the_printed_command_sends_the_rest_once(
    command: str, answered: Service, unified: Unified
) -> None:
    ended = unified(f"{command} -o ndjson", stdin=LINES, stdout=Head(1))
    error = json.loads(ended.stderr.splitlines()[-1])["error"]
    assert (error["code"], error["exit"], error["run"] in error["next"]) == ("closed", 141, True)
    assert unified(error["next"].removeprefix("unified ")).code == 0
    assert len(answered.seen) == len(NAMES)


@pytest.mark.parametrize("verb", ["resume", "retry"])
def test_a_run_that_continues_says_it_again(verb: str, answered: Service, unified: Unified) -> None:
    if verb == "retry":
        answered.reply = failing({f"a-{name}": 422 for name in NAMES})
        unified(f"{FAN_OUT} -o csv")
        answered.reply = good
    else:
        unified(f"{FAN_OUT} -o csv", stdout=Head(1))
    ended = unified(f"runs {verb} -o csv", stdout=Head(1))
    assert "  unified runs resume " in ended.stderr
    assert ended.code == 141


def test_nothing_is_said_if_nothing_is_left(answered: Service, unified: Unified) -> None:
    ended = unified(
        "ticketing tags update t1 -f name=x -p c0[0-2] --yes -o csv --quiet", stdout=Head(0)
    )
    assert (ended.code, len(answered.seen), ended.stderr) == (141, 3, "")
