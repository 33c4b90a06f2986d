"""Records moved from one connection to another are the same records, but for what each
connection gives by itself.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified

RESOURCES = [
    "ticketing/tickets",
    "ticketing/contacts",
    "ticketing/tags",
    "ats/candidates",
    "ats/activities",
    "user-directory/users",
    "user-directory/groups",
    "calendar/events",
    "knowledge-base/pages",
    "ticketing/comments",
]
OWN = {"id", "created_at", "updated_at"}


def listed(unified: Unified, resource: str, account: str) -> bytes:
    command = f"-p sandbox {resource.replace('/', ' ')} list --all -o ndjson --quiet -a {account}"
    result = unified(command)
    assert (result.code, result.stderr) == (0, "")
    return result.raw


def without_own(lines: bytes) -> list[dict[str, Any]]:
    records = [json.loads(line, parse_float=str) for line in lines.splitlines()]
    kept = [
        {name: value for name, value in record.items() if name not in OWN} for record in records
    ]
    return sorted(kept, key=lambda record: json.dumps(record, sort_keys=True))


@pytest.mark.parametrize("resource", RESOURCES)
def test_a_moved_connection_is_the_same(resource: str, unified: Unified, tmp_path: Path) -> None:
    lines = listed(unified, resource, "full")
    assert len(lines.splitlines()) > 5
    path = tmp_path / "moving.ndjson"
    path.write_bytes(lines)
    moved = unified(
        f"import {resource} {path} -p sandbox -a empty --map 'del(.id, .created_at, .updated_at)'"
    )
    assert moved.code == 0, moved.stderr
    assert without_own(listed(unified, resource, "empty")) == without_own(lines)


def test_records_move_through_a_pipe(unified: Unified) -> None:
    lines = listed(unified, "ticketing/tags", "full")
    moved = unified(
        "import ticketing/tags - -p sandbox -a empty --map '{name, color}'", stdin=lines
    )
    assert moved.code == 0, moved.stderr
    names = [record["name"] for record in without_own(lines)]
    assert sorted(
        record["name"] for record in without_own(listed(unified, "ticketing/tags", "empty"))
    ) == sorted(names)
