"""An import that is killed anywhere and run again: every line once, or in doubt and
said so.
"""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from front_door import ROOT, Unified
from server import Service

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]

LINES = 3
CONTENT = "".join(f'{{"name":"{{n}}-{line}"}}\n' for line in range(1, LINES + 1))
ARGV = ["import", "ticketing/tags", "in-{n}.ndjson", "--workers", "2"]


def names(
    unified: Unified, served: dict[str, str], resource: str = "ticketing tags"
) -> Counter[str]:
    """How many records there are of each name."""
    found, cursor = Counter[str](), ""
    while True:
        page = unified(f"{resource} list -q limit=200 -q next_cursor={cursor}", environ=served).json
        found.update(record["name"] for record in page["result"])
        cursor = page["next_cursor"]
        if cursor is None:
            return found


def told(points: list[dict[str, Any]], codes: set[int]) -> None:
    """Print how many crash points were survived, and insist on all."""
    survived = [point for point in points if point["code"] in codes]
    sys.stdout.write(f"crash points survived / tried: {len(survived)} / {len(points)}\n")
    assert survived == points
    assert int(points[-1]["point"]) > 20


def effects(sandbox: UnifiedSandbox) -> Counter[str]:
    """How often each idempotency key took effect."""
    told = Counter[str]()
    for _, _, _, key, times in sandbox._store.effects():
        told[key] += times
    return told


def test_every_line_is_done_once_wherever_it_is_killed(
    crashes: Crashes,
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    tmp_path: Path,
) -> None:
    points = crashes(ARGV, {"in-{n}.ndjson": CONTENT}, served)
    told(points, {0})
    expected = {f"{point['point']}-{line}": 1 for point in points for line in range(1, LINES + 1)}
    assert names(unified, served) == expected
    counted = effects(unified_sandbox)
    assert len(counted) == len(expected)
    assert {*counted.values()} == {1}
    left = {path.name.partition(".ndjson")[2] for path in tmp_path.iterdir() if path.is_file()}
    assert left == {"", ".unified-journal", ".unified-done.ndjson"}


@pytest.mark.parametrize(
    ("argv", "window"),
    [
        (ARGV, "idempotency_window = 0\n"),
        (["import", "emails/emails", "in-{n}.ndjson", "--operation", "send"], ""),
    ],
    ids=["keys are ignored", "an action that is felt outside"],
)
def test_without_keys_no_line_is_done_twice_and_the_doubtful_ones_are_listed(
    argv: list[str],
    window: str,
    crashes: Crashes,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    config(window)
    points = crashes(argv, {"in-{n}.ndjson": CONTENT}, {**service.environ, "UNIFIED_RATE": "0"})
    told(points, {0, 10})
    assert {point["code"] for point in points} == {0, 10}
    # A request whose body never came whole does not count.
    whole = [seen for seen in service.seen if len(seen.body) == int(seen.headers["content-length"])]
    counted = Counter(seen.headers["idempotency-key"] for seen in whole)
    assert {*counted.values()} == {1}
    assert {*Counter(seen.json["name"] for seen in whole).values()} == {1}
    for point in points:
        beside = tmp_path / f"in-{point['point']}.ndjson"
        doubtful = beside.with_name(f"{beside.name}.unified-in-doubt.ndjson")
        listed = (
            [json.loads(line) for line in doubtful.read_text().splitlines()]
            if doubtful.exists()
            else []
        )
        assert bool(listed) == (point["code"] == 10)
        journal = [
            json.loads(line)
            for line in Path(f"{beside}.unified-journal").read_text().splitlines()[1:]
        ]
        sent = [entry["k"] for entry in journal if entry["s"] == "sent"]
        assert len(sent) == LINES == len({*sent})
        in_doubt = {record["_import"]["key"] for record in listed}
        assert {key for key in sent if not counted[key]} <= in_doubt


SYSTEM_CALLS = "write,fsync,rename,renameat,link,linkat,unlink,unlinkat,ftruncate,sendto,recvfrom"


@pytest.mark.needs("strace")
@pytest.mark.long(seconds=10)
@pytest.mark.parametrize("call", SYSTEM_CALLS.split(","))
def test_every_line_is_done_once_wherever_the_system_kills_it(
    call: str,
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    tmp_path: Path,
) -> None:
    environ = {**served, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    tried, survived, step = list[int](), 0, size(1, 4)
    for when in count(size(1, dice(call).randint(1, step)), step):
        tried.append(when)
        path = tmp_path / f"in-{when}.ndjson"
        path.write_text(CONTENT.replace("{n}", str(when)))
        inject = ["-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}"]
        inject += ["-e", f"inject={call}:signal=KILL:when={when}"]
        argv = ["import", "ticketing/tags", str(path), "--workers", "2"]
        killed = subprocess.run(
            ["strace", *inject, sys.executable, "-m", "unified_cli", *argv],
            env=environ,
            capture_output=True,
            check=False,
            timeout=120,
        )
        survived += unified(argv, environ=served).code == 0
        if killed.returncode == 0:
            break
    sys.stdout.write(f"crash points survived / tried, {call}: {survived} / {len(tried)}\n")
    assert survived == len(tried)
    expected = {f"{number}-{line}": 1 for number in tried for line in range(1, LINES + 1)}
    assert names(unified, served) == expected
    assert {*effects(unified_sandbox).values()} == {1}
