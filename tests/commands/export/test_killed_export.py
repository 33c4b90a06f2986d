"""An export that was killed says so to all who read it, and which command continues
it: to `jq .complete`, to `--verify`, and to the commands that read its records.
"""

import json
import re
import shlex
import signal
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import stores
from front_door import ROOT, Result, Unified
from pages import served, tickets
from server import Reply, Seen, Service

LISTS = ["ticketing/tags", "ticketing/tickets", "ticketing/users"]
READERS = {
    "verify": "export --verify DUMP",
    "diff": "diff ticketing/users --from DUMP --to DUMP",
    "plan": "plan ticketing/users --from DUMP --to acme",
    "import": "import ticketing/users DUMP",
    "sql": "sql 'FROM ticketing.users' --from DUMP",
}
Run = Callable[[str], Result]


@pytest.fixture
def run(unified: Unified, service: Service, tmp_path: Path) -> Run:
    def run(line: str) -> Result:
        words = shlex.split(line.replace("DUMP", f"{tmp_path}/dump"))
        folders = {"config": tmp_path / "config", "data": tmp_path / "unified"}
        return unified(words, environ=service.environ, folders=folders)

    return run


@pytest.fixture(params=[0, 2])
def done(request: pytest.FixtureRequest, service: Service, tmp_path: Path) -> int:
    """How many of three lists an export had read and noted when it was killed."""
    number: int = request.param

    def reply(seen: Seen) -> Reply:
        if seen.segments[-1] == LISTS[number].partition("/")[2]:
            process.send_signal(signal.SIGKILL)
        elif seen.segments[-1] == "tickets":
            # The manifest is written at most once a second.
            time.sleep(1.1)
        return served({"result": tickets(2), "next_cursor": None})

    service.reply = reply
    words = ["export", *LISTS, "--to", f"{tmp_path}/dump", "--workers", "1"]
    environ = {**service.environ, "XDG_DATA_HOME": str(tmp_path)}
    process = stores.start(words, tmp_path / "home", environ)
    assert stores.ended(process)[0] == -signal.SIGKILL
    service.reply = lambda _: served({"result": tickets(2), "next_cursor": None})
    return number


def manifest(tmp_path: Path) -> Any:
    return json.loads((tmp_path / "dump/manifest.json").read_text())


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, id=name, marks=[pytest.mark.extra] * (name == "sql"))
        for name, line in READERS.items()
    ],
)
def test_a_killed_export_is_not_complete(line: str, done: int, run: Run, tmp_path: Path) -> None:
    if line.startswith("sql"):
        pytest.importorskip("duckdb", reason="needs the extra sql")
    assert manifest(tmp_path)["complete"] is False
    result = run(line)
    said = f"error: {tmp_path}/dump is not finished: {done} of 3 lists done\n  unified "
    assert (result.code, said in result.stderr) == (9, True), result.stderr
    again = run(result.stderr.splitlines()[-1].removeprefix("  unified "))
    assert (again.code, "; 3 of 3 lists done" in again.stderr) == (0, True), again.stderr
    assert manifest(tmp_path)["complete"] is True
    assert run("export --verify DUMP").code == 0


@pytest.mark.parametrize("done", [2], indirect=True)
@pytest.mark.usefixtures("done")
def test_the_lists_that_a_killed_export_had_read_can_be_used(run: Run) -> None:
    same = run("diff ticketing/tickets --from DUMP --to DUMP")
    assert same.code == 0, same.stderr


@pytest.mark.parametrize("done", [2], indirect=True)
@pytest.mark.usefixtures("done")
def test_the_list_of_runs_has_the_lists_that_were_not_tried(run: Run) -> None:
    (row,) = json.loads(run("runs list -o json").stdout)["runs"]
    counts = [row[name] for name in ("done", "failed", "not_tried")]
    assert (row["state"], counts) == ("interrupted", [2, 0, 1])


def test_the_topic_names_members_of_the_manifest(run: Run, tmp_path: Path) -> None:
    assert run("-p sandbox export ticketing/tags --to DUMP").code == 0
    topic = tomllib.loads((ROOT / "unified_cli/commands/topics/engines.toml").read_text("utf-8"))
    relied, own = topic["engines"]["notes"]["The manifest"].split("Other members")
    of_all, of_file = relied.split("of each file,")
    found = manifest(tmp_path)
    (entry,) = found["files"]
    assert {*re.findall(r"(\w+),", of_file)} - {"why", "and"} <= entry.keys() >= {"why", "since"}
    members = {"complete", "started", "ended", "files"}
    assert members <= found.keys() & {*re.findall(r"\w+", of_all)}
    unstable = {*re.findall(r"\w+", own.partition("such as")[2].partition(", are")[0])} - {"and"}
    assert unstable <= found.keys() | entry.keys()
