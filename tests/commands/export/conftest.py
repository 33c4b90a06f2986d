"""Where the exports of these tests go."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(params=["folder", pytest.param("store", marks=pytest.mark.extra)])
def to(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A folder, and the same as a store."""
    if request.param == "folder":
        yield f"{tmp_path}/dump"
        return
    pytest.importorskip("obstore", reason="needs the extra cloud")
    # A store in a folder sets it for the whole process.
    before = os.umask(0o077)
    try:
        yield f"file://{tmp_path}/dump"
    finally:
        os.umask(before)
