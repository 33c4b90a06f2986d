"""The README's console blocks, run by a real shell on a fresh sandbox: what they show is what is printed."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from front_door import ROOT

README = ROOT / "README.md"


def blocks(text: str) -> Iterator[list[tuple[str, str]]]:
    """Each console block as its commands, each with the output that is shown below it, which may be none."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        entries = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        yield [split(entry) for entry in entries]


def split(entry: str) -> tuple[str, str]:
    """The command, which may go on over lines that end with a backslash, and what follows."""
    found = re.match(r"((?:[^\n]*\\\n)*[^\n]*\n)(.*)", entry, re.DOTALL)
    assert found
    return found[1], found[2]


BLOCKS = [*blocks(README.read_text("utf-8"))]


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A new user's environment, where `unified` is the program under test."""
    program = tmp_path / "bin" / "unified"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m unified_cli "$@"\n')
    program.chmod(0o755)
    root = str(README.parent)
    return {"PATH": f"{program.parent}:{os.environ['PATH']}", "HOME": str(tmp_path), "PYTHONPATH": root}


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
    [query] = re.findall(r"^```sql\n(.*?)^```", README.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    words = ["unified", "export", "ticketing/tickets", "-p", "sandbox", "--to", "dump"]
    subprocess.run(words, cwd=tmp_path, env=environ, check=True, timeout=60)
    rows = duckdb.sql(query.replace("dump/", f"{tmp_path}/dump/")).fetchall()
    assert (len(rows), sum(count for _, count in rows)) == (6, 120)


def test_there_are_console_blocks() -> None:
    assert BLOCKS


def test_a_block_is_split_into_commands_and_what_they_print() -> None:
    text = "```console\n$ a \\\n  b\nout\nmore\n$ c\n```\n"
    assert [*blocks(text)] == [[("a \\\n  b\n", "out\nmore\n"), ("c\n", "")]]
