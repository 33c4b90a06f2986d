"""The tests, tested: each known way to break the program without a word is noticed by
some test of the normal run.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from front_door import ROOT

NEEDED = (
    "unified_cli",
    "tests",
    "completions",
    "README.md",
    "CHANGELOG.md",
    ".github",
    "pyproject.toml",
)


@dataclass(frozen=True)
class Mutant:
    """In `file` of the package `new` takes the place of `old`; then some of `tests`,
    files or functions, must fail.
    """

    name: str
    file: str
    old: str
    new: str
    tests: list[str]


MUTANTS = [
    Mutant(**table)
    for table in tomllib.loads(Path(__file__).with_name("mutants.toml").read_text("utf-8"))[
        "mutant"
    ]
]


@pytest.mark.parametrize("file", sorted({one.file for one in MUTANTS}))
def test_the_mutants_of_a_file_fit_the_program(file: str) -> None:
    text = (ROOT / "unified_cli" / file).read_text("utf-8")
    for mutant in [one for one in MUTANTS if one.file == file]:
        assert text.count(mutant.old) == 1, (
            f"{mutant.name}: the file has another text now, so its mutant needs one too"
        )
        compile(text.replace(mutant.old, mutant.new), file, "exec")
        for test in mutant.tests:
            path, _, function = test.partition("::")
            assert (ROOT / path).exists(), mutant.name
            assert not function or f"def {function}(" in (ROOT / path).read_text("utf-8"), (
                mutant.name
            )


def campaign(tests: Sequence[str], name: str, value: Any = None) -> Any:
    """A parameter of a campaign, itself or the tests it runs: what runs all of a folder
    is too long for a slice.
    """
    short = all(".py" in one for one in tests)
    mark = (
        pytest.mark.long(seconds=8)
        if short
        else pytest.mark.long(nightly="runs all tests of a folder")
    )
    return pytest.param(value or tests, id=name, marks=mark)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program and its tests."""
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run(copy: Path, tests: list[str]) -> Any:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


@pytest.mark.parametrize(
    "tests", [campaign(one, "+".join(one)) for one in sorted({tuple(one.tests) for one in MUTANTS})]
)
def test_the_program_as_it_is_survives(tests: tuple[str, ...], copy: Path) -> None:
    done = run(copy, [*tests])
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("mutant", [campaign(one.tests, one.name, one) for one in MUTANTS])
def test_the_suite_kills(mutant: Mutant, copy: Path) -> None:
    path = copy / "unified_cli" / mutant.file
    path.write_text(path.read_text("utf-8").replace(mutant.old, mutant.new), "utf-8")
    done = run(copy, mutant.tests)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, (
        done.stdout[-3000:] + done.stderr[-3000:]
    )
