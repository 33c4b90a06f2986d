"""`-p sandbox`: every resource answers, writes stay, and nothing falls into it by
accident.
"""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from front_door import Process, Unified

from unified_cli.catalogue import Resource, load

RESOURCES = [resource for api in load().apis.values() for resource in api.resources.values()]


@pytest.mark.parametrize(
    "resource",
    [one for one in RESOURCES if "list" in one.operations],
    ids=lambda one: f"{one.api} {one.name}",
)
def test_every_resource_lists_records(resource: Resource, unified: Unified) -> None:
    result = unified(f"-p sandbox {resource.api} {resource.name} list")
    assert set(result.json) >= {"result", "next_cursor"}
    more = "there are more records: --all, or --cursor {}\n".format
    assert (result.code, result.stderr) == (
        0,
        more(result.json["next_cursor"]) if result.json["next_cursor"] else "",
    )
    assert result.json["result"]


@pytest.mark.parametrize(
    "resource",
    [one for one in RESOURCES if "get" in one.operations],
    ids=lambda one: f"{one.api} {one.name}",
)
def test_a_record_lives_from_create_to_delete(resource: Resource, unified: Unified) -> None:
    command = f"-p sandbox {resource.api} {resource.name}"
    has = resource.operations
    if "create" in has:
        made = unified(f"{command} create -f name=First -F price=1.10")
        assert made.code == 0
        name = made.json["id"]
        assert b'"price":1.10' in made.raw
    else:
        name = resource.operations["get"].example_id
    got = unified(f"{command} get {name}")
    assert (got.code, got.json["id"]) == (0, name)
    if "update" in has:
        assert unified(f"{command} update {name} -f name=Second").code == 0
        assert unified(f"{command} get {name}").json["name"] == "Second"
    if "delete" in has:
        assert unified(f"{command} delete {name} --yes").code == 0
        gone = unified(f"{command} get {name}")
        assert (gone.stdout, gone.code) == ("", 4)
        assert gone.stderr.startswith(
            f"error: the service answered 404 to GET /unified/{resource.api}/{resource.name}/"
        )


def test_another_process_reads_the_writes_until_the_reset(process: Process) -> None:
    made = process("-p sandbox ticketing tickets create -f name=Persistent")
    name = json.loads(made.stdout)["id"]
    assert (
        json.loads(process(f"-p sandbox ticketing tickets get {name}").stdout)["name"]
        == "Persistent"
    )
    assert process("sandbox reset").returncode == 0
    assert process(f"-p sandbox ticketing tickets get {name}").returncode == 4


def test_without_configuration_the_sandbox_is_not_used_by_itself(process: Process) -> None:
    result = process("ticketing tickets list")
    assert (result.stdout, result.returncode) == (b"", 3)
    assert result.stderr.decode() == (
        "error: no connection to call: set UNIFIED_BASE_URL, UNIFIED_ACCOUNT_ID and UNIFIED_TOKEN, "
        "or create a profile: unified profile add NAME; to try things out: unified -p sandbox …\n"
    )


def test_another_connection_of_the_sandbox_is_another_world(unified: Unified) -> None:
    unified("-p sandbox ticketing tickets update tickets-1 -f name=Changed")
    assert unified("-p sandbox ticketing tickets get tickets-1").json["name"] == "Changed"
    assert (
        unified("-p sandbox -a full:other ticketing tickets get tickets-1").json["name"]
        != "Changed"
    )
    assert (
        unified("-p sandbox ticketing tickets get tickets-1 -a full:other").json["name"]
        != "Changed"
    )
    assert unified("-p sandbox ticketing tickets list -a empty").json["result"] == []


@pytest.mark.parametrize(
    "command",
    [
        "-p sandbox voice calls list",
        "-p sandbox -p sandbox voice calls list -o ndjson",
        "-p sandbox ticketing tickets get nobody",
        "-p sandbox ticketing tickets get -",
        "-p sandbox export voice --to {folder}/dump",
        "-p sandbox import ticketing/tags {folder}/tags.ndjson",
        "-p sandbox ticketing attachments download --from {folder}/ids --out {folder}/files",
        "profile test sandbox",
        "doctor sandbox --network",
        "sandbox status",
        "sandbox reset",
    ],
)
def test_a_command_closes_the_state_it_opened(
    command: str, unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    class Tracked(sqlite3.Connection):
        def close(self) -> None:
            events.append("closed")
            super().close()

    def connect(*given: Any, **more: Any) -> sqlite3.Connection:
        events.append("opened")
        return real(*given, **more, factory=Tracked)

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect)
    (tmp_path / "tags.ndjson").write_text('{"name":"x"}\n')
    (tmp_path / "ids").write_text("attachments-1\n")
    unified(command.format(folder=tmp_path), stdin=b"tickets-1\n")
    assert events.count("opened") == events.count("closed") > 0
