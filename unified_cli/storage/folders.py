"""Create private folders, and sync them, so that file names survive a power failure."""

import errno
import os
from pathlib import Path

from unified_cli.errors import StorageError, UnsafeError

# The errors of file systems that cannot sync folders, such as CIFS before Linux 4.17,
# WSL 1, and some FUSE.
_NOT_OFFERED = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF}


def make_private(folder: Path) -> None:
    """Create a private folder and its missing parents.

    The names of the new folders are synced. Raises FileExistsError for a dangling link,
    and OSError if creating fails.
    """
    for missing in reversed(
        [parent for parent in (folder, *folder.parents) if not parent.exists()]
    ):
        try:
            # Create the folder with its final permissions, because the umask can only
            # remove permissions.
            missing.mkdir(0o700)
        except FileExistsError:
            # Another process may have created the folder, which is fine. A dangling
            # link is not.
            if not missing.is_dir():
                raise
        sync(missing.parent)


def check_below(root: Path, path: Path) -> None:
    """Raise UnsafeError if a folder between `root` and `path` is a link.

    Through a link, another user could redirect files. `root` itself may be a link.
    """
    between = [folder for folder in path.parents if folder != root and folder.is_relative_to(root)]
    for folder in between:
        if folder.is_symlink():
            raise UnsafeError(
                f"the folder {folder} is a symbolic link",
                hint=f"links below {root} are not followed",
            )


class FixedFolder:
    """A folder that must not be replaced, nor contain links.

    Otherwise another user could redirect files. The folder itself may be a link.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: os.stat_result | None = None

    def fix(self) -> None:
        """Remember the identity of the folder, which later checks expect. Does nothing
        if it is already known. Raises StorageError.
        """
        self._known = self._known or self._found()

    def check(self, path: Path) -> None:
        """Raise UnsafeError if the folder was replaced.

        Also raises UnsafeError if a folder between this folder and `path` is a link.
        Raises StorageError if the folder cannot be checked.
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

    Call it after files were created, renamed or removed. Does nothing if the file
    system does not sync folders. Raises OSError.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_OFFERED:
            # Add the name of the folder, which errors about open files do not have.
            raise OSError(error.errno, error.strerror, str(folder)) from None
    finally:
        os.close(handle)
