"""On a disk without locks, as some NFS are mounted, each command says which folder that
is and what works; what does not depend on a lock works.
"""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from file_writers import Workshop, Writer, writers
from front_door import Unified

# The purpose of each lock, and the commands that work there.
INSTEAD = {
    "list": "--out a file on another disk, or > FILE",
    "export": "--to a folder on another disk",
    "import": "copy the input to another disk, or pipe it in with - as the file",
    "download many": "--out a folder on another disk",
    "profile add": "set UNIFIED_CONFIG to a file on another disk",
    "profile set": "set UNIFIED_CONFIG to a file on another disk",
    "login": "set UNIFIED_CONFIG to a file on another disk",
}
GOES_ON = "(set XDG_DATA_HOME to a folder on another disk)"


@pytest.fixture
def workshop(
    tmp_path: Path,
    unified: Unified,
    config: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> Workshop:
    monkeypatch.chdir(tmp_path)
    return Workshop(tmp_path, unified, config)


@pytest.fixture(params=["ENOLCK", "ENOSYS", "EOPNOTSUPP"])
def no_locks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Refuse locks from now on; gives the reason in words."""
    number = getattr(errno, request.param)

    def flock(_handle: int, _operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", flock)
    return os.strerror(number)


def folder_of(writer: Writer, workshop: Workshop) -> str:
    """The folder of the lock, as it is typed or found."""
    if writer.writes.startswith("config"):
        return str(workshop.folder / "config")
    return {"--to dump": "dump", "--out d/": "d"}.get(" ".join(writer.command.split()[-2:]), ".")


@writers(*INSTEAD)
def test_the_error_names_the_folder_and_a_remedy(
    writer: Writer, workshop: Workshop, no_locks: str, request: pytest.FixtureRequest
) -> None:
    before = {*workshop.folder.rglob("*.lock")}
    result = workshop.run(writer)
    instead = INSTEAD[request.node.callspec.id.rpartition("-")[2]]
    said = f"the folder {folder_of(writer, workshop)} is on a disk without locks: {no_locks}"
    assert f"{said} ({instead})" in result.stderr
    assert result.code == (3 if writer.writes.startswith("config") else 11)
    assert {*workshop.folder.rglob("*.lock")} == before


@pytest.mark.usefixtures("no_locks")
@writers("run", "apply", "apply ids", "import pipe")
def test_work_whose_journal_cannot_be_locked_continues(writer: Writer, workshop: Workshop) -> None:
    result = workshop.run(writer)
    assert result.code == 0, result.stderr
    assert "cannot be resumed: the folder " in result.stderr
    assert "is on a disk without locks: " in result.stderr
    assert GOES_ON in result.stderr
    assert [*(workshop.folder / "data" / "imports").glob("*.ndjson*")] == []


@pytest.mark.usefixtures("no_locks")
@writers("page", "junit", "record", "report", "download", "completion", "bundle", "cache")
def test_commands_without_a_lock_work(writer: Writer, workshop: Workshop) -> None:
    result = workshop.run(writer)
    assert result.code == writer.code, result.stderr
    assert workshop.written(writer) != []


@pytest.mark.usefixtures("no_locks")
def test_lists_and_piped_imports_work_without_locks(workshop: Workshop) -> None:
    listed = workshop("-p old ticketing tags list --all -o ndjson")
    assert (listed.code, listed.stdout.count("\n")) == (0, 12)
    piped = workshop("-p new import ticketing/tags -", b'{"name":"a"}\n')
    assert piped.code == 0


@pytest.mark.usefixtures("no_locks")
def test_the_state_of_a_sandbox_can_be_elsewhere(workshop: Workshop) -> None:
    result = workshop("sandbox serve --state s.db")
    assert (result.code, "is on a disk without locks" in result.stderr) == (11, True)
    assert "(choose a file on another disk with --state, or use --state :memory:)" in result.stderr
    own = workshop("-p new ticketing tags create -f name=x")
    assert own.code == 0
    assert "the sandbox forgets its records when this ends: the folder" in own.stderr


@pytest.mark.usefixtures("no_locks")
def test_a_profile_cannot_be_removed_there(workshop: Workshop) -> None:
    result = workshop("profile remove acme --yes")
    assert (result.code, "is on a disk without locks" in result.stderr) == (3, True)
