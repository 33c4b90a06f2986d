"""Many writes at a terminal: a row for each, that fits; a format that anybody names
stays, and so do pipes.
"""

import json
import signal
import time
from pathlib import Path

import pytest
from front_door import Process, Unified
from many_connections import Config, account, failing, profiles, run_id
from pages import served
from screen import Terminal, configured
from server import Reply, Seen, Service

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox
from unified_cli.text_width import width

UPDATE = "ticketing tickets update t1 -f name=x"
PLAIN = {"NO_COLOR": "1"}
LONG = "the-connection-of-a-customer-with-a-very-long-name-in-europe"
WHY = "the record is locked by 山田太郎さんの長い名前の人 until somebody with the scope unlocks it"


def reply(seen: Seen) -> Reply:
    """Done, but a refusal, no answer that says whether, and a record that is locked."""
    status = {"a-c01": 404, "a-c02": 500, "a-c03": 409}.get(account(seen), 200)
    message = WHY if status == 409 else "no"
    return served(
        (
            {"statusCode": status, "error": "Error", "message": message}
            if status > 200
            else {"id": "u1"}
        ),
        status,
    )


OUTCOMES = """\
PROFILE  OUTCOME    STATUS  REASON
c00      done       200
c01      failed     404     no
c02      in doubt   500     no; PATCH /unified/ticketing/tickets/t1 may or may …
c03      failed     409     the record is locked by 山田太郎さんの長い名前の人 …
c04      not tried
c05      not tried
"""
LATER = """\
PROFILE  OUTCOME    STATUS  REASON
c01      done       200
c03      failed     409     the record is locked by 山田太郎さんの長い名前の人 …
"""


@pytest.fixture
def run(unified: Unified, service: Service, config: Config) -> str:
    """The id of a run that was shown at a terminal."""
    profiles(config, service.url, 6)
    service.reply = reply
    shown = unified(f"{UPDATE} -p c* --yes --workers 1 --max-failures 2", tty=True, environ=PLAIN)
    assert shown.stdout == OUTCOMES
    return run_id(shown.stderr)


def test_the_outcomes_are_a_table_in_whatever_way_the_run_goes(
    run: str, unified: Unified, service: Service
) -> None:
    service.reply = lambda seen: reply(seen) if account(seen) == "a-c03" else served({"id": "u1"})
    retried = unified(f"runs retry {run} --workers 1", tty=True, environ=PLAIN)
    assert retried.stdout == LATER
    resumed = unified(f"runs resume {run} --workers 1", tty=True, environ=PLAIN)
    assert [line.split()[:3] for line in resumed.stdout.splitlines()] == [
        ["PROFILE", "OUTCOME", "STATUS"],
        *([name, "done", "200"] for name in ("c02", "c04", "c05")),
    ]
    assert "1 of 6 connections failed: c03" in resumed.stderr


@pytest.mark.parametrize("named", ["flag", "environment", "profile", "config", "jq", "pretty"])
def test_a_named_format_is_used_at_a_terminal_too(
    named: str, unified: Unified, service: Service, config: Config
) -> None:
    path = config("")
    profiles(config, service.url, 2)
    text = path.read_text()
    if named == "profile":
        path.write_text(text.replace("[profiles.c01]", '[profiles.c01]\noutput = "json"'))
    elif named == "config":
        path.write_text(f'output = "json"\n{text}')
    option = {"flag": "-o json", "jq": "--jq .", "pretty": "--pretty"}.get(named, "")
    environ = {**PLAIN, **({"UNIFIED_OUTPUT": "json"} if named == "environment" else {})}
    service.reply = failing({})
    for command in (
        f"{UPDATE} -p c* --yes --workers 1",
        "ticketing tickets get t1 -p c* --ordered",
    ):
        shown = unified(f"{command} {option}", tty=True, environ=environ)
        assert [one["_profile"] for one in json.loads(shown.stdout)["result"]] == ["c00", "c01"]


