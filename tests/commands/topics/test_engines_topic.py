"""`unified help engines`: the code for other tools runs unchanged, as far as those
tools can be had here.
"""

import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from front_door import ROOT, Unified

from unified_cli import __version__

CODE = tomllib.loads((ROOT / "unified_cli/commands/topics/engines.toml").read_text("utf-8"))[
    "engines"
]["code"]
CONFIG = 'base_url = "sandbox:"\n' + "".join(
    f'[profiles.{name}]\naccount_id = "full:{name}"\ntags = ["prod"]\n' for name in ("one", "two")
)
# The two that are no part of this machine, as far as the examples use them.
AIRFLOW = """
def dag(**_options):
    return lambda function: function

class Task:
    def __init__(self, function):
        self.function = function
    def __call__(self):
        return self.function()
    def expand(self, line):
        for one in line:
            self.function(one)

def task(function=None, **_options):
    return Task(function) if function else Task
"""
RAY = """
init = lambda: None
get = list

def remote(**_options):
    def decorate(function):
        function.remote = function
        return function
    return decorate

def wait(running):
    return running[:1], running[1:]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A home with two connections, and a file with the tasks of an export to `dump`."""
    config = tmp_path / ".config" / "unified" / "config.toml"
    config.parent.mkdir(parents=True, mode=0o700)
    config.write_text(CONFIG)
    config.chmod(0o600)
    task = {
        "version": __version__,
        "base_url": "http://sandbox",
        "to": "dump",
        "lists": ["ticketing/tickets"],
    }
    tasks = [
        {**task, "profile": name, "account": f"full:{name}", "required": [], "options": {}}
        for name in ("one", "two")
    ]
    (tmp_path / "tasks.ndjson").write_text("".join(json.dumps(one) + "\n" for one in tasks))
    return tmp_path


