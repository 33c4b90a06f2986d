"""Locks: one process at a time, whatever happens to the lock's file."""

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from front_door import Unified
from server import Reply, Seen, Service

from unified_cli.errors import StateError, StorageError
from unified_cli.storage.file_lock import HeldLock


def test_a_lock_on_a_removed_file_does_not_count(
    unified: Unified, service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "in.ndjson"
    path.write_text('{"name": "a"}\n')
    lock = tmp_path / "in.ndjson.unified-journal.lock"
    real: Callable[[int, int], None] = fcntl.flock
    removed: list[Path] = []
    others: list[str] = []

    def late(handle: int, how: int) -> None:
        # The holder of the lock releases it after its file was opened here and before
        # it is locked.
        if not removed:
            removed.append(lock)
            lock.unlink()
        real(handle, how)

    def reply(_: Seen) -> Reply:
        with pytest.raises(StateError) as error:
            HeldLock(lock).take("it")
        others.append(error.value.message)
        return Reply()

    service.reply = reply
    monkeypatch.setattr(fcntl, "flock", late)
    result = unified(f"import ticketing/tags {path}", environ=service.environ)
    assert (result.code, removed) == (0, [lock])
    assert others == [f"it is in use by process {os.getpid()}"]
    assert not lock.exists()


def test_a_failed_attempt_leaves_the_lock_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "t.lock"
    held = HeldLock(path)
    held.take("t")
    for _ in range(2):
        with pytest.raises(StateError, match=f"^t is in use by process {os.getpid()}$"):
            HeldLock(path).take("t")
    assert path.read_text() == f"{os.getpid()}\n"
    assert path.stat().st_mode & 0o777 == 0o600
    held.release()
    assert not path.exists()
    held.release()
    HeldLock(path).take("t")


@pytest.mark.parametrize("to", ["a file", "nothing"])
def test_a_link_in_place_of_a_lock_is_not_followed(to: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    if to == "a file":
        victim.write_text("mine")
    (tmp_path / "t.lock").symlink_to(victim)
    with pytest.raises(StateError, match=r"/t\.lock is not a regular file \(remove it\)$"):
        HeldLock(tmp_path / "t.lock").take("t")
    assert (victim.read_text() if victim.exists() else None) == ("mine" if to == "a file" else None)


def test_a_lock_is_held_when_the_thread_that_took_it_has_ended(tmp_path: Path) -> None:
    held = HeldLock(tmp_path / "t.lock")
    thread = Thread(target=held.take, args=("t",))
    thread.start()
    thread.join()
    with pytest.raises(StateError):
        HeldLock(tmp_path / "t.lock").take("t")
    held.release()
    HeldLock(tmp_path / "t.lock").take("t")


def test_the_file_of_a_lock_is_removed_before_the_lock_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The other way round another process may take the lock in between, and it would be
    # on a file that is removed.
    path = tmp_path / "t.lock"
    held = HeldLock(path)
    held.take("t")
    real: Callable[[int, int], None] = fcntl.flock
    there: list[bool] = []

    def watched(handle: int, how: int) -> None:
        if how == fcntl.LOCK_UN:
            there.append(path.exists())
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", watched)
    held.release()
    assert there == [False]


def test_a_folder_that_takes_no_file_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        # Linux's answer in /proc: the folder is there, and a new file in it never
        # is.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StorageError, match=r"cannot create .*/x\.lock: the folder accepts no file"):
        HeldLock(tmp_path / "x.lock").take("x")
