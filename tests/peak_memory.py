"""The peak memory of the program, measured from a process that is smaller than it.

The peak of a child begins with that of the process that started it, and one of pytest
may hold more than the program.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

_MEASURE = """
import os, sys
child = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
os.write(int(sys.argv[1]), str(usage.ru_maxrss).encode())
sys.exit(os.waitstatus_to_exitcode(status))
"""


class Measured(NamedTuple):
    """The peak of a run in MiB, its exit code, and what it wrote on stderr."""

    mebibytes: float
    code: int
    stderr: str


def of(
    words: Sequence[str],
    *,
    timeout: float = 60,
    program: Sequence[str] = ("-m", "unified_cli"),
    **more: Any,
) -> Measured:
    """Run the program with these words; `more` is for the process, whose stdout goes
    nowhere otherwise.
    """
    read, write = os.pipe()
    with open(read, "rb") as report:  # noqa: PTH123  a descriptor
        try:
            ended = subprocess.run(
                [
                    sys.executable,
                    "-I",
                    "-S",
                    "-c",
                    _MEASURE,
                    str(write),
                    sys.executable,
                    *program,
                    *words,
                ],
                **{"stdout": subprocess.DEVNULL, **more},
                stderr=subprocess.PIPE,
                pass_fds=[write],
                timeout=timeout,
                check=False,
            )
        finally:
            os.close(write)
        return Measured(int(report.read()) / 1024, ended.returncode, ended.stderr.decode())
