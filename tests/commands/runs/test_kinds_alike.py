"""Runs of all kinds that write show the same facts: the connections of their calls, how
to see and repeat those in doubt, and how many were under way at Ctrl-C.
"""

import json
import re
import shlex
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from front_door import Result, Unified
from many_connections import account, profiles
from pages import served
from server import Reply, Seen, Service

from unified_cli.storage.unchanged_file import UnchangedFile

Config = Callable[[str], Path]
NAMES = ["c00", "c01", "c02", "c03"]
LINES = "".join(
    json.dumps({"_profile": name, "id": f"t-{name}", "name": "x"}) + "\n" for name in NAMES
)
BEGIN = {
    "fan-out": "ticketing tags update t9 -f name=x -p c* --yes",
    "lines": "ticketing tags update - -p c* --yes",
    "import": "import ticketing/tags {folder}/in.ndjson --operation update -p c* --yes",
    "apply": "apply {plans} -p c* --yes",
}
UNITS = {"fan-out": "connections", "lines": "records", "import": "records", "apply": "calls"}
LOOKS = {
    "fan-out": ["unified ticketing tags get t9 -p run:{run}:in-doubt"],
    "lines": [f"unified ticketing tags get t-{name} -p {name}" for name in NAMES[1:3]],
    "import": [f"unified ticketing tags get t-{name} -p {name}" for name in NAMES[1:3]],
    "apply": ["unified ticketing tags list --since 1d -p run:{run}:in-doubt"],
}


@dataclass
class Kind:
    """Runs of a kind, with a call for each of four connections."""

    name: str
    unified: Unified
    service: Service
    folder: Path
    answers: dict[str, int] = field(default_factory=dict)

    def reply(self, seen: Seen) -> Reply:
        """Answer a write with the status of its connection."""
        if seen.method == "GET":
            one, many = {"id": "t", "name": "old"}, {"result": [], "next_cursor": None}
            return served(many if seen.segments[-1] == "tags" else one)
        status = self.answers.get(account(seen).removeprefix("a-"), 200)
        return served({"id": "t"} if status == 200 else {"message": "no"}, status)

    def begin(self, more: str = "") -> Result:
        """The end of a new run."""
        plans = " ".join(f"{self.folder}/{name}.plan" for name in NAMES)
        command = BEGIN[self.name].format(folder=self.folder, plans=plans)
        stdin = LINES.encode() if self.name == "lines" else b""
        return self.unified(f"{command} --workers 1 {more}", stdin=stdin)

    @property
    def id(self) -> str:
        """The id of the newest run."""
        return str(self.unified("runs list -o json").json["runs"][0]["id"])

    def kill(self) -> None:
        """Have the run as if c03 was not begun, and the end was not reached."""
        head, *lines = self.own.read_text().splitlines()
        paths = [json.loads(head).get("path"), *json.loads(head).get("paths", ())]
        path = Path(paths[-1]) if paths[0] else self.own
        if self.name == "apply":
            head, *_ = path.read_text().splitlines()
            path.write_text(f"{head}\n")
        else:
            head, *lines = path.read_text().splitlines()
            kept = [one for one in lines if json.loads(one)["n"] != 4 or '"s":"new"' in one]
            path.write_text("".join(f"{line}\n" for line in [head, *kept]))
        for one in self.folder.glob("*.unified-*.ndjson"):
            one.unlink()

    @property
    def own(self) -> Path:
        """The journal of the newest run in the data folder."""
        return self.folder / "data" / "runs" / f"{self.id}.ndjson"


