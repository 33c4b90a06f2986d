"""A list of many connections, selected from and piped into an update: each record goes
home, once.
"""

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

Config = Callable[[str], Path]
LIMIT = "rate=50/10s,500=2%,lose-reply=2%"


def pipe(
    unified: Unified, config: Config, sandbox: UnifiedSandbox, connections: int, records: int
) -> None:
    tables = (
        f'[profiles.c{at}]\naccount_id = "full:{at}"\ntags = ["eu"]\n' for at in range(connections)
    )
    config(f'base_url = "{sandbox.url}"\n' + "".join(tables))
    world = {
        "environ": {"UNIFIED_BASE_URL": sandbox.url, "UNIFIED_TOKEN": sandbox.token},
        "monotonic": time.monotonic,
        "sleep": time.sleep,
    }
    sandbox.faults(LIMIT)
    listed = unified(f"-p tag:eu ticketing tickets list --limit {records} -o ndjson", **world)
    assert listed.code == 0, listed.stderr
    update = "-p tag:eu ticketing tickets update - -F status[id]=closed --yes -o ndjson"
    updated = unified(update, stdin=listed.raw, **world)
    assert updated.code == 0, updated.stderr

    homes = [(one["_profile"], one["id"]) for one in map(json.loads, listed.stdout.splitlines())]
    done = [(one["_profile"], one["id"]) for one in map(json.loads, updated.stdout.splitlines())]
    assert Counter(homes) == Counter(done)
    assert len(set(done)) == len(done) == connections * records
    effects = [
        (account, path.rpartition("/")[2], count)
        for account, _, path, _, count in sandbox._store.effects()
    ]
    assert sorted(effects) == sorted(
        (f"full:{name[1:]}", identifier, 1) for name, identifier in homes
    )
    asked = sum(int(str(one["count"])) for one in sandbox.requests())
    assert asked < 1.1 * len(done) + 5 * connections


def test_each_record_goes_to_its_connection_once(
    unified: Unified, config: Config, unified_sandbox: UnifiedSandbox
) -> None:
    pipe(unified, config, unified_sandbox, 5, 8)


@pytest.mark.long(seconds=25)
def test_a_thousand_records_of_ten_connections_go_home_once(
    unified: Unified, config: Config, unified_sandbox: UnifiedSandbox
) -> None:
    pipe(unified, config, unified_sandbox, 10, 100)
