"""A connection is origin and account: what was kept of one is used for no other that a
profile leads to now.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import account, profiles
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
RECORD = {"id": "1", "name": "x", "updated_at": "2026-01-01T00:00:00Z"}


def reply(seen: Seen) -> Reply:
    if seen.path.endswith("/capabilities"):
        return served({"unified": {}})
    return served({"result": [RECORD], "next_cursor": None} if seen.method == "GET" else RECORD)


@pytest.mark.parametrize("change", ["account_id=other", "base_url={other}"])
@pytest.mark.parametrize(
    "command",
    [
        "export ticketing/tags --to {folder}/dump -p c00",
        "export ticketing/tags --to {folder}/dump -p c*",
        "export ticketing/tags --to {folder}/dump -p c00 --incremental",
        pytest.param(
            "export ticketing/tags --to file://{folder}/store -p c00 --incremental",
            marks=pytest.mark.extra,
        ),
        "import ticketing/tags {folder}/records -p c00",
        "-p c00 ticketing tags list --all -o ndjson --out {folder}/list --limit 1",
    ],
)
def test_work_begun_with_one_connection_is_not_continued_with_another(
    unified: Unified, service: Service, config: Config, tmp_path: Path, command: str, change: str
) -> None:
    if "file://" in command:
        pytest.importorskip("obstore", reason="needs the extra cloud")
    profiles(config, service.url, 1)
    service.reply = reply
    (tmp_path / "records").write_text(f"{json.dumps(RECORD)}\n")
    argv = command.format(folder=tmp_path)
    first = unified(argv)
    assert first.code == 0, first.stderr
    service.seen.clear()
    other = service.url.replace("127.0.0.1", "127.0.0.2")
    assert unified(f"profile set c00 {change.format(other=other)}").code == 0
    result = unified(argv)
    assert result.code in {11, 12}, result.stderr
    assert service.seen == []


@pytest.mark.parametrize(
    "command",
    [
        "ticketing tags list -o ndjson",
        "ticketing tags list --expect true",
        "schema ticketing/tags",
        "capabilities ticketing/tags",
        "export ticketing/tags --to {folder}/dump",
    ],
)
def test_two_profiles_of_one_connection_are_named_for_a_read(
    unified: Unified, service: Service, config: Config, tmp_path: Path, command: str
) -> None:
    profiles(config, service.url, 2)
    path = tmp_path / "config" / "config.toml"
    path.write_text(path.read_text().replace("a-c01", "a-c00"))
    service.reply = reply
    result = unified(f"{command.format(folder=tmp_path)} -p c*")
    once = ", which is read once, as c00" if command.startswith("export") else ""
    assert result.stderr.splitlines()[0] == f"c00, c01 are the same connection{once}"
    write = unified("ticketing tags update 1 -f name=y -p c* --yes")
    assert (write.code, {account(seen) for seen in service.seen if seen.method != "GET"}) == (
        2,
        set(),
    )


def test_a_base_url_with_a_path_leads_to_the_same_connections(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2, c01=f'base_url = "{service.url}/v1"')
    listed = [{"id": "a-c00", "tenant_id": "t"}, {"id": "a-c01", "tenant_id": "u"}]
    service.reply = lambda _: served({"result": listed, "next_cursor": None})
    result = unified("-p c00 connections add --yes")
    assert result.stderr == "nothing to add: 2 connections, all with a profile\n"
