"""An agent finds, describes and reads what `operations add` has added."""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from wire import Wire, started

pytest.importorskip("mcp.server", reason="needs the extra mcp")
pytestmark = pytest.mark.extra


@pytest.fixture
def home(unified: Unified, tmp_path: Path) -> Path:
    """The home of a user who has added the operations of a CRM."""
    folder = tmp_path / "x" / "unified"
    folder.mkdir(mode=0o700, parents=True)
    config = folder / "config.toml"
    tables = [f'[profiles.{name}]\naccount_id = "sales:{name}"\n' for name in ("hub", "shop")]
    config.write_text(f'base_url = "sandbox:"\n{"".join(tables)}')
    config.chmod(0o600)
    folders = {"config": folder, "data": tmp_path / "data", "cache": tmp_path / "cache"}
    assert unified("operations add crm -p hub --yes", folders=folders).code == 0
    return tmp_path


def call(agent: Wire, tool: str, **arguments: Any) -> Any:
    agent.call(1, tool, **arguments)
    (content,) = agent.receive()["result"]["content"]
    return json.loads(content["text"])


def test_an_agent_uses_an_added_resource(home: Path) -> None:
    with started(home, "", XDG_CONFIG_HOME=str(home / "x")) as agent:
        agent.begin()
        found = call(agent, "search", query="crm contacts")["operations"]
        assert {one["operation"] for one in found} >= {"crm contacts list", "crm contacts search"}
        described = call(agent, "describe", operation="crm contacts list")
        assert "stage" in json.dumps(described["filters"])
        for operation in ("crm contacts list", "crm contacts search"):
            read = call(
                agent, "read", operation=operation, profile=["hub", "shop"], limit=4, columns=["id"]
            )
            assert {one["_profile"] for one in read["records"]} == {"hub", "shop"}
            assert len(read["records"]) == 4
