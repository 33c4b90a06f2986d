"""The cost of a TAB in bash: counted here; how long it takes is measured with `-m
benchmark -s -n0`.
"""

import statistics
import subprocess
from pathlib import Path

import pytest
from installed import skip_without
from terminals import COMPLETIONS

LINES = (
    "unified ",
    "unified user-directory users as",
    "unified -p acme ticketing tickets list -",
    "unified ticketing tickets list -o ",
    "unified ticketing tickets list -p ",
    "unified ticketing tickets list -q ",
    "unified ticketing tickets create -f ",
    "unified t create -f ",
    "unified runs show ",
)

_TYPED = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
[[ $2 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
"""
_MEASURE = (
    _TYPED
    + r"""
for ((k = 0; k < 1000; k++)); do
    start=$EPOCHREALTIME; _unified; end=$EPOCHREALTIME
    echo $((${end/[.,]/} - ${start/[.,]/}))
done
"""
)
_SOURCE = r"""
for ((k = 0; k < 1000; k++)); do
    start=$EPOCHREALTIME; source "$1"; end=$EPOCHREALTIME
    echo $((${end/[.,]/} - ${start/[.,]/}))
done
"""
_TRACE = (
    _TYPED
    + r"""
PATH=/nonexistent
_unified
printf '%s\n' "${#COMPREPLY[@]}" "$BASHPID"
PS4='+step $BASHPID '
set -x
_unified
"""
)


def config(home: Path, profiles: int) -> None:
    """Write a config file with an alias and this many profiles."""
    file = home / ".config" / "unified" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    one = (
        '\n[profiles.p{}]\nbase_url = "https://api.example.com"\naccount_id = "acc-{}"\ntags ='
        ' ["prod", "eu"]\n'
    )
    alias = '\n[alias]\nt = "ticketing tickets"\n'
    file.write_text('profile = "p1"\n' + "".join(one.format(n, n) for n in range(profiles)) + alias)


def ran(program: str, *arguments: str, home: Path) -> "subprocess.CompletedProcess[str]":
    """Run a program of bash with the completion script as its first argument."""
    command = [
        "bash",
        "--norc",
        "-c",
        program,
        "bash",
        str(COMPLETIONS / "unified.bash"),
        *arguments,
    ]
    return subprocess.run(
        command, check=True, capture_output=True, text=True, env={"HOME": str(home)}, timeout=120
    )


@pytest.mark.parametrize("line", LINES)
def test_a_tab_forks_nothing_and_looks_at_each_line_of_the_config_once(
    line: str, tmp_path: Path
) -> None:
    skip_without("bash")
    steps = []
    for profiles in (20, 200):
        config(tmp_path, profiles)
        done = ran(_TRACE, line, home=tmp_path)
        offered, shell = done.stdout.split()
        traced = [
            one.split() for one in done.stderr.splitlines() if one.lstrip("+").startswith("step ")
        ]
        assert int(offered) > 0 or "runs" in line
        assert {words[1] for words in traced} == {shell}
        assert "not found" not in done.stderr
        steps.append(len(traced))
    assert steps[0] == steps[1]
    assert steps[0] <= 200


def median(program: str, *arguments: str, home: Path) -> float:
    """The median of what the program prints, in milliseconds."""
    times = [int(line) for line in ran(program, *arguments, home=home).stdout.split()]
    assert len(times) == 1000
    return statistics.median(times) / 1000


@pytest.mark.benchmark
def test_a_tab_takes_microseconds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    skip_without("bash")
    config(tmp_path, 20)
    sourcing = median(_SOURCE, home=tmp_path)
    taken = {line: median(_MEASURE, line, home=tmp_path) for line in LINES}
    with capsys.disabled():
        print(f"\nsourcing: {sourcing:.2f} ms")  # noqa: T201  what a benchmark is for
        for line, one in taken.items():
            print(f"{one:6.3f} ms  {line!r}")  # noqa: T201  as above
