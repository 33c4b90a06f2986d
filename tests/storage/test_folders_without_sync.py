"""Where a file system syncs files and no folders, as CIFS, WSL 1 and some FUSE file
systems do, all that writes works; where a file cannot be synced, or a disk fails, it
says so.
"""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from file_writers import Workshop, Writer, writers
from front_door import Unified

Config = Callable[[str], Path]
Fail = Callable[..., None]
NOT_OFFERED = ["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EBADF"]


@pytest.fixture
def workshop(
    tmp_path: Path, unified: Unified, config: Config, monkeypatch: pytest.MonkeyPatch
) -> Workshop:
    monkeypatch.chdir(tmp_path)
    return Workshop(tmp_path, unified, config)


@pytest.fixture
def fail(monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Have fsync fail from now on, of folders or of files."""

    def set_up(number: int, *, of_folders: bool) -> None:
        real = os.fsync

        def fsync(handle: int) -> None:
            if stat.S_ISDIR(os.fstat(handle).st_mode) == of_folders:
                raise OSError(number, os.strerror(number))
            real(handle)

        monkeypatch.setattr(os, "fsync", fsync)

    return set_up


@writers()
def test_a_folder_that_cannot_be_synced_is_accepted(
    writer: Writer, workshop: Workshop, fail: Fail
) -> None:
    fail(errno.EINVAL, of_folders=True)
    result = workshop.run(writer)
    assert result.code == writer.code, result.stderr
    assert "Invalid argument" not in result.stderr
    assert "cannot be resumed" not in result.stderr
    assert "forgets" not in result.stderr
    assert workshop.written(writer) != []


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_each_word_for_it_is_understood(name: str, workshop: Workshop, fail: Fail) -> None:
    fail(getattr(errno, name), of_folders=True)
    assert workshop("completion install --shell fish").code == 0


@writers()
def test_a_disk_that_fails_to_sync_a_folder_is_reported(
    writer: Writer, workshop: Workshop, fail: Fail
) -> None:
    fail(errno.EIO, of_folders=True)
    result = workshop.run(writer)
    assert result.code in {0, 3, 11}
    assert "Input/output error" in result.stderr


@writers("page", "junit", "report", "download", "bundle")
def test_a_finished_file_is_not_called_missing(
    writer: Writer, workshop: Workshop, fail: Fail
) -> None:
    fail(errno.EIO, of_folders=True)
    result = workshop.run(writer)
    assert result.stderr.endswith(
        f"error: {writer.writes} is written, but may be lost in a power cut: Input/output error\n"
    )
    assert (result.code, len(workshop.written(writer))) == (11, 1)


@writers("page", "list", "export", "import", "download many", "login", "completion")
@pytest.mark.parametrize("name", ["EINVAL", "EIO"])
def test_a_file_that_cannot_be_synced_is_an_error(
    name: str, writer: Writer, workshop: Workshop, fail: Fail
) -> None:
    fail(getattr(errno, name), of_folders=False)
    result = workshop.run(writer)
    assert result.code in {3, 11}
    assert os.strerror(getattr(errno, name)) in result.stderr


@pytest.mark.parametrize(
    "command", ["-p old -p new ticketing tags create -f name=x --yes", "-p new apply p.plan --yes"]
)
def test_writes_continue_where_their_journal_cannot_be_kept(
    command: str, workshop: Workshop, fail: Fail
) -> None:
    assert workshop("-p old -p new ticketing tags create -f name=first --yes").code == 0
    before = workshop("runs list -o json").json
    fail(errno.EIO, of_folders=True)
    result = workshop(command)
    assert result.code == 0, result.stderr
    assert "this run cannot be resumed: cannot write" in result.stderr
    # Records sent from memory would be sent once more from a journal that says nothing
    # of it.
    assert workshop("runs list -o json").json == before
