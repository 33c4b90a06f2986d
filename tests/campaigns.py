"""Campaigns: the tests that are marked long. All run each night, and for each commit a
slice that its hash chooses.

    pytest -n0 -m long                       all of them, at full length
    pytest -n0 -m long --slice COMMIT        what this hash chooses, shortened and
    seeded by it: always the same
    pytest -n0 -m long --slice COMMIT --whole-slice   the same of all of them
    pytest -n0 -m long --slice-counts 200    how often each would have run for the
    latest commits; runs nothing

A mark says how many seconds the test takes in a slice, on a processor with nothing else
to do: `long(seconds=12)`; or why it runs each night only: `long(nightly="needs node")`.
"""

import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

import hypothesis
import pytest

TIME_LIMIT = 3600
"""The seconds of a long test that names no limit of its own."""

SHARE = 40.0
"""The seconds of a campaign in a slice, and how many tests."""

SLICE = 100.0
"""The seconds of a slice. Beside the other lanes of .ci/run everything takes up to
twice as long.
"""

LAST_START = 90.0
"""The seconds after which a slice begins no further test, where the machine is slower
still.
"""


FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


class Part(NamedTuple):
    """A test of a campaign: its id, and its seconds in a slice; None where it runs each
    night only.
    """

    id: str
    seconds: float | None


Campaigns = Mapping[str, list[Part]]
"""The tests by campaign: a function, with all that it is parametrized with."""

FOUND = pytest.StashKey[dict[str, list[Part]]]()


@dataclass
class _Session:
    """The request of pytest's user: the slice of a commit, and until when its tests may
    begin.
    """

    commit: str | None = None
    until: float = 0.0


_SESSION = _Session()


def size(full: int, short: int) -> int:
    """How much a campaign does: all of it, or so much in a slice."""
    return full if _SESSION.commit is None else short


def dice(name: str, seed: int = 0) -> random.Random:
    """The random numbers of a campaign: with its own seed, in a slice with that of the
    commit.
    """
    return random.Random(seed if _SESSION.commit is None else f"{_SESSION.commit} {name}")


def seeded(function: FunctionT, name: str) -> FunctionT:
    """A test of hypothesis, which begins in a slice where the commit says."""
    return (
        function
        if _SESSION.commit is None
        else hypothesis.seed(f"{_SESSION.commit} {name}")(function)
    )


def chosen(campaigns: Campaigns, commit: str, seconds: float = SLICE) -> list[str]:
    """The ids of the tests in the slice of a commit, in their order; a slice of this
    many seconds.
    """

    def draw(name: str) -> bytes:
        return sha256(f"{commit} {name}".encode()).digest()

    found: list[str] = []
    left = seconds
    for name in sorted(_sliced(campaigns), key=draw):
        share, before = min(SHARE, left), len(found)
        for part in sorted(campaigns[name], key=lambda one: draw(one.id)):
            if part.seconds is not None and part.seconds <= share:
                found.append(part.id)
                share, left = share - part.seconds, left - part.seconds
        if len(found) == before:
            # Going on to a shorter one would have the long ones run seldom.
            break
    return found


def counts(campaigns: Campaigns, commits: Iterable[str]) -> Counter[str]:
    """In how many of the slices of these commits each campaign is; without those that
    run each night only.
    """
    found = Counter(dict.fromkeys(_sliced(campaigns), 0))
    for commit in commits:
        found.update({_campaign(one) for one in chosen(campaigns, commit)})
    return found


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of a slice."""
    group = parser.getgroup("campaigns")
    group.addoption(
        "--slice", metavar="COMMIT", help="with -m long: run what the hash of this commit chooses"
    )
    group.addoption(
        "--whole-slice", action="store_true", help="with --slice: of all campaigns, not of some"
    )
    group.addoption(
        "--slice-counts",
        metavar="N",
        type=int,
        help="how often each would have run for the latest N",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Note whether this is a slice, before the tests are read."""
    _SESSION.commit = config.getoption("--slice")
    _SESSION.until = time.monotonic() + (
        float("inf") if config.getoption("--whole-slice") else LAST_START
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give long tests their limit, and leave those of the slice."""
    found = config.stash.setdefault(FOUND, {})
    long = {item.nodeid: mark for item in items if (mark := item.get_closest_marker("long"))}
    for item in items:
        if item.nodeid in long:
            found.setdefault(_campaign(item.nodeid), []).append(
                _part(item, long[item.nodeid].kwargs)
            )
            if not item.get_closest_marker("timeout"):
                item.add_marker(pytest.mark.timeout(TIME_LIMIT))
    if config.getoption("--slice-counts"):
        items.clear()
    elif _SESSION.commit is not None:
        known = {item.nodeid: item for item in items}
        items[:] = [known[one] for one in _slice(config, _SESSION.commit)]
        for item in items:
            function = getattr(item, "function", None)
            if function is not None and hypothesis.is_hypothesis_test(function):
                seeded(function, item.nodeid)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin no test of a slice that would end too late."""
    if _SESSION.commit is not None and time.monotonic() > _SESSION.until:
        pytest.skip(
            f"the slice is {LAST_START:.0f} s old; {item.nodeid} is left to the nightly run"
        )


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the tests in the slice and those left to the night, or the counts."""
    campaigns = config.stash.get(FOUND, {})
    if number := config.getoption("--slice-counts"):
        command = ["git", "log", f"-{number}", "--format=%H"]
        told = subprocess.run(
            command, cwd=config.rootpath, capture_output=True, check=True, text=True
        ).stdout.split()
        found = counts(campaigns, told)
        for name, count in sorted(found.items(), key=lambda one: one[1]):
            terminalreporter.write_line(f"{count:4} {name}")
        terminalreporter.write_line(
            f"slices of {len(told)} commits: each campaign in {min(found.values())} or more"
        )
    elif _SESSION.commit is not None:
        for name in [one for one in campaigns if one not in _sliced(campaigns)]:
            terminalreporter.write_line(f"nightly only: {name}")
        terminalreporter.write_line(f"the slice of {_SESSION.commit}:")
        for one in _slice(config, _SESSION.commit):
            terminalreporter.write_line(f"  {one}")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """End well where nothing was to be run."""
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.getoption(
        "--slice-counts"
    ):
        session.exitstatus = pytest.ExitCode.OK


def _slice(config: pytest.Config, commit: str) -> list[str]:
    """The tests to run, and those alone."""
    campaigns = config.stash.get(FOUND, {})
    return chosen(campaigns, commit, float("inf") if config.getoption("--whole-slice") else SLICE)


def _sliced(campaigns: Campaigns) -> list[str]:
    """The campaigns that do not run each night only."""
    return [name for name, parts in campaigns.items() if any(part.seconds for part in parts)]


def _campaign(test: str) -> str:
    return test.partition("[")[0]


def _part(item: pytest.Item, told: Mapping[str, Any]) -> Part:
    seconds = told.get("seconds")
    fits = (
        bool(told.get("nightly"))
        if seconds is None
        else 0 < seconds <= SHARE and "nightly" not in told
    )
    if not fits:
        raise pytest.UsageError(
            f"{item.nodeid}: mark it long(seconds=N), of at most {SHARE:.0f} for its slice, or"
            " long(nightly=WHY)"
        )
    return Part(item.nodeid, seconds)
