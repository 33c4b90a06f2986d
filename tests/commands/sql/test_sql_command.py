"""`unified sql`: where its tables come from, where its rows go, and how it ends."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import serve, served
from server import Reply, Seen, Service

duckdb = pytest.importorskip("duckdb", reason="needs the extra sql")
pytestmark = pytest.mark.extra

Config = Callable[[str], Path]
TAGS = "ticketing.tags"
ENDLESS = "SELECT sum(hash(range)) FROM range(1000000000000)"
RECURSIVE = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
# It waits for its reader, without work.
WAITING = "FROM range(1000000000000)"


def fleet(config: Config, *names: str) -> None:
    config("".join(f'[profiles.{one}]\naccount_id = "{one}"\n' for one in names))


def account(seen: Seen) -> str:
    return dict(seen.query)["integrated_account_id"]


def by_account(answers: dict[str, Any]) -> Callable[[Seen], Reply]:
    def reply(seen: Seen) -> Reply:
        found = answers[account(seen)]
        return found if isinstance(found, Reply) else served({"result": found})

    return reply


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("json", '{"result": [\n{"a":"x, y","n":1},\n{"a":null,"n":2}\n]}\n'),
        ("ndjson", '{"a":"x, y","n":1}\n{"a":null,"n":2}\n'),
        ("csv", 'a,n\n"x, y",1\n,2\n'),
        ("tsv", "a\tn\nx, y\t1\n\t2\n"),
        ("yaml", "result:\n- a: x, y\n  n: 1\n- a: null\n  n: 2\n"),
        ("table", "A     N\nx, y  1\n      2\n"),
        ("markdown", "| a    | n   |\n| ---- | --- |\n| x, y | 1   |\n|      | 2   |\n"),
    ],
)
def test_the_rows_come_in_every_format_also_in_a_file(
    form: str, shown: str, unified: Unified, tmp_path: Path
) -> None:
    statement = "FROM (VALUES ('x, y', 1), (NULL, 2)) AS t(a, n)"
    argv = ["-p", "sandbox", "sql", statement, "-o", form]
    result = unified(argv)
    assert (result.code, result.stdout) == (0, shown)
    assert result.stderr == "2 rows from 0 records\n"
    file = tmp_path / "rows"
    assert unified([*argv, "--out", str(file)]).code == 0
    assert file.read_text() == shown
    again = unified([*argv, "--out", str(file)])
    assert (again.code, "exists" in again.stderr) == (11, True)


def test_a_result_without_rows_has_its_columns(unified: Unified) -> None:
    result = unified(["-p", "sandbox", "sql", "SELECT 1 AS a, 2 AS a WHERE false", "-o", "csv"])
    assert (result.code, result.stdout) == (0, "a,a_1\n")


def test_numbers_times_and_nested_json_are_printed_exactly(unified: Unified) -> None:
    statement = (
        "SELECT 170141183460469231731687303715884105727::HUGEINT AS h, 1.10::DECIMAL(9,2) AS d,"
        " '2026-01-02 03:04:05.5+00'::TIMESTAMPTZ AS t, DATE '2026-01-02' AS day,"
        """ '{"a":1.10}'::JSON AS j, ['{"b":1e2}'::JSON, NULL] AS js, {'x': '[1.0]'::JSON} AS s"""
    )
    result = unified(["-p", "sandbox", "sql", statement, "-o", "ndjson"])
    assert result.stdout == (
        '{"h":170141183460469231731687303715884105727,"d":1.10,"t":"2026-01-02T03:04:05.500000Z",'
        '"day":"2026-01-02","j":{"a":1.10},"js":[{"b":1e2},null],"s":{"x":[1.0]}}\n'
    )


def test_at_a_terminal_there_is_a_table(unified: Unified) -> None:
    result = unified(
        ["-p", "sandbox", "sql", "SELECT 1 AS a, 'x' AS b", "--color", "never"], tty=True
    )
    assert [line.split() for line in result.stdout.splitlines()] == [["A", "B"], ["1", "x"]]


def test_a_connection_that_fails_is_named_and_ends_with_9(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(config, "acme", "globex", "initech")
    service.reply = by_account(
        {
            "acme": [{"id": "1"}],
            "globex": served({"message": "no"}, 403),
            "initech": served({"message": "no such resource"}, 404),
        }
    )
    statement = f"SELECT _profile, id FROM {TAGS}"
    result = unified(["-p", "*", "sql", statement, "-o", "csv"], environ=service.environ)
    assert (result.code, result.stdout) == (9, "_profile,id\nacme,1\n")
    lines = result.stderr.splitlines()
    assert lines[0].startswith("globex: ")
    assert lines[1].startswith("initech: does not offer the list: the service answered 404")
    assert lines[1].endswith("; -p '!initech' excludes the connection)")
    last = "error: 2 of 3 connections failed (1 may not offer the list): globex, initech"
    assert lines[-1] == last


def test_many_connections_that_fail_alike_share_a_line(
    unified: Unified, service: Service, config: Config
) -> None:
    names = [f"c{at:02}" for at in range(40)]
    fleet(config, *names)
    refused = {name: served({"message": f"no {name}"}, 404) for name in names[1:]}
    service.reply = by_account({"c00": [{"id": "1"}], **refused})
    result = unified(["-p", "*", "sql", f"SELECT id FROM {TAGS}"], environ=service.environ)
    alike, rows, _ = result.stderr.splitlines()
    assert (result.code, rows) == (9, "1 row from 1 record")
    named = ", ".join(names[1:])
    begin = f"39 failed for similar reasons ({named}); the error of c01: does not offer the list: "
    assert alike.startswith(begin)
    assert alike.endswith("; -p '!c01' excludes the connection)")


def test_the_result_has_the_records_read_before_a_list_broke_off(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(config, "acme", "globex")

    def reply(seen: Seen) -> Reply:
        if dict(seen.query).get("next_cursor"):
            return served({"message": "no"}, 403)
        onward = "c1" if account(seen) == "globex" else None
        return served({"result": [{"id": "1"}], "next_cursor": onward})

    service.reply = reply
    statement = f"SELECT count(*) AS n FROM {TAGS}"
    result = unified(["-p", "*", "sql", statement, "-o", "csv"], environ=service.environ)
    assert (result.code, result.stdout) == (9, "n\n2\n")
    [line, *_] = result.stderr.splitlines()
    assert line.startswith("globex: ")
    assert line.endswith("; stopped after 1 record")


def test_the_statement_does_not_run_if_every_connection_fails(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(config, "acme", "globex")
    service.reply = lambda _: served({"message": "no"}, 403)
    result = unified(["-p", "*", "sql", f"SELECT count(*) FROM {TAGS}"], environ=service.environ)
    assert (result.code, result.stdout) == (7, "")
    assert result.stderr.splitlines()[-1] == "error: all 2 connections failed"


def test_filters_are_sent_to_their_list_only(unified: Unified, service: Service) -> None:
    serve(service, [[]])
    argv = ["sql", f"SELECT 1 FROM {TAGS}, ticketing.tickets", "-q", "ticketing/tickets:name=x"]
    result = unified([*argv, "--since", "2026-01-01"], environ=service.environ)
    assert result.code == 0
    queries = {seen.path.rpartition("/")[2]: dict(seen.query) for seen in service.seen}
    assert (queries["tickets"]["name"], "name" in queries["tags"]) == ("x", False)
    assert all("updated_at[gt]" in one for one in queries.values())


def test_explain_reads_nothing_and_counts_the_calls(
    unified: Unified, service: Service, config: Config
) -> None:
    fleet(config, *(f"c{at}" for at in range(40)))
    statement = "FROM ticketing.tags, ticketing.tickets, user_directory.users"
    argv = ["-p", "*", "sql", statement, "--explain", "--token-rate", "50", "-o", "ndjson"]
    result = unified(argv, environ=service.environ)
    assert (result.code, service.seen) == (0, [])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert rows[0] == {
        "connection": "c0",
        "list": "ticketing/tags",
        "from": "GET /unified/ticketing/tags?integrated_account_id=c0",
        "calls": 1,
    }
    assert len(rows) == 120
    assert result.stderr == (
        "at least 120 calls and 20 s; each further page of a list is one more call\n"
    )


def test_an_export_gives_the_newest_state_of_each_record(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    first = [{"id": at, "n": "old", "updated_at": f"2026-01-0{at}T00:00:00Z"} for at in (1, 2, 3)]
    newer = {"id": 2, "n": "new", "updated_at": "2026-01-05T00:00:00Z"}
    dump = f"{tmp_path}/dump"
    # A record without an id has no newer state.
    for records in ([*first, {"n": "a"}], [newer, {"n": "b"}]):
        serve(service, [records])
        argv = f"export ticketing/tags --to {dump} --incremental"
        assert unified(argv, environ=service.environ).code == 0
    result = unified(["sql", f"SELECT id, n FROM {TAGS} ORDER BY ALL", "--from", dump, "-o", "csv"])
    assert (result.code, result.stdout) == (0, "id,n\n1,old\n2,new\n3,old\n,a\n,b\n")
    missing = unified(["sql", "FROM ticketing.tickets", "--from", dump])
    again = f"unified export ticketing/tickets --to {dump} --incremental"
    assert missing.code == 2
    folder = tmp_path / "empty"
    folder.mkdir()
    none = unified(["sql", f"FROM {TAGS}", "--from", str(folder)])
    assert (none.code, f"error: {folder} holds no manifest.json" in none.stderr) == (12, True)
    assert missing.stderr == f"error: no ticketing/tickets in {dump}\n  {again}\n"


def test_keep_writes_all_columns_to_a_private_file_and_never_over_another(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    serve(service, [[{"id": "1", "name": "a", "big": 10158500000000001}]])
    kept = tmp_path / "kept's.duckdb"
    argv = ["sql", f"SELECT count(*) FROM {TAGS}", "--keep", str(kept)]
    assert unified(argv, environ=service.environ).code == 0
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    with duckdb.connect(str(kept), read_only=True) as database:
        found = database.execute(f"SELECT id, name, big, record->>'name' FROM {TAGS}").fetchall()
    assert found == [("1", "a", 10158500000000001, "a")]
    asked = len(service.seen)
    again = unified(argv, environ=service.environ)
    assert (again.code, len(service.seen)) == (11, asked)
    assert unified([*argv, "--force"], environ=service.environ).code == 0
    assert [path.name for path in tmp_path.glob("*kept*")] == [kept.name]


@pytest.fixture(name="running")
def _running(tmp_path: Path) -> Any:
    """Start a statement in a process of its own, and wait until it has its folder."""
    started = []

    def start(statement: str, *more: str) -> subprocess.Popen[bytes]:
        argv = [sys.executable, "-m", "unified_cli", "-p", "sandbox", "sql", statement, *more]
        before = {*spills(tmp_path).glob("*/spill")}
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        process = subprocess.Popen(
            argv, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        started.append(process)
        while process.poll() is None and before >= {*spills(tmp_path).glob("*/spill")}:
            time.sleep(0.02)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def spills(home: Path) -> Path:
    return next(iter(home.glob("**/unified/sql")), home / "none")


def test_ctrl_c_ends_a_statement_and_leaves_nothing(running: Any, tmp_path: Path) -> None:
    process = running(ENDLESS)
    process.send_signal(signal.SIGINT)
    assert (process.wait(timeout=60), [*spills(tmp_path).iterdir()]) == (130, [])


@pytest.mark.parametrize("statement", [ENDLESS, RECURSIVE, "SELECT sleep_ms(100000)"])
def test_a_statement_that_takes_too_long_is_stopped(statement: str, unified: Unified) -> None:
    result = unified(["-p", "sandbox", "sql", statement, "--timeout", "0.2"])
    hint = "a larger --timeout gives the statement more time"
    message = f"error: the statement did not end within 0.2 s ({hint})\n"
    assert (result.code, result.stderr) == (2, message)


def test_the_next_run_removes_what_a_kill_left_and_nothing_of_the_living(
    running: Any, tmp_path: Path
) -> None:
    killed = running(WAITING)
    killed.kill()
    killed.wait()
    assert len([*spills(tmp_path).iterdir()]) == 2
    living = running(WAITING)
    assert running("SELECT 1").wait(timeout=60) == 0
    assert len([*spills(tmp_path).iterdir()]) == 2
    living.terminate()
    living.wait(timeout=60)
    assert [*spills(tmp_path).iterdir()] == []


def test_a_reader_that_leaves_ends_the_statement(running: Any, tmp_path: Path) -> None:
    process = running(WAITING, "-o", "ndjson")
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=60) == 141
    assert [*spills(tmp_path).iterdir()] == []
