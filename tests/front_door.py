"""Types of the fixtures that run the program."""

import ctypes
import json
import re
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Result:
    """The leftovers of a command."""

    stdout: str
    stderr: str
    code: int
    raw: bytes

    @property
    def notes(self) -> str:
        """The text of stderr without the id of a run, which differs each time."""
        return re.sub(
            r"^(?:run|  unified runs \w+) \d{8}-[0-9a-f]{4}\n", "", self.stderr, flags=re.MULTILINE
        )

    @property
    def json(self) -> Any:
        return json.loads(self.raw)


Unified = Callable[..., Result]
Process = Callable[..., subprocess.CompletedProcess[bytes]]


def interrupt_beside(process: subprocess.Popen[bytes]) -> None:
    """SIGINT to a thread beside the main one, whose wait continues: so it does after a
    signal just before it begins.
    """
    thread = next(
        path.name
        for path in Path(f"/proc/{process.pid}/task").iterdir()
        if path.name != str(process.pid)
    )
    assert ctypes.CDLL(None).tgkill(process.pid, int(thread), signal.SIGINT) == 0


def wait_until_asleep(pid: int) -> None:
    """Wait until a process waits for time to pass: neither it nor one that it started
    computes for a while.
    """
    seen = 0
    while seen < 10:
        seen = seen + 1 if _asleep(pid) else 0
        time.sleep(0.02)


def _asleep(pid: int) -> bool:
    lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    try:
        told = [
            Path(f"/proc/{one}/stat").read_text() for one in (str(pid), *" ".join(lists).split())
        ]
    except FileNotFoundError:
        # One ended in between.
        return False
    return all(stat.rpartition(")")[2].split()[0] == "S" for stat in told)


class Clock:
    """Time that passes only during sleeps."""

    def __init__(self) -> None:
        self.at = 1000.0
        self.slept: list[float] = []

    def now(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.at += seconds


class QuickClock:
    """Real time for a command, `pace` times as fast: its waits, and those of a service
    that goes by it, are shorter.
    """

    pace = 5

    def now(self) -> float:
        return time.monotonic() * self.pace

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds / self.pace)