def test_a_pipe_gets_what_it_got(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({"a-c01": 404})
    told = unified(f"{UPDATE} -p c* --yes --workers 1")
    done, failed = told.json["result"]
    assert told.raw.startswith(
        b'{"result": [\n{"_profile":"c00","outcome":"done","status":200,"result":{"id": "u1"},'
    )
    assert (done["idempotency_key"], [*failed]) == (
        service.seen[0].headers["idempotency-key"],
        ["_profile", "outcome", "status", "error", "idempotency_key"],
    )
    assert unified(f"{UPDATE} -p c* --yes -o table").stdout.splitlines()[0].split() == [
        "_PROFILE",
        "OUTCOME",
        "STATUS",
        "ERROR.MESSAGE",
        "IDEMPOTENCY_KEY",
    ]


@pytest.mark.parametrize("columns", [80, 120])
def test_names_without_room_are_cut_and_no_line_is_wider(
    columns: int, unified: Unified, service: Service, config: Config
) -> None:
    path = config("")
    profiles(config, service.url, 5)
    path.write_text(path.read_text().replace("[profiles.c03]", f"[profiles.{LONG}]"))
    service.reply = reply
    shown = unified(
        f"{UPDATE} -p * --yes --workers 1", tty=True, columns=columns, environ=PLAIN
    ).stdout.splitlines()
    assert max(map(width, shown)) <= columns
    if columns == 80:
        assert [shown[0], shown[4]] == [
            "PROFILE                        OUTCOME    STATUS  REASON",
            "the-connection-of-a-customer…  failed     409     the record is locked by 山田…",
        ]


def test_lines_are_a_table_too(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 2)
    service.reply = lambda seen: served({"id": seen.segments[-1], "name": WHY, "status": "open"})
    lines = b"".join(
        b'{"_profile":"c0%d","id":"t%d","name":"x"}\n' % (at % 2, at) for at in range(3)
    )
    shown = unified(
        "ticketing tickets update - -p c* --yes --workers 1", tty=True, stdin=lines, environ=PLAIN
    )
    assert (
        shown.stdout
        == "_PROFILE  NAME                        STATUS        PRIORITY      CREATED_AT  ID\n"
        "c00       the record is locked by …   open                                    t0\n"
        "c01       the record is locked by …   open                                    t1\n"
        "c00       the record is locked by …   open                                    t2\n"
    )
    alone = b'{"id":"t1","name":"x"}\n'
    shown = unified("ticketing tickets update - -p c00", tty=True, stdin=alone, environ=PLAIN)
    assert (
        shown.stdout
        == "NAME                                  STATUS        PRIORITY      CREATED_AT  ID\n"
        "the record is locked by 山田太郎さ…   open                                    t1\n"
    )


def test_a_terminal_shows_each_outcome_in_one_line(
    service: Service, config: Config, tmp_path: Path
) -> None:
    path = config("")
    profiles(config, service.url, 6)
    service.reply = reply
    words = [*UPDATE.split(), "-p", "c*", "--yes", "--workers", "1", "--max-failures", "2"]
    terminal = Terminal(words, {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(path)})
    assert terminal.end() == 10
    start = terminal.lines.index("PROFILE  OUTCOME    STATUS  REASON")
    assert terminal.lines[start : start + 7] == OUTCOMES.splitlines()


def test_a_run_whose_terminal_is_closed_is_resumed_without_doubling(
    unified_sandbox: UnifiedSandbox, tmp_path: Path, process: Process
) -> None:
    names = [f"c{number:02}" for number in range(8)]
    tables = "".join(f'[profiles.{name}]\naccount_id = "full:{name}"\n' for name in names)
    home = tmp_path / "home"
    home.mkdir()
    configured(home, f'base_url = "{unified_sandbox.url}"\n{tables}')
    environ = {
        "HOME": str(home),
        "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_BASE_URL": unified_sandbox.url,
    }
    unified_sandbox.faults("slow=200ms")
    create = ["ticketing", "tags", "create", "-f", "name=x", "-p", "c*", "--yes", "--workers", "2"]
    terminal = Terminal(create, environ, cwd=tmp_path)
    while len(unified_sandbox.requests()) < 4:
        time.sleep(0.01)
    # It ends as every program whose terminal is gone, and at once: the important part
    # is in the journal.
    assert terminal.hang_up() == signal.SIGHUP
    begun = json.loads(process(["runs", "list", "-o", "json"], environ=environ).stdout)["runs"]
    assert [run["state"] for run in begun] == ["interrupted"]
    assert 0 < begun[0]["done"] < len(names)
    unified_sandbox.faults()
    assert process(["runs", "resume"], environ=environ).returncode == 0
    shown = process(["runs", "show", "-o", "ndjson"], environ=environ).stdout.splitlines()
    calls = [json.loads(line) for line in shown]
    assert {call["_profile"]: call["outcome"] for call in calls} == dict.fromkeys(names, "done")
    assert [unified_sandbox.effects(call["idempotency_key"]) for call in calls] == [1] * len(names)


def test_a_cause_says_how_many_have_its_words(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 5)

    def refused(seen: Seen) -> Reply:
        why = {
            "a-c01": "name is taken in a-c01",
            "a-c02": "name is taken in a-c02",
            "a-c03": "title is missing",
        }
        found = why.get(account(seen))
        return served(
            {"statusCode": 422, "message": found} if found else {"id": "u1"}, 422 if found else 200
        )

    service.reply = refused
    result = unified(f"{UPDATE} -p c* --yes --workers 1")
    assert "failed: 3 (c01, c02, c03): " in result.stderr
    assert (
        "name is taken in a-c01 (and 1 with other reasons, see unified runs show)\n"
        in result.stderr
    )
    shown = unified(f"runs show {run_id(result.stderr)}", tty=True, environ=PLAIN)
    words = " ".join(shown.stdout.split())
    assert "name is taken in a-c01 (and 1 with other reasons, see unified runs show)" in words
    assert "in other words" not in unified(f"{UPDATE} -p c01 -p c02 --yes --workers 1").stderr
