"""Folders: made for this user only, and synced so that the names in them survive a power cut."""

import contextlib
import os
from pathlib import Path

from unified_cli.errors import UnsafeError


def make_private(folder: Path) -> None:
    """Make the folder and those above it that are missing, none of them open to others, for good. Raises OSError."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        # Another process may be quicker; umask can only take rights away from these.
        with contextlib.suppress(FileExistsError):
            missing.mkdir(0o700)
        sync(missing.parent)


def check_below(root: Path, path: Path) -> None:
    """Raise UnsafeError where a folder between `root` and `path`, which is below it, is a link; `root` itself may be.

    Whoever can change a folder could else have files written or read anywhere.
    """
    between = [folder for folder in path.parents if folder != root and folder.is_relative_to(root)]
    for folder in between:
        if folder.is_symlink():
            raise UnsafeError(
                f"the folder {folder} is a symbolic link", hint=f"nothing below {root} may lead elsewhere"
            )


def sync(folder: Path) -> None:
    """Have the names in the folder on the disk: files that were made, renamed or removed. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
