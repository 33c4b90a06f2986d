"""A signal that comes while the program is imported ends it as any other does: no
traceback, and no bug.
"""

import os
import signal
import subprocess
import sys

import pytest
from front_door import ROOT

# Sends a signal to itself when a module imports a name.
CODE = """
import builtins, os, signal, sys
number, module, wanted = int(sys.argv[1]), sys.argv[2], sys.argv[3]
del sys.argv[1:4]
real = builtins.__import__
def imported(name, names=None, *rest):
    if name == wanted and names and names.get("__name__") == module:
        os.kill(os.getpid(), number)
    return real(name, names, *rest)
builtins.__import__ = imported
from unified_cli.__main__ import run
run()
"""


@pytest.mark.parametrize(
    ("number", "module", "name", "code", "said"),
    [
        (
            signal.SIGTERM,
            "typer._click",
            "formatting",
            143,
            "error: terminated; nothing was sent\n",
        ),
        (
            signal.SIGINT,
            "typer._click",
            "formatting",
            130,
            "error: interrupted; nothing was sent\n",
        ),
        (signal.SIGINT, "unified_cli.signals", "threading", -signal.SIGINT, ""),
        (signal.SIGTERM, "unified_cli.signals", "threading", -signal.SIGTERM, ""),
    ],
)
def test_it_ends_the_program(number: int, module: str, name: str, code: int, said: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            CODE,
            str(int(number)),
            module,
            name,
            "ticketing",
            "tickets",
            "list",
            "-o",
            "json",
        ],
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, said)
