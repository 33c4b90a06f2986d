"""Only files of this user are obeyed: nothing that another user can have written makes
the program send anything.
"""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from many_connections import failing, profiles, run_id
from owned import SPOILS, bound_by_modes
from record_files import TWO, ndjson
from server import Service

from unified_cli.sandbox.store import SandboxStore

Config = Callable[[str], Path]
Spoil = Callable[[Path], str]
UPDATE = "ticketing tickets update t1 -f name=x --yes"
IMPORT = "-p new import ticketing/tags"
PAIR = '{"resource":"ticketing/tags","from":"a","to":"x"}\n'
each_way = pytest.mark.parametrize("spoil", SPOILS)


@pytest.fixture
def runs(unified: Unified, service: Service, config: Config) -> list[str]:
    """Two runs, the first of which is not done."""
    profiles(config, service.url, 2)
    service.reply = failing({"a-c00": 404})
    first = run_id(unified(f"{UPDATE} -p c* --fail-fast --workers 1", wall=lambda: 1e9).stderr)
    service.reply = failing({})
    second = run_id(unified(f"{UPDATE} -p c*", wall=lambda: 1e9 + 60).stderr)
    service.seen.clear()
    return [first, second]


def tags(unified: Unified) -> list[str]:
    """The names of the tags that the connection `new` of the sandbox has."""
    return sorted(one["name"] for one in unified("-p new ticketing tags list").json["result"])


@each_way
def test_the_journal_of_a_run_sends_nothing_and_the_others_are_listed(
    spoil: Spoil, runs: list[str], unified: Unified, service: Service, tmp_path: Path
) -> None:
    first, second = runs
    path = tmp_path / "data" / "runs" / f"{first}.ndjson"
    before = path.read_bytes()
    said = spoil(path)
    for command in (
        f"runs resume {first}",
        f"runs retry {first}",
        f"runs show {first}",
        f"{UPDATE} -p run:{first}:failed",
    ):
        result = unified(command)
        assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n"), command
    listed = unified("runs list -o json")
    assert [(one["id"], one["state"]) for one in listed.json["runs"]] == [
        (second, "done"),
        (first, "unreadable"),
    ]
    assert (listed.code, listed.stderr) == (0, f"warning: run {first} is ignored: {said}\n")
    assert (service.seen, path.read_bytes()) == ([], before)
    assert unified(f"runs remove {first}").code == 2
    assert unified(f"runs remove {first} --yes").code == 0


@each_way
@pytest.mark.parametrize(
    "command",
    ["runs list", "runs resume RUN", f"{UPDATE} -p c*", "-p c00 export ticketing/tickets --to OUT"],
    ids=["list", "resume", "a new run", "export"],
)
@pytest.mark.parametrize("folder", ["data/runs", "data"])
def test_a_folder_of_runs_that_others_can_change_sends_nothing(
    folder: str,
    command: str,
    spoil: Spoil,
    runs: list[str],
    unified: Unified,
    service: Service,
    tmp_path: Path,
) -> None:
    said = spoil(tmp_path / folder)
    result = unified(command.replace("RUN", runs[0]).replace("OUT", str(tmp_path / "out")))
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")
    assert service.seen == []


@each_way
def test_the_journal_of_an_import_sends_nothing(
    spoil: Spoil, unified: Unified, config: Config, tmp_path: Path
) -> None:
    config(TWO)
    path = tmp_path / "in.ndjson"
    ndjson(path, {"name": "a"})
    assert unified(f"{IMPORT} {path}").code == 0
    journal = path.with_name("in.ndjson.unified-journal")
    # As if nothing had been done yet: who believes it sends the record again.
    journal.write_bytes(journal.read_bytes().partition(b"\n")[0] + b"\n")
    said = spoil(journal)
    result = unified(f"{IMPORT} {path}")
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")
    listed = unified("runs list -o json")
    (run,) = listed.json["runs"]
    assert (listed.code, run["state"]) == (0, "unreadable")
    assert listed.stderr == f"warning: run {run['id']} is ignored: {said}\n"
    assert tags(unified) == ["a"]


@each_way
def test_the_folder_of_what_was_piped_in_sends_nothing(
    spoil: Spoil, unified: Unified, config: Config, tmp_path: Path
) -> None:
    config(TWO)
    assert unified(f"{IMPORT} -", stdin=b'{"name":"a"}\n').code == 0
    said = spoil(tmp_path / "data" / "imports")
    result = unified(f"{IMPORT} -", stdin=b'{"name":"b"}\n')
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")
    assert tags(unified) == ["a"]


@pytest.fixture
def planned(unified: Unified, config: Config, tmp_path: Path) -> str:
    """The words that apply a plan of one record to `new`."""
    config(TWO)
    side = ndjson(tmp_path / "side.ndjson", {"id": "a", "name": "a"})
    plan = tmp_path / "a.plan"
    plan.write_bytes(
        unified(f"plan ticketing/tags --from {side} --to new --ids {tmp_path}/ids").raw
    )
    return f"apply {plan} -p new --yes --ids {tmp_path}/ids"


