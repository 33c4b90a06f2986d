"""Every object that is imported when it is needed exists under its name."""

import re
from pathlib import Path

import pytest

import unified_cli
from unified_cli.cli.command import Later

PLACES = sorted(
    {
        where
        for path in Path(unified_cli.__file__).parent.rglob("*.py")
        for where in re.findall(r"Later\(\s*\"([^\"]+)\"", path.read_text("utf-8"))
    }
)


@pytest.mark.parametrize("where", PLACES)
def test_the_object_exists(where: str) -> None:
    assert callable(Later(where).load())
