"""`--record` and `--replay`: a command that is answered from its own recording does the
same again.
"""

import json
import os
import re
import shlex
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import COMMANDS, PROFILES, RECORDS, Command, answers, files
from front_door import Result, Unified
from many_connections import failing, profiles, run_id
from pages import served
from server import Reply, Service

Config = Callable[[str], Path]
CANARY = "CANARY-0123456789abcdef"


class Terminal:
    """Runs commands in a folder, with the service that answers them."""

    def __init__(self, unified: Unified, service: Service, folder: Path) -> None:
        self._unified = unified
        self._service = service
        self.folder = folder

    def run(
        self, command: Command, *more: str, name: str, environ: dict[str, str]
    ) -> tuple[Result, dict[str, bytes]]:
        answers(self._service)
        place = self.folder / name
        place.mkdir(exist_ok=True)
        (place / "records.ndjson").write_bytes(RECORDS)
        argv = [
            re.sub(r"\{(.*)\}", lambda found: str(place / found[1]), word)
            for word in shlex.split(command.line)
        ]
        found = self._unified([*argv, *more], environ=environ, stdin=command.stdin)
        return found, files(place)


@pytest.fixture
def terminal(unified: Unified, service: Service, config: Config, tmp_path: Path) -> Terminal:
    config(f'base_url = "{service.url}"\n{PROFILES}')
    return Terminal(unified, service, tmp_path)


