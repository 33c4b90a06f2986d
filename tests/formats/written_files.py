"""Name the files that older versions wrote, and read what the program says of them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import Result

HERE = Path(__file__).parent
VERSIONS = sorted(folder.name for folder in HERE.iterdir() if (folder / "home").is_dir())
# The text in the files in place of the folder that they were written to.
FOLDER = b"/before"

Before = Callable[..., Result]


def of_version(version: str) -> pytest.MarkDecorator:
    """Have a test read the files of this version only."""
    return pytest.mark.parametrize("folder", [version], indirect=True)


def lines(text: str) -> list[Any]:
    """Read NDJSON."""
    return [json.loads(line) for line in text.splitlines()]


def run_of(before: Before, command: str) -> str:
    """Give the id of the newest run of this command."""
    runs = json.loads(before("runs list -o json").stdout)["runs"]
    return next(str(one["id"]) for one in runs if one["command"] == command)
