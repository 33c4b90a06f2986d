"""Where the exports of these tests go."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import stores


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


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server of S3, which all tests of a process share."""
    pytest.importorskip("moto.server", reason="needs the extra test-all")
    with stores.s3_server(tmp_path_factory.mktemp("s3") / "log") as url:
        yield url
