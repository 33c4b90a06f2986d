"""Every example that help prints runs on a fresh sandbox, as it is printed."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from shell.positions import PLACES

from unified_cli.commands.topics import topics

# What an example may need that nobody has on a fresh machine: the profiles it names.
CONFIG = """
[profiles.acme]
base_url = "sandbox:"
account_id = "full"
tags = ["prod"]
[profiles.prod-eu]
base_url = "sandbox:"
account_id = "empty"
tags = ["eu"]
"""
# `sandbox serve` runs until it is stopped; its own tests start it.
ENDLESS = {"unified sandbox serve"}

PAGES = [f"{' '.join(place.path)} --help".strip() for place in PLACES] + [f"help {topic}" for topic in topics()]


def examples(text: str) -> list[str]:
    """The command lines of a page, put together again as a shell would."""
    found = re.findall(r"^Examples?:\n((?:  .*\n)+)", text, re.MULTILINE)
    return [line.strip() for block in found for line in block.replace("\\\n", "").splitlines()]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run_as_printed(
    page: str, unified: Unified, config: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = examples(unified(page).stdout)
    assert lines
    for line in lines:
        if line in ENDLESS:
            continue
        if line.startswith("unified profile ") and not line.startswith("unified profile add"):
            config(CONFIG)
        result = unified(shlex.split(line)[1:], environ={"HOME": str(tmp_path / "home")})
        assert (result.code, result.stdout != "" or result.stderr != "") == (0, True), (line, result.stderr)


def test_each_level_has_an_example() -> None:
    assert len(PAGES) > 338
