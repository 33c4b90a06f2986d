"""Files as other users leave them, and the program as a user to whom modes apply."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from front_door import ROOT


def of_another(path: Path) -> str:
    """Give the file to a user who is neither this one nor root; gives what the program
    says of it.
    """
    os.chown(path, 65534, -1)
    return f"{path} belongs to another user (chown 0 {path})"


def open_to_others(path: Path) -> str:
    """Let a group write the file or folder; gives what the program says of it."""
    path.chmod(path.stat().st_mode | 0o020)
    return f"others can write {path} (chmod go-w {path})"


SPOILS: list[Callable[[Path], str]] = [open_to_others, *([of_another] if os.geteuid() == 0 else [])]
"""Ways in which another user can have written a file; only root can give one away."""


def bound_by_modes(home: Path, *argv: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command to which modes apply: that of root is started without root's right
    to pass over them.
    """
    drop_and_run = (
        "import ctypes, os, sys; prctl = ctypes.CDLL(None).prctl;"
        # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
        "prctl(24, 1, 0, 0, 0); prctl(24, 2, 0, 0, 0);"
        "os.execv(sys.executable, [sys.executable, '-m', 'unified_cli', *sys.argv[1:]])"
    )
    return subprocess.run(
        [sys.executable, "-c", drop_and_run, *argv],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        input="t-typed\n",
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), **environ},
    )
