"""Profiles made of the connections of a token, killed anywhere and made again: all of
them once, or none.
"""

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pages import cursor_of, served
from server import Reply, Seen, Service

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]
PAGES, SIZE = 2, 3


def connections(seen: Seen) -> Reply:
    """Some pages of connections."""
    at = int(cursor_of(seen) or 0)
    product = {"name": "deskly", "label": "Deskly", "category": "ticketing"}
    page = [
        {"id": f"c-{number}", "tenant_id": f"t{number}", "status": "active", "integration": product}
        for number in range(at * SIZE, (at + 1) * SIZE)
    ]
    return served({"result": page, "next_cursor": str(at + 1) if at + 1 < PAGES else None})


def test_each_profile_is_there_once_wherever_it_is_killed(
    crashes: Crashes, service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    service.reply = connections
    path = config(f'base_url = "{service.url}"\n')
    environ = {
        name: value for name, value in service.environ.items() if name != "UNIFIED_ACCOUNT_ID"
    }
    environ["UNIFIED_CONFIG"] = str(tmp_path / "config-{n}.toml")
    fresh = {"config-{n}.toml": path.read_text()}
    found = crashes(["connections", "add", "--yes"], fresh, environ)
    sys.stdout.write(f"crash points: {len(found)}\n")
    assert {point["code"] for point in found} == {0}
    for point in found:
        made = tomllib.loads((tmp_path / f"config-{point['point']}.toml").read_text())["profiles"]
        assert sorted(one["account_id"] for one in made.values()) == [
            f"c-{number}" for number in range(PAGES * SIZE)
        ]
    assert [file for file in tmp_path.rglob("*") if file.suffix in {".part", ".tmp"}] == []
