"""Folders and files that the program makes are for this user only, whatever the umask
leaves open.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from front_door import Unified

COMMANDS = (
    "profile add acme base_url=https://api.example.com",
    "completion install --shell fish",
    "-p sandbox ticketing tickets list --all -o ndjson --out list.ndjson",
    "-p sandbox ticketing tickets list --out page.json",
    "-p sandbox export ticketing/tickets --to dump",
    "-p sandbox import ticketing/tags in.ndjson --report report.ndjson",
    "-p sandbox import ticketing/tags -",
    "-p sandbox ticketing attachments download --from ids --out files",
)


@pytest.fixture
def no_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("no_umask")
def test_folders_and_files_are_private_without_a_umask(
    unified: Unified, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {tmp_path / "in.ndjson": '{"name": "x"}\n', tmp_path / "ids": "attachments-1\n"}
    for path, text in given.items():
        path.write_text(text)
    home = tmp_path / "home"
    home.mkdir()
    for command in COMMANDS:
        piped = b'{"name": "y"}\n' if command.endswith(" -") else b""
        done = unified(command, environ={"HOME": str(home)}, stdin=piped)
        assert done.code == 0, (command, done.stderr)
    open_to_others = [
        (str(path.relative_to(tmp_path)), oct(mode))
        for path in tmp_path.rglob("*")
        if path != home
        and path not in given
        and (mode := stat.S_IMODE(path.lstat().st_mode)) & 0o077
    ]
    assert open_to_others == []
    assert (tmp_path / "dump" / "sandbox" / "ticketing").is_dir()
