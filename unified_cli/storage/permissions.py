"""Check that only this user and root can change the files and folders that the program
trusts: settings, catalogues, credentials, journals, files of ids, the sandbox and
caches.
"""

import os
import shlex
import stat
from contextlib import suppress
from pathlib import Path

from unified_cli import os_limits
from unified_cli.errors import ConfigError

_OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def problem(path: Path, status: os.stat_result) -> ConfigError | None:
    """Return the error if other users can change the file or folder, or None.

    The hint of the error is the command that fixes the permissions.
    """
    if os.name != "posix":
        return None
    if belongs_to_another(status):
        return ConfigError(
            f"{path} belongs to another user", hint=f"chown {os.geteuid()} {shlex.quote(str(path))}"
        )
    if status.st_mode & _OTHERS_WRITE:
        return ConfigError(f"others can write {path}", hint=f"chmod go-w {shlex.quote(str(path))}")
    return None


def check(path: Path, status: os.stat_result) -> None:
    """Raise ConfigError if others can change the file or folder."""
    if found := problem(path, status):
        raise found


def check_if_there(path: Path) -> None:
    """Raise ConfigError if the file exists and others can change it."""
    with suppress(OSError):
        # Ignore a link: it has no permissions, and opening it fails.
        if not path.is_symlink():
            check(path, path.lstat())


def check_own_folder(folder: Path) -> None:
    """Raise ConfigError if other users can change a folder of this program or its
    parent.

    The folder need not exist. Raises OSError.
    """
    # A user who can change the parent can replace the folder.
    for path in (folder.parent, folder):
        try:
            status = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return
        check(path, status)


def check_with_folder(path: Path, status: os.stat_result) -> None:
    """Raise ConfigError if others can change or replace the file."""
    if os.name != "posix":
        return
    check(path, status)
    # A link and its target may be in different folders. A user who can change either
    # folder can replace the file.
    for folder in dict.fromkeys((path.parent, os_limits.resolve_path(path).parent)):
        _check_folder(folder)


def _check_folder(folder: Path) -> None:
    status = folder.stat()
    if belongs_to_another(status):
        raise ConfigError(
            f"the folder {folder} belongs to another user",
            hint=f"chown {os.geteuid()} {shlex.quote(str(folder))}",
        )
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise ConfigError(
            f"anybody can replace files in {folder}", hint=f"chmod go-w {shlex.quote(str(folder))}"
        )


def belongs_to_another(status: os.stat_result) -> bool:
    """Return whether the owner is neither this user nor root."""
    return status.st_uid not in (os.geteuid(), 0)


def readable_by_others(status: os.stat_result) -> bool:
    """Return whether other users can read the file."""
    return os.name == "posix" and bool(status.st_mode & _OTHERS_READ)
