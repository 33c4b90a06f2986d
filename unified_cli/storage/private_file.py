"""Private files, written as a whole: the old content or the new one, whatever happens in between."""

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from unified_cli.errors import ConfigError

_LOCK_SECONDS = 30
# Not shorter: two hundred waiting processes that look again and again would leave no time for the one that works.
_POLL_SECONDS = 0.1
_TEMPORARY = r"\.{name}\.[0-9a-f]{{12}}\.part"


@contextlib.contextmanager
def locked(path: Path) -> Iterator[Path]:
    """Hold the lock of the file at `path` and give the file itself, which is elsewhere where `path` is a link.

    Makes the folder, open to this user only, where there is none. Raises ConfigError where the folder cannot be written
    or another process holds the lock for 30 seconds.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415  only for what changes files

    target = Path(os.path.realpath(path))
    _check_target(target)
    try:
        make_folder(target.parent)
        lock = FileLock(target.with_name(f"{target.name}.lock"), _LOCK_SECONDS, 0o600, poll_interval=_POLL_SECONDS)
        with lock:
            _clear(target)
            yield target
    except Timeout:
        raise ConfigError(f"another process has held the lock of {path} for {_LOCK_SECONDS} seconds") from None
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None


def make_folder(folder: Path) -> None:
    """Make the folder and those above it that are missing, none of them open to others."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        # Another process may be quicker; umask can only take rights away from these.
        with contextlib.suppress(FileExistsError):
            missing.mkdir(0o700)


def replace(target: Path, content: bytes, first: Callable[[], None] = lambda: None) -> None:
    """Give the file at `target` this content, for this user's eyes only; OSError leaves the old content.

    The caller holds the lock. The new content is on the disk before it gets the name, and the name before this returns.
    `first` is done when only the name is missing; where it fails, nothing has changed.
    """
    beside = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        try:
            while content:
                content = content[os.write(handle, content) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        first()
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def remove(target: Path) -> bool:
    """Remove the file for good; whether there was one."""
    try:
        target.unlink()
    except FileNotFoundError:
        return False
    sync_folder(target.parent)
    return True


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_target(target: Path) -> None:
    try:
        status = os.lstat(target)
    except OSError:
        # There is none, or it cannot be reached, which the lock will find too.
        return
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{target} is not a file and is left alone")


def _clear(target: Path) -> None:
    """Remove what killed processes left: under the lock nobody else has such a file."""
    ours = re.compile(_TEMPORARY.format(name=re.escape(target.name)))
    for entry in os.listdir(target.parent):  # noqa: PTH208  names are enough
        if ours.fullmatch(entry):
            target.with_name(entry).unlink(missing_ok=True)
