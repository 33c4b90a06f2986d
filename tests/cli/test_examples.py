"""Every example that help prints runs on a fresh sandbox, as it is printed."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from entries import ENTRIES
from front_door import Unified

from unified_cli.commands.help.topics import topics

# What an example may need that nobody has on a fresh machine: the profiles it names.
CONFIG = """
[profiles.acme]
base_url = "sandbox:"
account_id = "full"
token = "t-0123456789"
tags = ["prod"]
[profiles.prod-eu]
base_url = "sandbox:"
account_id = "empty"
tags = ["eu"]
"""
FILES = {
    "people.csv": "first_name,last_name\nAda,Lovelace\n",
    "connections.csv": "name,account_id\nnew-one,7\n",
}
# What runs until it is stopped, asks a person at a terminal, or continues a run; their own tests do that.
RUNS = {f"unified runs {name} 20261121-7f3a" for name in ("show", "resume", "retry", "remove")}
NOT_ALONE = {"unified sandbox serve", "unified mcp serve -p 'prod-*'", "unified profile login acme", *RUNS}

PAGES = [f"{' '.join(place.path)} --help".strip() for place in ENTRIES] + [f"help {topic}" for topic in topics()]


def examples(text: str) -> list[str]:
    """The command lines of a page, put together again as a shell would."""
    found = re.findall(r"^Examples?:\n((?:  .*\n)+)", text, re.MULTILINE)
    return [line.strip() for block in found for line in block.replace("\\\n", "").splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_as_printed(
    page: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    lines = examples(unified(page).stdout)
    assert lines
    for line in lines:
        if line in NOT_ALONE:
            continue
        if line.startswith("unified profile ") and not line.startswith("unified profile add"):
            config(CONFIG)
        typed, _, redirected = map(str.strip, line.partition(" > "))
        result = unified(shlex.split(typed)[1:], environ={"HOME": str(tmp_path / "home")})
        if redirected:
            (tmp_path / redirected).write_bytes(result.raw)
        assert (result.code, result.stdout != "" or result.stderr != "") == (0, True), (line, result.stderr)


def test_each_level_has_an_example() -> None:
    assert len(PAGES) > 338
