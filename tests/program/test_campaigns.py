"""The long campaigns: each commit runs a slice of them, always the same, and none is left out for long."""

import os
import re
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

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


def run(folder: Path, *options: str, sample: str = SAMPLE) -> subprocess.CompletedProcess[str]:
    """What pytest does with the sample, with the configuration of these tests."""
    (folder / "test_sample.py").write_text(sample)
    plugins = ("-p", "campaigns", "-p", "no:cacheprovider")
    place = ("-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder))
    return subprocess.run(
        [sys.executable, "-m", "pytest", *place, *plugins, "-n0", "-s", "-q", *options, str(folder)],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=100,
    )


def test_no_campaign_is_left_out_for_long(request: pytest.FixtureRequest) -> None:
    campaigns = request.config.stash[FOUND]
    found = counts(campaigns, COMMITS)
    assert not found or min(found.values()) >= 5, found.most_common()[-3:]
    seconds = {part.id: part.seconds or 0 for parts in campaigns.values() for part in parts}
    assert max(sum(seconds[one] for one in chosen(campaigns, commit)) for commit in COMMITS) <= SLICE


def test_a_slice_is_that_of_its_commit_and_takes_some_of_each_campaign() -> None:
    campaigns: Campaigns = {
        "many": [Part(f"many[{number}]", 9) for number in range(20)],
        "night": [Part("night", None)],
        **{f"one{number}": [Part(f"one{number}", 20)] for number in range(9)},
    }
    slices = {commit: chosen(campaigns, commit) for commit in COMMITS}
    assert slices == {commit: chosen(campaigns, commit) for commit in reversed(COMMITS)}
    assert len({*map(tuple, slices.values())}) > 190
    of_many = [[one for one in found if one.startswith("many")] for found in slices.values()]
    assert {len(found) for found in of_many} <= {*range(int(SHARE // 9) + 1)}
    assert {one for found in of_many for one in found} == {part.id for part in campaigns["many"]}
    assert all("night" not in found for found in slices.values())
    # A new campaign takes the place of others, and changes no slice that it is not in but for that.
    for commit, found in slices.items():
        more = chosen({**campaigns, "new": [Part("new", 20)]}, commit)
        assert "new" in more or more == found[: len(more)]


def test_a_slice_is_short_seeded_and_told(tmp_path: Path) -> None:
    first, again = (run(tmp_path, "-m", "long", "--slice", "abc") for _ in range(2))
    assert first.returncode == 0, first.stdout
    points = re.findall(r"points (\d+) (\d+)", first.stdout)
    assert points == re.findall(r"points (\d+) (\d+)", again.stdout)
    assert [size for size, _ in points] == ["7"]
    assert re.search(r"^nightly only: .*test_sample\.py::test_of_the_night$", first.stdout, re.MULTILINE)
    assert first.stdout.partition("the slice of abc:\n")[2].count("test_sample.py::") == 2
    other = run(tmp_path, "-m", "long", "--slice", "abd").stdout
    assert re.findall(r"points (\d+) (\d+)", other) != points
    full = run(tmp_path, "-m", "long")
    assert full.returncode == 0, full.stdout
    assert re.findall(r"points (\d+) (\d+)", full.stdout) == [("100", "144272509")] * 3


def test_every_test_has_a_time_limit(tmp_path: Path) -> None:
    assert f"limit ({TIME_LIMIT},)" in run(tmp_path, "-m", "long").stdout
    hung = run(tmp_path, "-o", "timeout=1")
    assert (hung.returncode, "Timeout (>1.0s)" in hung.stdout) == (1, True), hung.stdout


@pytest.mark.parametrize(
    "mark",
    ["long", "long()", "long(seconds=41)", "long(seconds=0)", "long(seconds=3, nightly='why')", "long(nightly='')"],
)
def test_a_long_test_says_how_long_it_takes_or_why_it_is_nightly(mark: str, tmp_path: Path) -> None:
    found = run(tmp_path, sample=f"import pytest\n@pytest.mark.{mark}\ndef test_it(): pass\n")
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "test_sample.py::test_it: mark it long(seconds=N), of at most 40 for its slice" in found.stderr
