"""Who may touch a file that settings or credentials are in: this user and root, nobody else."""

import os
import stat
from pathlib import Path

from unified_cli.errors import ConfigError

_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def check(path: Path, status: os.stat_result) -> None:
    """Raise ConfigError, with the command that mends it, where another user could put words into the file."""
    if os.name != "posix":
        return
    if belongs_to_another(status):
        raise ConfigError(f"{path} belongs to another user", hint=f"chown {os.geteuid()} {path}")
    if writable_by_others(status):
        raise ConfigError(f"others can write {path}", hint=f"chmod go-w {path}")
    # A link has two folders, and whoever can write in either chooses what is read.
    for folder in dict.fromkeys((path.parent, Path(os.path.realpath(path)).parent)):
        _check_folder(folder)


def _check_folder(folder: Path) -> None:
    status = folder.stat()
    if belongs_to_another(status):
        raise ConfigError(f"the folder {folder} belongs to another user", hint=f"chown {os.geteuid()} {folder}")
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise ConfigError(f"anybody can replace files in {folder}", hint=f"chmod go-w {folder}")


def belongs_to_another(status: os.stat_result) -> bool:
    """Whether the file or folder is neither this user's nor root's."""
    return os.name == "posix" and status.st_uid not in (os.geteuid(), 0)


def writable_by_others(status: os.stat_result) -> bool:
    """Whether another user may write the file, or change what is in the folder."""
    return os.name == "posix" and bool(status.st_mode & _OTHERS_WRITE)


def readable_by_others(status: os.stat_result) -> bool:
    """Whether another user may read the file."""
    return os.name == "posix" and bool(status.st_mode & _OTHERS_READ)
