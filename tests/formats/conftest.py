"""Copy what an older version wrote, and run the program over it."""

import json
import os
import shutil
from functools import partial
from pathlib import Path

import pytest
from front_door import Unified
from written_files import FOLDER, HERE, VERSIONS, Before


@pytest.fixture(params=VERSIONS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Copy the files of a version, as private as it made them.

    Of its many exports a test has the one that its parameter `name` names.
    """
    wanted = request.node.callspec.params.get("name")
    copy = tmp_path / "before"

    def ignored(path: str, names: list[str]) -> list[str]:
        if Path(path).name != "exports":
            return []
        return [name for name in names if name.removesuffix(".tasks") != wanted]

    def relocated(source: str, target: str) -> str:
        content = Path(source).read_bytes().replace(FOLDER, bytes(copy))
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
        return target

    shutil.copytree(HERE / request.param, copy, copy_function=relocated, ignore=ignored)
    # The folders have the modes of the checkout, which may be read-only or open to a
    # group.
    for path, _, _ in os.walk(copy):
        Path(path).chmod(0o700)
    return copy


@pytest.fixture
def before(folder: Path, unified: Unified, monkeypatch: pytest.MonkeyPatch) -> Before:
    """Run a command over the copy, a minute after the last run began."""
    monkeypatch.chdir(folder / "made")
    runs = (folder / "home/data/unified/runs").glob("*.ndjson")
    headers = (path.read_text().splitlines()[0] for path in runs)
    now = max(json.loads(line)["at"] for line in headers) + 60
    kinds = ("config", "data", "cache")
    folders = {kind: folder / "home" / kind / "unified" for kind in kinds}
    return partial(unified, folders=folders, wall=lambda: now)
