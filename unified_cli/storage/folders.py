"""Make folders for this user only, and sync them, so that the names in them survive a
power failure.
"""

import errno
import os
from pathlib import Path

from unified_cli.errors import StorageError, UnsafeError

# File systems that sync files, but no folders: CIFS before Linux 4.17, WSL 1, some
# FUSE.
_NOT_OFFERED = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF}


def make_private(folder: Path) -> None:
    """Make the folder and its missing parents, and sync their names.

    Only this user can access the new folders.

    Raises FileExistsError for a link that leads nowhere, and another OSError if that
    fails.
    """
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        try:
            # The umask can only remove permissions.
            missing.mkdir(0o700)
        except FileExistsError:
            # Another process may have made it first. A dangling link is refused: it
            # leads elsewhere.
            if not missing.is_dir():
                raise
        sync(missing.parent)


def check_below(root: Path, path: Path) -> None:
    """Raise UnsafeError for a link between `root` and `path`.

    `path` is below `root`, which itself may be a link. Anyone who can change a folder
    could otherwise have files written or read anywhere.
    """
    between = [folder for folder in path.parents if folder != root and folder.is_relative_to(root)]
    for folder in between:
        if folder.is_symlink():
            raise UnsafeError(
                f"the folder {folder} is a symbolic link",
                hint=f"nothing below {root} may lead elsewhere",
            )


class FixedFolder:
    """A folder that must not be replaced. It may be a link itself, but no folder below
    it may be one.

    Anyone who can replace it by a link could otherwise have files written anywhere.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: os.stat_result | None = None

    def fix(self) -> None:
        """Note which folder it is, unless already noted. Raises StorageError."""
        self._known = self._known or self._found()

    def check(self, path: Path) -> None:
        """Raise UnsafeError if the folder was replaced, or if there is a link between
        the folder and `path`. Raises StorageError if that cannot be found out.
        """
        if self._known and not os.path.samestat(self._known, self._found()):
            raise UnsafeError(
                f"the folder {self.path} was replaced by another",
                hint="nothing is written there",
            )
        check_below(self.path, path)

    def _found(self) -> os.stat_result:
        try:
            return self.path.stat()
        except OSError as error:
            raise StorageError(f"cannot reach the folder {self.path}: {error.strerror}") from None


def sync(folder: Path) -> None:
    """Sync the names in the folder to disk.

    This is needed after files in the folder were made, renamed or removed. Does nothing
    if the file system does not sync folders. Raises OSError.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            # For an open file, the operating system's error has no name.
            raise OSError(error.errno, error.strerror, str(folder)) from None
    finally:
        os.close(handle)