def timeless(text: str, terminal: Terminal) -> str:
    """The messages, without the times, the names of folders and the keys, which differ
    from run to run.
    """
    text = re.sub(rf"{terminal.folder}/\w+/", "", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b[A-Z2-7]{40}\b", "KEY", text)
    text = re.sub(r"\b\d{8}-[0-9a-f]{4}\b", "RUN", text)
    # The progress lines are about time alone.
    text = re.sub(r".* per second.*\n", "", text)
    text = re.sub(r"\d+(\.\d+)? (s|ms)\b|(?<=seconds\":)[\d.]+", "TIME", text)
    # Which connection is the first to wait differs, too.
    return re.sub(r"^\w+(?=: waiting TIME)", "PROFILE", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_recording_is_private_and_its_command_does_the_same_when_it_is_replayed(
    name: str, terminal: Terminal, service: Service
) -> None:
    command, har = COMMANDS[name], str(terminal.folder / "session.har")
    secret = {
        "UNIFIED_TOKEN": CANARY,
        "UNIFIED_ACCOUNT_ID": "acme",
        "UNIFIED_BASE_URL": service.url,
    }
    old = os.umask(0)
    try:
        recorded, left = terminal.run(command, "--record", har, name="one", environ=secret)
    finally:
        os.umask(old)
    assert recorded.code == command.code, recorded.stderr
    assert stat.S_IMODE(Path(har).stat().st_mode) == 0o600
    text = Path(har).read_text()
    assert [word for word in (CANARY, "cookie-1", "signed-1", "ctx-1") if word in text] == []
    sent = len(service.seen)
    assert len(json.loads(Path(har).read_bytes())["log"]["entries"]) == sent > 0

    time.sleep(1 if "--since" in command.line else 0)
    public = {**secret, "UNIFIED_TOKEN": "another-0123456789"}
    replayed, left_again = terminal.run(command, "--replay", har, name="two", environ=public)
    assert len(service.seen) == sent, "a replay sends nothing"
    assert timeless(replayed.stdout, terminal) == timeless(recorded.stdout, terminal)
    # Its runs are gone with it, so no run is named. Nor is a command that would send.
    said = timeless(recorded.stderr, terminal).replace("run RUN\n", "")
    if name == "an import":
        onward = (
            "  unified import ticketing/contacts records.ndjson.unified-failed.ndjson --workers 1\n"
        )
        assert said.endswith(f"(correct the records in that file)\n{onward}")
        said = said.removesuffix(onward)
    assert timeless(replayed.stderr, terminal) == said
    assert replayed.code == recorded.code
    assert timeless(repr(left_again), terminal) == timeless(repr(left), terminal)


def entries(path: Path) -> Any:
    return json.loads(path.read_bytes())["log"]["entries"]


def test_the_first_request_that_is_not_in_it_is_named(
    terminal: Terminal, service: Service, unified: Unified
) -> None:
    har = terminal.folder / "a.har"
    answers(service)
    environ = {**service.environ, "UNIFIED_ACCOUNT_ID": "acme"}
    assert unified(f"ticketing tickets list --record {har}", environ=environ).code == 0
    other = unified(f"ticketing tickets list -q limit=3 --replay {har}", environ=environ)
    where = service.url.partition("//")[2]
    assert (other.stdout, other.code) == ("", 5)
    assert (
        other.stderr
        == f"error: GET /unified/ticketing/tickets?limit=3 of account acme at {where} is not in"
        f" {har}, which holds 1 exchange (record the same command again with --record)\n"
    )
    twice = unified(
        f"ticketing tickets update - -f name=y --replay {har}", environ=environ, stdin=b"t-1\n"
    )
    assert twice.code == 5
    assert (
        f"PATCH /unified/ticketing/tickets/t-1 of account acme at {where} is not in" in twice.stderr
    )


def test_a_request_is_answered_as_often_as_it_was_recorded(
    terminal: Terminal, service: Service, unified: Unified
) -> None:
    har = terminal.folder / "a.har"
    answers(service)
    environ = {**service.environ, "UNIFIED_ACCOUNT_ID": "acme"}
    assert (
        unified(
            f"ticketing tickets delete - --yes --record {har}", environ=environ, stdin=b"t-1\n"
        ).code
        == 0
    )
    again = unified(
        f"ticketing tickets delete - --yes --replay {har}", environ=environ, stdin=b"t-1\nt-1\n"
    )
    assert again.code == 5
    assert f"was recorded once in {har}, but is requested again" in again.stderr


def test_a_download_is_cut_and_ends_a_replay(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    har, content = tmp_path / "a.har", b"x" * 3_000_000
    service.reply = lambda _: Reply(200, content, {"Content-Type": "application/octet-stream"})
    line = f"ticketing attachments download -f id=1 --out {tmp_path}/file --force"
    assert unified(f"{line} --record {har}", environ=service.environ).code == 0
    assert (tmp_path / "file").read_bytes() == content
    (found,) = entries(har)
    assert found["response"]["content"]["_end"] == "cut"
    assert (
        found["response"]["content"]["comment"] == "cut: only the first 1048576 bytes are recorded"
    )
    assert har.stat().st_size < 1_500_000
    replayed = unified(f"{line} --replay {har}", environ=service.environ)
    assert replayed.code == 5
    assert "is not complete in entry 1 of" in replayed.stderr


def test_json_is_never_cut(service: Service, unified: Unified, tmp_path: Path) -> None:
    record = json.dumps({"id": "1", "text": "ä\\" * 300_000}, ensure_ascii=False).encode()
    service.reply = lambda _: Reply(200, b'{"result":[%b],"next_cursor":null}' % record)
    one = unified(f"ticketing tickets list --record {tmp_path}/a.har", environ=service.environ)
    two = unified(f"ticketing tickets list --replay {tmp_path}/a.har", environ=service.environ)
    assert len(one.raw) > 1_200_000
    assert two.raw == one.raw


def test_a_header_of_any_characters_is_replayed(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    headers = {"Content-Type": "application/json", "X-Name": "caf\xe9 \x85\tx"}
    service.reply = lambda _: Reply(200, b'{"result":[]}', headers)
    one = unified(f"ticketing tickets list --record {tmp_path}/a.har", environ=service.environ)
    two = unified(f"ticketing tickets list --replay {tmp_path}/a.har", environ=service.environ)
    assert (two.stdout, two.stderr, two.code) == (one.stdout, one.stderr, 0)


def test_a_lost_connection_is_lost_again(unified: Unified, tmp_path: Path) -> None:
    environ = {
        "UNIFIED_BASE_URL": "http://127.0.0.1:1",
        "UNIFIED_TOKEN": CANARY,
        "UNIFIED_ACCOUNT_ID": "a",
    }
    one = unified(f"ticketing tickets list --record {tmp_path}/a.har", environ=environ)
    two = unified(f"ticketing tickets list --replay {tmp_path}/a.har", environ=environ)
    assert (one.code, two.code) == (6, 6)
    assert "refused the connection" in two.stderr
    assert re.sub(r"[\d.]+ s:", "", two.stderr) == re.sub(r"[\d.]+ s:", "", one.stderr)


def test_a_replay_waits_for_nothing(service: Service, unified: Unified, tmp_path: Path) -> None:
    turns = iter([Reply(429, b"", {"Retry-After": "50"})] * 2)
    service.reply = lambda _: next(turns, Reply(200, b'{"result":[],"next_cursor":null}'))
    line = "ticketing tickets list --rate 1 --timeout 1000"
    assert unified(f"{line} --record {tmp_path}/a.har", environ=service.environ).code == 0

    def sleep(_: float) -> None:
        raise AssertionError("a replay waits")

    assert (
        unified(f"{line} --replay {tmp_path}/a.har", environ=service.environ, sleep=sleep).code == 0
    )


def test_a_replay_reads_no_token(
    service: Service, unified: Unified, config: Config, tmp_path: Path
) -> None:
    har = tmp_path / "a.har"
    assert unified(f"ticketing tickets list --record {har}", environ=service.environ).code == 0
    config(f'base_url = "{service.url}"\naccount_id = "acct-1"\ntoken_command = ["/bin/false"]\n')
    assert unified("ticketing tickets list").code == 3
    assert unified(f"ticketing tickets list --replay {har}").code == 0
    assert unified(f"ticketing tickets list --replay {har} --token-file /nowhere").code == 0


def test_a_replay_removes_what_a_killed_one_left(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    har, left = tmp_path / "a.har", tmp_path / "cache/replay/0123456789ab"
    line = "ticketing tickets list"
    assert unified(f"{line} --record {har}", environ=service.environ).code == 0
    left.mkdir(parents=True)
    (left / "journal").write_text("{}")
    left.with_suffix(".lock").touch()
    folders = {kind: tmp_path / kind for kind in ("cache", "config", "data")}
    again = unified(f"{line} --replay {har}", environ=service.environ, folders=folders)
    assert (again.code, left.exists()) == (0, False)


def test_replayed_writes_are_not_recorded_as_done(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    answers(service)
    environ = {**service.environ, "UNIFIED_ACCOUNT_ID": "acme"}
    source, har = tmp_path / "records.ndjson", tmp_path / "a.har"
    source.write_bytes(b'{"name":"one"}\n')
    line = f"import ticketing/contacts {source}"
    assert unified(f"{line} --record {har}", environ=environ).code == 0
    done = len(service.seen)
    journal = tmp_path / "records.ndjson.unified-journal"
    real = journal.read_bytes()
    said = (
        "belongs to the import itself, which a replay cannot continue (replay it with a copy of"
        " its input)"
    )
    for more in ("", " --restart"):
        replayed = unified(f"{line} --replay {har}{more}", environ=environ)
        assert (replayed.code, replayed.stderr) == (12, f"error: {journal} {said}\n")
        assert journal.read_bytes() == real
    journal.unlink()
    assert unified(f"{line} --replay {har}", environ=environ).code == 0
    result = unified(line, environ=environ)
    said = (
        "a replay of this import, which sent nothing"
        " (remove the journal or discard it with --restart to send all records)"
    )
    assert (result.code, result.stderr) == (12, f"error: {journal} belongs to {said}\n")
    assert len(service.seen) == done
    assert unified(f"{line} --restart", environ=environ).code == 0
    assert len(service.seen) == done + 1
    # Another operation is still reported as such.
    other = unified(f"{line} -q a=b --replay {har}", environ=environ)
    assert (other.code, "belongs to an import with another operation" in other.stderr) == (12, True)


def test_a_replayed_plan_leaves_no_ids(
    unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    config(
        f'[profiles.acme]\nbase_url = "{service.url}"\naccount_id = "a"\ntoken = "t-0123456789"\n'
    )
    made = iter("xy")
    service.reply = lambda seen: (
        served({"id": f"new-{next(made)}"})
        if seen.method == "POST"
        else served({"result": [], "next_cursor": None})
    )
    side, plan, ids, har = (tmp_path / name for name in ("side", "p.plan", "ids", "a.har"))
    side.write_text('{"id":"1","name":"one"}\n{"id":"2","name":"two","parent":{"id":"1"}}\n')
    plan.write_bytes(unified(f"plan ticketing/tags --from {side} --to acme --ids {ids}").raw)
    apply = f"apply {plan} -p acme --yes --ids {ids}"
    assert unified(f"{apply} --record {har}").code == 0
    learned, sent = ids.read_bytes(), len(service.seen)
    assert b"new-x" in learned
    ids.unlink()
    replayed = unified(f"{apply} --replay {har}")
    assert (replayed.code, ids.exists(), len(service.seen)) == (0, False, sent), replayed.stderr
    ids.write_bytes(b"")
    assert unified(f"{apply} --replay {har}").code == 0
    assert ids.read_bytes() == b""


@pytest.mark.parametrize("form", ["", "--json-errors"])
@pytest.mark.parametrize("stdin", ["", "c"], ids=["fan-out", "piped"])
def test_a_replay_names_no_run_that_is_gone_with_it(
    form: str, stdin: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    service.reply = failing({"a-c01": 500, "a-c02": 404})
    lines = (
        "".join(f'{{"_profile":"c{at:02}","id":"t-1"}}\n' for at in range(3)).encode()
        if stdin
        else b""
    )
    command = f"ticketing tickets update {'-' if stdin else 't-1'} -f name=x -p c* --yes {form}"
    recorded = unified(f"{command} --record {tmp_path}/a.har", stdin=lines)
    run = run_id(recorded.stderr)
    assert (recorded.code, f"unified runs resume {run}" in recorded.stderr) == (10, True)
    replayed = unified(f"{command} --replay {tmp_path}/a.har", stdin=lines)
    told = [
        re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|,$", "", one.stdout, flags=re.MULTILINE)
        for one in (recorded, replayed)
    ]
    assert (replayed.code, sorted(told[1].splitlines())) == (10, sorted(told[0].splitlines()))
    assert re.search(r"\brun\b|\bruns\b|\b\d{8}-[0-9a-f]{4}\b(?!-)", replayed.stderr) is None, (
        replayed.stderr
    )
    assert [one["id"] for one in unified("runs list -o json").json["runs"]] == [run]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "a.har is not JSON: expected '{' (byte 0)"),
        (b"[]", "a.har is not JSON: expected '{' (byte 0)"),
        (b"{}", "a.har is not a HAR file: log.entries is missing"),
        (b'{"log":{"entries":{}}}', "a.har is not a HAR file: log.entries is missing"),
        (
            b'{"log":{"entries":[{}]}}',
            "entry 1 of {}/a.har is damaged: Object missing required field `request`",
        ),
        (
            b'{"log":{"entries":[{"request":1,"response":2}]}}',
            "entry 1 of {}/a.har is damaged: Expected `object`, got",
        ),
        (
            b'{"log":{"_started":-5,"entries":[]}}',
            "a.har is damaged at '_started': Expected `float` >= 0.0",
        ),
        (b'{"log":{"entries":[]}} x', "a.har is not JSON: there is text after the JSON value"),
        (b'{"log":{"entries":[' + b"[" * 100_000, "a.har is nested too deeply"),
        (b'\xff{"log":{"entries":[]}}', "a.har is not UTF-8 at byte 0"),
    ],
)
def test_a_damaged_file_is_refused(
    content: bytes, said: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "a.har").write_bytes(content)
    found = unified(f"ticketing tickets list --replay {tmp_path}/a.har", environ=service.environ)
    assert (found.stdout, found.code) == ("", 12)
    assert said.replace("{}", str(tmp_path)) in found.stderr


def test_a_file_that_ends_early_names_the_last_entry(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    answers(service)
    har = tmp_path / "a.har"
    unified(f"ticketing tickets list --all -o ndjson --record {har}", environ=service.environ)
    har.write_bytes(har.read_bytes()[:-300])
    found = unified(f"ticketing tickets list --replay {har}", environ=service.environ)
    assert found.code == 12
    assert f"{har}, after entry 1, is not JSON" in found.stderr


def test_a_hostile_answer_in_a_file_is_refused(
    service: Service, unified: Unified, tmp_path: Path
) -> None:
    har = tmp_path / "a.har"
    unified(f"ticketing tickets list --record {har}", environ=service.environ)
    for change, said in {
        '"status":200': ('"status":99', "99 is not an HTTP status"),
        '"status":200,': ('"status":"200",', "Expected `int`, got `str`"),
        '"time":': ('"time":-1', "-1"),
        '"value":"2"': ('"value":"a\\nb"', "holds a control character"),
        '"text":"{}"': ('"text":"?","encoding":"base64"', "is not base64"),
    }.items():
        text = har.read_text()
        assert change in text
        (tmp_path / "b.har").write_text(text.replace(change, said[0]))
        found = unified(
            f"ticketing tickets list --replay {tmp_path}/b.har", environ=service.environ
        )
        assert (found.code, said[1] in found.stderr) == (12, True), found.stderr


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ("--record a.har --replay a.har", 2, "--record and --replay exclude each other"),
        ("--record=", 2, "--record is empty"),
        ("--replay=", 2, "--replay is empty"),
        ("--record {0}", 11, "is a folder"),
        ("--record {0}/no/a.har", 11, "there is no folder"),
        ("--record {0}/there", 11, "there exists (name another file, or remove it)"),
        ("--replay {0}/none.har", 11, "No such file"),
        ("--replay {0}", 11, "is not a file"),
    ],
)
def test_a_file_that_cannot_be_used_ends_it_before_anything_is_sent(
    options: str, code: int, said: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    (tmp_path / "there").touch()
    found = unified(f"ticketing tickets list {options.format(tmp_path)}", environ=service.environ)
    assert (found.code, said in found.stderr, service.seen) == (code, True, []), found.stderr


def test_a_write_is_done_even_if_it_can_no_longer_be_recorded(
    service: Service, unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.pwrite, 0

    def full(handle: int, data: Any, at: int) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise OSError(28, "No space left on device")
        return real(handle, data, at)

    monkeypatch.setattr(os, "pwrite", full)
    har = tmp_path / "a.har"
    found = unified(f"ticketing tickets create -f name=x --record {har}", environ=service.environ)
    assert (found.stdout, found.code) == ("{}\n", 11)
    assert (
        found.stderr
        == f"error: {har} holds only a part of the exchanges: No space left on device\n"
    )
    assert len(service.seen) == 1
    assert entries(har) == []
