"""`unified runs` at a terminal: a line for a run, a line for a cause; what programs read is as it was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import failing, profiles, run_id
from server import Service

Config = Callable[[str], Path]
UPDATE = "ticketing tickets update t1 -f name=x"
AT = 1_800_000_000.0
PLAIN = {"NO_COLOR": "1"}
RUNS = """\
ID             BEGAN       COMMAND                   DONE        OF   STATE
{2}  just now    ticketing tickets update  ██████████  4/4  done
{1}  12 min ago  ticketing tickets update  ██████▒▒··  3/5  open
{0}  3 days ago  ticketing tickets update  █████░░░··  2/4  open
"""


@pytest.fixture
def three(unified: Unified, service: Service, config: Config) -> list[str]:
    """The ids of three runs: one in doubt, one that failed in part, one that is done."""
    found = []
    for count, answers, ago in ((4, {"a-c02": 500}, 3 * 86400), (5, {"a-c03": 404}, 12 * 60), (4, {}, 1)):
        profiles(config, service.url, count)
        service.reply = failing(answers)
        stop = "--fail-fast --workers 1" if answers else ""
        found.append(run_id(unified(f"{UPDATE} -p c* --yes {stop}", wall=lambda ago=ago: AT - ago).stderr))
    return found


def test_the_runs_have_a_line_each(three: list[str], unified: Unified) -> None:
    shown = unified("runs list", tty=True, environ=PLAIN, wall=lambda: AT)
    assert (shown.stdout, shown.stderr) == (RUNS.format(*three), "")


def test_the_runs_on_a_pipe_and_as_json_are_as_they_were(three: list[str], unified: Unified) -> None:
    last = f"{three[2]}\t2027-01-15T07:59:59+00:00\tticketing tickets update\t4\t0\t0\t0\tdone"
    assert unified("runs list").stdout.splitlines()[0] == last
    assert unified("runs list -o tsv", tty=True).stdout.splitlines()[0] == last
    heads = unified("runs list -o table").stdout.splitlines()[0].split("  ")
    assert [one.strip() for one in heads if one] == [
        "ID",
        "STARTED",
        "COMMAND",
        "DONE",
        "FAILED",
        "IN DOUBT",
        "NOT TRIED",
        "STATE",
    ]
    assert unified("runs list -o json", tty=True, environ=PLAIN).json == unified("runs list -o json").json
