"""Plans that are applied, killed anywhere and applied again: each call once."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from front_door import Unified

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox

pytestmark = pytest.mark.unified_sandbox(keep_ids=True)

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]

TAG = "ticketing/tags"


def plan_of(url: str, calls: list[dict[str, Any]]) -> str:
    """A plan for the connection `empty` with these calls."""
    side = {"kind": "file", "name": "x"}
    to = {"kind": "profile", "name": "target", "origin": url, "account": "empty"}
    header = {
        "unified_plan": 1,
        "made": "",
        "resource": TAG,
        "from": side,
        "to": to,
        "calls": len(calls),
    }
    lines = [
        {**header, "delete": True, "ids": True},
        *({"connection": "empty", "why": "", **call} for call in calls),
    ]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def calls_of(name: str) -> list[dict[str, Any]]:
    """Two records of which one refers to the other, a change, and a delete."""
    reference = {"path": "parent.id", "resource": TAG, "id": f"s{name}"}
    child = {"name": f"{name}-child", "parent": {"id": f"s{name}"}}
    return [
        {"operation": "create", "source": f"c{name}", "body": child, "references": [reference]},
        {"operation": "create", "source": f"s{name}", "body": {"name": f"{name}-parent"}},
        {
            "operation": "update",
            "id": f"u{name}",
            "body": {"color": name},
            "seen": {"color": "red"},
        },
        {"operation": "delete", "id": f"d{name}", "seen": {"color": "red"}},
    ]


def prepare(
    unified: Unified,
    sandbox: UnifiedSandbox,
    environ: dict[str, str],
    folder: Path,
    points: int,
    window: str = "",
) -> None:
    """The profile, and the records that plans change and delete."""
    config = folder / "config" / "config.toml"
    config.parent.mkdir(mode=0o700)
    config.write_text(
        f'[profiles.target]\nbase_url = "{sandbox.url}"\naccount_id = "empty"\n{window}\n'
    )
    config.chmod(0o600)
    records = folder / "there.ndjson"
    names = [f"{kind}{number}" for number in range(1, points + 1) for kind in "ud"]
    records.write_text(
        "".join(f'{{"id":"{name}","name":"{name}","color":"red"}}\n' for name in names)
    )
    assert unified(f"import {TAG} {records}", environ=environ).code == 0


def check(
    unified: Unified,
    sandbox: UnifiedSandbox,
    environ: dict[str, str],
    folder: Path,
    points: list[str],
) -> None:
    """Each call was done once, and the files of ids are whole."""
    lines = unified(
        "ticketing tags list --all -o ndjson --quiet", environ=environ
    ).stdout.splitlines()
    records = [json.loads(line) for line in lines]
    by_name = {record["name"]: record for record in records}
    made = [record["name"] for record in records if record["name"].endswith(("-child", "-parent"))]
    assert sorted(made) == sorted(
        f"{point}-{kind}" for point in points for kind in ("child", "parent")
    )
    for point in points:
        child, parent = by_name[f"{point}-child"], by_name[f"{point}-parent"]
        assert child["parent"] == {"id": parent["id"]}
        assert (by_name[f"u{point}"]["color"], f"d{point}" in by_name) == (point, False)
        header, *pairs = map(json.loads, (folder / f"ids-{point}").read_text().splitlines())
        assert header["to"]["origin"] == sandbox.url
        assert {pair["from"]: pair["to"] for pair in pairs} == {
            f"s{point}": parent["id"],
            f"c{point}": child["id"],
        }
        assert len(pairs) == 2
    assert {count for *_, count in sandbox._store.effects()} == {1}


def nothing_is_left(folder: Path) -> None:
    """Insist that beside results and journals no file is there."""
    assert [path for path in folder.rglob("*") if path.suffix in {".part", ".lock", ".tmp"}] == []


WORDS = [
    "apply",
    "p-{n}.plan",
    "-p",
    "target",
    "--yes",
    "--ids",
    "ids-{n}",
    "--workers",
    "2",
    "--max-deletes",
    "9",
]


def test_without_keys_no_call_is_done_twice_and_the_doubtful_ones_are_listed(
    crashes: Crashes,
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    tmp_path: Path,
) -> None:
    prepare(unified, unified_sandbox, served, tmp_path, 90, "idempotency_window = 0")
    found = crashes(WORDS, {"p-{n}.plan": plan_of(unified_sandbox.url, calls_of("{n}"))}, served)
    sys.stdout.write(f"crash points: {len(found)}\n")
    assert {point["code"] for point in found} == {0, 10}
    records = [
        json.loads(line)
        for line in unified(
            "ticketing tags list --all -o ndjson", environ=served
        ).stdout.splitlines()
    ]
    made = Counter(record["name"] for record in records)
    assert {*made.values()} == {1}
    for point in (point["point"] for point in found):
        listed = "".join(
            path.read_text()
            for path in tmp_path.glob(f"p-{point}.plan.unified-*")
            if "done" not in path.name
        )
        for kind in ("child", "parent"):
            assert made[f"{point}-{kind}"] or f"{point}-{kind}" in listed
        assert f"d{point}" not in made or f'"d{point}"' in listed
    nothing_is_left(tmp_path)


def test_every_call_is_done_once_wherever_it_is_killed(
    crashes: Crashes,
    unified: Unified,
    unified_sandbox: UnifiedSandbox,
    served: dict[str, str],
    tmp_path: Path,
) -> None:
    prepare(unified, unified_sandbox, served, tmp_path, 90)
    found = crashes(WORDS, {"p-{n}.plan": plan_of(unified_sandbox.url, calls_of("{n}"))}, served)
    assert [point for point in found if point["code"] != 0] == []
    assert 40 < int(found[-1]["point"]) <= 90
    sys.stdout.write(f"crash points: {len(found)}\n")
    nothing_is_left(tmp_path)
    check(unified, unified_sandbox, served, tmp_path, [point["point"] for point in found])


@pytest.mark.long(seconds=12)
def test_every_call_is_done_once_when_killed_at_random_times(
    unified: Unified, unified_sandbox: UnifiedSandbox, served: dict[str, str], tmp_path: Path
) -> None:
    rounds = size(100, 8)
    prepare(unified, unified_sandbox, served, tmp_path, rounds)
    environ = {
        **served,
        "HOME": str(tmp_path),
        "PATH": os.defpath,
        "UNIFIED_CONFIG": f"{tmp_path}/config/config.toml",
    }
    unified_sandbox.faults("slow=100ms")
    killed, chosen = 0, dice("apply", 21)
    for number in range(1, rounds + 1):
        path = tmp_path / f"p-{number}.plan"
        path.write_text(plan_of(unified_sandbox.url, calls_of(str(number))))
        words = [
            "apply",
            str(path),
            "-p",
            "target",
            "--yes",
            "--ids",
            f"ids-{number}",
            "--max-deletes",
            "9",
        ]
        argv = [sys.executable, "-m", "unified_cli", *words]
        with subprocess.Popen(
            argv, cwd=tmp_path, env=environ, stdout=subprocess.DEVNULL
        ) as running:
            with suppress(subprocess.TimeoutExpired):
                running.wait(chosen.uniform(0.2, 1.0))
            killed += running.poll() is None
            running.kill()
        done = subprocess.run(
            argv, check=False, cwd=tmp_path, env=environ, capture_output=True, timeout=60
        )
        assert done.returncode == 0, done.stderr
    assert killed > size(30, 1)
    check(
        unified, unified_sandbox, served, tmp_path, [str(number) for number in range(1, rounds + 1)]
    )
