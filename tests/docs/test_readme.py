"""The README's blocks, run by a real shell on a fresh sandbox: their output is the real
output.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest
import yaml
from benchmarks.loops import JOBS, lines_of
from front_door import ROOT, Unified
from server import Reply, Service

README = ROOT / "README.md"
TEXT = README.read_text("utf-8")
LONGEST = 175
INSTALL = "python3 -m venv .venv && .venv/bin/pip install -q"
FIRST = f"{INSTALL} . && .venv/bin/unified -p sandbox ticketing tickets list -q limit=2"
SECOND = f"{INSTALL} -e '.[test]' && .venv/bin/pytest"
# Every block but those of a console, with how it begins: each has a test of its own
# here, and that of signing in is in tests/commands/profile.
OTHERS = [
    ("sh", FIRST),
    ("sh", SECOND),
    ("sh", "pipx install ."),
    ("sh", "unified profile add hooli"),
    ("sh", "unified -p tag:eu sql"),
    ("yaml", "env:"),
]


def blocks(text: str) -> Iterator[list[tuple[str, str]]]:
    """Each console block as its commands, each with the output that is shown below it,
    which may be none.
    """
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        entries = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        yield [split(entry) for entry in entries]


def split(entry: str) -> tuple[str, str]:
    """The command, which may continue over lines that end with a backslash, and what
    follows.
    """
    found = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", entry, re.DOTALL)
    assert found
    return found[1], found[2]


BLOCKS = [*blocks(TEXT)]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A new user's environment, where `unified` is the program under test."""
    program = tmp_path / "bin" / "unified"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unified_cli "$@"\n')
    program.chmod(0o755)
    root = str(README.parent)
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": root,
    }


def test_the_console_blocks_run_as_printed(environ: dict[str, str], tmp_path: Path) -> None:
    """One after the other in one home, as a reader types them."""
    for command, shown in [entry for block in BLOCKS for entry in block]:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=environ,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            timeout=60,
        )
        assert (command, done.returncode) == (command, 0), done.stdout
        assert (command, done.stdout) == (command, shown)


@pytest.mark.extra
def test_duckdb_answers_the_query_over_an_export(environ: dict[str, str], tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="needs the extra packages of [test-all]")
    [query] = re.findall(r"`(SELECT .*?)`", TEXT)
    words = ["unified", "export", "ticketing/tickets", "-p", "sandbox", "--to", "dump"]
    subprocess.run(words, cwd=tmp_path, env=environ, check=True, timeout=60)
    rows = duckdb.sql(query.replace("dump/", f"{tmp_path}/dump/")).fetchall()
    assert (len(rows) > 1, sum(count for _, count in rows)) == (True, 120)


