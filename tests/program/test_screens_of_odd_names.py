"""Whatever stands in records: no line of a screen is wider than the terminal, and no word is broken that fits."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import offer, served
from record_files import ndjson
from rich.cells import cell_len
from server import Reply, Seen, Service

Config = Callable[[str], Path]
IDS = [f"62f44730-dd91-461e-bd6a-aedd9e0ad{at:03}" for at in range(7)]
CHINESE = "\u4e2d\u6587\u540d\u79f0\u5f88\u957f" * 10
NAMES = ("n" * 60, CHINESE, "e\u0301" * 60, "Ada Lovelace of the sea " * 3, "name@example.com", "x", "no-profile-yet")
PROFILES = [f"{'a-profile-of-a-customer-' * 3}"[:60], "p1", "p2", "p3", "p4", "p5"]
STATES = ("active", "needs_reauth", "active", "post_install_error", "active", "connecting", "active")
ALL = " ".join(f"-p {name}" for name in PROFILES)
MARKS = "─│├└█▒░·✓!✗…"

COMMANDS = """\
operations
operations suspend user
operations suspend user --source
profile list
profile show {long}
profile show {long} --explain
profile test {names}
doctor
doctor -v
doctor p1 p2 --network
connections list
connections list --health
connections add --dry-run
{all} capabilities
{all} capabilities ticketing/tickets user-directory/users --probe
-p {long} capabilities ticketing
-p p1 schema ticketing/tickets
{all} schema ticketing/tickets --against known
{all} schema ticketing/tickets --against shape.json --strict
diff ticketing/tickets --from one.ndjson --to other.ndjson
-p p1 import ticketing/tickets one.ndjson
{all} ticketing tickets list -o table --workers 1
-p p1 ticketing tickets list -o table
-p p1 ticketing tickets list -o table --columns id,name,note
-p p1 ticketing tickets get 7 -o table
{all} ticketing tickets create -f name=new --yes -o table --workers 1
-p p1 user-directory users list -o table
runs list
runs show {run}
sandbox status
""".splitlines()


@pytest.fixture
def world(service: Service, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Connections and records with long names, wide ones, and marks; a service that shows them."""
    tables = (
        f'[profiles.{name}]\naccount_id = "{at}"\ntags = ["a-tag-of-a-customer"]\n'
        for name, at in zip(PROFILES, IDS, strict=False)
    )
    config(f'rate = 0\nretries = 0\nbase_url = "{service.url}"\n{"".join(tables)}')
    records = [record(at) for at in range(len(IDS))]
    ndjson(tmp_path / "one.ndjson", *records)
    ndjson(tmp_path / "other.ndjson", *({**one, "name": NAMES[at - 1]} for at, one in enumerate(records[:-1])))
    (tmp_path / "shape.json").write_text(json.dumps({"properties": {"n" * 60: {"type": "object"}, CHINESE: {}}}))
    monkeypatch.chdir(tmp_path)
    service.reply = lambda seen: reply(seen, records)
    return {"UNIFIED_TOKEN": "t-0123456789", "NO_COLOR": "1"}


def record(at: int) -> dict[str, Any]:
    name = NAMES[at]
    more = {"n" * 60: {"in": {"in": {"in": {"in": {"in": name}}}}}, CHINESE: None if at % 2 else [name]}
    return {
        "id": IDS[at],
        "name": name,
        "status": STATES[at],
        "note": f"{name} {name}",
        "owner": {"name": name},
        **more,
    }


def reply(seen: Seen, records: list[dict[str, Any]]) -> Reply:
    """The service: connections, what they offer, and records."""
    if seen.segments[0] == "integrated-account":
        listed = [connection(at) for at in range(len(IDS))]
        if not seen.segments[1:]:
            return served({"result": listed})
        at = IDS.index(seen.segments[1])
        every = {"ticketing": {"tickets": ["list", "get", "create"]}, "user-directory": {"users": ["list"]}}
        return served(offer(every if at else {}) if seen.segments[2:] else listed[at])
    if seen.method == "GET" and seen.segments[3:]:
        return served(records[0])
    if seen.method == "GET":
        return served({"result": records})
    account = dict(seen.query)["integrated_account_id"]
    refused = {"statusCode": 400, "error": "Bad Request", "message": f"{NAMES[3]} {CHINESE}"}
    return served(refused, 400) if IDS.index(account) % 2 else served(records[IDS.index(account)])


def connection(at: int) -> dict[str, Any]:
    integration = {"name": "deskly" if at % 2 else "a-product-of-a-rather-long-name", "category": "ticketing"}
    return {
        "id": IDS[at],
        "tenant_id": NAMES[at],
        "status": STATES[at],
        "integration": integration,
        "created_at": "2026-01-01T00:00:00Z",
        "last_error": f"{NAMES[3]} {CHINESE}" if at == 1 else None,
    }


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_is_as_wide_as_the_terminal_and_breaks_between_words(
    command: str, columns: int, unified: Unified, world: dict[str, str]
) -> None:
    run = ""
    if "{run}" in command or command == "runs list":
        begun = unified(f"{ALL} ticketing tickets create -f name=new --yes", environ=world)
        run = next(line.removeprefix("run ") for line in begun.stderr.splitlines() if line.startswith("run "))
    words = command.format(long=PROFILES[0], names=" ".join(PROFILES), all=ALL, run=run)
    shown = unified(words, environ=world, tty=True, columns=columns)
    wide = unified(words, environ=world, tty=True, columns=4000)
    assert shown.stdout, shown.stderr
    assert "a bug" not in shown.stderr
    assert [line for line in shown.stdout.splitlines() if cell_len(line) > columns] == []
    whole = {*wide.stdout.split()}
    assert [word for word in shown.stdout.split() if not is_whole(word, whole, columns)] == []


def is_whole(word: str, words: set[str], columns: int) -> bool:
    """Whether this is a word, or what a terminal of that width has to make of one."""
    if word in words or not word.strip(MARKS) or "…" in word:
        return True
    # Chinese has no blanks, and what is wider than the terminal's columns cannot be whole.
    inner = word.strip(MARKS)
    return any(inner in one and (cell_len(one) > columns // 2 or re.search("[\u4e00-\u9fff]", one)) for one in words)
