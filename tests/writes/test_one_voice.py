"""A run says the same, in the same form, whether it goes through at once, is killed and
resumed, or retried.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from front_door import ROOT, Unified
from many_connections import Config, account, profiles, run_id
from pages import served
from server import Reply, Seen, Service


class Kind(NamedTuple):
    """A kind of run over several connections, one of which refuses; `third` is the
    third request of it.
    """

    command: str
    stdin: bytes
    connections: int
    refuses: str
    third: str
    last: str
    columns: str


LINES = b"".join(b'{"_profile":"c0%d","id":"t%d","n":%d}\n' % (at % 2, at, at) for at in range(3))
KINDS = {
    "fan-out": Kind(
        "ticketing tickets update t1 -f name=x",
        b"",
        6,
        "a-c03",
        "a-c02",
        "1 of 6 connections failed: c03",
        "outcome,status,error.code",
    ),
    "lines": Kind(
        "ticketing tickets update -",
        LINES,
        2,
        "a-c01",
        "a-c00",
        "1 of 3 records failed (c01 1)",
        "id,at",
    ),
}
FORMS = ["-o ndjson", "-o csv", "-o csv --columns {columns}"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


def answer(seen: Seen, refuses: str = "") -> Reply:
    """The record as it was sent, or a refusal."""
    if account(seen) == refuses:
        return served({"statusCode": 404, "error": "Error", "message": "no"}, 404)
    return served({"id": seen.segments[-1], "n": seen.json.get("n"), "at": account(seen)})


def told(*parts: str) -> list[str]:
    """The lines of some outputs put together, without the keys, which are those of each
    run, and each head once.
    """
    found = []
    for line in "".join(parts).splitlines():
        try:
            record: Any = json.loads(line)
        except ValueError:
            found.append(line.rpartition(",")[0] if "-" in line.rpartition(",")[2] else line)
        else:
            found.append(
                json.dumps(
                    {name: value for name, value in record.items() if name != "idempotency_key"}
                )
            )
    heads = [line for line in found if line.startswith("_profile")][1:]
    for head in heads:
        found.remove(head)
    return sorted(found)


def done_of(stdout: str) -> str:
    """The lines of an output, without what failed."""
    return "".join(line for line in stdout.splitlines(keepends=True) if "failed" not in line)


def last(stderr: str) -> str:
    """The last line that is no command, or the message of the error in JSON."""
    line = [line for line in stderr.splitlines() if not line.startswith(" ")][-1]
    return (
        str(json.loads(line)["error"]["message"])
        if line.startswith("{")
        else line.removeprefix("error: ")
    )


def onward(stderr: str) -> str:
    """The command that continues."""
    line = stderr.splitlines()[-1]
    return str(json.loads(line)["error"]["next"]) if line.startswith("{") else line.strip()


def through(unified: Unified, service: Service, kind: Kind, form: str, refuses: str) -> Any:
    service.reply = lambda seen: answer(seen, refuses)
    return unified(f"{kind.command} -p c* --yes --workers 1 {form}", stdin=kind.stdin)


def killed(service: Service, kind: Kind, form: str, tmp_path: Path) -> str:
    """The output of a run that is killed while its third request is under way."""
    held, over = threading.Event(), threading.Event()
    service.seen.clear()

    def reply(seen: Seen) -> Reply:
        if len(service.seen) == 3:
            assert account(seen) == kind.third
            held.set()
            over.wait(60)
        return answer(seen, kind.refuses)

    service.reply = reply
    argv = [*kind.command.split(), "-p", "c*", "--yes", "--workers", "1", *form.split()]
    config = tmp_path / "config" / "config.toml"
    environ = {"HOME": str(tmp_path), "UNIFIED_CONFIG": str(config), "PYTHONPATH": str(ROOT)}
    environ["XDG_DATA_HOME"] = str(tmp_path / "home")
    with subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *argv],
        env={**environ, "PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(kind.stdin)
        process.stdin.close()
        assert held.wait(60)
        process.kill()
        over.set()
        return process.stdout.read().decode()


@pytest.mark.parametrize("form", FORMS)
def test_a_run_that_was_killed_and_resumed(
    form: str, kind: Kind, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, kind.connections)
    form = form.format(columns=kind.columns)
    whole = through(unified, service, kind, form, kind.refuses)
    assert (whole.code, last(whole.stderr)) == (9, kind.last)
    before = killed(service, kind, form, tmp_path)
    (journal,) = (tmp_path / "home").rglob("2*.ndjson")
    service.reply = lambda seen: answer(seen, kind.refuses)
    folders = {"config": tmp_path / "config", "data": journal.parent.parent}
    # A call in doubt is done with the key that it had.
    after = unified(f"runs resume {journal.stem} --workers 1 {form}", folders=folders)
    assert told(before, after.stdout) == told(whole.stdout)
    assert (after.code, last(after.stderr)) == (whole.code, last(whole.stderr))
    shown = unified(f"runs show {journal.stem} -o json", folders=folders).json["result"]
    assert sorted(one["outcome"] for one in shown) == ["done"] * (len(shown) - 1) + ["failed"]
    # Failed calls are done by a retry: the three parts are what a run without a
    # failure prints.
    service.reply = answer
    retried = unified(f"runs retry {journal.stem} {form}", folders=folders)
    assert told(done_of(before), done_of(after.stdout), retried.stdout) == told(
        through(unified, service, kind, form, "").stdout
    )
    assert retried.code == 0


@pytest.mark.parametrize("form", FORMS)
def test_a_run_of_which_a_part_is_retried(
    form: str, kind: Kind, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, kind.connections)
    form = form.format(columns=kind.columns)
    whole = through(unified, service, kind, form, "")
    assert whole.code == 0
    first = through(unified, service, kind, form, kind.refuses)
    failed = [line for line in first.stdout.splitlines() if "failed" in line]
    assert len(failed) == (kind.stdin == b"")
    run = run_id(first.stderr)
    again = unified(f"runs retry {run} {form}")
    assert again.code == 9
    assert [line for line in again.stdout.splitlines() if "failed" in line] == failed
    causes = [
        # Not the id of the run, which may have these digits, nor an error in JSON.
        [
            line
            for line in one.stderr.splitlines()
            if "answered 404" in line and '"error"' not in line
        ]
        for one in (first, again)
    ]
    assert causes[0] == causes[1] != []
    assert (last(again.stderr), onward(again.stderr)) == (
        kind.last,
        f"unified runs show {run}",
    )
    service.reply = answer
    second = unified(f"runs retry {run} {form}")
    assert told(done_of(first.stdout), second.stdout) == told(whole.stdout)
    notes = [
        line
        for line in second.notes.splitlines()
        if not line.startswith("no record has the column")
    ]
    assert (second.code, notes) == (0, [] if kind.stdin else ["done: 6 of 6 connections"])


@pytest.mark.parametrize("several", [True, False], ids=["several", "one"])
@pytest.mark.parametrize(("word", "status"), [("resume", 500), ("retry", 404)])
def test_cells_are_as_safe_as_in_the_first_run(
    word: str, status: int, several: bool, unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    which, stdin = ("-p c*", LINES) if several else ("-p c00", LINES.replace(b"_profile", b"name"))
    service.reply = lambda seen: (
        Reply(status) if seen.segments[-1] == "t1" else served({"id": "t", "n": "=1+1"})
    )
    form = "-o csv --csv-safe --bom"
    first = unified(f"ticketing tickets update - {which} --yes {form}", stdin=stdin)
    assert (first.stdout[0], first.stdout.count("'=1+1")) == ("\ufeff", 2)
    run = run_id(first.stderr)
    refused = unified(f"runs {word} {run} -o tsv --bom")
    assert (refused.code, refused.stdout, refused.stderr) == (
        2,
        "",
        "error: --bom is for CSV, not for tsv (-o csv)\n",
    )
    service.reply = lambda _: served({"id": "t", "n": "=1+1"})
    again = unified(f"runs {word} {run} {form}")
    assert (again.code, again.stdout[0], again.stdout.count("'=1+1")) == (0, "\ufeff", 1)


def test_lines_name_their_connections(unified: Unified, service: Service, config: Config) -> None:
    profiles(config, service.url, 2)
    told = through(unified, service, KINDS["lines"], "-o ndjson", "a-c01")
    assert [json.loads(line)["_profile"] for line in told.stdout.splitlines()] == ["c00", "c00"]
    assert (
        "line 2 (c01): the service answered 404 to PATCH /unified/ticketing/tickets/t1: no"
        in told.stderr
    )


def test_the_ids_of_lines_of_one_connection(unified: Unified, service: Service) -> None:
    stdin = b'{"id":"t0","n":0}\n{"id":"t1","n":1}\n{"id":"t2","n":2}\n'
    service.reply = lambda seen: answer(seen) if seen.segments[-1] != "t1" else Reply(404)
    first = unified("ticketing tickets update - -o ids", stdin=stdin, environ=service.environ)
    assert (first.code, first.stdout, last(first.stderr)) == (
        9,
        "t0\nt2\n",
        "1 of 3 records failed",
    )
    service.reply = answer
    second = unified(f"runs retry {run_id(first.stderr)} -o ids", environ=service.environ)
    assert (second.code, second.stdout, second.notes) == (0, "t1\n", "")


def test_lines_that_cannot_be_used_are_counted_and_shown(
    unified: Unified, service: Service, config: Config
) -> None:
    profiles(config, service.url, 2)
    stdin = LINES + b'{"id":"t3","n":3}\n'
    service.reply = lambda seen: answer(seen, "a-c01")
    first = unified("ticketing tickets update - -p c* --yes -o ndjson", stdin=stdin)
    run, why = run_id(first.stderr), "has no _profile, so it belongs to no connection"
    assert f"line 4: {why}\n" in first.stderr
    assert last(first.stderr) == "2 of 4 records failed (c01 1)"
    shown = unified(f"runs show {run} -o json").json["result"]
    assert [
        (one["_profile"], one["outcome"], one["reason"]) for one in shown if one["_profile"] is None
    ] == [(None, "failed", why)]
    service.seen.clear()
    service.reply = answer
    again = unified(f"runs retry {run} -o ndjson")
    assert [seen.segments[-1] for seen in service.seen] == ["t1"]
    assert (again.code, last(again.stderr)) == (9, "1 of 4 records failed")


ENDS: dict[str, tuple[Callable[[Seen], int], int, str]] = {
    "one refused": (
        lambda seen: 404 if account(seen) == "a-c01" else 200,
        9,
        "1 of 3 {unit}s failed",
    ),
    "one in doubt": (
        lambda seen: 500 if account(seen) == "a-c01" else 200,
        10,
        "1 of 3 {unit}s may or may not be",
    ),
    "one blocked": (
        lambda seen: 401 if account(seen) == "a-c01" else 200,
        9,
        "1 of 3 {unit}s failed",
    ),
    "one refused and one in doubt": (
        lambda seen: {"a-c01": 404, "a-c02": 500}.get(account(seen), 200),
        10,
        "1 of 3 {unit}s failed",
    ),
}
WAYS = {
    "fan-out": ("connection", "ticketing tickets update t1 -f name=x -p c* --yes"),
    "piped lines": ("record", "ticketing tickets update - -p c* --yes"),
    "import": ("record", "import ticketing/tickets {path} --operation update -p c* --yes"),
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_ends_alike(
    way: str, end: str, unified: Unified, service: Service, config: Config, tmp_path: Path
) -> None:
    profiles(config, service.url, 3)
    path = tmp_path / "in.ndjson"
    path.write_text("".join(f'{{"_profile":"c0{at}","id":"t{at}","n":1}}\n' for at in range(3)))
    status, code, said = ENDS[end]
    service.reply = lambda seen: Reply(status(seen), b'{"id":"t"}')
    unit, command = WAYS[way]
    result = unified(command.format(path=path), stdin=path.read_bytes())
    assert result.code == code, result.stderr
    assert last(result.stderr).startswith(f"{said.format(unit=unit)}")
