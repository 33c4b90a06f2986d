"""The long campaigns: each commit runs a slice of them, always the same, and each gets
its turn.
"""

import json
import os
import re
import subprocess
import sys
from hashlib import sha1
from pathlib import Path
from typing import NamedTuple

import pytest
from campaigns import FOUND, SHARE, SLICE, TIME_LIMIT, Campaigns, Part, chosen, counts
from front_door import ROOT

COMMITS = [sha1(str(number).encode()).hexdigest() for number in range(200)]
SAMPLE = """
import time
import pytest
from campaigns import dice, size

@pytest.mark.long(seconds=25)
@pytest.mark.parametrize("number", range(3))
def test_points(number):
    print("points", size(100, 7), dice("points", 1).randrange(10**9))

@pytest.mark.long(seconds=1)
def test_limit(request):
    print("limit", request.node.get_closest_marker("timeout").args)

@pytest.mark.long(nightly="needs a tool")
def test_of_the_night():
    assert size(True, False)

def test_usual():
    time.sleep(60)
"""


# One after the other in one process: most of the time of a short run is the start.
RUNS = """
import contextlib, io, json, sys
import pytest
found = []
for folder, options in json.load(sys.stdin):
    sys.modules.pop("test_sample", None)
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = pytest.main([*sys.argv[1:], "--rootdir", folder, *options, folder])
    found.append((int(code), out.getvalue() + err.getvalue()))
print(json.dumps(found))
"""


class Ran(NamedTuple):
    """How a run of pytest ended, and what it printed."""

    code: int
    said: str


def runs(*asked: tuple[Path, list[str]]) -> list[Ran]:
    """The result of pytest with the sample in each of these folders, with the
    configuration of these tests.
    """
    for folder, _ in asked:
        if not (folder / "test_sample.py").exists():
            (folder / "test_sample.py").write_text(SAMPLE)
    plugins = ("-p", "campaigns", "-p", "no:cacheprovider")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            RUNS,
            "-c",
            str(ROOT / "pyproject.toml"),
            *plugins,
            "-n0",
            "-s",
            "-q",
        ],
        input=json.dumps([(str(folder), options) for folder, options in asked]),
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=True,
        cwd=asked[0][0],
        timeout=100,
    )
    return [Ran(*one) for one in json.loads(done.stdout)]


def test_no_campaign_is_left_out_for_long(request: pytest.FixtureRequest) -> None:
    campaigns = request.config.stash[FOUND]
    found = counts(campaigns, COMMITS)
    assert not found or min(found.values()) >= 5, found.most_common()[-3:]
    seconds = {part.id: part.seconds or 0 for parts in campaigns.values() for part in parts}
    assert (
        max(sum(seconds[one] for one in chosen(campaigns, commit)) for commit in COMMITS) <= SLICE
    )


def test_a_slice_is_that_of_its_commit_and_takes_some_of_each_campaign() -> None:
    campaigns: Campaigns = {
        "many": [Part(f"many[{number}]", 9) for number in range(20)],
        "night": [Part("night", None)],
        **{f"one{number}": [Part(f"one{number}", 20)] for number in range(9)},
    }
    slices = {commit: chosen(campaigns, commit) for commit in COMMITS}
    assert slices == {commit: chosen(campaigns, commit) for commit in reversed(COMMITS)}
    assert len({*map(tuple, slices.values())}) > 150
    of_many = [[one for one in found if one.startswith("many")] for found in slices.values()]
    assert {len(found) for found in of_many} <= {*range(int(SHARE // 9) + 1)}
    assert {one for found in of_many for one in found} == {part.id for part in campaigns["many"]}
    assert all("night" not in found for found in slices.values())
    # A new campaign takes the place of others, and changes no slice that it is not in
    # but for that.
    for commit, found in slices.items():
        more = chosen({**campaigns, "new": [Part("new", 20)]}, commit)
        assert "new" in more or more == found[: len(more)]


def test_a_slice_is_short_seeded_and_printed(tmp_path: Path) -> None:
    options = [["-m", "long", "--slice", commit] for commit in ("abc", "abc", "abd")]
    first, again, other, full = runs(*((tmp_path, one) for one in (*options, ["-m", "long"])))
    assert first.code == 0, first.said
    points = re.findall(r"points (\d+) (\d+)", first.said)
    assert points == re.findall(r"points (\d+) (\d+)", again.said)
    assert [size for size, _ in points] == ["7"]
    assert re.search(
        r"^nightly only: .*test_sample\.py::test_of_the_night$", first.said, re.MULTILINE
    )
    assert first.said.partition("the slice of abc:\n")[2].count("test_sample.py::") == 2
    assert re.findall(r"points (\d+) (\d+)", other.said) != points
    assert full.code == 0, full.said
    assert re.findall(r"points (\d+) (\d+)", full.said) == [("100", "144272509")] * 3


def test_every_test_has_a_time_limit(tmp_path: Path) -> None:
    long, hung = runs((tmp_path, ["-m", "long"]), (tmp_path, ["-o", "timeout=1"]))
    assert f"limit ({TIME_LIMIT},)" in long.said
    assert (hung.code, "Timeout (>1.0s)" in hung.said) == (1, True), hung.said


def test_a_long_test_says_how_long_it_takes_or_why_it_is_nightly(tmp_path: Path) -> None:
    marks = ["", "()", "(seconds=41)", "(seconds=0)", "(seconds=3, nightly='why')", "(nightly='')"]
    for number, mark in enumerate(marks):
        (tmp_path / str(number)).mkdir()
        sample = f"import pytest\n@pytest.mark.long{mark}\ndef test_it(): pass\n"
        (tmp_path / str(number) / "test_sample.py").write_text(sample)
    for found in runs(*((tmp_path / str(number), []) for number in range(len(marks)))):
        assert found.code == pytest.ExitCode.USAGE_ERROR
        assert (
            "test_sample.py::test_it: mark it long(seconds=N), of at most 40 for its slice"
            in found.said
        )