@pytest.fixture(params=BEGIN)
def kind(
    request: pytest.FixtureRequest,
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> Kind:
    """A kind; a call in doubt is not repeated, as the service honours no key."""
    profiles(config, service.url, 4)
    path = tmp_path / "config" / "config.toml"
    path.write_text(f"idempotency_window = 0\n{path.read_text()}")
    (tmp_path / "in.ndjson").write_text(LINES)
    (tmp_path / "side.ndjson").write_text('{"id":"t9","name":"x"}\n')
    found = Kind(request.param, unified, service, tmp_path)
    service.reply = found.reply
    for name in NAMES if found.name == "apply" else ():
        made = unified(f"plan ticketing/tags --from {tmp_path}/side.ndjson --to {name} --same-ids")
        (tmp_path / f"{name}.plan").write_bytes(made.raw)
    return found


@pytest.mark.parametrize(
    ("outcome", "names"),
    [("done", ["c00"]), ("in-doubt", ["c01"]), ("failed", ["c02"]), ("not-tried", ["c03"])],
)
def test_an_outcome_of_a_killed_run_selects_connections(
    outcome: str, names: list[str], kind: Kind
) -> None:
    kind.answers = {"c01": 500, "c02": 422}
    kind.begin()
    kind.kill()
    kind.service.seen.clear()
    read = kind.unified(f"ticketing tags get t9 -p run:{kind.id}:{outcome}")
    assert (read.code, [account(seen) for seen in kind.service.seen]) == (
        0,
        [f"a-{name}" for name in names],
    )


def test_a_killed_run_shows_each_call_and_its_connection(kind: Kind) -> None:
    kind.answers = {"c01": 500, "c02": 422}
    kind.begin()
    kind.kill()
    shown = kind.unified(f"runs show {kind.id} -o ndjson").stdout.splitlines()
    rows = [json.loads(line) for line in shown]
    assert [(one["_profile"], one["account_id"], one["outcome"]) for one in rows] == [
        (name, f"a-{name}", outcome)
        for name, outcome in zip(NAMES, ["done", "in-doubt", "failed", "not-tried"], strict=True)
    ]
    table = kind.unified(f"runs show {kind.id} -o csv").stdout
    assert [line.partition(",")[0] for line in table.splitlines()] == ["_profile", *NAMES]


def test_the_end_has_a_look_at_each_doubt_and_a_repeat_with_its_key(kind: Kind) -> None:
    kind.answers = {"c01": 500, "c02": 500}
    ended = kind.begin()
    run, lines = kind.id, ended.stderr.splitlines()
    looks = [look.format(run=run) for look in LOOKS[kind.name]]
    assert [line.strip() for line in lines[-len(looks) :]] == looks
    keys = {
        account(seen): seen.headers["idempotency-key"]
        for seen in kind.service.seen
        if seen.method != "GET"
    }
    again = [line.strip() for line in lines if " --idempotency-key " in line]
    assert [line.rpartition(" -p ")[2] for line in again] == ["c01", "c02"]
    kind.service.seen.clear()
    for look in looks:
        assert kind.unified(shlex.split(look)[1:]).code == 0
    assert sorted(account(seen) for seen in kind.service.seen) == ["a-c01", "a-c02"]
    kind.answers = {}
    kind.service.seen.clear()
    for line in again:
        assert kind.unified(shlex.split(line)[1:]).code == 0
    assert [seen.headers["idempotency-key"] for seen in kind.service.seen] == [
        keys["a-c01"],
        keys["a-c02"],
    ]
    shown = kind.unified(f"runs show {run}").stderr
    assert all(line in shown for line in again)
    assert (
        f"to repeat all 2 calls, with their keys: unified runs resume {run} --retry-in-doubt"
        in shown
    )


def test_the_error_in_json_has_the_looks(kind: Kind) -> None:
    kind.answers = {"c01": 500, "c02": 500}
    error = json.loads(kind.begin("--json-errors").stderr.splitlines()[-1])["error"]
    looks = [look.format(run=kind.id) for look in LOOKS[kind.name]]
    assert (error["exit"], error["run"], error["next"].splitlines()) == (10, kind.id, looks)


def test_ctrl_c_says_how_many_were_under_way_and_how_to_continue(
    kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unified_cli.fleet.pool.WorkerPool.take", interrupt)
    ended = kind.begin()
    words = (
        f"stopped after 0 of 4 {UNITS[kind.name]}, 1 more was sent; to continue:"
        f" unified runs resume {kind.id}"
    )
    assert (ended.code, ended.stderr.splitlines()[-1]) == (130, f"error: interrupted; {words}")


def test_a_run_of_an_older_version_shows_what_its_journal_knows(kind: Kind) -> None:
    kind.answers = {"c01": 500}
    kind.begin()
    own, run = kind.own, kind.id
    if kind.name in {"fan-out", "lines"}:
        # Its calls always named their connections.
        return
    head = {**json.loads(own.read_text()), "targets": [], "inputs": []}
    own.write_text(json.dumps(head) + "\n")
    why = f"run {run} was begun by an older version, which did not record its connections"
    selected = kind.unified(f"ticketing tags get t9 -p run:{run}:in-doubt")
    assert (selected.code, selected.stderr) == (12, f"error: {why}\n")
    shown = kind.unified(f"runs show {run} -o ndjson")
    rows = [json.loads(line) for line in shown.stdout.splitlines()]
    assert sorted(one["outcome"] for one in rows) == ["done", "done", "done", "in-doubt"]
    assert (shown.code, f"only the calls that were started are shown: {why}" in shown.stderr) == (
        0,
        True,
    )


def test_an_input_that_has_changed_is_named(kind: Kind) -> None:
    if kind.name in {"fan-out", "lines"}:
        # Its calls are in its own journal.
        return
    kind.answers = {"c01": 500}
    kind.begin()
    path = kind.folder / ("in.ndjson" if kind.name == "import" else "c01.plan")
    path.write_text(path.read_text() + "\n")
    selected = kind.unified(f"ticketing tags get t9 -p run:{kind.id}:in-doubt")
    why = f"{path} has changed since the run began"
    assert (selected.code, selected.stderr) == (12, f"error: {why}\n")
    shown = kind.unified(f"runs show {kind.id} -o ndjson")
    assert re.search(f"only the calls that were started are shown: {re.escape(why)}", shown.stderr)
    assert {json.loads(line)["outcome"] for line in shown.stdout.splitlines()} >= {"in-doubt"}


@pytest.mark.parametrize(("command", "times"), [("list", 1), ("show", 2)])
def test_an_input_is_read_once_for_its_doubts(
    kind: Kind, command: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind.answers = {"c01": 500}
    kind.begin()
    read = Counter[Path]()
    opened = UnchangedFile.__init__

    def counting(file: UnchangedFile, path: Path) -> None:
        read[path] += 1
        opened(file, path)

    monkeypatch.setattr(UnchangedFile, "__init__", counting)
    kind.unified(f"runs {command}")
    assert {*read.values()} == ({times} if kind.name in {"import", "apply"} else set())
    # If a part was not tried, that is done first.
    kind.kill()
    read.clear()
    kind.unified("runs list")
    assert not read
