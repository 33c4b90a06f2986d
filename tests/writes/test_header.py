"""The first line of every journal says of what kind of work it is; that of another kind
is not taken for it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from many_connections import Config, failing, profiles
from server import Service

PIPED = b'{"_profile":"c00","id":"1","n":1}\n{"_profile":"c01","id":"2","n":1}\n'
COMMANDS = {
    "fan-out": "ticketing tickets update t1 -f name=x -p c* --yes",
    "lines": "ticketing tickets update - -p c* --yes",
    "import": "import ticketing/tickets {path} --operation update -p c* --yes",
}


def header(path: Path) -> Any:
    return json.loads(path.read_text().partition("\n")[0])


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_journal_says_what_it_is_of(
    kind: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    path = tmp_path / "in.ndjson"
    path.write_bytes(PIPED)
    service.reply = failing({})
    assert unified(COMMANDS[kind].format(path=path), stdin=PIPED).code == 0
    journals = [*(tmp_path / "data" / "runs").glob("*.ndjson"), *tmp_path.glob("*.unified-journal")]
    assert {header(journal)["kind"] for journal in journals} == {kind}


@pytest.mark.parametrize("other", ["apply", "lines", "nothing"])
def test_a_journal_of_another_kind_is_left_alone(
    other: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    path, command = tmp_path / "in.ndjson", COMMANDS["import"]
    path.write_bytes(PIPED)
    service.reply = failing({})
    assert unified(command.format(path=path)).code == 0
    journal = tmp_path / "in.ndjson.unified-journal"
    journal.write_text(
        changed := journal.read_text().replace('"kind":"import"', f'"kind":"{other}"')
    )
    service.seen.clear()
    result = unified(command.format(path=path))
    assert (result.code, service.seen, journal.read_text()) == (12, [], changed)
    assert f"{journal} is damaged in line 1, or is not a journal" in result.stderr
