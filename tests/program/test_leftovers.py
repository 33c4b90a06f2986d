"""Files of a killed process are found and removed by the next run; those of a running
one stay.
"""

from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import Unified
from many_connections import failing, profiles
from pages import offer, served
from server import Service

from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.file_lock import HeldLock

CREATE = "ticketing tickets create -f name=x"
# A command, the folder that it writes into, and the file there that a killed one left
# in part.
COMMANDS = [
    ("ticketing tickets list --expect true --junit HERE/f.xml", "", "f.xml"),
    ("ticketing tickets list --out HERE/f.json --force", "", "f.json"),
    ("ticketing attachments download -q id=a --out HERE/f.bin --force", "", "f.bin"),
    ("ticketing attachments download -q id=a --out HERE/", "", "download"),
    ("import ticketing/tags HERE/in.ndjson --report HERE/f.ndjson", "", "f.ndjson"),
    ("import ticketing/tags HERE/in.ndjson", "", "in.ndjson.unified-done.ndjson"),
    ("import ticketing/tags -", "data/imports", "stdin"),
    ("doctor --bundle HERE/b.zip", "", "b.zip"),
    ("profile add more --account-id 1", "config", "config.toml"),
    (f"{CREATE} -p c* --yes", "data/runs", "20200101-aaaa.ndjson"),
    ("runs list", "data/runs", "20200101-aaaa.ndjson"),
    ("capabilities -p c00", "cache/capabilities", "0123.json"),
]


@pytest.mark.parametrize(
    ("command", "folder", "name"), COMMANDS, ids=[command for command, *_ in COMMANDS]
)
def test_leftovers_are_removed_by_the_next_run(
    command: str,
    folder: str,
    name: str,
    unified: Unified,
    service: Service,
    config: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    profiles(config, service.url, 2)
    service.reply = lambda _: served({"id": "u1", **offer({"ticketing": {"tags": ["list"]}})})
    (tmp_path / "in.ndjson").write_text('{"name":"a"}\n')
    where = tmp_path / folder
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    (where / f".{name}.0123456789ab.part").write_text("half of it")
    (where / f".{name}.part").write_text("of another program")
    folders = {kind: tmp_path / kind for kind in ("config", "data", "cache")}
    unified(command.replace("HERE", str(tmp_path)), environ=service.environ, folders=folders)
    assert [path.name for path in where.glob(".*")] == [f".{name}.part"]


@pytest.mark.parametrize("command", ["runs list", f"{CREATE} -p c* --yes"])
def test_the_lock_that_a_killed_run_left_is_removed(
    command: str, unified: Unified, service: Service, config: Callable[[str], Path], tmp_path: Path
) -> None:
    profiles(config, service.url, 2)
    service.reply = failing({})
    folder = tmp_path / "data" / "runs"
    folder.mkdir(mode=0o700, parents=True)
    (folder / "20200101-aaaa.ndjson.lock").write_text("4711\n")
    held = HeldLock(folder / "20200101-bbbb.ndjson.lock")
    held.take("it")
    unified(command)
    assert [path.name for path in folder.glob("*.lock")] == ["20200101-bbbb.ndjson.lock"]
    held.release()


def test_a_file_that_another_process_is_writing_stays(
    unified: Unified, service: Service, tmp_path: Path
) -> None:
    service.reply = failing({})
    path = tmp_path / "f.json"
    with AtomicFile.beside(path) as file:
        file.write(b"of another process")
        assert unified(f"ticketing tickets list --out {path}", environ=service.environ).code == 0
        file.publish(path, replace=True)
    assert path.read_bytes() == b"of another process"
    assert [*tmp_path.glob(".*")] == []
