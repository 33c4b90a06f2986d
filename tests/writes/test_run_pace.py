"""A write to a thousand connections of one token: within the token's limit, and with
little memory.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import ROOT
from many_connections import profiles
from pages import served
from server import Reply, Seen, Service

COUNT = 1000
# Our bound is a tenth less, and counts at the start: some requests take longer to
# arrive than others.
TOKEN_RATE = 500
MOST_MEMORY = 64 * 1024


@pytest.mark.long(seconds=25)
def test_a_thousand_writes_at_the_pace_of_the_token(
    service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    profiles(config, service.url, COUNT)
    path = tmp_path / "config" / "config.toml"
    path.write_text(path.read_text().replace("rate = 0\n", ""))
    sends: list[float] = []
    peak: list[int] = []

    def reply(_: Seen) -> Reply:
        sends.append(time.monotonic())
        if len(sends) % 100 == 0:
            status = Path(f"/proc/{process.pid}/status").read_text()
            peak.append(int(status.partition("VmHWM:")[2].split()[0]))
        return served({"id": "t1"})

    service.reply = reply
    argv = [
        "ticketing",
        "tickets",
        "update",
        "t1",
        "-f",
        "name=x",
        "-p",
        "tag:eu",
        "--yes",
        "-o",
        "ndjson",
    ]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "unified_cli", *argv],
        env={"HOME": str(tmp_path), "UNIFIED_CONFIG": str(path), "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    seconds, busy = time.monotonic() - began, used.ru_utime + used.ru_stime
    sys.stdout.write(
        f"{seconds:.1f} s, processor {busy / seconds:.0%}, {peak[-1] / 1024:.0f} MiB\n"
    )
    process.returncode = os.waitstatus_to_exitcode(status)
    assert (process.returncode, len(sends)) == (0, COUNT)
    assert max(sum(at <= other < at + 10 for other in sends) for at in sends) <= TOKEN_RATE
    assert peak[-1] < MOST_MEMORY
