"""`unified doctor` and `sandbox status` for a user whose home belongs to somebody else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from front_door import ROOT

# PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: root alone may pass over modes.
DROP = (
    "import ctypes, os, sys; prctl = ctypes.CDLL(None).prctl;"
    "prctl(24, 1, 0, 0, 0); prctl(24, 2, 0, 0, 0);"
    "os.execv(sys.executable, [sys.executable, '-m', 'unified_cli', *sys.argv[1:]])"
)


def as_others(home: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", DROP, *argv],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_closed_home_is_a_finding(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(mode)
    result = as_others(home, "doctor", "-o", "json")
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
    result = as_others(home, "sandbox", "status", "-o", "json")
    assert result.returncode == 0
    assert json.loads(result.stdout)["state"] is None
    first, second = result.stderr.splitlines()
    assert first.startswith("the sandbox forgets its records when this ends: ")
    assert second.endswith(" in memory")
