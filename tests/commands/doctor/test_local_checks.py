"""`unified doctor` and `sandbox status` in the home of another user."""

import json
from pathlib import Path

import pytest
from owned import bound_by_modes


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_closed_home_is_a_finding(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    result = bound_by_modes(home, "doctor", "-o", "json")
    home.chmod(0o700)
    by_check = {one["check"]: one for one in json.loads(result.stdout)["findings"]}
    assert by_check["data folder"]["level"] == "warning"
    assert by_check["data folder"]["message"] == (
        f"{home}/.local/share/unified: not writable, so each command starts with a fresh sandbox"
    )
    assert by_check["config"]["level"] == ("error" if mode == 0 else "ok")
    assert result.returncode == (3 if mode == 0 else 0)


def test_the_status_names_no_file_that_is_not_there(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    result = bound_by_modes(home, "sandbox", "status", "-o", "json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["state"] is None
    first, second = result.stderr.splitlines()
    assert first.startswith("the sandbox forgets its records when this ends: ")
    assert second.endswith(" in memory")