@pytest.mark.extra
def test_a_question_in_sql_has_the_answer_of_the_one_in_jq(
    environ: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("duckdb", reason="needs the extra sql")
    (made, _), (by_jq, _), *_ = BLOCKS[0]
    [in_sql] = re.findall(
        r"^```sh\n(unified -p tag:eu sql .*?)\n```", TEXT, re.DOTALL | re.MULTILINE
    )
    lines = (f"{in_sql} --quiet -o csv", by_jq.replace("head -3", "cat"))
    found = []
    for line in (made, *lines):
        argv = ["bash", "-c", line]
        done = subprocess.run(
            argv,
            cwd=tmp_path,
            env=environ,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            timeout=60,
        )
        found.append(sorted(done.stdout.splitlines()))
    assert (found[1], len(found[1])) == (found[2], 13)


def test_no_block_has_no_test() -> None:
    found = re.findall(r"^```(.+)\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)
    assert TEXT.count("```") == 2 * len(found)
    others = [(kind, text) for kind, text in found if kind != "console"]
    assert len(BLOCKS) == len(found) - len(others) == 6
    assert [kind for kind, _ in others] == [kind for kind, _ in OTHERS]
    assert all(text.startswith(begin) for (_, text), (_, begin) in zip(others, OTHERS, strict=True))
    assert not re.search(
        r"^ {4}\S", re.sub(r"^```(?:.*\n)*?```$", "", TEXT, flags=re.MULTILINE), re.MULTILINE
    )


def test_a_signed_in_user_can_do_the_jobs() -> None:
    """A connection of the jobs that has the name of a real one would be left out, and
    the real one read.
    """
    before, _, jobs = TEXT.partition("## Six jobs")
    [signed_in] = re.findall(r"^unified profile add (\S+)", before, re.MULTILINE)
    assert signed_in not in jobs


def test_it_is_short() -> None:
    assert len(TEXT.splitlines()) <= LONGEST


def test_the_two_commands_have_their_own_block_also_in_the_guide(
    environ: dict[str, str], tmp_path: Path
) -> None:
    assert re.findall(r"^```sh\n(python3 .*)\n```$", TEXT, re.MULTILINE) == [FIRST, SECOND]
    assert f"    {SECOND}\n" in (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
    shown = FIRST.rpartition(" && .venv/bin/")[2]
    done = subprocess.run(
        shlex.split(shown), cwd=tmp_path, env=environ, check=True, capture_output=True, timeout=60
    )
    assert [one["id"] for one in json.loads(done.stdout)["result"]] == ["tickets-1", "tickets-2"]


@pytest.mark.long(nightly="downloads every dependency")
def test_the_first_command_installs_and_lists(tmp_path: Path) -> None:
    copy = tmp_path / "checkout"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True, timeout=60)
    own = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        ["sh", "-c", FIRST], cwd=copy, env=own, check=True, capture_output=True, timeout=170
    )
    assert [one["id"] for one in json.loads(done.stdout)["result"]] == ["tickets-1", "tickets-2"]


def test_the_installed_and_removed_package_is_this_distribution(
    environ: dict[str, str], tmp_path: Path
) -> None:
    block = next(
        text
        for text in re.findall(r"^```sh\n((?:.*\n)*?)```$", TEXT, re.MULTILINE)
        if "pipx" in text
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert lines == [
        ["pipx", "install", "."],
        ["pipx", "install", "--force", ".[parquet]"],
        ["pipx", "uninstall", project["name"]],
        ["unified", "completion", "install"],
    ]
    subprocess.run(
        lines[-1], cwd=tmp_path, env={**environ, "SHELL": "/bin/bash"}, check=True, timeout=60
    )
    extras = re.findall(r"`([a-z]+)`", TEXT.partition("Extras are")[2].partition(". ")[0])
    assert {*extras} >= {*project["optional-dependencies"]} - {"fuzz", "test", "test-all"}


@pytest.mark.parametrize(
    ("status", "code", "said"), [(200, 0, ""), (404, 0, "no such ticket\n"), (401, 7, "")]
)
def test_the_job_of_ci_branches_on_the_exit_code(
    status: int, code: int, said: str, environ: dict[str, str], tmp_path: Path, service: Service
) -> None:
    [text] = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    job = yaml.safe_load(text)
    assert job["env"].keys() == service.environ.keys()
    service.reply = lambda _: Reply(status, b'{"statusCode":%d,"error":"x","message":"x"}' % status)
    world = {**environ, **service.environ, "TICKET": "42"}
    script = ["bash", "-e", "-c", job["steps"][1]["run"]]
    done = subprocess.run(
        script, cwd=tmp_path, env=world, check=False, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (code, said)
    assert service.seen[0].path == "/unified/ticketing/tickets/42"


def test_the_table_of_loops_has_the_commands_as_they_were_run() -> None:
    rows = re.findall(
        r"^\| (.+) \| (\d+) \| [\d.]+ \| `(unified .+)` \| [\d.]+ \|$", TEXT, re.MULTILINE
    )
    assert rows == [(job.about, str(lines_of(job)), job.command) for job in JOBS]


def test_the_commands_in_its_sentences_are_those_of_the_program(unified: Unified) -> None:
    prose = re.sub(r"^```(?:.*\n)*?```$|^\|.*", "", TEXT, flags=re.MULTILINE)
    options = unified("help options").stdout
    for words in {*re.findall(r"`unified ([a-z][^`]*)`", prose)}:
        # After the first option there are its values, too.
        command = takewhile(lambda word: not word.startswith("-"), words.split())
        named = [word for word in command if word != "help"]
        shown = unified(["help", *named])
        assert shown.code == 0, (words, shown.stderr)
        known = shown.stdout + options
        assert all(option in known for option in words.split() if option.startswith("-")), words


def test_the_readme_has_console_blocks() -> None:
    assert BLOCKS


def test_a_block_is_split_into_commands_and_what_they_print() -> None:
    text = "```console\n$ a \\\n  b\nout\nmore\n$ c\n```\n"
    assert [*blocks(text)] == [[("a \\\n  b\n", "out\nmore\n"), ("c\n", "")]]
