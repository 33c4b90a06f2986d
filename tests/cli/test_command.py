"""The built-in commands as they are declared."""

import ast
import inspect
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from entries import ENTRIES
from front_door import ROOT, Unified

from unified_cli.cli.command import Command, CommandContext, Entry, Group, Later
from unified_cli.commands import COMMANDS


def declared(commands: Mapping[str, Entry], path: str = "") -> Iterator[tuple[str, Command]]:  # type: ignore[type-arg]
    """Each command below these, with its words."""
    for name, entry in commands.items():
        found = entry.command.load() if isinstance(entry.command, Later) else entry.command
        if isinstance(found, Group):
            yield from declared(found.commands, f"{path}{name} ")
        else:
            yield f"{path}{name}", found


def module(what: Later) -> str:
    """The name of its module."""
    return what.where.partition(":")[0]


DECLARED = dict(declared(COMMANDS))
LATER = {module(one.run) for one in DECLARED.values() if isinstance(one.run, Later)}


@pytest.mark.parametrize("path", DECLARED)
def test_a_command_runs_a_function_that_takes_its_options(path: str) -> None:
    command = DECLARED[path]
    function = command.run.load() if isinstance(command.run, Later) else command.run
    kinds = [one.annotation for one in inspect.signature(function).parameters.values()]
    assert kinds == [CommandContext, command.options]


def test_a_declaration_does_not_import_what_it_runs() -> None:
    modules = sorted(
        {
            one.command.where.partition(":")[0]
            for one in COMMANDS.values()
            if isinstance(one.command, Later)
        }
    )
    text = (
        f"import sys, importlib\nfor one in {modules}:"
        " importlib.import_module(one)\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], check=True, capture_output=True, text=True, cwd=ROOT
    )
    assert len(LATER) > 15
    assert {*done.stdout.split()} & LATER == set()


def test_each_spelling_of_an_option_is_defined_once() -> None:
    texts = (path.read_text("utf-8") for path in (ROOT / "unified_cli").rglob("*.py"))
    trees = (ast.parse(text) for text in texts if re.search(r"\b(?:Flag|Common)\b", text))
    flags = (
        node
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"Flag", "Common"}
    )
    spelled = Counter(spelling for flag in flags for spelling in ast.literal_eval(flag.args[0]))
    assert spelled.keys() >= {
        spelling for entry in ENTRIES for flag in entry.flags for spelling in flag.spellings
    }
    assert [spelling for spelling, count in spelled.items() if count > 1] == []


@pytest.mark.parametrize("environ", [{}, {"UNIFIED_QUIET": "1"}])
def test_quiet_holds_for_a_command_that_reads_no_profile(
    environ: dict[str, str], unified: Unified
) -> None:
    quiet = "" if environ else " --quiet"
    assert unified("runs list").stderr == "no runs\n"
    assert unified(f"runs list{quiet}", environ=environ).stderr == ""
