"""The file of --ids belongs to two connections: for any others it is refused, and an
older one is asked about.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from record_files import TWO, ids_header, ndjson
from server import Reply, Service

HEADER = ids_header("full", "empty")
PAIR = {"resource": "ticketing/tags", "from": "tags-1", "to": "t1"}
WORDS = "from account full at http://sandbox to account empty at http://sandbox"
LINE = json.dumps(HEADER, separators=(",", ":"))
COMMANDS = ("plan ticketing/tags --from old --to new", "diff ticketing/tags --from old --to new")
THIRD = """
[profiles.third]
base_url = "sandbox:"
account_id = "empty:third"
"""


@pytest.fixture(autouse=True)
def three(config: Any) -> None:
    config(TWO + THIRD)


def test_the_ids_of_one_connection_are_refused_for_another(
    unified: Unified, tmp_path: Path
) -> None:
    side, ids, plan = (
        ndjson(tmp_path / "side", {"id": "a", "name": "x"}),
        f"{tmp_path}/ids",
        tmp_path / "p.plan",
    )
    argv = f"plan ticketing/tags --from {side} --ids {ids} --to"
    plan.write_bytes(unified(f"{argv} new").raw)
    assert unified(f"apply {plan} -p new --yes --ids {ids}").code == 0
    before = Path(ids).read_bytes()
    said = (
        f"error: {ids} holds ids from a file to account empty at http://sandbox, but this run"
        " needs ids from a file to account empty:third at http://sandbox (nothing was sent; use"
        " one file with --ids for each pair of connections)\n"
    )
    refused = unified(f"{argv} third")
    assert (refused.code, refused.stdout, refused.stderr) == (12, "", said)
    assert unified(f"{argv.replace('plan', 'diff', 1)} third").stderr == said
    plan.write_bytes(unified(f"plan ticketing/tags --from {side} --to third --same-ids").raw)
    for more in ("--yes", "--dry-run"):
        refused = unified(f"apply {plan} -p third {more} --ids {ids}")
        assert (refused.code, refused.stdout, refused.stderr) == (12, "", said)
    assert Path(ids).read_bytes() == before
    # Another --from, too: its ids may look alike.
    assert unified(f"plan ticketing/tags --from third --to new --ids {ids}").code == 12
    assert unified(f"plan ticketing/tags --from {side} --to new --ids {ids}").code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_the_profile_is_no_part_of_it(
    unified: Unified, tmp_path: Path, command: str, config: Any
) -> None:
    ids = ndjson(tmp_path / "ids", HEADER, PAIR)
    assert unified(f"{command} --ids {ids}").code in {0, 14}
    config(TWO.replace("old", "x").replace("new", "old").replace("profiles.x", "profiles.new"))
    refused = unified(f"{command} --ids {ids}")
    assert (
        refused.code,
        f"{ids} holds ids {WORDS}, but this run needs ids from account empty" in refused.stderr,
    ) == (
        12,
        True,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_an_older_file_is_not_guessed_about(unified: Unified, tmp_path: Path, command: str) -> None:
    ids = ndjson(tmp_path / "ids", PAIR)
    for more in ({}, {"tty": True, "environ": {"UNIFIED_NO_INPUT": "1"}}):
        refused = unified(f"{command} --ids {ids}", **more)
        assert (refused.code, refused.stdout) == (12, "")
        assert (
            refused.stderr.replace("\n", " ").replace("  ", " ").rstrip()
            == f"error: {ids} does not say which connections its ids belong to (nothing was sent;"
            " if"
            f" they are {WORDS}, add the first line {LINE})"
        )
    path = Path(ids)
    path.write_text(f"{LINE}\n{path.read_text()}")
    assert unified(f"{command} --ids {ids}").code in {0, 14}


@pytest.mark.parametrize("command", [*COMMANDS, "apply"])
def test_an_older_file_is_asked_about_once(unified: Unified, tmp_path: Path, command: str) -> None:
    if command == "apply":
        plan = tmp_path / "p.plan"
        plan.write_bytes(unified(f"{COMMANDS[0]} --same-ids").raw)
        command = f"apply {plan} -p new --dry-run"
    older = tmp_path / "older"
    ndjson(older, PAIR)
    ids = tmp_path / "ids"
    ids.symlink_to(older)
    question = (
        f"{ids} does not say which connections its ids belong to: are the ids {WORDS}? [y/N] "
    )
    no = unified(f"{command} --ids {ids}", tty=True, stdin=b"n\n")
    assert (no.code, no.stderr.startswith(question), older.read_text()) == (
        12,
        True,
        f"{json.dumps(PAIR)}\n",
    )
    yes = unified(f"{command} --ids {ids}", tty=True, stdin=b"y\n")
    assert yes.code in {0, 14}
    assert yes.stderr.startswith(
        f"{question}{ids}: added a first line that names the connections\n"
    )
    assert older.read_text() == f"{LINE}\n{json.dumps(PAIR)}\n"
    assert ids.is_symlink()
    again = unified(f"{command} --ids {ids}", tty=True, stdin=b"")
    assert again.code in {0, 14}
    assert "does not say" not in again.stderr


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ({**HEADER, "unified_ids": 2}, "{ids} was written by another version of this program"),
        ({**HEADER, "to": {"origin": "http://sandbox"}}, "{ids}, line 1 is not a pair of ids"),
        ({**HEADER, "to": "empty"}, "{ids}, line 1 is not a pair of ids"),
    ],
)
def test_a_forged_header_is_refused(
    unified: Unified, tmp_path: Path, first: dict[str, Any], said: str
) -> None:
    ids = ndjson(tmp_path / "ids", first, PAIR)
    result = unified(f"{COMMANDS[0]} --ids {ids}")
    assert (result.code, result.stderr.startswith(f"error: {said.format(ids=ids)}")) == (12, True)
    twice = ndjson(tmp_path / "twice", HEADER, PAIR, HEADER)
    assert unified(f"{COMMANDS[0]} --ids {twice}").stderr.startswith(
        f"error: {twice}, line 3 is not a pair of ids"
    )


def test_plans_of_two_connections_share_no_ids(unified: Unified, tmp_path: Path) -> None:
    tags = ndjson(tmp_path / "tags", {"id": "tags-1", "name": "x"})
    plans = []
    for name, words in {
        "one": f"ticketing/tags --from {tags}",
        "two": (
            "ticketing/tickets --from old --ignore"
            " account,assignees,collections,contact,created_by,priority,status"
        ),
    }.items():
        plans.append(tmp_path / name)
        plans[-1].write_bytes(unified(f"plan {words} --to new --same-ids").raw)
    names = " ".join(map(str, plans))
    result = unified(f"apply {names} -p new --yes --ids {tmp_path}/ids")
    assert (result.code, result.stdout) == (2, "")
    assert (
        result.stderr
        == f"error: nothing was sent: the plans are for different connections: {plans[0]} is from"
        f" a file to account empty at http://sandbox, but {plans[1]} is {WORDS} (apply the plans"
        " one after the other, each with its own file for --ids)\n"
    )
    assert not (tmp_path / "ids").exists()


def test_a_base_url_with_a_path_is_of_the_same_connection(
    unified: Unified, service: Service, config: Any, tmp_path: Path
) -> None:
    service.reply = lambda _: Reply(body=b'{"result":[],"next_cursor":null}')
    side = ndjson(tmp_path / "side", {"id": "a", "name": "x"})
    sides = {"unified_ids": 1, "from": None, "to": {"origin": service.url, "account": "a"}}
    ids = ndjson(tmp_path / "ids", sides, {"resource": "ticketing/tags", "from": "b", "to": "c"})
    for path in ("", "/v1"):
        config(
            f'[profiles.new]\nbase_url = "{service.url}{path}"\naccount_id = "a"\ntoken ='
            ' "t-0123456789"\n'
        )
        assert unified(f"plan ticketing/tags --from {side} --to new --ids {ids}").code == 0
