"""Check that writes of version 0.2.0 are finished: each is done, and only once."""

import json
from collections import Counter
from pathlib import Path

import pytest
from written_files import Before, of_version

pytestmark = of_version("0.2.0")

COUNT = 6
STATES = ("done", "failed", "doubt", "killed")
FORMATS = ("ndjson", "json", "csv", "piped")


def run(folder: Path, name: str) -> str:
    """Give the id of the run that was written under this name."""
    known = json.loads((folder / "made" / "runs.json").read_text())
    return str(known[name])


def served(before: Before, start: str, *profiles: str) -> Counter[str]:
    """Count the names of tags that begin so, over these connections."""
    found: Counter[str] = Counter()
    for profile in profiles:
        ended = before(f"-p {profile} ticketing tags list --all -o ndjson")
        assert ended.code == 0, ended.stderr
        names = [json.loads(line)["name"] for line in ended.stdout.splitlines()]
        found.update(name for name in names if name.startswith(f"{start}-"))
    return found


def once(start: str) -> Counter[str]:
    """Count each record once."""
    return Counter(f"{start}-{number}" for number in range(1, COUNT + 1))


@pytest.mark.parametrize("words", ["mine list", "oldest"])
def test_an_alias_is_expanded(before: Before, words: str) -> None:
    ended = before(f"{words} -p full -q limit=1")
    assert ended.code == 0, ended.stderr
    assert len(ended.json["result"]) == 1


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("routed", ["", "routed-"])
def test_an_import_is_finished(
    before: Before,
    folder: Path,
    form: str,
    state: str,
    routed: str,
) -> None:
    name = f"{routed}{state}-{form}"
    source, stdin = f"imports/{name}.{form}", b""
    if form == "piped":
        stdin = (folder / "made" / source).read_bytes()
        source = "-"
    profiles = "-p full -p empty" if routed else "-p full"
    command = f"{profiles} import ticketing/tags {source} --workers 1 --yes"
    ended = before(command, stdin=stdin)
    if state == "failed":
        assert ended.code == 9, ended.stderr
        # The line of the failed names the file of the records, which is imported again.
        (failed,) = [one for one in ended.stdout.splitlines() if one.startswith("failed\t1\t")]
        again = failed.split("\t")[2]
        command = f"{profiles} import ticketing/tags {again} --workers 1 --yes"
        ended = before(command)
    assert ended.code == 0, ended.stderr
    assert served(before, name, "full", "empty") == once(name)


ENDS = {"failed": "runs retry {}", "doubt": "runs resume {}", "killed": "runs resume {}"}


def finish(before: Before, folder: Path, name: str, state: str) -> None:
    """Finish a run, and see that each of its writes is done."""
    number = run(folder, name)
    if state != "done":
        ended = before(ENDS[state].format(number))
        assert ended.code == 0, ended.stderr
    shown = before(f"runs show {number} -o json")
    assert {one["outcome"] for one in shown.json["result"]} == {"done"}


@pytest.mark.parametrize("state", STATES)
def test_piped_updates_are_finished(before: Before, folder: Path, state: str) -> None:
    name = f"update-{state}"
    finish(before, folder, name, state)
    ids = json.loads((folder / "made" / f"{name}.json").read_text())
    for number, one in enumerate(ids.values()):
        ended = before(f"-p full ticketing tags get {one} --jq .color")
        assert ended.stdout == f"#{number:06}\n"


@pytest.mark.parametrize("state", STATES)
def test_piped_deletes_are_finished(before: Before, folder: Path, state: str) -> None:
    name = f"delete-{state}"
    finish(before, folder, name, state)
    assert served(before, name, "full") == Counter()
    # Those of another run are still there.
    assert served(before, f"update-{state}", "full") == once(f"update-{state}")


@pytest.mark.parametrize("state", STATES)
def test_a_fan_out_is_finished(before: Before, folder: Path, state: str) -> None:
    name = f"fan-out-{state}"
    finish(before, folder, name, state)
    assert served(before, "fan-out", "full")[name] == 1
    assert served(before, "fan-out", "empty")[name] == 1


@pytest.mark.parametrize("state", ["fresh", *STATES])
def test_a_plan_is_applied_once(before: Before, folder: Path, state: str) -> None:
    name = f"plan-{state}"
    apply = f"apply plans/{name}.plan -p empty --ids plans/{name}.ids --workers 1 --yes"
    ended = before(apply)
    assert ended.code == 0, ended.stderr
    assert served(before, name, "empty") == once(name)
    ids = (folder / "made" / f"plans/{name}.ids").read_text().splitlines()
    pairs = [json.loads(line) for line in ids]
    old = sorted(one["from"] for one in pairs if "resource" in one)
    assert old == [f"old-{number}" for number in range(COUNT)]
    assert before(apply).code == 0
    assert served(before, name, "empty") == once(name)


@pytest.mark.parametrize("state", STATES)
def test_the_write_of_an_agent_is_finished(before: Before, folder: Path, state: str) -> None:
    name = f"agent-{state}"
    finish(before, folder, name, state)
    assert served(before, "agent", "full")[name] == 1
