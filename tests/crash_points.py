"""Helpers of the tests of long work: commands that are killed at each point."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import dice, size
from front_door import ROOT

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]


# How far the points lie apart.
STEPS = [
    pytest.param(5, id="some points"),
    pytest.param(size(1, 2), id="every point", marks=pytest.mark.long(seconds=8)),
]


@pytest.fixture(params=STEPS)
def crashes(request: pytest.FixtureRequest, tmp_path: Path) -> Crashes:
    """Run a command once for each point at which it can be killed, and each time once
    more to the end.
    """

    def run(
        argv: list[str], files: dict[str, str], environ: dict[str, str]
    ) -> list[dict[str, Any]]:
        step = request.param
        first = size(1, dice(request.node.name).randint(1, step))
        where = {"folder": str(tmp_path), "first": first, "step": step}
        job = {"argv": argv, "files": files, "environ": environ, **where}
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
