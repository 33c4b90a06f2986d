"""Each kind of run in each state: what `runs list`, `show`, `resume`, `retry` and
`remove` print and do.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from front_door import Result, Unified
from many_connections import account, profiles, run_id
from pages import served
from server import Reply, Seen, Service

Config = Callable[[str], Path]
KINDS = ["fan-out", "lines", "import", "apply", "agent", "export"]
STATES = ["done", "failed", "doubt", "left", "killed", "pending"]
"""`left` is in doubt, and not repeated by the program; `pending` was not begun."""
WORDS = {
    "done": "done",
    "failed": "failed in part",
    "doubt": "in doubt",
    "left": "in doubt",
    "killed": "interrupted",
    "pending": "interrupted",
}


@dataclass
class Run:
    """A run of three parts, of which the second may fail and the third be left out."""

    kind: str
    state: str
    id: str
    folder: Path
    unified: Unified
    service: Service
    bad: int = 200
    printed: str = ""
    """Its stderr when it began."""

    def do(self, command: str, **more: Any) -> tuple[Result, list[int]]:
        """The end of a command, and the parts that it sent a write or a read for."""
        self.service.seen.clear()
        result = self.unified(command.replace("RUN", self.id), **more)
        return result, sorted(part(seen) for seen in self.service.seen if counts(self, seen))

    @property
    def facts(self) -> Any:
        """Its row in `runs list`."""
        return next(
            one for one in self.unified("runs list -o json").json["runs"] if one["id"] == self.id
        )

    @property
    def journal(self) -> Path:
        """Where its state is."""
        own = self.folder / "data" / "runs" / f"{self.id}.ndjson"
        path = json.loads(own.read_text().splitlines()[0]).get("path")
        if path and self.kind == "export":
            return Path(path) / "manifest.json"
        return Path(path) if path else own


def part(seen: Seen) -> int:
    """Which of the three a request is for."""
    if seen.method == "POST":
        return int(seen.json["name"][-1])
    if seen.method == "PATCH" and account(seen) == "a-c00" and seen.segments[-1] != "t9":
        return int(seen.segments[-1][-1])
    return int(account(seen)[-1])


def counts(run: Run, seen: Seen) -> bool:
    """Whether a request does a part of the run."""
    return run.kind == "export" or seen.method != "GET"


BEGIN = {
    "fan-out": "ticketing tags update t9 -f name=x -p c* --yes --workers 1",
    "agent": "ticketing tags update t9 -f name=x -p c* --yes --workers 1",
    "lines": "ticketing tags update - -p c00 --workers 1",
    "import": "import ticketing/tags {folder}/in.ndjson -p c00 --workers 1",
    "apply": "apply {folder}/a.plan -p c00 --yes --workers 1",
    "export": "export ticketing/tags --to {folder}/dump -p c* --workers 1",
}
LOOKS = {
    "fan-out": "unified ticketing tags get t9 -p run:{run}:in-doubt",
    "agent": "unified ticketing tags get t9 -p run:{run}:in-doubt",
    "lines": "unified ticketing tags get t1 -p c00",
    "import": "unified ticketing tags list --since 1d -p c00",
    "apply": "unified ticketing tags list --since 1d -p c00",
}
"""The command that shows whether a call in doubt was done."""
LINES = b"".join(b'{"id":"t%d","name":"n%d"}\n' % (at, at) for at in range(3))


@pytest.fixture
def run(
    request: pytest.FixtureRequest,
    unified: Unified,
    service: Service,
    config: Config,
    tmp_path: Path,
) -> Run:
    """The run of the kind and the state that the test names."""
    kind, state = request.param
    profiles(config, service.url, 3)
    (tmp_path / "in.ndjson").write_text("".join(f'{{"name":"n{at}"}}\n' for at in range(3)))
    if state == "left":
        path = tmp_path / "config" / "config.toml"
        path.write_text(f"idempotency_window = 0\n{path.read_text()}")
    bad = {"failed": 422, "doubt": 500, "left": 500}.get(state, 200)
    found = Run(kind, state, "", tmp_path, unified, service, bad)

    def reply(seen: Seen) -> Reply:
        lists = seen.method == "GET" and kind != "export"
        if not lists and part(seen) == 1 and found.bad != 200:
            return served({"statusCode": found.bad, "error": "E", "message": "no"}, found.bad)
        if seen.method == "GET":
            return served({"result": [], "next_cursor": None})
        return served({"id": "t"})

    service.reply = reply
    if kind == "apply":
        records = "".join(f'{{"id":"t{at}","name":"n{at}"}}\n' for at in range(3))
        (tmp_path / "side.ndjson").write_text(records)
        made = unified(f"plan ticketing/tags --from {tmp_path}/side.ndjson --to c00 --same-ids")
        (tmp_path / "a.plan").write_bytes(made.raw)
    stdin = LINES if kind == "lines" else b""
    begun = unified(BEGIN[kind].format(folder=tmp_path), stdin=stdin)
    found.printed = begun.stderr
    found.id = unified("runs list -o json").json["runs"][0]["id"]
    if kind != "export":
        assert run_id(begun.stderr) == found.id
    if kind == "agent":
        own = tmp_path / "data" / "runs" / f"{found.id}.ndjson"
        text = own.read_text().replace('"kind":"fan-out"', '"kind":"agent"')
        own.write_text(text.replace('"command":"ticketing tags update"', '"command":"mcp serve"'))
    if state in {"killed", "pending"}:
        kill(found, 2 if state == "killed" else 0)
    return found


def kill(run: Run, begun: int) -> None:
    """Have it as it was when this many parts were begun."""
    path = run.journal
    if run.kind == "export":
        manifest = json.loads(path.read_text())
        manifest["files"] = manifest["files"][:begun]
        path.write_text(json.dumps({**manifest, "ended": None}))
        for at in range(begun, 3):
            (path.parent / f"c0{at}" / "ticketing" / "tags.ndjson").unlink()
        return
    last = begun + (run.kind == "apply")
    head, *lines = path.read_text().splitlines()
    kept = [
        line
        for line in lines
        if (one := json.loads(line))["n"] <= last or one["s"] == "new" or one.get("call")
    ]
    path.write_text("".join(f"{line}\n" for line in [head, *kept]))
    for one in run.folder.glob("in.ndjson.unified-*.ndjson"):
        one.unlink()


def cases(*states: str) -> list[Any]:
    return [
        pytest.param((kind, state), id=f"{kind}-{state}")
        for kind in KINDS
        for state in states or STATES
        # Reads are never in doubt.
        if kind != "export" or state not in {"doubt", "left"}
    ]


@pytest.mark.parametrize("run", cases(), indirect=True)
def test_the_list_has_its_state_and_the_next_command(run: Run) -> None:
    facts = run.facts
    verb = {"done": None, "failed": "retry"}.get(run.state, "resume")
    wanted = verb and f"unified runs {verb} {run.id}"
    if run.state == "left":
        wanted = LOOKS[run.kind].format(run=run.id)
    if (run.kind, run.state) == ("import", "failed"):
        # The line was refused: it is corrected in the file of those that failed.
        wanted = (
            f"unified import ticketing/tags {run.folder}/in.ndjson.unified-failed.ndjson"
            " -p c00 --workers 1"
        )
    assert (facts["state"], facts["next"]) == (WORDS[run.state], wanted)


@pytest.mark.parametrize("run", cases("failed", "doubt", "killed", "pending"), indirect=True)
def test_each_printed_command_makes_progress_until_the_run_is_done(run: Run) -> None:
    last = run.printed.splitlines()[-1].strip()
    ended = run.state in {"failed", "doubt"} and run.kind != "agent"
    step = last if ended else run.facts["next"]
    printed: list[str] = []
    while step.startswith("unified ") and len(printed) < 4:
        assert step not in printed
        printed.append(step)
        if "unified-failed" in step:
            # A person corrected it.
            run.bad = 200
        result, sent = run.do(step.removeprefix("unified "))
        assert sent or " runs show " in step or result.stdout, step
        step = result.stderr.splitlines()[-1].strip() if result.stderr else ""
    assert 1 <= len(printed) <= 3, printed
    assert step.startswith("next: ") or result.code in {0, 10, 14}, (printed, result)


@pytest.mark.parametrize("run", cases("left"), indirect=True)
def test_doubts_that_are_not_repeated_lead_to_a_look_and_then_to_an_end(run: Run) -> None:
    look = LOOKS[run.kind].format(run=run.id)
    repeats = f"unified runs resume {run.id} --retry-in-doubt"
    closes = f"unified runs remove {run.id}"
    if run.kind != "agent":
        assert run.printed.splitlines()[-1].strip() == look
    assert run.facts["next"] == look
    for command in ("show", "resume", "retry"):
        ended, sent = run.do(f"runs {command} RUN")
        *said, last = ended.stderr.splitlines()
        assert (sent, last.strip().removeprefix("next: ")) == ([], look), command
        for step in (repeats, closes):
            assert any(step in line for line in said), (command, step)
        assert f"unified runs resume {run.id}\n" not in ended.stderr
    looked, _ = run.do(look.removeprefix("unified "))
    assert (looked.code, {seen.method for seen in run.service.seen}) == (0, {"GET"})
    removed, _ = run.do(f"{closes.removeprefix('unified ')} --yes")
    assert removed.code == 0
    assert run.unified("runs list -o json").json["runs"] == []


@pytest.mark.parametrize("run", cases("left"), indirect=True)
def test_they_are_repeated_on_request(run: Run) -> None:
    run.bad = 200
    command = "runs resume RUN --retry-in-doubt"
    refused, sent = run.do(command)
    assert (refused.code, sent) == (2, [])
    repeated, sent = run.do(f"{command} --yes")
    assert (repeated.code, sent, run.facts["state"]) == (0, [1], "done")


# An export finds its connection by address and account (test_nights.py).
BY_PROFILE = [one for one in cases("failed", "killed") if not one.id.startswith("export-")]


@pytest.mark.parametrize("run", BY_PROFILE, indirect=True)
def test_one_whose_profile_changed_its_connection_is_refused(run: Run) -> None:
    path = run.folder / "config" / "config.toml"
    text = path.read_text()
    path.write_text(re.sub(r'"a-(c0\d)"', r'"b-\1"', text))
    ended, sent = run.do(f"runs {'retry' if run.state == 'failed' else 'resume'} RUN")
    assert (ended.code, sent) == (12, []), ended.stderr


@pytest.mark.parametrize("run", cases(), indirect=True)
def test_show_has_each_part_and_the_next_command(run: Run) -> None:
    shown, sent = run.do("runs show RUN -o ndjson")
    outcomes = [json.loads(line)["outcome"] for line in shown.stdout.splitlines()]
    second = {"failed": "failed", "doubt": "in-doubt", "left": "in-doubt"}.get(run.state, "done")
    begun = {"killed": 2, "pending": 0}.get(run.state, 3)
    # A list that an export did not begin has no line.
    others = [] if run.kind == "export" else ["not-tried"] * (3 - begun)
    assert (shown.code, sent) == (0, [])
    assert outcomes == [*["done", second, "done"][:begun], *others]
    assert shown.stderr.splitlines()[-1] == (
        f"next: {run.facts['next']}" if run.state != "done" else shown.stderr.splitlines()[0]
    )
    assert run.unified("runs show -o ndjson").stdout == shown.stdout


@pytest.mark.parametrize("named", ["RUN", "last", ""])
@pytest.mark.parametrize("run", cases(), indirect=True)
def test_resume_does_the_rest_and_may_be_repeated(run: Run, named: str) -> None:
    run.bad = 200
    resumed, sent = run.do(f"runs resume {named}")
    nothing = {
        # Their own command sends what failed and may be done another time.
        ("export", "failed"): [1],
        ("apply", "failed"): [1],
    }.get((run.kind, run.state), [])
    wanted = {"doubt": [1], "killed": [2], "pending": [0, 1, 2]}.get(run.state, nothing)
    if run.state in {"done", "failed"} and named != "RUN":
        # There is nothing to resume; what failed is retried.
        assert (resumed.code, sent) == (0 if run.state == "done" else 2, [])
        if run.state == "done":
            assert resumed.stderr == "nothing to resume: every run is done\n"
    else:
        left = run.state == "left" or (run.state == "failed" and not wanted)
        assert (sent, resumed.code != 0) == (wanted, left), resumed.stderr
        assert run.facts["state"] == (WORDS[run.state] if left else "done")


@pytest.mark.parametrize("named", ["RUN", "last", ""])
@pytest.mark.parametrize("run", cases("failed"), indirect=True)
def test_retry_does_what_failed(run: Run, named: str) -> None:
    run.bad = 200
    retried, sent = run.do(f"runs retry {named}")
    assert (sent, retried.code) == ([1], 0), retried.stderr
    assert run.facts["state"] == "done"
    again, sent = run.do(f"runs retry {named}")
    assert (sent, again.code) == ([], 0)


@pytest.mark.parametrize("run", cases(), indirect=True)
def test_remove_asks_where_something_is_left(run: Run) -> None:
    removed, _ = run.do("runs remove")
    assert removed.stderr.startswith(f"the newest run to remove is {run.id} ")
    if run.state != "done":
        assert removed.code == 2
        removed, _ = run.do("runs remove RUN --yes")
    assert removed.code == 0
    assert run.unified("runs list -o json").json["runs"] == []


@pytest.mark.parametrize("run", cases("failed", "killed"), indirect=True)
@pytest.mark.parametrize("command", ["resume", "retry", "remove --yes"])
def test_one_that_is_running_is_left_alone(run: Run, command: str) -> None:
    path = run.folder / "data" / "runs" / f"{run.id}.ndjson.lock"
    with FileLock(path):
        path.write_text("4711\n")
        ended, sent = run.do(f"runs {command} RUN")
        assert (ended.code, ended.stderr, sent) == (
            12,
            f"error: run {run.id} is in use by process 4711\n",
            [],
        )
        assert run.do(f"runs {command}")[0].code == 2
        assert (run.facts["state"], run.facts["next"]) == ("running", None)
        assert run.do("runs show RUN")[0].code == 0


@pytest.mark.parametrize("run", cases("killed"), indirect=True)
@pytest.mark.parametrize("command", ["show", "resume", "retry"])
def test_one_whose_journal_is_of_another_version_can_be_removed_only(
    run: Run, command: str
) -> None:
    text = run.journal.read_text()
    head, _, rest = text.partition("\n")
    if run.kind == "export":
        run.journal.write_text(text.replace('"v": 1', '"v": 9', 1))
    else:
        head = head.replace('"v":1', '"v":9')
        run.journal.write_text(f"{head}\n{rest}")
    facts = run.facts
    assert (facts["state"], facts["next"]) == ("unreadable", f"unified runs remove {run.id}")
    assert "another version" in facts["reason"]
    ended, sent = run.do(f"runs {command} RUN")
    assert (ended.code, sent) == (12, [])
    assert run.do(f"runs {command}")[0].code in {2, 12}
    assert run.do("runs remove RUN")[0].code == 0


INPUTS = {"import": "in.ndjson", "apply": "a.plan"}


@pytest.mark.parametrize(
    "run", [one for one in cases() if one.id.partition("-")[0] in INPUTS], indirect=True
)
def test_one_whose_input_is_gone_says_so(run: Run) -> None:
    path = run.folder / INPUTS[run.kind]
    path.rename(path.with_name("moved"))
    ended, sent = run.do("runs resume RUN")
    assert (ended.code, sent, str(path) in ended.stderr) == (11, [], True)
    if run.state == "done":
        assert (run.facts["next"], run.facts["reason"]) == (None, None)
        return
    why = f"{path} is missing; the run can continue when it is there again"
    closes = f"unified runs remove {run.id}"
    if (run.kind, run.state) == ("import", "failed"):
        # The lines that were refused are in a file of their own.
        closes = f"unified import ticketing/tags {path}.unified-failed.ndjson -p c00 --workers 1"
    facts = [run.facts[name] for name in ("state", "next", "reason")]
    assert facts == [WORDS[run.state], closes, why]
    shown, _ = run.do("runs show RUN")
    assert (shown.code, shown.stderr.splitlines()[-2:]) == (0, [why, f"next: {closes}"])
    for command in ("resume", "retry"):
        none, sent = run.do(f"runs {command}")
        words = f"there is no run to {command}: {run.id} is {WORDS[run.state]} ({why})"
        assert (none.code, sent, none.stderr) == (2, [], f"error: {words} ({closes})\n")
    path.with_name("moved").rename(path)
    assert run.facts["reason"] is None
    path.rename(path.with_name("moved"))
    assert run.do("runs remove RUN --yes")[0].code == 0


@pytest.mark.parametrize("run", [("export", "killed")], indirect=True, ids=["export"])
def test_an_export_whose_folder_was_removed_starts_again(run: Run) -> None:
    (run.folder / "dump").rename(run.folder / "moved")
    ended, sent = run.do("runs resume RUN")
    assert (ended.code, sent) == (0, [0, 1, 2])


@pytest.mark.parametrize("typed", ["", " --workers 3 --rate 20"])
def test_the_command_that_continues_keeps_the_bounds_that_were_typed(
    unified: Unified, service: Service, config: Config, tmp_path: Path, typed: str
) -> None:
    """A bound protects a provider, so that it holds for the rest of the work, too."""
    profiles(config, service.url, 2)
    service.reply = lambda _: served({"statusCode": 401, "error": "E", "message": "no"}, 401)
    (tmp_path / "in.ndjson").write_text('{"name":"n"}\n')
    unified(f"import ticketing/tags {tmp_path}/in.ndjson -p c00{typed}")
    (line,) = [one for one in unified("runs retry").stderr.splitlines() if "continues with" in one]
    bounds = [word for word in line.split() if word in {"--workers", "3", "--rate", "20"}]
    assert sorted(bounds) == sorted(typed.split())
