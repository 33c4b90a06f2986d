"""Programs and packages that not every machine has."""

import shutil
from importlib.util import find_spec

import pytest


def skip_without(*programs: str) -> None:
    """Skip the test where one of these programs is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")


def needs_extra(extra: str, *packages: str) -> list[pytest.MarkDecorator]:
    """Mark a test of an extra: skipped where one of its packages is not installed."""
    missing = any(find_spec(package) is None for package in packages)
    return [pytest.mark.extra, pytest.mark.skipif(missing, reason=f"needs the extra {extra}")]