def run(
    script: str, folder: Path, environ: Mapping[str, str] | None = None, shell: str = "sh"
) -> str:
    path = f"{folder}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    words = [shell, *(["-e", "-c", script] if shell == "sh" else ["-c", script])]
    world = {"PATH": path, "HOME": str(folder), "PWD": str(folder), **(environ or {})}
    # Its own group: what it leaves in the background is ended with it, and keeps no
    # pipe open.
    with (
        (folder / "said").open("wb") as said,
        subprocess.Popen(
            words, cwd=folder, env=world, stdout=said, stderr=said, start_new_session=True
        ) as process,
    ):
        try:
            code = process.wait(60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    told = (folder / "said").read_text()
    assert code == 0, told
    return told


def in_tables(place: str, **settings: str) -> dict[str, int]:
    """How many records of each connection are in the table of a list, read without the
    program.
    """
    deltalake = pytest.importorskip("deltalake", reason="needs the extra delta")
    table = deltalake.DeltaTable(
        f"{place}/ticketing/tickets", storage_options=settings
    ).to_pyarrow_table()
    return dict(Counter(table.column("_profile").to_pylist()))


def exported(folder: Path) -> dict[str, int]:
    """How many records are there of each connection."""
    found: dict[str, int] = {}
    for path in (folder / "dump").rglob("*.ndjson"):
        name = path.relative_to(folder / "dump").parts[0]
        found[name] = found.get(name, 0) + len(path.read_text().splitlines())
    return found


def test_code_is_shown_unchanged(unified: Unified) -> None:
    shown = unified("help engines").stdout
    for text in CODE.values():
        assert "\n".join(f"  {line}".rstrip() for line in text.strip("\n").splitlines()) in shown


@pytest.mark.extra
def test_a_shell_does_one_task_after_the_other(folder: Path) -> None:
    pytest.importorskip("obstore", reason="needs the extra cloud")
    said = run(
        CODE["One task after the other"].replace("export ticketing ", "export ticketing/tickets "),
        folder,
    )
    assert (
        said.splitlines()[-1]
        == f"file://{folder}/dump: the manifest matches 2 files; 2 of 2 lists done"
    )
    assert exported(folder) == {"one": 120, "two": 120}


@pytest.mark.needs("sed")
def test_a_kubernetes_job_does_the_task_of_its_index(folder: Path) -> None:
    job = yaml.safe_load(CODE["Kubernetes, an indexed Job"])["spec"]
    (container,) = job["template"]["spec"]["containers"]
    assert container["command"] == ["sh", "-c"]
    (script,) = container["args"]
    run(script.replace("/tasks/", f"{folder}/"), folder, {"JOB_COMPLETION_INDEX": "1"})
    assert exported(folder) == {"two": 120}


@pytest.mark.needs("sed")
def test_a_slurm_array_does_the_task_of_its_number(folder: Path) -> None:
    run(CODE["SLURM, a job array"], folder, {"SLURM_ARRAY_TASK_ID": "1"})
    assert exported(folder) == {"one": 120}


@pytest.mark.extra
def test_airflow_makes_tasks_and_does_them(folder: Path) -> None:
    pytest.importorskip("deltalake", reason="needs the extra delta")
    (folder / "airflow").mkdir()
    (folder / "airflow" / "sdk.py").write_text(AIRFLOW)
    script = (
        CODE["Airflow"]
        .replace('["ticketing", ', '["ticketing/tickets", ')
        .replace("s3://bucket/dump", "dump")
    )
    run(script, folder, {"PYTHONPATH": str(folder)}, shell=sys.executable)
    assert in_tables(f"{folder}/dump") == {"one": 120, "two": 120}


def test_ray_does_the_tasks_on_standard_input(folder: Path) -> None:
    (folder / "ray.py").write_text(RAY)
    (folder / "export.py").write_text(CODE["Ray"])
    run(
        f"{shlex.quote(sys.executable)} export.py < tasks.ndjson",
        folder,
        {"PYTHONPATH": str(folder)},
    )
    assert exported(folder) == {"one": 120, "two": 120}


@pytest.mark.long(seconds=5)
@pytest.mark.extra
def test_a_dask_cluster_on_this_machine(folder: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra dask")
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    script = (
        CODE["Dask on this machine"]
        .replace("8786", str(port))
        .replace("ticketing ", "ticketing/tickets ")
    )
    run(script, folder)
    assert in_tables(f"{folder}/dump") == {"one": 120, "two": 120}


@pytest.mark.extra
def test_its_tables_are_read(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    pytest.importorskip("duckdb", reason="needs the extra test-all")
    pytest.importorskip("polars", reason="needs the extra test-all")
    pytest.importorskip("deltalake", reason="needs the extra delta")
    config(CONFIG)
    for more in ("", "--incremental"):
        assert unified("-p one ticketing tickets update tickets-1 --yes -f status=open").code == 0
        assert (
            unified(
                f"export ticketing/tickets -p * --to {tmp_path}/dump --format delta {more}"
            ).code
            == 0
        )
    expected = [
        json.loads(line)
        for line in unified("-p one ticketing tickets list --all -o ndjson").stdout.split("\n")
        if line
    ]
    found: dict[str, Any] = {}
    for head in ("Its tables with polars", "Its tables with DuckDB"):
        exec(CODE[head].replace('"dump/', f'"{tmp_path}/dump/'), found)
    newest = dict(found["newest"].rows())
    assert newest["one"] == max(datetime.fromisoformat(one["updated_at"]) for one in expected)
    rows = [row for row in found["open_"] if row[0] == "one"]
    assert (
        {row[1] for row in rows}
        == {one["id"] for one in expected if one["status"].get("name") == "open"}
        != set()
    )


@pytest.mark.extra
def test_duckdb_reads_what_was_exported(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    pytest.importorskip("obstore", reason="needs the extra cloud")
    run(f"unified export ticketing/tickets -p '*' --to file://{folder}/dump", folder)
    connection = duckdb.connect()
    run(f"unified export ticketing/tickets -p '*' --to {folder}/local", folder)
    of_store = CODE["DuckDB, the files of a store"]
    # The comment names what differs for a folder.
    path, part = re.findall(r"-- of a folder: '(.*)', and (-\d) for -4\n", of_store)[0]
    of_folder = re.sub(r"'dump/.*'", f"'{path}'", of_store.partition("\n")[2])
    of_folder = of_folder.replace("-4", part).replace("'dump/", "'local/")
    for statement in (of_store, of_folder):
        connection.sql(re.sub("'(dump|local)/", rf"'{folder}/\1/", statement))
        found = connection.sql(
            "SELECT profile, count(id), count(DISTINCT id) FROM tickets GROUP BY 1 ORDER BY 1"
        )
        assert found.fetchall() == [("one", 120, 120), ("two", 120, 120)]


@pytest.mark.extra
def test_after_increments_readers_find_the_newest_state(
    unified: Unified, config: Callable[[str], Path], tmp_path: Path
) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra test-all")
    polars = pytest.importorskip("polars", reason="needs the extra test-all")
    pytest.importorskip("pyarrow", reason="needs the extra parquet")
    config(CONFIG)
    for form in ("ndjson", "parquet"):
        (tmp_path / form).mkdir()

    def done(command: str) -> str:
        result = unified(command)
        assert result.code == 0, result.stderr
        return result.stdout

    def export(more: str) -> None:
        for form in ("ndjson", "parquet"):
            done(
                f"export ticketing/tickets -p * --to {tmp_path / form}/dump --format {form} {more}"
            )

    export("")
    done("-p one ticketing tickets delete tickets-9 --yes")
    export("--restart")
    # From the tenth on, the names of the files do not sort as they follow each other.
    for number in range(10):
        done(f"-p one -p two ticketing tickets update tickets-1 --yes -f name={number}")
        done(f"-p two ticketing tickets update tickets-{number + 2} -f name=changed")
        export("--incremental")
    assert (tmp_path / "ndjson/dump/one/ticketing/tickets.11.ndjson").exists()
    assert (tmp_path / "ndjson/dump/one/ticketing/gone.tickets.ndjson").exists()
    expected = {
        (name, json.loads(line)["id"]): line
        for name in ("one", "two")
        for line in done(f"-p {name} ticketing tickets list --all -o ndjson").splitlines()
    }
    for form, head in (
        ("ndjson", "DuckDB, the newest state after --incremental, of a folder"),
        ("parquet", "The same of Parquet files"),
    ):
        connection = duckdb.connect()
        connection.sql(CODE[head].replace("'dump/", f"'{tmp_path}/{form}/dump/"))
        text = "json" if form == "ndjson" else "record"
        rows = connection.sql(f"SELECT _profile, id, {text} FROM tickets").fetchall()
        assert (len(rows), {row[:2]: row[2] for row in rows}) == (len(expected), expected)
    found: dict[str, Any] = {}
    exec(CODE["The same with polars"].replace('"dump/', f'"{tmp_path}/parquet/dump/'), found)
    rows = found["tickets"].select("_profile", "id", "record").rows()
    assert (len(rows), {row[:2]: row[2] for row in rows}) == (len(expected), expected)
    assert found["tickets"].schema["updated_at"] == polars.Datetime("us", "UTC")


def test_copy_is_given_each_record_as_a_line(folder: Path) -> None:
    (folder / "psql").write_text(
        '#!/bin/sh\ncase "$2" in COPY*) printf "%s\\n" "$2" > asked; cat > given;; esac\n'
    )
    (folder / "psql").chmod(0o755)
    tickets = folder / "dump" / "one" / "ticketing" / "tickets"
    tickets.mkdir(parents=True)
    (tickets / "1.ndjson").write_text('{"id": "a"}\n')
    run(CODE["COPY of PostgreSQL, the files of a store"], folder)
    assert json.loads((folder / "given").read_text()) == {"id": "a"}
    assert re.fullmatch(
        r"COPY tickets FROM STDIN\s+WITH \(FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'\)\s",
        (folder / "asked").read_text(),
    )


def test_the_program_for_dlt_is_one() -> None:
    compile(CODE["dlt"], "dlt", "exec")


def test_snowflake_is_given_every_file_of_the_list_and_no_other() -> None:
    text = CODE["COPY of Snowflake"]
    assert [line.split()[0] for line in text.strip().splitlines()] == ["CREATE", "COPY", "PATTERN"]
    [pattern] = re.findall(r"PATTERN = '(.*)'", text)
    there = [
        f"dump/{name}/ticketing/tickets/0001-000001-ecaaa31a.ndjson" for name in ("one", "two")
    ]
    others = [
        "dump/manifest.json",
        "dump/one/ticketing/tags/0001-000001-ecaaa31a.ndjson",
        "dump/.log/one/000001.json",
    ]
    assert [path for path in there + others if re.fullmatch(pattern, path)] == there


def test_each_block_is_tried_here() -> None:
    # The nightly job is tried with the tables that it writes.
    files = Path(__file__), ROOT / "tests/commands/export/test_delta.py"
    source = "".join(path.read_text("utf-8") for path in files)
    assert [head for head in CODE if f'"{head}"' not in source] == []
