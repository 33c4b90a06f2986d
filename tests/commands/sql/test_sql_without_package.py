"""`unified sql` where its package is not installed; the other tests need it."""

import pytest
from front_door import Unified

from unified_cli.commands.sql import run
from unified_cli.installation import command_to_add


def test_without_its_package_the_command_says_how_to_install_it(
    unified: Unified, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "find_spec", lambda _: None)
    result = unified(["-p", "sandbox", "sql", "SELECT 1"])
    hint = command_to_add("duckdb>=2.0")
    assert (result.code, result.stderr) == (3, f"error: sql needs the package duckdb ({hint})\n")
