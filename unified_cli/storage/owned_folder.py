"""Create a private temporary folder. If the process is killed, the next process removes
the folder.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from unified_cli.errors import StateError, StorageError
from unified_cli.storage import folders
from unified_cli.storage.file_lock import HeldLock

_LOCK = ".lock"


@contextlib.contextmanager
def owned_folder(parent: Path | None) -> Iterator[Path]:
    """Create a folder during the block, in `parent` or the system's temporary folder.

    Also removes folders of killed processes. Raises StorageError.
    """
    if parent is None:
        with tempfile.TemporaryDirectory(prefix="unified-", ignore_cleanup_errors=True) as made:
            yield Path(made)
        return
    path = parent / os.urandom(6).hex()
    lock = HeldLock(path.with_suffix(_LOCK), "set XDG_CACHE_HOME to a folder on another disk")
    try:
        folders.make_private(parent)
        for left in parent.glob(f"*{_LOCK}"):
            _remove_without_owner(left)
        lock.take(str(path))
        path.mkdir(0o700)
    except OSError as error:
        raise StorageError(f"cannot write into {parent}: {error.strerror}") from None
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        lock.release()


def _remove_without_owner(path: Path) -> None:
    lock = HeldLock(path)
    with contextlib.suppress(StateError, StorageError):
        lock.take(str(path), 0)
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        lock.release()
