"""The skill file for agents: what it says to type is typed here, on a fresh sandbox."""

import io
import re
import shlex
from pathlib import Path

import pytest
from front_door import ROOT, Unified

from unified_cli import app
from unified_cli.catalogue import load
from unified_cli.cli import tree
from unified_cli.runtime import Runtime
from unified_cli.stderr import Stderr

TEXT = (ROOT / "unified_cli" / "commands" / "topics" / "skill.md").read_text("utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) for line in block.splitlines()
]


def test_it_is_printed_as_it_is(unified: Unified) -> None:
    found = unified("help agents --skill")
    assert (found.stdout, found.stderr, found.code) == (TEXT, "", 0)
    assert unified("help agents --skill", tty=True).stdout == TEXT
    other = unified("help output --skill")
    assert (other.code, other.stderr) == (
        2,
        "error: --skill only works with the topic agents (unified help agents --skill)\n",
    )


def test_it_begins_as_skill_files_do() -> None:
    head = re.match(r"---\nname: ([a-z-]+)\ndescription: (.+)\n---\n", TEXT)
    assert head
    assert head[1] == "unified"
    assert len(head[2]) < 1024
    assert max(map(len, TEXT.replace(head[2], "").splitlines())) <= 124
    assert len(COMMANDS) >= 14


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_is_one_of_this_program(line: str) -> None:
    program, *argv = shlex.split(line)
    assert program == "unified"
    nowhere = Runtime(
        stdin=None, stdout=io.BytesIO(), stderr=Stderr(None), environ={}, columns=80, folders={}
    )
    command = tree.read(app.whole(nowhere, load()), argv, nowhere)
    assert command or "--help" in argv


def test_its_commands_run_one_after_the_other(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in COMMANDS:
        done = unified(shlex.split(line)[1:], environ={"HOME": str(tmp_path)})
        assert done.code == 0, (line, done.stderr)


def test_options_and_codes_in_its_text_are_those_of_the_program(unified: Unified) -> None:
    known = unified("help options").stdout
    prose = re.sub(r"```sh\n.*?```", "", TEXT, flags=re.DOTALL)
    for option in {*re.findall(r"--[a-z][a-z-]+", prose)}:
        assert re.search(rf"{option}\b", known), option
