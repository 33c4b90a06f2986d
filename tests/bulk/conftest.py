"""What the tests of long work share: commands that are killed at each point."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]


@pytest.fixture(params=[5, pytest.param(1, marks=pytest.mark.long)], ids=["some points", "every point"])
def crashes(request: pytest.FixtureRequest, tmp_path: Path) -> Crashes:
    """Run a command once for each point at which it can be killed, and each time once more to the end."""

    def run(argv: list[str], files: dict[str, str], environ: dict[str, str]) -> list[dict[str, Any]]:
        job = {"argv": argv, "files": files, "environ": environ, "folder": str(tmp_path), "step": request.param}
        done = subprocess.run(
            [sys.executable, str(Path(__file__).with_name("kill_command.py"))],
            input=json.dumps(job).encode(),
            capture_output=True,
            check=False,
            timeout=900,
            cwd=tmp_path,
            env={"PYTHONPATH": str(ROOT), "HOME": str(tmp_path)},
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
