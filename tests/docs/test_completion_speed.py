"""How long a TAB in bash takes, and sourcing the script; run with `-m benchmark -s -n0`."""

import statistics
import subprocess
from pathlib import Path

import pytest
from terminals import COMPLETIONS, needed

LINES = (
    "unified ",
    "unified user-directory users as",
    "unified -p acme ticketing tickets list -",
    "unified ticketing tickets list -o ",
    "unified ticketing tickets list -p ",
)

_MEASURE = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
for ((k = 0; k < 1000; k++)); do
    start=$EPOCHREALTIME; _unified; end=$EPOCHREALTIME
    echo $((${end/[.,]/} - ${start/[.,]/}))
done
"""
_SOURCE = r"""
for ((k = 0; k < 1000; k++)); do
    start=$EPOCHREALTIME; source "$1"; end=$EPOCHREALTIME
    echo $((${end/[.,]/} - ${start/[.,]/}))
done
"""


def median(program: str, *arguments: str, home: Path) -> float:
    """The median of what the program prints, in milliseconds."""
    command = ["bash", "--norc", "-c", program, "bash", str(COMPLETIONS / "unified.bash"), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={"HOME": str(home)}, timeout=120)
    times = [int(line) for line in done.stdout.split()]
    assert len(times) == 1000
    return statistics.median(times) / 1000


@pytest.mark.benchmark
def test_a_tab_takes_microseconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needed("bash")
    sourcing = median(_SOURCE, home=tmp_path)
    taken = {line: median(_MEASURE, line, home=tmp_path) for line in LINES}
    with capsys.disabled():
        print(f"\nsourcing: {sourcing:.2f} ms")  # noqa: T201  what a benchmark is for
        for line, one in taken.items():
            print(f"{one:6.3f} ms  {line!r}")  # noqa: T201  as above
