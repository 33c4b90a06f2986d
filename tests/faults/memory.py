"""How much memory a run takes, and what the process list shows of it, as Linux tells
it.
"""

import re
import threading
from pathlib import Path
from typing import Self

LARGEST = 300 * 1024
"""Kilobytes that a run may take."""
_PROGRAM = 45 * 1024
"""Kilobytes that the program takes before it does anything."""
_OWN = Path("/proc/self")
_before = [0]


def begin() -> None:
    """Forget the highest mark of this process, in which the next run is to happen."""
    (_OWN / "clear_refs").write_text("5")
    _before[0] = _highest(_OWN)


def grown() -> int:
    """Kilobytes that a process of its own would have used for the work since then."""
    return _highest(_OWN) - _before[0] + _PROGRAM


def _highest(process: Path) -> int:
    return int(re.findall(r"VmHWM:\s*(\d+)", (process / "status").read_text())[0])


class Watch:
    """Looks at a process every few milliseconds: its highest mark, its arguments, and
    its children's environment.
    """

    def __init__(self, pid: int) -> None:
        self._process = Path(f"/proc/{pid}")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._seen: set[bytes] = set()
        self.peak = 0

    @property
    def argv(self) -> bytes:
        """Every command line and child environment that was seen."""
        return b"\n".join(self._seen)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(0.005):
            try:
                arguments = (self._process / "cmdline").read_bytes()
                if b"unified_cli" in arguments:
                    # Before that it is this process, about to become the program.
                    self.peak = max(self.peak, _highest(self._process))
                self._seen.add(arguments)
                for child in (
                    (self._process / "task" / self._process.name / "children").read_text().split()
                ):
                    self._seen.add(Path(f"/proc/{child}/environ").read_bytes())
            except (OSError, IndexError):
                # It ends while we look.
                continue
