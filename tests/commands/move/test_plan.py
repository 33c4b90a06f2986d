"""`unified plan`: which calls it makes of which differences."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Process, Unified
from record_files import TWO, ids_header, ndjson
from server import Service

pytestmark = pytest.mark.usefixtures("kept_ids")
APPLY = "(unified apply PLAN -p new does it, --dry-run shows it)\n"


@pytest.fixture
def target(unified: Unified, config: Callable[[str], Path]) -> Callable[..., None]:
    """Give the tags of the connection `new` these records."""
    config(TWO)

    def fill(*records: dict[str, Any]) -> None:
        for record in records:
            assert (
                unified(["-p", "new", "ticketing", "tags", "create", "-d", json.dumps(record)]).code
                == 0
            )

    return fill


def plan(text: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header and the calls."""
    header, *calls = map(json.loads, text.splitlines())
    return header, calls


def test_a_call_for_each_difference(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target(
        {"id": "a", "name": "x", "color": "red"},
        {"id": "b", "name": "y"},
        {"id": "c", "name": "z", "color": "blue"},
    )
    one = ndjson(
        tmp_path / "one",
        {"id": "a", "name": "X", "color": "red", "etag": "1"},
        {"id": "b", "name": "y", "updated_at": "2020"},
        '{"id":"d","name":"n","weird":1,"workspace":{"id":1.10},"parent":null}',
    )
    argv = f"plan ticketing/tags --from {one} --to new --same-ids"
    result = unified(f"{argv} --delete")
    header, calls = plan(result.stdout)
    assert calls == [
        {
            "connection": "empty",
            "operation": "update",
            "why": "different: name",
            "id": "a",
            "source": "a",
            "body": {"name": "X"},
            "seen": {"name": "x"},
        },
        {
            "connection": "empty",
            "operation": "create",
            "why": f"only in {one}",
            "source": "d",
            "body": {"id": "d", "name": "n", "workspace": {"id": 1.1}},
        },
        {
            "connection": "empty",
            "operation": "delete",
            "why": "only in new",
            "id": "c",
            "seen": {"name": "z", "color": "blue"},
        },
    ]
    assert '"workspace":{"id":1.10}' in result.stdout
    assert (
        header["unified_plan"],
        header["calls"],
        header["resource"],
        header["key"],
        header["delete"],
    ) == (
        1,
        3,
        "ticketing/tags",
        ["id"],
        True,
    )
    assert (header["from"]["kind"], header["from"]["records"]) == ("file", 3)
    assert {**header["to"], "sha256": ""} == {
        "kind": "profile",
        "name": "new",
        "origin": "http://sandbox",
        "account": "empty",
        "records": 3,
        "sha256": "",
    }
    assert (result.stderr, result.code) == (f"planned: 1 create, 1 update, 1 delete {APPLY}", 0)
    result = unified(argv)
    assert [call["operation"] for call in plan(result.stdout)[1]] == ["update", "create"]
    left = "only in new, and kept: 1 record (--delete plans to delete them)\n"
    assert result.stderr == f"planned: 1 create, 1 update {APPLY}{left}"


def test_only_fields_that_the_target_takes_and_that_differ(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target({"id": "a", "name": "x", "color": "red", "weird": 1, "status": "s"})
    one = ndjson(tmp_path / "one", {"id": "a", "name": "x", "weird": 2, "status": None})
    argv = f"plan ticketing/tags --from {one} --to new --same-ids"
    # A field that is not there says nothing about the target's; null does.
    assert [call["body"] for call in plan(unified(argv).stdout)[1]] == [{"status": None}]
    assert [call["body"] for call in plan(unified(f"{argv} --all-fields").stdout)[1]] == [
        {"weird": 2, "status": None}
    ]
    result = unified(f"{argv} --ignore status")
    said = "nothing to do: 1 record different in fields that are not sent\n"
    assert (plan(result.stdout)[1], result.stderr, result.code) == ([], said, 0)


def test_ignored_members_are_not_sent(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target({"id": "a", "name": "x", "workspace": {"id": 1, "name": "w"}})
    one = ndjson(
        tmp_path / "one",
        *({"id": key, "name": "x", "workspace": {"id": 2, "name": "v"}} for key in "ab"),
    )
    result = unified(
        f"plan ticketing/tags --from {one} --to new --ignore workspace.name,name --key id"
        " --same-ids"
    )
    bodies = [call["body"] for call in plan(result.stdout)[1]]
    assert bodies == [{"workspace": {"id": 2}}, {"id": "b", "workspace": {"id": 2}}]


def test_another_key_leaves_ids_to_the_target(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target({"id": "t1", "name": "x", "color": "red"})
    one = ndjson(
        tmp_path / "one", {"id": "a", "name": "x", "color": "blue"}, {"id": "b", "name": "y"}
    )
    _, calls = plan(unified(f"plan ticketing/tags --from {one} --to new --key name").stdout)
    assert [(call["id"], call["body"]) for call in calls[:1]] == [("t1", {"color": "blue"})]
    assert calls[1]["body"] == {"name": "y"}


def test_ids_are_exchanged_where_they_are_known(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target({"id": "t1", "name": "x", "parent": {"id": "t9"}})
    records = [
        {"id": "a", "name": "x", "parent": {"id": "r"}},
        {"id": "b", "name": "y", "parent": {"id": "a", "n": 1}},
    ]
    one = ndjson(
        tmp_path / "one",
        *records,
        {"id": "c", "name": "z", "parent": {"id": "q"}, "workspace": {"id": 5}},
    )
    known = {"a": "t1", "r": "t9"}.items()
    pairs = ({"resource": "ticketing/tags", "from": old, "to": new} for old, new in known)
    ids = ndjson(tmp_path / "ids", ids_header(None, "empty"), *pairs)
    result = unified(f"plan ticketing/tags --from {one} --to new --ids {ids}")
    _, calls = plan(result.stdout)
    assert [(call["source"], call["body"], call.get("references")) for call in calls] == [
        ("b", {"name": "y", "parent": {"id": "t1", "n": 1}}, None),
        (
            "c",
            {"name": "z", "parent": {"id": "q"}, "workspace": {"id": 5}},
            [
                {"path": "parent.id", "resource": "ticketing/tags", "id": "q"},
                {"path": "workspace.id", "resource": "ticketing/workspaces", "id": 5},
            ],
        ),
    ]
    waiting = (
        f"references without a new id in {ids}: 1 to ticketing/tags, 1 to ticketing/workspaces"
    )
    apply = APPLY.replace("-p new", f"-p new --ids {ids}")
    assert (
        result.stderr == f"planned: 2 creates {apply}{waiting} (apply the plans that create these"
        " records together, or use --ignore parent,workspace)\n"
    )


def test_references_to_records_that_the_same_plan_creates_are_not_missing(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target()
    one = ndjson(
        tmp_path / "one",
        {"id": "child", "name": "x", "parent": {"id": "root"}},
        {"id": "root", "name": "y", "parent": {"id": "gone"}},
        {"id": "leaf", "name": "z", "parent": {"id": "root"}, "workspace": {"id": 5}},
    )
    result = unified(f"plan ticketing/tags --from {one} --to new --ids {tmp_path}/ids")
    waiting = "1 to ticketing/tags, 1 to ticketing/workspaces"
    remedy = (
        "(apply the plans that create these records together, or use --ignore parent,workspace)"
    )
    assert f": {waiting} {remedy}\n" in result.stderr
    ignored = unified(
        f"plan ticketing/tags --from {one} --to new --ids {tmp_path}/ids --ignore workspace"
    )
    assert f": 1 to ticketing/tags {remedy.replace(',workspace', '')}\n" in ignored.stderr


def test_records_without_a_call_are_reported(
    unified: Unified, target: Callable[..., None], tmp_path: Path
) -> None:
    target({"id": "t1", "name": "x"})
    one = ndjson(
        tmp_path / "one", {"name": "x"}, {"name": "x"}, {"id": "a"}, {"id": "b", "name": "n"}
    )
    result = unified(f"plan ticketing/tags --from {one} --to new --key name")
    assert [call["source"] for call in plan(result.stdout)[1]] == ["b"]
    said = "error: records without a call: 2 that cannot be matched (unified diff shows them)"
    assert (result.stderr.splitlines()[-1], result.code) == (said, 9)
    one = ndjson(tmp_path / "one", {"id": "a", "weird": 1})
    result = unified(f"plan ticketing/tags --from {one} --to new --ids {tmp_path}/ids")
    said = (
        "error: records without a call: 1 without a field that the target is known to accept"
        " (unified"
        " diff shows them)"
    )
    assert (result.stderr.splitlines()[-1], result.code) == (said, 9)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (
            "ticketing/tags --from sandbox --to {file}",
            "--to {file} is not a profile (unified profile list)",
        ),
        (
            "falconry/things --from {file} --to new",
            "no fields of falconry/things are known (--all-fields sends every field of the records",
        ),
        (
            "ticketing/ticket_status --from {file} --to new",
            "ticketing/ticket_status can only be read",
        ),
    ],
)
def test_an_impossible_plan_is_refused(
    argv: str, said: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    own = config(TWO).parent / "catalogue.d"
    own.mkdir()
    text = '[api.falconry]\ntitle = "Falconry"\nabout = "Things"\n'
    text += '[api.falconry.resources]\nthings = "crud"\n'
    (own / "falconry.toml").write_text(text)
    file = ndjson(tmp_path / "one", {"id": 1})
    result = unified(f"plan {argv.format(file=file)}")
    assert (result.stdout, result.code) == ("", 2)
    assert result.stderr.startswith(f"error: {said.format(file=file)}")


@pytest.mark.parametrize("command", ["diff", "plan", "plan --delete"])
def test_a_side_is_not_the_file_that_is_printed_into(
    command: str, process: Process, service: Service, tmp_path: Path
) -> None:
    """Else an emptied file is a side without records: a plan to delete all others."""
    side, other = tmp_path / "side.ndjson", tmp_path / "other.ndjson"
    other.write_text('{"id":"1"}\n')
    with side.open("wb") as stdout:
        result = process(
            [*command.split(), "ticketing/tickets", "--from", str(side), "--to", str(other)],
            stdout=stdout,
            stderr=subprocess.PIPE,
            environ=service.environ,
        )
    assert (result.returncode, service.seen) == (2, [])
    assert result.stderr.decode() == (
        f"error: --from {side} is the file to which stdout is redirected, so it is now empty"
        " (redirect stdout to another file)\n"
    )
