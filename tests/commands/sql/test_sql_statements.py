"""Statements that do more than read, or are wrong, are refused; nothing is sent."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Unified
from pages import serve
from server import Service

pytest.importorskip("duckdb", reason="needs the extra sql")
pytestmark = pytest.mark.extra

READ = "a statement may only read"
MORE = "does more than read"
AFTER_FROM = "is not allowed after FROM"
NO_TABLE = "a table is api.resource"
# Each with its message; HERE is a folder that must stay empty.
ATTACKS = {
    "FROM read_csv('/etc/passwd')": AFTER_FROM,
    "FROM read_text('/etc/passwd')": AFTER_FROM,
    "FROM read_blob('/proc/self/environ')": AFTER_FROM,
    "FROM read_parquet('https://example.com/x')": AFTER_FROM,
    "FROM read_json('s3://bucket/x')": AFTER_FROM,
    "FROM glob('/etc/*')": AFTER_FROM,
    "FROM sniff_csv('/etc/passwd')": AFTER_FROM,
    "FROM '/etc/passwd'": NO_TABLE,
    "FROM 'https://example.com/a.parquet'": NO_TABLE,
    "FROM sqlite_master": NO_TABLE,
    "FROM memory.ticketing.tags": NO_TABLE,
    "FROM information_schema.tables": "no API has this list",
    "FROM pg_catalog.pg_tables": "no API has this list",
    "FROM duckdb_settings()": AFTER_FROM,
    "FROM duckdb_secrets()": AFTER_FROM,
    "FROM query('FROM ticketing.tags')": AFTER_FROM,
    "FROM query_table('ticketing.tags')": AFTER_FROM,
    "FROM histogram(ticketing.tags, id)": AFTER_FROM,
    "FROM arrow_scan(1, 2, 3)": AFTER_FROM,
    "FROM enable_logging(storage = 'file', storage_path = 'HERE/log')": AFTER_FROM,
    "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))": AFTER_FROM,
    "WITH a AS MATERIALIZED (FROM read_text('/etc/passwd')) FROM a": AFTER_FROM,
    "SELECT (SELECT content FROM read_text('/etc/passwd'))": AFTER_FROM,
    "FROM ticketing.tags t, LATERAL (FROM read_csv(t.name))": AFTER_FROM,
    "SELECT apply(['/etc/passwd'], lambda x: (FROM read_text(x)))": AFTER_FROM,
    "SELECT getenv('HOME')": "getenv() is not allowed",
    "SELECT 'HOME'.getenv()": "getenv() is not allowed",
    "SELECT main.\"getenv\"('HOME')": "getenv() is not allowed",
    "SELECT apply(['HOME'], lambda x: getenv(x))": "getenv() is not allowed",
    "SELECT current_setting('temp_directory')": "current_setting() is not allowed",
    "SELECT write_log('x')": "write_log() is not allowed",
    "WITH a AS (DELETE FROM ticketing.tags RETURNING *) FROM a": READ,
    "WITH a AS (INSERT INTO ticketing.tags VALUES (1) RETURNING *) FROM a": READ,
    "WITH a AS (COPY (SELECT 42) TO 'HERE/x.csv') FROM a": READ,
    "COPY (FROM ticketing.tags) TO 'HERE/x.csv'": MORE,
    "EXPORT DATABASE 'HERE/x'": MORE,
    "ATTACH 'HERE/x.duckdb' AS x": MORE,
    "INSTALL httpfs": MORE,
    "LOAD httpfs": MORE,
    "SET enable_external_access = true": MORE,
    "PRAGMA enable_profiling = 'json'": MORE,
    "CREATE SECRET (TYPE s3)": MORE,
    "CREATE TABLE x AS FROM ticketing.tags": MORE,
    "CALL pragma_version()": MORE,
    "EXPLAIN ANALYZE DELETE FROM ticketing.tags": "EXPLAIN is the option --explain",
    "FROM ticketing.tags; DROP TABLE ticketing.tags": "2 statements are given",
    "PREPARE p AS FROM ticketing.tags": MORE,
    "RESET lock_configuration": MORE,
    "CREATE MACRO m() AS TABLE FROM read_text('/etc/passwd')": MORE,
}


@pytest.mark.parametrize("statement", ATTACKS)
def test_an_attack_is_refused_and_nothing_is_sent(
    statement: str, unified: Unified, service: Service, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    typed = statement.replace("HERE", str(here))
    result = unified(["sql", typed], environ=service.environ)
    assert (result.code, result.stdout, service.seen, [*here.iterdir()]) == (2, "", [], [])
    assert ATTACKS[statement] in result.stderr


@pytest.mark.parametrize(
    "statement",
    [one for one, reason in ATTACKS.items() if reason in {AFTER_FROM, MORE} and "query" not in one],
)
def test_the_database_is_locked_also_against_a_statement_that_was_not_checked(
    statement: str,
    unified: Unified,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from unified_cli.commands.sql import statement as checked  # noqa: PLC0415  needs the extra

    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.setattr(checked, "plan", lambda text, *_: checked.Plan(text))
    result = unified(["sql", statement.replace("HERE", str(here))], environ=service.environ)
    harmless = (
        "duckdb_s",
        "CREATE TABLE",
        "pragma_version",
        "PREPARE",
        "histogram",
        "LOAD",
        "glob",
        "json_",
    )
    assert result.code != 0 or any(one in statement for one in harmless), result.stdout
    assert "root:" not in result.stdout
    assert [*here.iterdir()] == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT count(*) FROM read_text('PRIVATE/*')",
        "FROM glob('PRIVATE/**')",
        "COPY (SELECT 42) TO 'PRIVATE/x.csv'",
        "COPY (SELECT 42 AS a) TO 'PRIVATE/x' (PARTITION_BY (a))",
        "ATTACH 'PRIVATE/x.duckdb' AS x",
        "EXPORT DATABASE 'PRIVATE/x'",
        "SET allowed_directories = ['PRIVATE']",
        "SET temp_directory = 'PRIVATE'",
    ],
)
def test_the_private_folder_is_locked_also_against_a_statement_that_was_not_checked(
    statement: str, unified: Unified, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unified_cli.commands.sql import statement as checked  # noqa: PLC0415  needs the extra

    def plan(text: str, _: object, database: Any) -> checked.Plan:
        (spill,) = database.execute("SELECT current_setting('temp_directory')").fetchone()
        return checked.Plan(text.replace("PRIVATE", str(Path(spill).parent)))

    monkeypatch.setattr(checked, "plan", plan)
    result = unified(["sql", statement], environ=service.environ)
    assert (result.code, result.stdout) == (2, "")
    assert re.search("disabled|locked", result.stderr)


LISTED = "unified operations lists the tables, and DESCRIBE api.resource the columns"
WRONG = {
    "SELEC 1": 'Parser Error: syntax error at or near "SELEC" (did you mean SELECT?)',
    "": "the statement is empty (give one statement)",
    "FROM tags": "tags: a table is api.resource (did you mean ticketing.tags or ats.tags or"
    " knowledge_base.tags?)",
    "FROM ticketing.tikets": "ticketing.tikets: no API has this list (did you mean"
    " ticketing.tickets?)",
    "FROM tiketing.tickets": "tiketing.tickets: no API has this list (did you mean"
    " ticketing.tickets?)",
    "FROM user-directory.users": 'Parser Error: syntax error at or near "-" (write'
    " user_directory.users)",
    "FROM ticketing/tickets": 'Parser Error: syntax error at or near "/" (write ticketing.tickets)',
    'FROM "user-directory".users': "user-directory.users: no API has this list (did you mean"
    " user_directory.users?)",
    "FROM ticketing.tickets t, t.tags": "t.tags: no API has this list (for the items of a list:"
    " unnest(t.tags::JSON[]))",
    "FROM ticketing.tags WHERE id = $1": "a parameter (?, $1, $name) has no value here",
    "SHOW TABLES": f"SHOW cannot list the tables ({LISTED})",
    "SHOW COLUMNS FROM ticketing.tags": f'Parser Error: syntax error at or near "FROM" ({LISTED})',
    "\\d ticketing.tags": f'Parser Error: syntax error at or near "\\" ({LISTED})',
    ".tables": f'Parser Error: syntax error at or near "." ({LISTED})',
    "help": f'Parser Error: syntax error at or near "help" ({LISTED})',
    "q.sql": 'Parser Error: syntax error at or near "q" (did you mean @q.sql?)',
    "select top 5 * FROM ticketing.tags": 'Parser Error: syntax error at or near "5" (LIMIT 5 at'
    " the end)",
    "FROM ticketing.tags LIMIT 20, 10": 'Parser Error: syntax error at or near "," (LIMIT 10 OFFSET'
    " 20)",
    "PIVOT ticketing.tags ON color": "PIVOT needs its values (PIVOT … ON column IN ('a', 'b') …)",
    "SELECT uper(name) FROM ticketing.tags": "no function uper() (did you mean upper()?)",
    "SELECT nvl(name, '') FROM ticketing.tags": "no function nvl() (the dialect is DuckDB's)",
    f"SELECT {'(' * 3000}1{')' * 3000}": "the statement is nested too deep",
    "SELECT 1 \0": "the statement has a NUL",
}


@pytest.mark.parametrize("statement", WRONG)
def test_a_wrong_statement_is_explained_with_a_correction(
    statement: str, unified: Unified, service: Service
) -> None:
    result = unified(["sql", "-"], stdin=statement.encode(), environ=service.environ)
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert result.stderr.splitlines()[0] == f"error: {WRONG[statement]}"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        (
            "SELECT nme FROM ticketing.tags",
            'no record of ticketing.tags has "nme" (did you mean "name"?)',
        ),
        (
            "SELECT t.nme FROM ticketing.tags t",
            'no record of ticketing.tags has "nme" (did you mean "name"?)',
        ),
        (
            "SELECT zzz FROM ticketing.tags",
            (
                """no record of ticketing.tags has "zzz" (write 'zzz' for a text; DESCRIBE"""
                " ticketing.tags shows the columns)"
            ),
        ),
        (
            'SELECT id FROM ticketing.tags WHERE name = "open"',
            """no record of ticketing.tags has "open" (write a text in single quotes: 'open')""",
        ),
        (
            "SELECT id FROM ticketing.tags WHERE id = 1",
            (
                "Conversion Error: Could not convert string 't1' to INT32 when casting from source"
                " column id (id is a text; compare it with a text in single quotes)"
            ),
        ),
        (
            "SELECT unnest(owner) FROM ticketing.tags",
            (
                "Binder Error: UNNEST() can only be applied to lists, structs and NULL, not JSON"
                " (an object or a list is JSON; column->>'name' is a text in it, column::JSON[] a"
                " list)"
            ),
        ),
        (
            "SELECT id FROM ticketing.tags WHERE owner = 'x'",
            (
                "Conversion Error: Malformed JSON at byte 0 of input: unexpected character."
                '  Input: "x"'
                " (an object or a list is JSON; column->>'name' is a text in it,"
                " column::JSON[] a list)"
            ),
        ),
    ],
)
def test_a_column_that_no_record_has_is_named(
    statement: str, reason: str, unified: Unified, service: Service
) -> None:
    serve(service, [[{"id": "t1", "name": "a", "owner": {"name": "x"}}]])
    result = unified(["sql", statement], environ=service.environ)
    assert (result.code, result.stderr.splitlines()[0]) == (2, f"error: {reason}")


@pytest.mark.parametrize(
    ("records", "statement", "shown"),
    [
        (
            [],
            "SELECT count(*) AS n, max(updated_at) AS at FROM ticketing.tags WHERE color = 'x'",
            '{"n":0,"at":null}',
        ),
        (
            [{"id": "1"}],
            "FROM ticketing.tags WHERE color IS NULL",
            '{"_profile":"acct-1","id":"1","color":null}',
        ),
    ],
)
def test_a_known_member_that_no_record_has_is_empty(
    records: list[Any], statement: str, shown: str, unified: Unified, service: Service
) -> None:
    serve(service, [records])
    result = unified(["sql", statement, "-o", "ndjson"], environ=service.environ)
    assert (result.code, result.stdout) == (0, f"{shown}\n")


OPTIONS: dict[str, str] = {
    "-q status=open": "-q 'status=open' must be API/RESOURCE:NAME=VALUE (as in"
    " ticketing/tickets:status=open)",
    "-q ticketing/users:a=b": "-q ticketing/users:a=b: the statement does not read"
    " ticketing.users (it reads ticketing.tags)",
    "-o raw": "'raw' is not one of",
    "--since soon": "--since takes a time or an age, not 'soon'",
    "--from dump -p x": "--from cannot be used with -p, -a, -q or --since",
    "--from s3://bucket/dump": "--from reads an export in a folder of this machine, not"
    " s3://bucket/dump (unified export ticketing/tags --to DIR)",
    "--from file:///tmp/dump": "not file:///tmp/dump (unified export ticketing/tags --to DIR)",
    "--out dump/": "dump/ is a folder; name a file in it",
    "--bom": "--bom is for CSV, not for json",
}


@pytest.mark.parametrize("typed", OPTIONS)
def test_options_that_mean_nothing_are_refused_before_anything_is_sent(
    typed: str, unified: Unified, service: Service, config: Callable[[str], Any]
) -> None:
    config('[profiles.x]\naccount_id = "1"\n')
    result = unified(["sql", "FROM ticketing.tags", *typed.split()], environ=service.environ)
    assert (result.code, result.stdout, service.seen) == (2, "", [])
    assert OPTIONS[typed] in result.stderr
