"""Keep the threads of a run on one processor: Python lets only one of them work at a time anyway."""

import os
import sys
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

_STAT = Path("/proc/self/stat")
# The processor is the 39th field of the file; the second is a name in brackets, which may hold blanks.
_PROCESSOR = 39 - 3


def here() -> Collection[int]:
    """The processor that this thread runs on now; none where threads cannot be kept anywhere, as only Linux can.

    The choice is the system's, which starts a program where least is going on, and moves what else runs there.
    """
    if sys.platform != "linux" or not _STAT.exists():
        return ()
    return (int(_STAT.read_text("utf-8", "surrogateescape").rpartition(")")[2].split()[_PROCESSOR]),)


def stay(processors: Collection[int]) -> None:
    """Keep this thread on them. What one leaves in a cache the next finds: 64 lists take three quarters of the time."""
    if processors:
        # A container may forbid it; the run is slower then, and nothing else.
        with suppress(OSError):
            os.sched_setaffinity(0, processors)
