"""A connection to apply plans to, and the plans of records in files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from record_files import TWO, ndjson

Fill = Callable[..., None]
Planned = Callable[..., str]


@pytest.fixture
def target(request: pytest.FixtureRequest, unified: Unified, config: Callable[[str], Path]) -> Fill:
    """Create these tags in the connection `new`."""
    config(TWO)
    request.getfixturevalue("kept_ids")

    def fill(*records: dict[str, Any], resource: str = "tags") -> None:
        for record in records:
            argv = ["-p", "new", "ticketing", resource, "create", "-d", json.dumps(record)]
            assert unified(argv).code == 0

    return fill


@pytest.fixture
def planned(unified: Unified, tmp_path: Path) -> Planned:
    """A file with the plan that gives `new` these records."""

    def plan(*records: Any, resource: str = "tags", options: str = "", name: str = "") -> str:
        side = ndjson(tmp_path / f"{name or resource}.ndjson", *records)
        result = unified(f"plan ticketing/{resource} --from {side} --to new --same-ids {options}")
        assert result.code == 0, result.stderr
        path = tmp_path / f"{name or resource}.plan"
        path.write_bytes(result.raw)
        return str(path)

    return plan


@pytest.fixture
def there(unified: Unified) -> Callable[..., dict[Any, dict[str, Any]]]:
    """The records of `new` now, by id; without times."""

    def read(resource: str = "tags") -> dict[Any, dict[str, Any]]:
        lines = unified(f"-p new ticketing {resource} list --all -o ndjson").stdout.splitlines()
        records = [json.loads(line) for line in lines]
        times = ("created_at", "updated_at")
        return {
            one["id"]: {name: one[name] for name in one if name not in times} for one in records
        }

    return read
