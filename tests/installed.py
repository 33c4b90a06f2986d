"""Programs that not every machine has."""

import shutil

import pytest


def skip_without(*programs: str) -> None:
    """Skip the test where one of these programs is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
