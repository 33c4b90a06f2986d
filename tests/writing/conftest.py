"""What the tests of writing share: a served sandbox, and the commands that are killed against it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unified_cli.sandbox.pytest_plugin import UnifiedSandbox, unified_sandbox

__all__ = ["unified_sandbox"]

HERE = Path(__file__).parent

Crashes = Callable[[list[str], dict[str, str], dict[str, str]], list[dict[str, Any]]]


@pytest.fixture
def served(unified_sandbox: UnifiedSandbox) -> dict[str, str]:
    """The environment in which commands talk to a sandbox on a socket, to its empty connection, as fast as they can."""
    return {
        "UNIFIED_BASE_URL": unified_sandbox.url,
        "UNIFIED_TOKEN": unified_sandbox.token,
        "UNIFIED_ACCOUNT_ID": "empty",
        "UNIFIED_RATE": "0",
    }


@pytest.fixture
def crashes(tmp_path: Path) -> Crashes:
    """Run a command once for each point at which it can be killed, and each time once more to the end."""

    def run(argv: list[str], files: dict[str, str], environ: dict[str, str]) -> list[dict[str, Any]]:
        job = {"argv": argv, "files": files, "environ": environ, "folder": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, str(HERE / "crashing.py")],
            input=json.dumps(job).encode(),
            capture_output=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
            env={"PYTHONPATH": str(HERE.parents[1]), "HOME": str(tmp_path)},
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run
