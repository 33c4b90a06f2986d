"""Whatever records contain: no line of a screen is wider than the terminal, and no word
is broken that fits.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from odd_screens import ALL, ENVIRON, PROFILES, prepare
from rich.cells import cell_len
from server import Service

Config = Callable[[str], Path]
MARKS = "─│├└█▒░·✓!✗…"

COMMANDS = """\
operations
operations suspend user
operations suspend user --source
profile list
profile show {long}
profile show {long} --explain
profile test {names}
doctor
doctor -v
doctor p1 p2 --network
connections list
connections list --health
connections add --dry-run
{all} capabilities
{all} capabilities ticketing/tickets user-directory/users --probe
-p {long} capabilities ticketing
-p p1 schema ticketing/tickets
{all} schema ticketing/tickets --against known
{all} schema ticketing/tickets --against shape.json --strict
diff ticketing/tickets --from one.ndjson --to other.ndjson
-p p1 import ticketing/tickets one.ndjson
{all} ticketing tickets list -o table --workers 1
-p p1 ticketing tickets list -o table
-p p1 ticketing tickets list -o table --columns id,name,note
-p p1 ticketing tickets get 7 -o table
{all} ticketing tickets create -f name=new --yes -o table --workers 1
-p p1 user-directory users list -o table
runs list
runs show {run}
sandbox status
""".splitlines()


@pytest.fixture
def world(
    service: Service, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Connections and records with long names, wide ones, and marks; a service that
    shows them.
    """
    config(prepare(service, tmp_path))
    monkeypatch.chdir(tmp_path)
    return ENVIRON


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_is_as_wide_as_the_terminal_and_breaks_between_words(
    command: str, columns: int, unified: Unified, world: dict[str, str]
) -> None:
    run = ""
    if "{run}" in command or command == "runs list":
        begun = unified(f"{ALL} ticketing tickets create -f name=new --yes", environ=world)
        run = next(
            line.removeprefix("run ")
            for line in begun.stderr.splitlines()
            if line.startswith("run ")
        )
    words = command.format(long=PROFILES[0], names=" ".join(PROFILES), all=ALL, run=run)
    shown = unified(words, environ=world, tty=True, columns=columns)
    wide = unified(words, environ=world, tty=True, columns=4000)
    assert shown.stdout, shown.stderr
    assert "a bug" not in shown.stderr
    assert [line for line in shown.stdout.splitlines() if cell_len(line) > columns] == []
    whole = {*wide.stdout.split()}
    assert [word for word in shown.stdout.split() if not is_whole(word, whole, columns)] == []


def is_whole(word: str, words: set[str], columns: int) -> bool:
    """Whether this is a word, or what a terminal of that width has to make of one."""
    if word in words or not word.strip(MARKS) or "…" in word:
        return True
    # Chinese has no blanks, and a word wider than the terminal's columns cannot be
    # whole.
    inner = word.strip(MARKS)
    return any(
        inner in one and (cell_len(one) > columns // 2 or re.search("[\u4e00-\u9fff]", one))
        for one in words
    )
