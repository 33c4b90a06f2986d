"""Folders: made for this user only, and synced so that the names in them survive a power cut."""

import contextlib
import os
from pathlib import Path


def make_private(folder: Path) -> None:
    """Make the folder and those above it that are missing, none of them open to others, for good. Raises OSError."""
    for missing in reversed([one for one in (folder, *folder.parents) if not one.exists()]):
        # Another process may be quicker; umask can only take rights away from these.
        with contextlib.suppress(FileExistsError):
            missing.mkdir(0o700)
        sync(missing.parent)


def sync(folder: Path) -> None:
    """Have the names in the folder on the disk: files that were made, renamed or removed. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