@each_way
@pytest.mark.parametrize("what", ["its journal", "the folder of journals"])
def test_the_journal_of_a_plan_sends_nothing(
    what: str, spoil: Spoil, planned: str, unified: Unified, tmp_path: Path
) -> None:
    assert unified(planned).code == 0
    (journal,) = (tmp_path / "data" / "plans").glob("*.ndjson")
    journal.write_bytes(journal.read_bytes().partition(b"\n")[0] + b"\n")
    said = spoil(journal if what == "its journal" else journal.parent)
    result = unified(planned)
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")
    assert tags(unified) == ["a"]


@each_way
def test_a_file_of_ids_sends_nothing(
    spoil: Spoil, planned: str, unified: Unified, tmp_path: Path
) -> None:
    assert unified(planned).code == 0
    ids = tmp_path / "ids"
    said = spoil(ids)
    for command in (planned, f"plan ticketing/tags --from old --to new --ids {ids}"):
        result = unified(command)
        assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n"), command
    assert tags(unified) == ["a"]


def test_a_file_of_ids_that_anybody_can_replace_sends_nothing(
    planned: str, unified: Unified, tmp_path: Path
) -> None:
    assert unified(planned).code == 0
    shared = tmp_path / "shared"
    shared.mkdir()
    ids = (tmp_path / "ids").rename(shared / "ids")
    words = f"{planned.removesuffix('/ids')}/shared/ids"
    shared.chmod(0o777)
    for command in (words, f"plan ticketing/tags --from old --to new --ids {ids}"):
        result = unified(command)
        said = f"error: anybody can replace files in {shared} (chmod go-w {shared})\n"
        assert (result.code, result.stdout, result.stderr) == (3, "", said), command
    # Only the owner of a file can replace it there.
    shared.chmod(0o1777)
    assert unified(words).code == 0
    assert tags(unified) == ["a"]


@each_way
@pytest.mark.parametrize("what", ["data/sandbox.db", "data"])
@pytest.mark.parametrize("command", ["-p new ticketing tags list", "sandbox reset"])
def test_the_records_of_the_sandbox_are_not_obeyed(
    what: str, command: str, spoil: Spoil, unified: Unified, config: Config, tmp_path: Path
) -> None:
    config(TWO)
    assert unified("-p new ticketing tags create -f name=a").code == 0
    said = spoil(tmp_path / what)
    result = unified(command)
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")


@each_way
@pytest.mark.parametrize("where", ["data/sandbox.db", "named.db"])
def test_a_file_of_the_sandbox_is_not_served(
    where: str, spoil: Spoil, unified: Unified, tmp_path: Path
) -> None:
    named = tmp_path / where
    named.parent.mkdir(exist_ok=True)
    with closing(SandboxStore.open(named)):
        pass
    said = spoil(named)
    state = "" if where.startswith("data") else f"--state {named}"
    result = unified(f"sandbox serve --port 0 {state}")
    assert (result.code, result.stdout, result.stderr) == (3, "", f"error: {said}\n")


def modes(home: Path, *argv: str) -> Any:
    """Run a command to which modes apply, with the sandbox as `new`."""
    return bound_by_modes(home, *argv, UNIFIED_CONFIG=str(home / "config.toml"))


def test_a_journal_that_cannot_be_read_or_written_hides_no_other(
    service: Service, tmp_path: Path
) -> None:
    service.reply = failing({})
    config = tmp_path / "config.toml"
    config.write_text(
        "".join(
            f'[profiles.c{n}]\nbase_url = "{service.url}"\naccount_id = "a-{n}"\n' for n in (1, 2)
        )
    )
    config.chmod(0o600)
    environ = {
        "UNIFIED_CONFIG": str(config),
        "UNIFIED_TOKEN": "t-0123456789",
        "UNIFIED_BASE_URL": service.url,
    }
    for _ in range(3):
        done = bound_by_modes(tmp_path, *UPDATE.split(), "-p", "c*", **environ)
        assert done.returncode == 0, done.stderr
    folder = tmp_path / ".local/share/unified/runs"
    closed, fixed, usual = sorted(folder.glob("*.ndjson"))
    closed.chmod(0)
    fixed.chmod(0o400)
    listed = bound_by_modes(tmp_path, "runs", "list", "-o", "json", **environ)
    states = {one["id"]: one["state"] for one in json.loads(listed.stdout)["runs"]}
    assert states == {closed.stem: "unreadable", fixed.stem: "done", usual.stem: "done"}
    said = (
        f"warning: run {closed.stem} is ignored: cannot use the journal {closed}: Permission"
        " denied\n"
    )
    assert (listed.returncode, listed.stderr) == (0, said)


def test_a_plan_whose_journal_cannot_be_used_is_not_applied_again(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(TWO)
    config.chmod(0o600)
    side = ndjson(tmp_path / "side.ndjson", {"id": "a", "name": "a"})
    plan = tmp_path / "a.plan"
    plan.write_text(
        modes(
            tmp_path, "plan", "ticketing/tags", "--from", side, "--to", "new", "--same-ids"
        ).stdout
    )
    words = ["apply", str(plan), "-p", "new", "--yes"]
    assert modes(tmp_path, *words).returncode == 0
    (journal,) = tmp_path.glob(".local/share/unified/plans/*.ndjson")
    journal.chmod(0)
    result = modes(tmp_path, *words)
    said = f"error: cannot use the journal {journal}: Permission denied (nothing was sent)\n"
    assert (result.returncode, result.stdout, result.stderr) == (11, "", said)
