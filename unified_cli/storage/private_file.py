"""Write private files atomically."""

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from unified_cli import os_limits
from unified_cli.errors import ConfigError
from unified_cli.storage import atomic_file, file_lock, folders
from unified_cli.storage.atomic_file import AtomicFile
from unified_cli.storage.regular_file import NotRegularError

_LOCK_SECONDS = 30
# The private files are the config file and the files of tokens beside it.
_ON_ANOTHER_DISK = "set UNIFIED_CONFIG to a file on another disk"


@contextlib.contextmanager
def locked(path: Path, note: Callable[[str], None] = lambda _: None) -> Iterator[Path]:
    """Lock the file at `path` during the block, and yield its path without links.

    If it must wait for more than a second, calls `note` with a message. Creates the
    private folder if it does not exist. Raises ConfigError if the folder cannot be
    written, or if another process holds the lock for 30 seconds.
    """
    target = os_limits.resolve_path(path)
    _check_target(target)
    try:
        folders.make_private(target.parent)
        with file_lock.hold(target.with_name(f"{target.name}.lock"), _LOCK_SECONDS, note):
            # As this process holds the lock, all temporary files are leftovers of
            # killed processes.
            atomic_file.sweep(target)
            yield target
    except TimeoutError:
        raise ConfigError(
            f"another process has held the lock of {path} for {_LOCK_SECONDS} seconds"
        ) from None
    except atomic_file.NotSyncedError as error:
        raise ConfigError(error.message) from None
    except NotRegularError as error:
        # The target was checked before, so the folder is the problem.
        raise ConfigError(
            f"cannot write {path}: {error.filename} is {error.strerror}", hint="remove it"
        ) from None
    except file_lock.NoLocksError as error:
        raise ConfigError(error.reason, hint=_ON_ANOTHER_DISK) from None
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror}") from None


def replace(target: Path, content: bytes, first: Callable[[], None] = lambda: None) -> None:
    """Replace the content of a private file, and sync it.

    The caller must hold the lock. `first` is called just before renaming, and may
    prevent it by raising an error. Raises OSError. After NotSyncedError, a power
    failure may undo the change. After any other error, the old content is unchanged.
    """
    with AtomicFile.beside(target) as file:
        file.write(content)
        file.publish(target, replace=True, before=first)


def remove(target: Path) -> bool:
    """Remove the file and sync the folder. Returns whether the file existed."""
    try:
        target.unlink()
    except FileNotFoundError:
        return False
    folders.sync(target.parent)
    return True


def _check_target(target: Path) -> None:
    try:
        status = os.lstat(target)
    except OSError:
        # The file is missing or inaccessible. Taking the lock reports an inaccessible
        # file.
        return
    if not stat.S_ISREG(status.st_mode):
        raise ConfigError(f"{target} is not a file, so it is not changed")
