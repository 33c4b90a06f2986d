"""Any bytes are read or refused: each parser with inputs of hypothesis, and in the long
run with many of atheris.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns import size
from fuzz.target import pieces, run
from fuzz.targets import TARGETS
from hypothesis import HealthCheck, given, settings, strategies

# Inputs of a target in the long run; those that go through files or the whole program
# take longer.
INPUTS = size(100_000, 5_000)
SLOW = {"page": size(10_000, 500), "manifest": size(30_000, 1_500), "records": size(40_000, 2_000)}
_RUNS = re.compile(r"Done (\d+) runs")


@strategies.composite
def mutated(draw: strategies.DrawFn, name: str) -> bytes:
    """One of the target's examples, with up to three of its pieces replaced."""
    data = bytearray(draw(strategies.sampled_from(TARGETS[name].examples)))
    piece = strategies.sampled_from([*pieces()]) | strategies.binary(max_size=8)
    for _ in range(draw(strategies.integers(0, 3))):
        at = draw(strategies.integers(0, len(data)))
        data[at : at + draw(strategies.integers(0, 8))] = draw(piece)
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=strategies.data())
def test_any_bytes_are_read_or_refused(name: str, data: strategies.DataObject) -> None:
    run(TARGETS[name], data.draw(strategies.binary(max_size=64) | mutated(name)))


@pytest.mark.parametrize("name", TARGETS)
def test_an_example_is_read(name: str) -> None:
    TARGETS[name].run(TARGETS[name].examples[0])


@pytest.mark.long(seconds=6)
@pytest.mark.parametrize("name", TARGETS)
def test_many_inputs_are_read_or_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("atheris", reason="pip install -e '.[fuzz]'")
    root = Path(__file__).parents[1]
    wanted = SLOW.get(name, INPUTS)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "fuzz.run_atheris",
            TARGETS[name].run.__module__,
            name,
            str(wanted),
            str(tmp_path),
        ],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = _RUNS.search(done.stderr)
    assert found
    with capsys.disabled():
        print(f"\n{name}: {found[1]} inputs")  # noqa: T201  the figure is what the run is for
