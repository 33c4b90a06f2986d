"""The screens in tmux, as a person sees them: the pager among them, and colours that
can be read on any ground.
"""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from front_door import ROOT
from odd_screens import ALL, ENVIRON, IDS, PROFILES, prepare
from rich.cells import cell_len
from screen import configured
from server import Service

pytestmark = pytest.mark.needs("tmux")
Tmux = Callable[..., str]
SIZES = ((80, 24), (120, 40))
COMMANDS = (
    "-h",
    "ticketing tickets list -h",
    "ticketing tickets list --help",
    "-p p1 ticketing tickets list -o table",
    "-p p1 ticketing tickets list -o auto",
    "-p p1 ticketing tickets get 7 -o table",
    f"-p p1 ticketing tickets delete {IDS[1]}",
    "-p sandbox ticketing tickets list --all -o table",
    f"{ALL} ticketing tickets list -o table",
    f"{ALL} ticketing tickets create -f name=new --yes",
    "runs list",
    "runs show last",
    f"{ALL} capabilities ticketing/tickets user-directory/users",
    "-p sandbox capabilities",
    "connections list",
    "connections list --health",
    "doctor p1 p2 --network",
    "diff ticketing/tickets --from one.ndjson --to other.ndjson",
    "-p p1 schema ticketing/tickets",
    "-p sandbox schema ticketing/tickets",
    f"profile show {PROFILES[0]}",
)
_ENDED = "the end of it"
_WAITS = re.compile(rf"{_ENDED}|^:\s*$|\(END\)|\[y/N\] ?$", re.MULTILINE)
# Black and white, bright or not, yellow, and bright cyan cannot be read on a ground of
# their own kind; backgrounds make one of their own.
_UNREADABLE = re.compile(r"(?:^|;)(?:30|33|37|90|93|96|97|4[0-8]|10[0-7]|38;)(?:;|$)")


@pytest.fixture
def tmux(tmp_path: Path, service: Service) -> Tmux:
    """Run a command line in a tmux of that size; returns the screen when it ends, or
    waits for a key.
    """
    configured(tmp_path, prepare(service, tmp_path))
    own = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "LC_ALL": "C.UTF-8",
    }
    own |= {"UNIFIED_TOKEN": ENVIRON["UNIFIED_TOKEN"]}
    numbers = count()

    def run(command: str, size: tuple[int, int], *capture: str) -> str:
        # A server of its own for each: one that has nothing left to do ends, and may be
        # asked while it does.
        server = ["tmux", "-S", str(tmp_path / f"tmux{next(numbers)}"), "-f", "/dev/null"]

        def do(*words: str) -> str:
            return subprocess.run(
                [*server, *words], env=own, cwd=tmp_path, capture_output=True, text=True, check=True
            ).stdout

        python = shlex.quote(sys.executable)
        line = f"{python} -P -m unified_cli {command}; printf '{_ENDED}'; read key"
        columns, rows = map(str, size)
        do("new-session", "-d", "-x", columns, "-y", rows, "sh", "-c", line)
        try:
            until = time.monotonic() + 60
            while not re.search(_WAITS, shown := do("capture-pane", "-p").rstrip("\n")):
                assert time.monotonic() < until, shown
                time.sleep(0.05)
            return do("capture-pane", "-p", "-S", "-", *capture).replace(_ENDED, "")
        finally:
            do("kill-server")

    return run


@pytest.mark.long(seconds=12)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_wraps_at_the_edge_and_every_colour_is_legible(command: str, tmux: Tmux) -> None:
    if command.startswith("runs"):
        tmux(f"{ALL} ticketing tickets create -f name=new --yes", SIZES[0])
    for size in SIZES:
        # With -J a line that the terminal broke is whole again.
        lines = tmux(command, size, "-J").splitlines()
        assert any(lines)
        assert [line for line in lines if cell_len(line.rstrip()) > size[0]] == []
        assert unreadable(tmux(command, size, "-e")) == []


@pytest.mark.long(seconds=3)
def test_the_colours_of_json_can_be_read(tmux: Tmux) -> None:
    shown = tmux("-p p1 ticketing tickets get 7", SIZES[0], "-e")
    assert "\x1b[" in shown
    assert unreadable(shown) == []


def unreadable(shown: str) -> list[str]:
    """The colours that cannot be read on every ground."""
    return sorted({one for one in re.findall(r"\x1b\[([\d;]*)m", shown) if _UNREADABLE.search(one)})
